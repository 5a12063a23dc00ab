package main

import (
	"slices"
	"testing"
)

func TestHistoryLine(t *testing.T) {
	for text, want := range map[string]string{
		"RETURN 1;\n":                              "RETURN 1;",
		"RETURN 1, // why\n  2;\n":                 "RETURN 1, 2;",
		"// first\nRETURN 1;":                      "RETURN 1;",
		"RETURN /* a\nb */ 1;":                     "RETURN 1;",
		"RETURN 'a // b\nc',\n1;":                  `RETURN 'a // b\nc', 1;`,
		"MATCH (a)\nRETURN a.b\n\n\nORDER BY a.b;": "MATCH (a) RETURN a.b ORDER BY a.b;",
		"? a  question":                            "? a  question",
		"\n":                                       "",
	} {
		if got := historyLine(text); got != want {
			t.Errorf("historyLine(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                       nil,
		"  a  b\tc ":             {"a", "b", "c"},
		`"two words" 'it "is"'`:  {"two words", `it "is"`},
		`--meta=kind="a b" ''`:   {"--meta=kind=a b", ""},
		"docs/ünï.md /tmp/x.txt": {"docs/ünï.md", "/tmp/x.txt"},
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("splitWords(%q) = %q, %v; want %q", line, got, err, want)
		}
	}
	if got, err := splitWords(`a "b`); err == nil {
		t.Errorf("a quotation without an end gives %q", got)
	}
}

func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		widths []int
		room   int
		want   []int
	}{
		{[]int{5, 10}, 20, []int{5, 10}},
		{[]int{5, 40}, 20, []int{5, 15}},
		{[]int{30, 30}, 40, []int{20, 20}},
		{[]int{10, 30, 50}, 60, []int{10, 25, 25}},
		{[]int{50, 50}, 4, []int{leastColumn, leastColumn}},
		{[]int{3, 50}, 4, []int{3, leastColumn}},
		{nil, 4, nil},
	} {
		got := slices.Clone(c.widths)
		narrow(got, c.room)
		if !slices.Equal(got, c.want) {
			t.Errorf("narrow(%v, %d) = %v, want %v", c.widths, c.room, got, c.want)
		}
	}
}

// Entries are the same however a script is cut into lines, and know where they
// stand.
func TestInput(t *testing.T) {
	in := &input{name: "s"}
	var got []entry
	for _, line := range []string{
		"// a comment; with a semicolon\n", ".mode csv\n", "RETURN 1; RETURN\n", "  ';' AS x;\n",
		"  ? what is it \n", "RETURN 2 /*\n", ";\n", ".not a command\n", "*/ AS y\n",
	} {
		got = append(got, in.add(line)...)
	}
	got = append(got, in.rest()...)
	want := []entry{
		{kind: entryCommand, text: ".mode csv", file: "s", line: 2},
		{text: "RETURN 1", file: "s", line: 3},
		{text: "RETURN\n  ';' AS x", file: "s", line: 3, indent: 10},
		{kind: entryQuestion, text: "what is it", file: "s", line: 5},
		{text: "RETURN 2 /*\n;\n.not a command\n*/ AS y", file: "s", line: 6},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if in.open() {
		t.Error("the end of a script leaves a statement open")
	}
}
