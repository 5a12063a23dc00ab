package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		indent   string
		want     string
	}{
		{"short", "a b", 20, "", "a b\n"},
		{"at blanks", "one two three four", 10, "", "one two\nthree four\n"},
		{"indented", "one two three", 14, "    ", "    one two\n    three\n"},
		{"a long word", "abcdefghijklmno p", 10, "", "abcdefghij\nklmno p\n"},
		{"wide characters", "東京東京東京", 10, "", "東京東京東\n京\n"},
		{"own lines", "a\n\nb", 10, "", "a\n\nb\n"},
		{"empty", "", 10, "", "\n"},
	} {
		if got := wrap(c.in, c.width, c.indent); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestEscape(t *testing.T) {
	in := "a\tb\nc\x1b[2J\x07\x7f\u009b\u202e\u2066é東"
	want := "a\tb\nc\\x1b[2J\\x07\\x7f\\u009b\\u202e\\u2066é東"
	if got := escape(in); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := escape(want); got != want {
		t.Errorf("escaped twice: %q", got)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(0), "0"}, {number(999), "999"}, {number(1000), "1,000"}, {number(-1234567), "-1,234,567"},
		{plural(1, "entity"), "1 entity"}, {plural(2, "entity"), "2 entities"}, {plural(2, "key"), "2 keys"}, {plural(1200, "item"), "1,200 items"},
		{size(999), "999 B"}, {size(1500), "1.5 kB"}, {size(123456), "123 kB"}, {size(int64(5e12)), "5.0 TB"},
		{duration(1500 * time.Microsecond), "1 ms"}, {duration(90 * time.Second), "1m30s"}, {duration(2 * time.Hour), "2h00m"},
		{cut("abcdef", 4), "abc…"}, {cut("東京東京", 5), "東京…"}, {cut("ab", 2), "ab"},
		{quote("a b"), `"a b"`}, {quote("it's $5"), `'it'\''s $5'`}, {quote("c:x.md#0"), "c:x.md#0"}, {quote(""), `""`}, {quote("#x"), `"#x"`},
		{pad("7", 3, true), "  7"}, {pad("é", 3, false), "é  "},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	rows := func(f format) string {
		var b strings.Builder
		o := &output{stdout: &b, format: f}
		tab := &table{head: []string{"name", "n"}, right: []bool{false, true}}
		tab.add(map[string]int{"a|b": 1}, "a|b", "1")
		tab.add(map[string]int{"c": 20}, "c", "20")
		o.rows(tab)
		return b.String()
	}
	for f, want := range map[format]string{
		asTable:    "name   n\na|b    1\nc     20\n",
		asLine:     "name = a|b\n   n = 1\n\nname = c\n   n = 20\n",
		asCSV:      "name,n\na|b,1\nc,20\n",
		asMarkdown: "| name | n |\n| --- | --: |\n| a\\|b | 1 |\n| c | 20 |\n",
		asJSONL:    "{\"a|b\":1}\n{\"c\":20}\n",
		asBox:      "┌──────┬────┐\n│ name │  n │\n├──────┼────┤\n│ a|b  │  1 │\n│ c    │ 20 │\n└──────┴────┘\n",
	} {
		if got := rows(f); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", f, got, want)
		}
	}
}

// failing takes nothing.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("no room") }

func TestOutputError(t *testing.T) {
	var stderr strings.Builder
	if code := run([]string{"version"}, nil, nil, failing{}, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "write the output: no room") {
		t.Errorf("exit %d, %q", code, stderr.String())
	}
}
