package cypher

import (
	"fmt"
	"testing"
)

func TestStringOperators(t *testing.T) {
	run := evalRun{names: []string{"one", "none"}, row: row{Int(1), Null}}
	checkCases(t, run, []evalCase{
		{"'abc' STARTS WITH 'ab'", "true"},
		{"'abc' STARTS WITH 'b'", "false"},
		{"'abc' STARTS WITH ''", "true"},
		{"'abc' ENDS WITH 'bc'", "true"},
		{"'abc' ENDS WITH 'b'", "false"},
		{"'abc' CONTAINS 'b'", "true"},
		{"'abc' CONTAINS 'B'", "false"},
		{"one CONTAINS '1'", "null"},
		{"'1' STARTS WITH one", "null"},
		{"none ENDS WITH 'a'", "null"},
		{"'a' ENDS WITH none", "null"},
		{"[1] CONTAINS 1", "null"},
	})
}

func TestRegularExpressions(t *testing.T) {
	run := evalRun{names: []string{"p", "one", "none"}, row: row{String("a.*"), Int(1), Null}}
	checkCases(t, run, []evalCase{
		{"'abc' =~ 'a.c'", "true"},
		{"'abcd' =~ 'a.c'", "false"},
		{"'xabc' =~ 'a.c'", "false"},
		{"'abc' =~ p", "true"},
		{"'ABC' =~ '(?i)abc'", "true"},
		{"'b' =~ 'a|b'", "true"},
		{"'xb' =~ 'a|b'", "false"},
		{`'a\nb' =~ 'a.b'`, "false"},
		{`'a\nb' =~ '(?s)a.b'`, "true"},
		{`'a\n' =~ 'a'`, "false"},
		{"'' =~ ''", "true"},
		{"one =~ '1'", "null"},
		{"none =~ 'a'", "null"},
		{"'a' =~ none", "null"},
		{"'a' =~ one", "!TypeError"},
		{"'a' =~ 'a)|(b'", "!ArgumentError"},
		{"'a' =~ '('", "!ArgumentError"},
		{`'aa' =~ '(a)\\1'`, "!ArgumentError"},
		{"'a' =~ 'a(?!b)'", "!ArgumentError"},
		{"'a' =~ 'a++'", "!ArgumentError"},
	})
}

// TestRegexpsAreFew checks that a statement remembers few of many patterns.
func TestRegexpsAreFew(t *testing.T) {
	x := &exec{}
	for i := range 1000 {
		p, err := x.pattern(0, fmt.Sprint("a", i))
		must(t, err)
		if !p.re.MatchString(fmt.Sprint("a", i)) || len(x.eval.regexps.byText) > maxRegexps {
			t.Fatalf("pattern %d: %d are kept", i, len(x.eval.regexps.byText))
		}
	}
}
