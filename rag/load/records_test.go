package load_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/load"
)

func TestJSONL(t *testing.T) {
	const in = "\ufeff" + `{"id":"a","title":"T","text":"one\r\ntwo","year":1999,"ok":true,"tags":["x","y",3],"day":"2024-02-29","at":"2024-02-29T10:00:00+02:00","none":null,"deep":{"k": [1, {}]},"mix":[[1]],"big":12345678901234567890,"lang":"en"}` + "\r\n" +
		"\n" +
		`{"text":"no id","title":null}` + "\n" +
		`{"id":7,"content":"number id","text":null}` + "\n" +
		`{"id":"e","title":"  ","text":""}` + "\n" +
		`{"id":"nolf","title":"two\nlines","text":"x"}`
	r := walk(t, files("d/c.jsonl", in), "d", nil)
	if len(r.bad) > 0 || r.err != nil {
		t.Fatalf("errors %v %v", r.bad, r.err)
	}
	if got := keys(r); got != "a c.jsonl:3 7 nolf" {
		t.Fatalf("keys %s", got)
	}
	if got := strings.Join(r.skips, ","); got != "d/c.jsonl:5: no text" {
		t.Errorf("skipped %s", got)
	}
	a := r.docs[0]
	if a.Text != "T\none\ntwo" || a.Title != "T" || a.Lang != "en" || a.Path != "d/c.jsonl" || a.Line != 1 {
		t.Errorf("document %+v", a)
	}
	want := `at=time 2024-02-29T08:00:00Z; big=num 1.2345678901234567e+19; day=time 2024-02-29T00:00:00Z; deep={"k":[1,{}]}; mix=[[1]]; ok=bool true; tags=list ["x" "y" "3"]; year=num 1999`
	if got := metaText(a); got != want {
		t.Errorf("metadata\n%s\nwant\n%s", got, want)
	}
	if a.Meta["big"].Text != "12345678901234567890" {
		t.Errorf("the big number is written %q", a.Meta["big"].Text)
	}
	if r.docs[1].Text != "no id" || r.docs[1].Line != 3 || r.docs[2].Text != "number id" || r.docs[3].Text != "two lines\nx" {
		t.Errorf("texts %q %q %q", r.docs[1].Text, r.docs[2].Text, r.docs[3].Text)
	}
	for _, d := range r.docs {
		for _, b := range d.Blocks {
			line := in[b.Source[0]:b.Source[1]]
			if line != strings.TrimSuffix(strings.Split(in[3:], "\n")[d.Line-1], "\r") && d.Line > 1 || line[0] != '{' || line[len(line)-1] != '}' {
				t.Errorf("source of %s is %q", d.Key, line)
			}
		}
	}
	u := wide("{\"text\":\"🙂é\"}\r\n{\"text\":\"b\"}\n", false)
	for _, d := range walk(t, files("w.jsonl", u), ".", nil).docs {
		if got := decodeAny(u, d.Blocks[0].Source); got != `{"text":"`+d.Text+`"}` {
			t.Errorf("source of %s in UTF-16 is %q", d.Key, got)
		}
	}
}

func TestJSONLBadLines(t *testing.T) {
	in := strings.Join([]string{
		`{"id":"a","text":"x"}`,
		`{"id":"b","text":"x"`,
		`[1]`,
		`"s"`,
		`null`,
		`{"id":"c"}`,
		`{"id":["c"],"text":"x"}`,
		`{"id":"c","text":{"a":1}}`,
		`{"id":"c","text":"x"} trailing`,
		`{"id":"c\n","text":"x"}`,
		`{"id":"c","text":"a\u0000b"}`,
		"{\"id\":\"c\",\"text\":\"caf\xe9 noir\"}",
		`{"id":"c","text":"` + strings.Repeat("long ", 100) + `"}`,
		`{"id":"a","text":"again"}`,
		`{"id":"` + strings.Repeat("k", 500) + `"}`,
		`{"id":"z","text":"end"}`,
	}, "\n")
	r := walk(t, files("c.jsonl", in), ".", &load.Options{MaxDocBytes: 400})
	if got := keys(r); got != "a z" {
		t.Errorf("keys %s", got)
	}
	var got []string
	for _, e := range r.bad {
		got = append(got, e.Error())
	}
	want := []string{
		"c.jsonl:2: is not a JSON object: the line is cut off",
		"c.jsonl:3: is not a JSON object: it is an array",
		"c.jsonl:4: is not a JSON object: it is a string",
		"c.jsonl:5: is not a JSON object: null",
		`c.jsonl:6: has no field "text" or "content"`,
		`c.jsonl:7: has a field "id" that is not a string`,
		`c.jsonl:8: has a field "text" that is not a string`,
		"c.jsonl:9: is not a JSON object: invalid character 't' after top-level value",
		`c.jsonl:10: has an id with a control character: "c\n"`,
		`c.jsonl:11: holds a NUL character in "text"`,
		"c.jsonl:12: is not valid UTF-8 (byte 0xe9): it looks like Latin-1 or Windows-1252; convert it to UTF-8 first",
		"c.jsonl:13: the line is larger than the limit of 400 bytes for a document",
		`c.jsonl:14: has the key "a", which "c.jsonl:1" has already`,
		"c.jsonl:15: the line is larger than the limit of 400 bytes for a document",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	r = walk(t, files("c.jsonl", strings.Repeat("not json\n", 5000)), ".", nil)
	if len(r.bad) != 101 || !strings.Contains(r.bad[100].Reason, "given up") {
		t.Errorf("%d errors from a file of another kind, the last %v", len(r.bad), r.bad[len(r.bad)-1])
	}
}

func TestCSV(t *testing.T) {
	const in = "ID,Title,text,year,note,lang\r\n" +
		"a,T,\"one\r\ntwo, \"\"q\"\"\",1999,007,en\r\n" +
		",,x,2025-01-02, y ,\r\n" +
		"e,,,1,1,\r\n" +
		"c,U,end,,,de"
	r := walk(t, files("d/c.csv", in), "d", nil)
	if len(r.bad) > 0 || r.err != nil {
		t.Fatalf("errors %v %v", r.bad, r.err)
	}
	if got := keys(r); got != "a c.csv#2 c" {
		t.Fatalf("keys %s", got)
	}
	a := r.docs[0]
	if a.Text != "T\none\ntwo, \"q\"" || a.Lang != "en" || a.Line != 2 || r.docs[1].Line != 4 {
		t.Errorf("document %+v", a)
	}
	if got := metaText(a) + " | " + metaText(r.docs[1]); got != "note=007; year=num 1999 | note=y; year=time 2025-01-02T00:00:00Z" {
		t.Errorf("metadata %s", got)
	}
	if s := a.Blocks[1].Source; in[s[0]:s[1]] != "a,T,\"one\r\ntwo, \"\"q\"\"\",1999,007,en\r\n" {
		t.Errorf("source %q", in[s[0]:s[1]])
	}
	for _, c := range []struct{ name, file, in, text string }{
		{"joined columns", "a.csv", "id,name,size,gone\n1,Box,3 cm,\n", "name: Box\nsize: 3 cm"},
		{"semicolons", "a.csv", "name;text\nx;a,b\n", "a,b"},
		{"tabs", "a.tsv", "title\tcontent\nT\ta,b;c\n", "T\na,b;c"},
		{"line end in a column's name", "a.csv", "\"a\rb\"\n1\n", "a b: 1"},
		{"unnamed column", "a.csv", "a,\n1,2\n", "a: 1\ncolumn2: 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := one(t, c.file, c.in, nil); d.Text != c.text {
				t.Errorf("text %q, want %q", d.Text, c.text)
			}
		})
	}
}

func TestCSVBadRows(t *testing.T) {
	for _, c := range []struct{ name, in, keys, errors string }{
		{"rows", "id,text\na,x\nb\nc,a\"b\nd,x,y\na,again\ne,\xe9\nz,end\n", "a z",
			"c.csv:3: has 1 fields where the header has 2|" +
				"c.csv:4: has a quote inside an unquoted field (column 4); quote the field and double the quote|" +
				"c.csv:5: has 3 fields where the header has 2|" +
				"c.csv:6: has the key \"a\", which \"c.csv:2\" has already|" +
				"c.csv:7: is not valid UTF-8 (byte 0xe9): it looks like Latin-1 or Windows-1252; convert it to UTF-8 first"},
		{"open quote", "id,text\na,x\nb,\"y\nz,end\n", "a", "c.csv:3: has a quoted field that is not closed properly by line 4"},
		{"two columns", "id,text,ID\n", "", `c.csv:1: has two columns named "ID"`},
		{"long row", "id,text\na,x\nb,\"" + strings.Repeat("long\n", 3000), "a", "c.csv: has a row larger than the limit of 1 KiB for a document; a quote may not be closed; the rest of the file is left out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := walk(t, files("c.csv", c.in), ".", &load.Options{MaxDocBytes: 1024})
			var got []string
			for _, e := range r.bad {
				got = append(got, e.Error())
			}
			if keys(r) != c.keys || strings.Join(got, "|") != c.errors {
				t.Errorf("keys %s, errors\n%s\nwant %s\n%s", keys(r), strings.Join(got, "\n"), c.keys, strings.ReplaceAll(c.errors, "|", "\n"))
			}
		})
	}
}

func TestDuplicateKeys(t *testing.T) {
	fsys := files("a.jsonl", `{"id":"k","text":"x"}`, "b/k", "x", "b/c.csv", "id,text\nk,y\n", "k.txt", "z")
	r := walk(t, fsys, ".", nil)
	if len(r.bad) != 1 || !errors.Is(r.bad[0], load.ErrDuplicate) || r.bad[0].Error() != `b/c.csv:2: has the key "k", which "a.jsonl:1" has already` {
		t.Errorf("errors %v", r.bad)
	}
	run := &load.Options{Keys: new(load.Keys)}
	if r := walk(t, fsys, "k.txt", run); len(r.docs) != 1 || len(r.bad) != 0 {
		t.Errorf("first walk of a run: %d documents, errors %v", len(r.docs), r.bad)
	}
	if r := walk(t, fsys, "k.txt", run); len(r.docs) != 0 || len(r.bad) != 1 {
		t.Errorf("second walk of a run: %d documents, errors %v", len(r.docs), r.bad)
	}
	run.KeyPrefix = "two/"
	if r := walk(t, fsys, "k.txt", run); len(r.docs) != 1 || r.docs[0].Key != "two/k.txt" {
		t.Errorf("with a prefix: %d documents, errors %v", len(r.docs), r.bad)
	}
}

// TestBadNamesAndOptions: impossible names of metadata are refused with their
// line, or as an option, before a database has to.
func TestBadNamesAndOptions(t *testing.T) {
	long := strings.Repeat("n", 257)
	many := make([]string, 1001)
	for i := range many {
		many[i] = fmt.Sprintf("c%d", i)
	}
	for _, c := range []struct{ name, file, in, reason string }{
		{"a name with NUL", "a.jsonl", `{"id":"a","text":"x","n\u0000":1}`, `a.jsonl:1: has a field name with a control character: "n\x00"`},
		{"a long name", "a.jsonl", `{"id":"a","text":"x","` + long + `":1}`, "a.jsonl:1: has a field name of 257 bytes, at most 256: "},
		{"many names", "a.jsonl", `{"id":"a","text":"x","` + strings.Join(many, `":1,"`) + `":1}`, "a.jsonl:1: has 1001 fields, at most 1000"},
		{"a long column", "a.csv", "id,text," + long + "\na,b,c\n", "a.csv:1: has a field name of 257 bytes, at most 256: "},
		{"many columns", "a.csv", strings.Join(many, ",") + "\n", "a.csv:1: has 1001 columns, at most 1000"},
		{"a name in Latin-1", "a.jsonl", "{\"id\":\"a\",\"text\":\"x\",\"caf\xe9\":1}", "a.jsonl:1: is not valid UTF-8 (byte 0xe9): it looks like Latin-1 or Windows-1252; convert it to UTF-8 first"},
		{"a column in Latin-1", "a.csv", "id,text,caf\xe9\na,b,c\n", "a.csv:1: is not valid UTF-8 (byte 0xe9): it looks like Latin-1 or Windows-1252; convert it to UTF-8 first"},
		{"an id in GBK", "a.jsonl", "{\"id\":\"\xc4\xe3\xba\xc3\xca\xc0\xbd\xe7\",\"text\":\"x\"}", "a.jsonl:1: is not valid UTF-8 (byte 0xc4): it looks like GBK, Big5 or Shift-JIS; convert it to UTF-8 first"},
		{"front matter in Latin-1", "a.md", "---\nauthor: Ren\xe9\n---\ntext", "a.md:2: is not valid UTF-8 (byte 0xe9): it looks like Latin-1 or Windows-1252; convert it to UTF-8 first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := walk(t, files(c.file, c.in, "b.txt", "fine"), ".", nil)
			if len(r.bad) != 1 || !strings.HasPrefix(r.bad[0].Error(), c.reason) || keys(r) != "b.txt" {
				t.Errorf("documents %q, errors %v\nwant %s", keys(r), r.bad, c.reason)
			}
		})
	}
	for _, o := range []load.Options{
		{KeyPrefix: "\xff"}, {KeyPrefix: "a\nb"}, {Meta: map[string]string{"\xff": "x"}},
		{Meta: map[string]string{"a": "\xff"}}, {Meta: map[string]string{"a\x00": "x"}}, {Meta: map[string]string{long: "x"}},
	} {
		if r := walk(t, files("a.txt", "x"), ".", &o); !errors.Is(r.err, load.ErrOption) || len(r.docs) > 0 {
			t.Errorf("prefix %q, metadata %.40q: %v", o.KeyPrefix, fmt.Sprint(o.Meta), r.err)
		}
	}
}
