package cypher_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query/cypher"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         string // line:text of each piece, the rest after a bar
		complete     bool
	}{
		{"nothing", "", "|1:", true},
		{"space", " \n\t ", "|1:", true},
		{"one", "RETURN 1;", "1:RETURN 1|1:", true},
		{"open", "RETURN 1", "|1:RETURN 1", false},
		{"two", "RETURN 1; RETURN 2;", "1:RETURN 1,1:RETURN 2|1:", true},
		{"lines", "\n\nMATCH (n)\nRETURN n;\n\nRETURN\n2", "3:MATCH (n)\nRETURN n|6:RETURN\n2", false},
		{"empty statements", ";; RETURN 1;;", "1:RETURN 1|1:", true},
		{"in a string", `RETURN ';', ";", '\';';`, `1:RETURN ';', ";", '\';'|1:`, true},
		{"in backticks", "RETURN `;`;", "1:RETURN `;`|1:", true},
		{"in a comment", "RETURN 1 /* ; */; // ;", "1:RETURN 1 /* ; */|1:", true},
		{"a comment before", "// first\nRETURN 1; /* second */ RETURN 2", "2:RETURN 1|2:RETURN 2", false},
		{"only a comment", "// nothing ;", "|1:", true},
		{"an open string", "RETURN 'a;", "|1:RETURN 'a;", false},
		{"an open comment", "RETURN 1; /* a;", "1:RETURN 1|1:/* a;", false},
		{"an open name", "RETURN `a;", "|1:RETURN `a;", false},
		{"bad tokens", "RETURN ? \\; RETURN 2;", "1:RETURN ? \\,1:RETURN 2|1:", true},
		{"a byte order mark", "\ufeffRETURN 1;", "1:RETURN 1|1:", true},
	} {
		pieces, rest, complete := cypher.Split(c.script)
		var got []string
		for _, p := range pieces {
			got = append(got, fmt.Sprintf("%d:%s", p.Line, p.Text))
		}
		all := strings.Join(got, ",") + fmt.Sprintf("|%d:%s", rest.Line, rest.Text)
		want := c.want
		if complete && rest.Text == "" {
			all = all[:strings.LastIndex(all, ":")-1] // the line of no rest is not of interest
			want = want[:strings.LastIndex(want, ":")-1]
		}
		if all != want || complete != c.complete {
			t.Errorf("%s: got %s, %v; want %s, %v", c.name, all, complete, want, c.complete)
		}
	}
}

func ExampleSplit() {
	statements, rest, complete := cypher.Split("USE base; RETURN ';' AS s;\nMATCH (n)")
	for _, s := range statements {
		fmt.Println(s.Line, s.Text)
	}
	fmt.Println(rest.Text, complete)
	// Output:
	// 1 USE base
	// 1 RETURN ';' AS s
	// MATCH (n) false
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"  RETURN 1  ":                       "RETURN 1",
		"MATCH (n) // all\nRETURN\n  n.name": "MATCH (n) RETURN n.name",
		"// a note\nRETURN 1":                "RETURN 1",
		"RETURN 'a\nb' /* c\nd */ + 2":       `RETURN 'a\nb' + 2`,
		"RETURN 1 // d\n// e":                "RETURN 1",
		"RETURN '// no' /* open":             "RETURN '// no' /* open",
		"RETURN\n'open":                      "RETURN 'open",
		"n.a!=1\nAND x":                      "n.a!=1 AND x",
	} {
		if got := cypher.OneLine(text); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", text, got, want)
		}
	}
}

func ExampleParseWhere() {
	_, err := cypher.ParseWhere("team = 'sales' ADN year >= 2024")
	if e, ok := err.(*cypher.SyntaxError); ok {
		fmt.Println(e)
		fmt.Println(e.Caret())
	}
	// Output:
	// line 1, column 16: expected an operator or the end of the condition, found ADN; did you mean AND?
	// team = 'sales' ADN year >= 2024
	//                ^^^
}
