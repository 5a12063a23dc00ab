package replay_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/replay"
	"github.com/ragdb/ragdb/rag/load"
)

func line(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings only
	}
	return string(b) + "\n"
}

// files are the recordings of two passages and their corpus.
func files() fstest.MapFS {
	corpus, recorded := "", ""
	for _, p := range []replay.Passage{mill(), ferry()} {
		corpus += line(map[string]string{"id": p.ID, "title": p.Title, "text": p.Text})
		recorded += line(map[string]any{"passage_id": p.ID, "entities": p.Entities, "triples": p.Triples})
	}
	return fstest.MapFS{"corpus.jsonl": {Data: []byte(corpus)}, "openie.jsonl": {Data: []byte(recorded)}}
}

// TestReadPassages reads the same passages in each form that they come in.
func TestReadPassages(t *testing.T) {
	t.Parallel()
	want := []replay.Passage{mill(), ferry()}
	fsys := files()
	own, entries := "", &bytes.Buffer{}
	for _, p := range want {
		own += line(p)
		e, err := p.Entry()
		check(t, err)
		check(t, replay.Write(entries, e))
		if again, err := e.Passage(); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%v, %v", again, err)
		}
	}
	check(t, replay.Write(entries, replay.Entry{Digest: replay.Digest{1}, Kind: llm.Answer, Reply: "x"}))
	fsys["own.jsonl"] = &fstest.MapFile{Data: []byte(own)}
	fsys["cache.jsonl"] = &fstest.MapFile{Data: entries.Bytes()}
	for _, x := range [][2]string{{"openie.jsonl", "corpus.jsonl"}, {"own.jsonl", ""}, {"cache.jsonl", ""}} {
		got, err := replay.ReadPassages(t.Context(), fsys, x[0], x[1])
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", x[0], got, err)
		}
	}
	// A corpus with a bad line may lack the passage.
	fsys["corpus.jsonl"].Data = append([]byte("{\n"), fsys["corpus.jsonl"].Data[:bytes.IndexByte(fsys["corpus.jsonl"].Data, '\n')]...)
	got, err := replay.ReadPassages(t.Context(), fsys, "openie.jsonl", "corpus.jsonl")
	if err != nil || !reflect.DeepEqual(got, want[:1]) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestBadPassages names file and line of what is wrong.
func TestBadPassages(t *testing.T) {
	t.Parallel()
	for bad, why := range map[string]string{
		`{"entities":["a"]}`:                                   `no field "passage_id"`,
		`{"passage_id":"nowhere","triples":[]}`:                `"nowhere", which corpus.jsonl does not have`,
		`{"passage_id":"mill"}`:                                "which line 1 does already",
		`{"passage_id":"ferry","triples":[["a","b"]]}`:         "triple 1",
		`{"passage_id":"ferry","triples":[["a","b","c"],"d"]}`: "triple 2",
		`{"passage_id":"ferry","triples":[["a","b",{}]]}`:      "triple 1",
		`{"passage_id":"ferry","triples":{}}`:                  `"triples"`,
		`{"passage_id":"ferry","entities":"Selby"}`:            `"entities"`,
		`{"passage_id":"fer`:                                   "cut off",
		`{"kind":"passage","reply":"{}","digest":"00"}`:        "no passage",
	} {
		fsys := files()
		first, _, _ := bytes.Cut(fsys["openie.jsonl"].Data, []byte("\n"))
		fsys["openie.jsonl"].Data = []byte(string(first) + "\n" + bad + "\n")
		_, err := replay.ReadPassages(t.Context(), fsys, "openie.jsonl", "corpus.jsonl")
		var file *load.FileError
		if !errors.As(err, &file) || file.Line != 2 || file.Path != "openie.jsonl" || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := replay.ReadPassages(t.Context(), files(), "openie.jsonl", ""); err == nil || !strings.Contains(err.Error(), "no corpus") {
		t.Error(err)
	}
	if _, err := replay.ReadPassages(t.Context(), files(), "openie.jsonl", "none.jsonl"); err == nil {
		t.Error("no corpus of that name")
	}
}

// TestRecordedData reads recordings of real models: each passage alone gives
// its entities, all of them that have words.
func TestRecordedData(t *testing.T) {
	t.Parallel()
	for set, file := range map[string]string{"hippo_musique": "openie", "mine_essays": "openie", "graphrag_carol": "openie"} {
		texts := map[string]replay.Passage{}
		for _, d := range evaldata.Lines[struct{ ID, Title, Text string }](t, set+"/corpus.jsonl.gz") {
			texts[d.ID] = replay.Passage{Title: d.Title, Text: d.Text}
		}
		passages := evaldata.Lines[replay.Passage](t, set+"/"+file+".jsonl.gz")
		for i := range passages {
			p := &passages[i]
			p.Title, p.Text = texts[p.ID].Title, texts[p.ID].Text
		}
		r := recordings(t, passages...)
		unplaced, relations := 0, 0
		for _, p := range passages {
			x, ok := r.Extract(llm.ExtractInput{Text: p.Title + "\n" + p.Text, Title: p.Title})
			if !ok {
				t.Fatalf("%s is not recorded", p.ID)
			}
			want := map[string]bool{}
			for _, e := range p.Entities {
				want[text.Key(e)] = true
			}
			for _, tr := range p.Triples {
				if text.Key(tr[0]) != "" && text.Key(tr[2]) != "" {
					want[text.Key(tr[0])], want[text.Key(tr[2])] = true, true
				}
			}
			delete(want, "")
			got := map[string]bool{}
			for _, e := range x.Entities {
				got[text.Key(e.Name)] = true
			}
			if !maps.Equal(got, want) {
				t.Fatalf("%s: %v, want %v", p.ID, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
			for _, rel := range x.Relations {
				relations++
				if rel.Sentence == "" {
					unplaced++
				} else if !strings.Contains(strings.Join(strings.Fields(p.Text), " "), rel.Sentence) {
					t.Fatalf("%s: %q is no sentence of it", p.ID, rel.Sentence)
				}
			}
		}
		t.Logf("%s: %d passages, %d relations, %d without a sentence", set, len(passages), relations, unplaced)
	}
}
