package eval

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
)

func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	p := filepath.Join(dir, name)
	data := []byte(text)
	if strings.HasSuffix(name, ".gz") {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		data = b.Bytes()
	}
	if err := os.WriteFile(p, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := find(dir, "corpus.jsonl"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "neither corpus.jsonl nor corpus.jsonl.gz") {
		t.Errorf("%v", err)
	}
	if _, err := find(filepath.Join(dir, "absent"), "corpus.jsonl"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"corpus.jsonl", "corpus.jsonl.gz"} {
		want := write(t, dir, name, "{}")
		if got, err := find(dir, "corpus.jsonl"); got != want || err != nil {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

func TestReadQuestions(t *testing.T) {
	t.Parallel()
	const good = `{"id":"q1","question":"Where?","answers":["here","there"],"supporting":["r1"],"type":"2hop","more":1}` + "\n\n  \n" + `{"question":"Who?"}`
	where := []question{{ID: "q1", Text: "Where?", Answers: []string{"here", "there"}, Supporting: []string{"r1"}, Type: "2hop"}, {Text: "Who?"}}
	tests := []struct {
		name, file, text string
		want             []question
		err              string // "" for none
	}{
		{"plain", "q.jsonl", good, where, ""},
		{"packed", "q.jsonl.gz", good, where, ""},
		{"empty", "q.jsonl", "", nil, ""},
		{"blank lines", "q.jsonl", "\n \n\t\n", nil, ""},
		{"malformed", "q.jsonl", "{\"question\":\"a\"}\n\n{\"question\":", nil, "q.jsonl line 3: unexpected end of JSON input"},
		{"no object", "q.jsonl", `["a"]`, nil, "line 1: json: cannot unmarshal array"},
		{"answers of another kind", "q.jsonl", `{"question":"a","answers":"b"}`, nil, "line 1: json: cannot unmarshal string"},
		{"empty question", "q.jsonl", "{\"question\":\"a\"}\n{\"id\":\"x\",\"question\":\" \\t\"}", nil, "line 2: no question"},
		{"not packed", "q.jsonl.gz.plain", "", nil, ""},
		{"options", "q.jsonl", `{"question":"a","options":["x","y"],"answer_idx":"b"}`, []question{{Text: "a", Answers: []string{"y"}, Options: []string{"x", "y"}, Choice: "b"}}, ""},
		{"options with an answer", "q.jsonl", `{"question":"a","options":["x","y"],"answer_idx":"B","answers":["why"]}`, []question{{Text: "a", Answers: []string{"why"}, Options: []string{"x", "y"}, Choice: "B"}}, ""},
		{"a letter of no option", "q.jsonl", `{"question":"a","options":["x","y"],"answer_idx":"C"}`, nil, `line 1: answer_idx "C" is not the letter of one of 2 options`},
		{"a number for a letter", "q.jsonl", `{"question":"a","options":["x","y"],"answer_idx":"1"}`, nil, `line 1: answer_idx "1" is not the letter`},
		{"too many options", "q.jsonl", `{"question":"a","options":[""` + strings.Repeat(`,""`, 26) + `]}`, nil, "line 1: 27 options: there are letters for 26"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readQuestions(write(t, t.TempDir(), tt.file, tt.text))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("%v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("%v %v, want %v", got, err, tt.want)
			}
		})
	}
	t.Run("damaged", func(t *testing.T) {
		dir := t.TempDir()
		p := filepath.Join(dir, "q.jsonl.gz")
		if err := os.WriteFile(p, []byte("not packed"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readQuestions(p); !errors.Is(err, gzip.ErrHeader) {
			t.Errorf("%v", err)
		}
		whole := write(t, dir, "whole.jsonl.gz", good)
		b, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, b[:len(b)-9], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readQuestions(p); err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("%v", err)
		}
	})
}

// TestJoined maps spans of the joined text back to the records they touch.
func TestJoined(t *testing.T) {
	t.Parallel()
	const lines = `{"id":"a","title":"Ash","text":"one two  "}
{"id":"b","text":"\n  three\r\nfour"}
{"id":"none","text":"  "}
broken
{"id":"a","text":"a second of the name"}
{"id":"c","title":"Cedar","text":""}
{"title":"Elm","content":"five"}
`
	var heard []string
	in := rag.Input{FS: fstest.MapFS{"corpus.jsonl": {Data: []byte(lines)}}, Root: "corpus.jsonl", Load: load.Options{Format: "jsonl"}}
	j, err := readJoined(t.Context(), in, func(e rag.Event) { heard = append(heard, e.Message) })
	if err != nil {
		t.Fatal(err)
	}
	if len(heard) != 2 || !strings.Contains(heard[0], "corpus.jsonl:4: ") || !strings.Contains(heard[1], `key "a"`) {
		t.Errorf("heard %q", heard)
	}
	const text = "Ash\none two  \n\n  three\nfour\nCedar\nElm\nfive"
	if j.text.String() != text {
		t.Fatalf("%q, want %q", j.text.String(), text)
	}
	at := func(s string) int64 { return int64(strings.Index(text, s)) }
	tests := []struct {
		name     string
		from, to int64
		want     string
	}{
		{"all", 0, int64(len(text)), "a b c corpus.jsonl:7"},
		{"within", at("one"), at("two"), "a"},
		{"first byte", 0, 1, "a"},
		{"title", at("Ash"), at("one"), "a"},
		{"white space at the end", at("two"), at("three"), "a"},
		{"white space alone", at("  \n"), at("three"), ""},
		{"white space before", at("  three"), at("four"), "b"},
		{"up to a border", at("four"), at("Cedar"), "b"},
		{"over a border", at("four"), at("Cedar") + 1, "b c"},
		{"a title alone", at("Cedar"), at("Elm"), "c"},
		{"the last", at("Elm"), int64(len(text)), "corpus.jsonl:7"},
		{"beyond", int64(len(text)), int64(len(text)) + 9, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(j.recordsAt([2]int64{tt.from, tt.to}), " "); got != tt.want {
				t.Errorf("%q belongs to %q, want %q", text[min(tt.from, int64(len(text))):min(tt.to, int64(len(text)))], got, tt.want)
			}
		})
	}
}

// TestRecords tells the records of an item from its chunks, or from the spans
// of them that were looked up where the records are joined.
func TestRecords(t *testing.T) {
	t.Parallel()
	j := &joined{}
	j.add("a", "12345")
	j.add("b", "12345")
	span := func(from, to int64) method.Span { return method.Span{Doc: "corpus.txt", Bytes: [2]int64{from, to}} }
	tests := []struct {
		name        string
		item        rag.Cited
		apart, join string
	}{
		{"a chunk", rag.Cited{Chunks: []string{"a#0"}, Spans: []method.Span{span(0, 3)}}, "a", "a"},
		{"two of one record", rag.Cited{Chunks: []string{"b#1#0", "b#1#7"}, Spans: []method.Span{span(6, 8), span(8, 11)}}, "b#1", "b"},
		{"two of two", rag.Cited{Chunks: []string{"b#0", "a#0"}, Spans: []method.Span{span(6, 8), span(0, 3)}}, "b a", "b a"},
		{"over a border", rag.Cited{Chunks: []string{"a#0"}, Spans: []method.Span{span(3, 8)}}, "a", "a b"},
		{"not all looked up", rag.Cited{Chunks: []string{"a#0", "a#1"}, Spans: []method.Span{span(0, 3)}}, "a", ""},
		{"of nothing", rag.Cited{}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join((&runner{}).records(&tt.item), " "); got != tt.apart {
				t.Errorf("apart %q, want %q", got, tt.apart)
			}
			if got := strings.Join((&runner{joined: j}).records(&tt.item), " "); got != tt.join {
				t.Errorf("joined %q, want %q", got, tt.join)
			}
		})
	}
}

// TestJoinedOfRandomSpans compares the search with a walk over the bytes.
func TestJoinedOfRandomSpans(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		j := &joined{}
		var owner []string // of each byte that is not white space
		for i := range r.IntN(12) {
			s := ""
			for range r.IntN(6) {
				s += []string{"x", " ", "yy", "\n"}[r.IntN(4)]
			}
			if j.text.Len() > 0 {
				owner = append(owner, "")
			}
			for _, c := range s {
				if c == ' ' || c == '\n' {
					owner = append(owner, "")
				} else {
					owner = append(owner, fmt.Sprint("r", i))
				}
			}
			j.add(fmt.Sprint("r", i), s)
		}
		if j.text.Len() != len(owner) {
			t.Fatalf("seed %d: %d bytes, want %d", seed, j.text.Len(), len(owner))
		}
		for range 30 {
			from := r.IntN(len(owner) + 1)
			to := from + r.IntN(len(owner)+1-from)
			// What white space a span begins and ends with makes no difference
			// to the records but of a span of nothing else, which no chunk is.
			for from < to && owner[from] == "" {
				from++
			}
			for from < to && owner[to-1] == "" {
				to--
			}
			if from == to {
				continue
			}
			var want []string
			for _, id := range owner[from:to] {
				if id != "" && !slices.Contains(want, id) {
					want = append(want, id)
				}
			}
			if got := j.recordsAt([2]int64{int64(from), int64(to)}); !slices.Equal(got, want) {
				t.Fatalf("seed %d: bytes %d to %d of %q belong to %q, want %q", seed, from, to, j.text.String(), got, want)
			}
		}
	}
}

// TestJoinedIsReadAsItIs holds that loading the joined text moves no byte of
// it, whatever the records hold.
func TestJoinedIsReadAsItIs(t *testing.T) {
	t.Parallel()
	lines := strings.Join([]string{
		`{"id":"1","text":"\ufeffa mark"}`, `{"id":"2","title":"two\r\nlines","text":"a\rb\r\nc\fd"}`, `{"id":"3","text":"---\nx: y\n---\n# z"}`, `{"id":"4","text":"\u00e9\u2028\ufeff"}`,
	}, "\n")
	in := rag.Input{FS: fstest.MapFS{"corpus.jsonl": {Data: []byte(lines)}}, Root: "corpus.jsonl", Load: load.Options{Format: "jsonl"}}
	j, err := readJoined(t.Context(), in, func(e rag.Event) { t.Error(e.Message) })
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for d, err := range load.Walk(t.Context(), fstest.MapFS{"corpus.txt": {Data: []byte(j.text.String())}}, "corpus.txt", nil) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if len(d.Text) != j.text.Len() || strings.ReplaceAll(j.text.String(), "\f", "\n") != d.Text {
			t.Errorf("%q is read as %q", j.text.String(), d.Text)
		}
	}
	if n != 1 || len(j.records) != 4 {
		t.Errorf("%d documents of %d records", n, len(j.records))
	}
}
