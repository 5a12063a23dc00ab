package cypher

import (
	"strings"
	"testing"
)

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
		_, err := parse(c.text, nil)
		e, ok := err.(*SyntaxError)
		if !ok {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := e.Caret(); got != c.want {
			t.Errorf("%q:\ngot\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

// TestCheckIncompleteTrees: trees that no parser makes are refused or pass, and
// nothing panics.
func TestCheckIncompleteTrees(t *testing.T) {
	for i, st := range []*statement{nil, {}, {Query: &regularQuery{}}, {Query: &regularQuery{Parts: []*singleQuery{{}}}},
		{Copy: &copyClause{}}, {Index: &indexClause{}}, {Use: &useClause{}}} {
		if _, err := check(st, nil); st == nil && err == nil {
			t.Errorf("tree %d passes", i)
		}
	}
}
