package cypher

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// pollContext ends when it has been looked at some times.
type pollContext struct {
	context.Context
	left int
}

func (c *pollContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// evalUntil computes an expression of strings s and p in a context that ends at
// the n-th look at it.
func evalUntil(expr string, n int, s, p string) error {
	e, err := parseExpr(expr)
	if err != nil {
		return err
	}
	c := &compiler{text: "RETURN " + expr, scope: &scope{names: []string{"s", "p"}}, pattern: noPatterns}
	ev, err := c.expr(e)
	if err != nil {
		return err
	}
	_, err = ev(&exec{ctx: &pollContext{context.Background(), n}}, row{String(s), String(p)})
	return err
}

// TestMatchIsCancelled: a match whose steps would take minutes ends with its
// context.
func TestMatchIsCancelled(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	for _, p := range []string{"(.*a){40}b", "(a|aa)*b", `(?i)(\pL+x?)*b`, "(.*){30}b"} {
		if err := evalUntil("s =~ p", 5, long, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the error is %v", p, err)
		}
	}
	// What is matched in one go looks at the context too, in the end.
	if err := evalUntil("all(i IN range(1, 1000000) WHERE s =~ p)", 5, "aaaa", "(a|aa)*"); !errors.Is(err, context.Canceled) {
		t.Errorf("many matches: the error is %v", err)
	}
}

// TestMatchIsBounded: a regular expression that is too large, or too large for
// its string, is refused before it costs anything, with a short message.
func TestMatchIsBounded(t *testing.T) {
	for name, c := range map[string]struct{ s, p, want string }{
		"product": {strings.Repeat("a", 1<<20), "(.*a){100}b", "too long for a regular expression of"},
		"program": {"a", "(.*a){1000}(.*a){1000}(.*a){1000}(.*a){1000}b", "needs more than 10000 instructions"},
		"nested":  {"a", `((\pL{50}){4}x{5}){4}((\pL{50}){4}x{5}){4}`, "needs more than 10000 instructions"},
		"text":    {"a", strings.Repeat("a?", 3<<10), "4096 bytes at most"},
		"bad":     {"a", "(" + strings.Repeat("a?", 1<<10), "not a regular expression of RE2: missing closing )"},
	} {
		t.Run(name, func(t *testing.T) {
			before := cpuTime()
			err := evalUntil("s =~ p", 1<<30, c.s, c.p)
			var failed *EvalError
			if !errors.As(err, &failed) || !strings.Contains(failed.Message, c.want) {
				t.Errorf("the error is %v", err)
			} else if len(failed.Message) > 250 {
				t.Errorf("the message has %d bytes: %s", len(failed.Message), failed.Message)
			}
			if used := cpuTime() - before; used.Seconds() > 4 {
				t.Errorf("it took %v of CPU time", used)
			}
		})
	}
}

// TestMatchByReader: a long string matches as its characters say, whatever they
// are.
func TestMatchByReader(t *testing.T) {
	for _, c := range []struct {
		end, p string
		want   bool
	}{
		{"", "(?s)x+", true}, {"y", "x+", false}, {"é", "x+é", true}, {"\n", "x+", false},
		{"\xff", "x+.", true}, {"é", "x+", false}, {"𝄞", `x+\pS`, true},
	} {
		s := strings.Repeat("x", fewMatchSteps) + c.end
		x := &exec{ctx: context.Background()}
		p, err := x.pattern(0, c.p)
		must(t, err)
		if got, err := p.match(x, 0, s); err != nil || got != c.want {
			t.Errorf("…%q =~ %q is %v, %v", c.end, c.p, got, err)
		}
	}
}

// TestLongStrings: the functions of strings that read all of one look at the
// context, and give the same of a string in pieces.
func TestLongStrings(t *testing.T) {
	long := strings.Repeat("é ", 3*pieceBytes)
	spaces := strings.Repeat(" \u2003", 3*pieceBytes)
	for _, expr := range []string{
		"toUpper(s)", "toLower(s)", "reverse(s)", "size(s)", "char_length(s)", "left(s, 300000)", "right(s, 300000)",
		"substring(s, 300000)", "substring(s, 0, 300000)", "replace(s, 'é', 'e')", "replace(s, '', '-')", "split(s, ' ')",
		"split(s, '')", "s CONTAINS 'é é é é  '", "trim(p)", "ltrim(p)", "rtrim(p)",
	} {
		if err := evalUntil(expr, 1, long, spaces); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the error is %v", expr, err)
		}
	}
	middle := strings.Repeat("y", 1000)
	run := evalRun{names: []string{"s", "n", "m"}, row: row{String(long + middle + long), Int(int64(len([]rune(long)))), String(middle)}}
	checkCases(t, run, []evalCase{
		{"size(s)", fmt.Sprint(2*len([]rune(long)) + 1000)},
		{"substring(s, n, 1000) = m", "true"},
		{"left(right(s, n + 1000), 1000) = m", "true"},
		{"size(replace(s, m, ''))", fmt.Sprint(2 * len([]rune(long)))},
		{"size(split(s, m))", "2"},
		{"size(split(s, ''))", fmt.Sprint(2*len([]rune(long)) + 1000)},
		{"reverse(reverse(s)) = s", "true"},
		{"toLower(toUpper(s)) = s", "true"},
		{"s CONTAINS m", "true"},
		{"s CONTAINS m + 'y'", "false"},
		{"size(trim(s))", fmt.Sprint(2*len([]rune(long)) + 999)},
		{"replace('aé', '', '-')", "'-a-é-'"},
		{"replace('', '', '-')", "'-'"},
		{"replace('aaa', 'aa', 'b')", "'ba'"},
		{"split('', '')", "[]"},
		{"split('', ',')", "['']"},
		{"split('a,b,', ',')", "['a', 'b', '']"},
	})
}

// TestSortIsWatched: sorting is stable and looks at the context.
func TestSortIsWatched(t *testing.T) {
	type pair struct{ key, place int }
	compare := func(a, b *pair) int { return a.key - b.key }
	weight := func(*pair) int64 { return 0 }
	for _, n := range []int{0, 1, 2, 12, 13, 25, 100, 10_000} {
		list := make([]pair, n)
		for i := range list {
			list[i] = pair{i * 7919 % 101, i}
		}
		must(t, sortWatched(&exec{}, list, compare, weight))
		for i := 1; i < n; i++ {
			if a, b := list[i-1], list[i]; a.key > b.key || a.key == b.key && a.place > b.place {
				t.Fatalf("%d: %v stands before %v", n, a, b)
			}
		}
	}
	x := &exec{ctx: &pollContext{context.Background(), 3}}
	list := make([]pair, 100_000)
	for i := range list {
		list[i] = pair{i * 7919 % 100_003, i}
	}
	if err := sortWatched(x, list, compare, weight); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
