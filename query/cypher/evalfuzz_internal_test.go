package cypher

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// randomExpr writes an expression that may make no sense.
func randomExpr(r *rand.Rand, names []string, depth int) string {
	sub := func() string { return randomExpr(r, names, depth-1) }
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	if depth == 0 || r.IntN(6) == 0 {
		return pick(append([]string{"null", "true", "false", "0", "1", "-1", "2.5", "9223372036854775807", "''", "'a'", "'1'", "[]", "{}", "$n", "$list", "0.0 / 0.0"}, names...)...)
	}
	switch r.IntN(14) {
	case 0, 1:
		return "(" + sub() + " " + pick("+", "-", "*", "/", "%", "^") + " " + sub() + ")"
	case 2:
		return "(" + sub() + " " + pick("=", "<>", "<", "<=", ">", ">=") + " " + sub() + ")"
	case 3:
		return "(" + sub() + " " + pick("AND", "OR", "XOR", "IN", "STARTS WITH", "CONTAINS", "=~") + " " + sub() + ")"
	case 4:
		return "(" + pick("NOT ", "-", "+") + sub() + ")"
	case 5:
		return "[" + sub() + ", " + sub() + "]"
	case 6:
		return "{a: " + sub() + ", b: " + sub() + "}"
	case 7:
		return "(" + sub() + ")" + pick(".a", "["+sub()+"]", "["+sub()+".."+sub()+"]", ".name", " IS NULL", " IS NOT NULL")
	case 8:
		return "[y IN " + sub() + " WHERE " + sub() + " | [y, " + sub() + "]]"
	case 9:
		return pick("all", "any", "none", "single") + "(y IN " + sub() + " WHERE " + sub() + ")"
	case 10:
		return "reduce(s = " + sub() + ", y IN " + sub() + " | s + " + sub() + ")"
	case 11:
		return "CASE " + pick("", sub()) + " WHEN " + sub() + " THEN " + sub() + " ELSE " + sub() + " END"
	case 12:
		f := functionsByName[pick(functionNames()...)]
		for f == nil || f.name == "exists" {
			f = functionsByName[strings.ToLower(pick(functionNames()...))]
		}
		var args []string
		for range max(f.min, 1) {
			args = append(args, sub())
		}
		if f.max == 0 {
			args = nil
		}
		return f.name + "(" + strings.Join(args, ", ") + ")"
	}
	return pick(names...) + " {.a, .*, z: " + sub() + "}"
}

// TestRandomExpressions checks that no expression panics or hangs, that each
// ends in a value or in an error of a known kind, and that the value is the
// same again, also where literals are variables and nothing is folded.
func TestRandomExpressions(t *testing.T) {
	run, _ := people(t)
	n := 2000
	if testing.Short() {
		n = 500
	}
	values := 0
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 11))
		text := randomExpr(r, run.names, 3)
		if strings.Contains(text, "rand") {
			continue
		}
		v, ok := evalOnce(t, run, text)
		again, okAgain := evalOnce(t, run, text)
		if ok != okAgain || !v.Equal(again) {
			t.Fatalf("seed %d: %s is %s, and then %s", seed, text, v, again)
		}
		if !ok {
			continue
		}
		values++
		if _, err := v.MarshalJSON(); err != nil {
			t.Fatalf("seed %d: %s as JSON: %v", seed, text, err)
		}
		free := evalRun{params: run.params, names: append([]string{"nothing", "yes", "no", "one"}, run.names...), row: append(row{Null, Bool(true), Bool(false), Int(1)}, run.row...)}
		plain := strings.NewReplacer("(null ", "(nothing ", "(true ", "(yes ", "(false ", "(no ", "(1 ", "(one ").Replace(text)
		if w, ok := evalOnce(t, free, plain); !ok || !w.Equal(v) {
			t.Fatalf("seed %d: %s is %s, and %s is %s", seed, text, v, plain, w)
		}
	}
	if values < n/20 {
		t.Errorf("only %d of %d expressions have a value", values, n)
	}
}

// evalOnce evaluates an expression; false if it has no value.
func evalOnce(t testing.TB, run evalRun, text string) (Value, bool) {
	t.Helper()
	start := time.Now()
	v, err := run.eval(text)
	var failed *EvalError
	var syntax *SyntaxError
	if err != nil && !errors.As(err, &failed) && !errors.As(err, &syntax) {
		t.Fatalf("%s: %v", text, err)
	}
	if failed != nil && (failed.Message == "" || int(failed.Pos) > len("RETURN "+text)) {
		t.Fatalf("%s: the error %q stands at %d", text, failed.Message, failed.Pos)
	}
	if d := time.Since(start); d > time.Minute {
		t.Fatalf("%s took %v", text, d)
	}
	return v, err == nil
}

// FuzzEval evaluates whatever parses.
func FuzzEval(f *testing.F) {
	run, _ := people(f)
	for _, s := range []string{
		"1 + 2 * 3", "ann.name STARTS WITH 'A'", "[x IN range(1, 9) WHERE x % 2 = 0 | x ^ 2]", "reduce(s = '', x IN ['a', 'b'] | s + x)",
		"k {.*, a: type(k)}", "CASE WHEN ann:Person THEN labels(ann) ELSE null END", "'abc' =~ '.*b.*'", "$list[0..-1]", "datetime('2026-01-01').year",
		"round(2.675, 2)", "toInteger('9e99')", "none(x IN nodes(p) WHERE x.age > 30)", "percentileDisc(1, 2)", "split('a,b', ',')",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseExpr(text)
		if err != nil {
			return
		}
		c := &compiler{text: "RETURN " + text, scope: &scope{names: run.names}, pattern: noPatterns}
		ev, err := c.expr(e)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		x := &exec{ctx: ctx, params: run.params}
		x.eval.now = time.Unix(1e9, 5) // one clock for all
		v, err := ev(x, run.row)
		if err != nil {
			return
		}
		if !v.Equal(v) || len(v.appendKey(nil)) == 0 {
			t.Errorf("%s: %s", text, v)
		}
		if _, err := v.MarshalJSON(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	})
}
