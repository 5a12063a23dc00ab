package importer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/importer"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/replay"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// recorded is a data set of three passages, the last without a recording.
func recorded() fstest.MapFS {
	return fstest.MapFS{
		"set/corpus.jsonl": {Data: []byte(`{"id":"mill","title":"Tarn Mill","text":"The mill of Tarn was built by Edda Brandt. She sold it to Per Lund after the flood."}
{"id":"ferry","title":"Selby Ferry","text":"A ferry crosses the river at Selby. It was painted by Per Lund, who lived on the far bank."}
{"id":"inn","title":"The Inn","text":"Soren Moss keeps the inn at Ravens. Soren Moss has kept it for thirty years and has never closed it."}
`)},
		"set/openie.jsonl": {Data: []byte(`{"passage_id":"mill","entities":["Edda Brandt","Kingdom of Norr"],"triples":[["Edda Brandt","served","Kingdom of Norr"]]}
{"passage_id":"ferry","entities":["Selby"],"triples":[["Per Lund","painted","ferry"]]}
`)},
	}
}

// read reads a data set.
func read(t testing.TB, fsys fs.FS, name string) *importer.OpenIE {
	t.Helper()
	recordings, corpus, err := importer.FindOpenIE(fsys, name)
	check(t, err)
	o, err := importer.ReadOpenIE(t.Context(), fsys, recordings, corpus)
	check(t, err)
	return o
}

// entities returns the keys of the entities of a method's graph.
func entities(t testing.TB, c *ragtest.Corpus, sys *method.System) (out []string) {
	t.Helper()
	check(t, c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		out = keys(t, s.Graph(sys.Graph()), "entity")
		return nil
	}))
	return out
}

// TestOpenIE imports recordings: indexing uses them and no others, then and
// later, and they go with their documents.
func TestOpenIE(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	x := indexer(t, c, "ketrag:beta=1")
	r, err := read(t, recorded(), "set").Import(t.Context(), x)
	check(t, err)
	if r.Added != 3 || r.Failed != 0 {
		t.Errorf("%+v", r)
	}
	got := entities(t, c, x.Systems[0])
	want := []string{"edda brandt", "ferry", "kingdom of norr", "per lund", "selby"}
	for _, k := range want {
		if !slices.Contains(got, k) {
			t.Errorf("no %q in %v", k, got)
		}
	}
	// What local rules read of the passages is not there, of the inn it is.
	if slices.Contains(got, "tarn") || !slices.Contains(got, "soren moss") {
		t.Errorf("entities %v", got)
	}
	whole := c.Canonical(t)
	var cache bytes.Buffer
	_, err = c.Ledger().Export(t.Context(), &cache)
	check(t, err)
	if n := strings.Count(cache.String(), `"kind":"passage"`); n != 2 {
		t.Errorf("%d passages are kept: %s", n, cache.String())
	}
	if p, err := c.Ledger().Prune(t.Context(), ledger.PruneOptions{}); err != nil || p.Replies != 0 {
		t.Errorf("%+v of it is unused, %v", p, err)
	}

	// Again, it changes nothing.
	r, err = read(t, recorded(), "set/openie.jsonl").Import(t.Context(), indexer(t, c, "ketrag:beta=1"))
	check(t, err)
	if r.Unchanged != 3 || r.Added+r.Replaced != 0 {
		t.Errorf("%+v", r)
	}
	ragtest.Same(t, "again", c.Canonical(t), whole)

	// Removed, a document leaves nothing of its recording.
	c.Remove(t, "mill")
	if got := ragtest.Find(t, c.Store, "kingdom of norr", "edda brandt"); len(got) > 0 {
		t.Errorf("left in %v", got)
	}
	// Indexed again by another run, with what the corpus keeps.
	c.Remove(t, "ferry")
	c.Use(importer.WithRecordings(nil))
	_, err = read(t, recorded(), "set").Import(t.Context(), indexer(t, c, "ketrag:beta=1"))
	check(t, err)
	if got := entities(t, c, x.Systems[0]); !slices.Contains(got, "kingdom of norr") || slices.Contains(got, "tarn") {
		t.Errorf("entities %v", got)
	}
	ragtest.Check(t, c.DB())
}

// TestRecordingsKept indexes the documents of an imported cache.
func TestRecordingsKept(t *testing.T) {
	t.Parallel()
	from := ragtest.Open(t, methods.All(), methods.Encodings()...)
	x := indexer(t, from, "ketrag:beta=1")
	_, err := read(t, recorded(), "set").Import(t.Context(), x)
	check(t, err)
	var cache bytes.Buffer
	_, err = from.Ledger().Export(t.Context(), &cache)
	check(t, err)

	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	_, err = c.Ledger().Import(t.Context(), &cache)
	check(t, err)
	c.Use(importer.WithRecordings(nil))
	x = indexer(t, c, "ketrag:beta=1")
	_, err = x.Run(t.Context(), []rag.Input{{FS: recorded(), Root: "set/corpus.jsonl"}})
	check(t, err)
	ragtest.Same(t, "with an imported cache", c.Canonical(t), from.Canonical(t))

	// What stands before the rules hides nothing of them.
	m, err := c.Options().Models(t.Context(), c.Corpus)
	check(t, err)
	if !strings.Contains(m.Provider().Name(), "replay") || !m.Provider().Can(llm.Select) {
		t.Errorf("%s selects: %t", m.Provider().Name(), m.Provider().Can(llm.Select))
	}

	// Models that are paid for are asked.
	c.Use(importer.WithRecordings(ragtest.Fixed))
	m, err = c.Options().Models(t.Context(), c.Corpus)
	check(t, err)
	if strings.Contains(m.Provider().Name(), "replay") {
		t.Error(m.Provider().Name())
	}
}

// TestOpenIEOther refuses documents that were read otherwise, and writes
// nothing.
func TestOpenIEOther(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	corpus := recorded()
	delete(corpus, "set/openie.jsonl")
	c.IndexFS(t, "ketrag:beta=1", corpus, true)
	before := ragtest.Find(t, c.Store, "kingdom of norr")
	o := read(t, recorded(), "set")
	_, err := o.Import(t.Context(), indexer(t, c, "ketrag:beta=1"))
	if !errors.Is(err, importer.ErrOther) || !strings.Contains(err.Error(), "mill") {
		t.Error(err)
	}
	var cache bytes.Buffer
	if n, err := c.Ledger().Export(t.Context(), &cache); n != 0 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
	if got := ragtest.Find(t, c.Store, "kingdom of norr"); len(got) != len(before) {
		t.Errorf("%v, before %v", got, before)
	}
}

// TestOpenIEAlone imports lines that have their texts.
func TestOpenIEAlone(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(replay.Passage{ID: "a", Title: "Title", Text: "Nothing is said of it here.", Entities: []string{"Ravens"}})
	check(t, err)
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	x := indexer(t, c, "ketrag:beta=1")
	_, err = read(t, fstest.MapFS{"x.jsonl": {Data: b}}, "x.jsonl").Import(t.Context(), x)
	check(t, err)
	if got := entities(t, c, x.Systems[0]); !slices.Equal(got, []string{"ravens"}) {
		t.Error(got)
	}
}

// TestBadOpenIE refuses files with anything wrong in them.
func TestBadOpenIE(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]int{"set/corpus.jsonl": 4, "set/openie.jsonl": 3} {
		fsys := recorded()
		fsys[name].Data = append(fsys[name].Data, "{\n"...)
		_, err := importer.ReadOpenIE(t.Context(), fsys, "set/openie.jsonl", "set/corpus.jsonl")
		var bad *load.FileError
		if !errors.As(err, &bad) || bad.Path != name || bad.Line != line {
			t.Errorf("%s: %v", name, err)
		}
	}
	fsys := recorded()
	fsys["set/openie.jsonl"].Data = nil
	if _, err := importer.ReadOpenIE(t.Context(), fsys, "set/openie.jsonl", "set/corpus.jsonl"); !errors.Is(err, rag.ErrNoDocuments) {
		t.Error(err)
	}
	if _, _, err := importer.FindOpenIE(fstest.MapFS{"corpus.jsonl": {}}, "."); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestOpenIEInterrupted stops an import at several places and runs it again.
func TestOpenIEInterrupted(t *testing.T) {
	t.Parallel()
	want := ragtest.Open(t, methods.All(), methods.Encodings()...)
	_, err := read(t, recorded(), "set").Import(t.Context(), indexer(t, want, "ketrag:beta=1"))
	check(t, err)
	whole, stopped := want.Canonical(t), 0
	for n := 0; n < 300; n += 37 {
		c := ragtest.Open(t, methods.All(), methods.Encodings()...)
		if _, err := read(t, recorded(), "set").Import(stopAfter(t, n), indexer(t, c, "ketrag:beta=1")); err != nil {
			stopped++
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		c.Use(nil)
		_, err := read(t, recorded(), "set").Import(t.Context(), indexer(t, c, "ketrag:beta=1"))
		check(t, err)
		ragtest.Same(t, "", c.Canonical(t), whole)
	}
	if stopped < 2 {
		t.Errorf("stopped %d times", stopped)
	}
}

// TestHippo imports recordings of a real model.
func TestHippo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	var corpus, lines bytes.Buffer
	n := 0
	type doc struct {
		ID    string `json:"id"`
		Title string `json:"title"`
		Text  string `json:"text"`
	}
	for _, d := range evaldata.Lines[doc](t, "hippo_musique/corpus.jsonl.gz")[:150] {
		check(t, json.NewEncoder(&corpus).Encode(d))
	}
	for _, p := range evaldata.Lines[replay.Passage](t, "hippo_musique/openie.jsonl.gz")[:150] {
		check(t, json.NewEncoder(&lines).Encode(p))
		n += len(p.Entities)
	}
	fsys := fstest.MapFS{"corpus.jsonl": {Data: corpus.Bytes()}, "openie.jsonl": {Data: lines.Bytes()}}
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	x := indexer(t, c, "ketrag:beta=1")
	r, err := read(t, fsys, ".").Import(t.Context(), x)
	check(t, err)
	if got := len(entities(t, c, x.Systems[0])); r.Added != 150 || got < n/2 {
		t.Errorf("%d documents, %d entities of %d mentions", r.Added, got, n)
	}
}
