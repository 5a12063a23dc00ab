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

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"MATCH (n:Person) RETURN n.name":     "keyword:MATCH operator:( name:n operator:: label:Person operator:) keyword:RETURN name:n operator:. name:name",
		"-[r:X|Y*1..2 {w: $w}]->":            "operator:- operator:[ name:r operator:: label:X operator:| label:Y operator:* number:1 operator:.. number:2 operator:{ name:w operator:: parameter:$w operator:} operator:] operator:- operator:>",
		"CALL graph.ppr($s) YIELD node":      "keyword:CALL function:graph operator:. function:ppr operator:( parameter:$s operator:) keyword:YIELD name:node",
		"count(*) + size(x)":                 "function:count operator:( operator:* operator:) operator:+ function:size operator:( name:x operator:)",
		"RETURN 'a' // b":                    "keyword:RETURN string:'a' comment:// b",
		"1 /* b\nc */ 2 // d\n// e":          "number:1 comment:/* b\nc */ number:2 comment:// d comment:// e",
		"/* open":                            "comment:/* open",
		"'open":                              "bad:'open",
		"a != 1":                             "name:a bad:!= number:1",
		"{match: 1, b: x}":                   "operator:{ name:match operator:: number:1 operator:, name:b operator:: name:x operator:}",
		"n.match `a b` größe":                "name:n operator:. name:match name:`a b` name:größe",
		"[x IN xs WHERE x:A | x.y]":          "operator:[ name:x keyword:IN name:xs keyword:WHERE name:x operator:: label:A operator:| name:x operator:. name:y operator:]",
		"all(x IN xs WHERE true) AND exists": "function:all operator:( name:x keyword:IN name:xs keyword:WHERE keyword:true operator:) keyword:AND keyword:exists",
		"1.5e3 .5 0x1F":                      "number:1.5e3 number:.5 number:0x1F",
		"index = (a)":                        "name:index operator:= operator:( name:a operator:)",
	} {
		names := [...]string{
			cypher.TokenName: "name", cypher.TokenKeyword: "keyword", cypher.TokenFunction: "function",
			cypher.TokenLabel: "label", cypher.TokenString: "string", cypher.TokenNumber: "number",
			cypher.TokenParameter: "parameter", cypher.TokenOperator: "operator",
			cypher.TokenComment: "comment", cypher.TokenBad: "bad",
		}
		var got []string
		for _, tok := range cypher.Tokens(text) {
			got = append(got, names[tok.Kind]+":"+text[tok.Start:tok.End])
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, s, want)
		}
	}
}

func TestCaret(t *testing.T) {
	long := "RETURN " + strings.Repeat("aaaa + ", 20) + "??? + " + strings.Repeat("bbbb + ", 20) + "c"
	for _, c := range []struct{ text, want string }{
		{"RETURN 1 +", "RETURN 1 +\n          ^"},
		{"MTCH (n)", "MTCH (n)\n^^^^"},
		{"MATCH (n)\nWHERE n.x != 1\nRETURN n", "WHERE n.x != 1\n          ^^"},
		{"MATCH (n)\r\nWHERE n.x != 1\r\nRETURN n", "WHERE n.x != 1\n          ^^"},
		{"RETURN\t'a'\t!= 1", "RETURN    'a'    != 1\n                 ^^"},
		{"RETURN '名前' != 1", "RETURN '名前' != 1\n              ^^"},
		{"RETURN 名前 名前", "RETURN 名前 名前\n            ^^^^"},
		{"RETURN 'ｗｉｄｅ' ?", "RETURN 'ｗｉｄｅ' ?\n                  ^"},
		{"RETURN 'e\u0301' ?", "RETURN 'e\u0301' ?\n           ^"},
		{"RETURN '\x1b[31m' ?", "RETURN '·[31m' ?\n               ^"},
		{"RETURN '\u202e' ?", "RETURN '·' ?\n           ^"},
		{long, "…" + strings.Repeat("aaaa + ", 7) + "??? + bbbb + bbbb + bbbb …\n" + strings.Repeat(" ", 50) + "^"},
	} {
		_, err := cypher.Parse(c.text)
		e, ok := err.(*cypher.SyntaxError)
		if !ok {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := e.Caret(); got != c.want {
			t.Errorf("%q:\ngot\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

func ExampleParse() {
	_, err := cypher.Parse("MATCH (n:Entity) WERE n.name = 'Acme' RETURN n")
	if e, ok := err.(*cypher.SyntaxError); ok {
		fmt.Println(e)
		fmt.Println(e.Caret())
	}
	// Output:
	// line 1, column 18: expected a clause or the end of the statement, found WERE; did you mean WHERE?
	// MATCH (n:Entity) WERE n.name = 'Acme' RETURN n
	//                  ^^^^
}
