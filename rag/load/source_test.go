package load_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/rag/load"
)

// readSource returns what a source gives: documents and what is wrong, in order.
func readSource(t *testing.T, src load.Source, o *load.Options) (docs []*load.Document, bad []*load.FileError) {
	t.Helper()
	for d, err := range load.Read(t.Context(), src, o) {
		var e *load.FileError
		switch {
		case errors.As(err, &e):
			bad = append(bad, e)
		case err != nil:
			t.Fatal(err)
		default:
			docs = append(docs, d)
		}
	}
	return docs, bad
}

// A source is read as the file of the same name and content.
func TestReadLikeFile(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"a.md":        "---\nauthor: Ada\n---\n# The pump\n\nIt has a warranty.\n\n## Parts\n\n- a valve\n",
		"a.txt":       "One.\n\nTwo.",
		"a.html":      "<html lang=de><title>T</title><p>Text</p></html>",
		"a.jsonl":     `{"id":"x","text":"one","year":2001}` + "\n" + `{"id":"y","text":"two"}`,
		"a.csv":       "id,text,team\n1,one,sales\n2,two,ops\n",
		"wide.txt":    "\xff\xfeh\x00i\x00",
		"bad.txt":     "\xff\xfe\xfd",
		"bad.pdf":     "%PDF-1.4 nothing",
		"empty.jsonl": "",
		"a.txt.gz":    "not gzip",
	} {
		docs, bad := readSource(t, load.Source{Key: name, Content: []byte(content)}, nil)
		want := walk(t, files(name, content), ".", nil)
		if len(docs) != len(want.docs) || len(bad) != len(want.bad) {
			t.Errorf("%s: %d documents and %d errors, as a file %d and %d", name, len(docs), len(bad), len(want.docs), len(want.bad))
			continue
		}
		for i, d := range docs {
			if w := want.docs[i]; d.Digest != w.Digest || d.Key != w.Key || d.Text != w.Text || d.Format != w.Format || !slices.Equal(d.Blocks, w.Blocks) {
				t.Errorf("%s: %+v, as a file %+v", name, d, w)
			}
		}
		for i, e := range bad {
			if e.Error() != want.bad[i].Error() {
				t.Errorf("%s: %q, as a file %q", name, e, want.bad[i])
			}
		}
	}
}

func TestReadCompletes(t *testing.T) {
	t.Parallel()
	team, _, err := load.ValueOf("sales")
	if err != nil {
		t.Fatal(err)
	}
	src := load.Source{Key: "a/b?c", Content: []byte("Text."), Title: "A\ntitle", Lang: "de", Meta: map[string]load.Value{"team": team}}
	for range 2 { // a source may be read again
		docs, bad := readSource(t, src, nil)
		if len(bad) > 0 || len(docs) != 1 {
			t.Fatal(docs, bad)
		}
		d := docs[0]
		if d.Key != "a/b?c" || d.Title != "A title" || d.Text != "A title\nText." || d.Lang != "de" || d.Format != "txt" || d.Meta["team"].Text != "sales" {
			t.Errorf("%+v", d)
		}
	}
	src = load.Source{Key: "a.md", Content: []byte("# Own\n\nText."), Title: "Other"}
	if docs, _ := readSource(t, src, nil); docs[0].Title != "Own" {
		t.Errorf("the title in the content gives way: %q", docs[0].Title)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, src := range []load.Source{
		{Content: []byte("no key")},
		{Key: "a\nb", Content: []byte("x")},
		{Key: "\xff", Content: []byte("x")},
		{Key: strings.Repeat("k", 5000), Content: []byte("x")},
		{Key: "a", Content: []byte("x"), Title: "\xff"},
		{Key: "a", Content: []byte("x"), Meta: map[string]load.Value{"": {}}},
		{Key: "a", Content: []byte("x"), Meta: map[string]load.Value{"m": {Text: "\xff"}}},
		{Key: "a", Content: []byte("a\x00b")},
	} {
		if docs, bad := readSource(t, src, nil); len(docs) != 0 || len(bad) != 1 {
			t.Errorf("%+v: %d documents, %v", src, len(docs), bad)
		}
	}
	keys := &load.Keys{}
	for i := range 2 {
		_, bad := readSource(t, load.Source{Key: "a", Content: []byte("x")}, &load.Options{Keys: keys})
		if len(bad) != i {
			t.Errorf("the key of another source: %v", bad)
		}
	}
}

func TestValueOf(t *testing.T) {
	t.Parallel()
	day := time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		in   any
		want load.Value
	}{
		{"sales", load.Value{Text: "sales"}},
		{"7", load.Value{Text: "7"}},
		{"2025-03-01", load.Value{Text: "2025-03-01", Typed: day}},
		{day, load.Value{Text: "2025-03-01T00:00:00Z", Typed: day}},
		{true, load.Value{Text: "true", Typed: true}},
		{7, load.Value{Text: "7", Typed: 7.0}},
		{uint8(7), load.Value{Text: "7", Typed: 7.0}},
		{float32(.1), load.Value{Text: "0.1", Typed: float64(float32(.1))}},
		{-2.5, load.Value{Text: "-2.5", Typed: -2.5}},
		{[]string{"a", "b"}, load.Value{Text: "a, b", Typed: []string{"a", "b"}}},
		{[]any{"a", 1, true}, load.Value{Text: "a, 1, true", Typed: []string{"a", "1", "true"}}},
	} {
		v, ok, err := load.ValueOf(c.in)
		if err != nil || !ok || !reflect.DeepEqual(v, c.want) {
			t.Errorf("%T %v: %+v, %t, %v", c.in, c.in, v, ok, err)
		}
	}
	if _, ok, err := load.ValueOf(nil); ok || err != nil {
		t.Error("nil is a value")
	}
	for _, in := range []any{math.NaN(), math.Inf(1), int64(1)<<53 + 1, uint64(math.MaxUint64), uint(1) << 60, int64(math.MinInt64), struct{}{}, []int{1}, []any{[]any{}}, []any{nil}, complex(1, 1)} {
		if v, _, err := load.ValueOf(in); !errors.Is(err, load.ErrOption) {
			t.Errorf("%T %v: %+v, %v", in, in, v, err)
		}
	}
}
