package importer_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/importer"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/methods"
)

func files(t testing.TB, change map[string]string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	names, err := filepath.Glob("testdata/jsonl/*.jsonl")
	check(t, err)
	for _, n := range names {
		b, err := os.ReadFile(n)
		check(t, err)
		out[filepath.Base(n)] = &fstest.MapFile{Data: b}
	}
	for name, text := range change {
		if text == "" {
			delete(out, name)
			continue
		}
		have := ""
		if f := out[name]; f != nil {
			have = string(f.Data)
		}
		out[name] = &fstest.MapFile{Data: []byte(have + text + "\n")}
	}
	return out
}

func TestBadGraphRAG(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		line int
		text string
		why  string
	}{
		"documents.jsonl":         {3, `{"id":"d2","text":"x"}`, `the id "d2"`},
		"text_units.jsonl":        {4, `{"id":"u4","text":"x","document_ids":["d7"]}`, `the document "d7"`},
		"entities.jsonl":          {9, `{"id":"e9","title":"SELBY"}`, `the entity "SELBY"`},
		"relationships.jsonl":     {7, `{"source":"SELBY","target":"OSK"}`, `the entity "OSK"`},
		"communities.jsonl":       {4, `{"community":7,"entity_ids":["e77"]}`, `the entity "e77"`},
		"community_reports.jsonl": {4, `{"community":1}`, `the community "1"`},
	} {
		_, err := importer.ReadGraphRAG(t.Context(), files(t, map[string]string{name: x.text}), ".")
		var bad *load.FileError
		if !errors.As(err, &bad) || bad.Path != name || bad.Line != x.line || !strings.Contains(err.Error(), x.why) {
			t.Errorf("%s: %v", name, err)
		}
		_, err = importer.ReadGraphRAG(t.Context(), files(t, map[string]string{name: "{"}), ".")
		if !errors.As(err, &bad) || bad.Path != name || bad.Line != x.line {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, more := range []string{`{"source":"SELBY","target":"NORR","weight":-1}`, `{"source":"SELBY","target":"NORR","weight":"much"}`, `{"source":"SELBY","target":"NORR","text_unit_ids":["u9"]}`} {
		if _, err := importer.ReadGraphRAG(t.Context(), files(t, map[string]string{"relationships.jsonl": more}), "."); err == nil || !strings.Contains(err.Error(), "relationships.jsonl:7: ") {
			t.Errorf("%s: %v", more, err)
		}
	}
	for _, name := range []string{"text_units.jsonl", "entities.jsonl"} {
		if _, err := importer.ReadGraphRAG(t.Context(), files(t, map[string]string{name: ""}), "."); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestAnotherGraphRAG(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	importGraph(t, c, os.DirFS("testdata"), "jsonl")
	before := c.Canonical(t)
	g, err := importer.ReadGraphRAG(t.Context(), files(t, map[string]string{"entities.jsonl": `{"title":"RAVENS","text_unit_ids":["u3"]}`}), ".")
	check(t, err)
	if _, err := g.Import(t.Context(), indexer(t, c, "naive")); !errors.Is(err, importer.ErrOther) {
		t.Error(err)
	}
	ragtest.Same(t, "after the refusal", c.Canonical(t), before)
}

func TestTextUnitsAlone(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	r := importGraph(t, c, files(t, map[string]string{"documents.jsonl": "", "communities.jsonl": "", "community_reports.jsonl": "", "relationships.jsonl": ""}), ".")
	if r.Documents != 3 || r.Entities != 6 || r.Relations+r.Communities+r.Reports != 0 {
		t.Errorf("%+v", r)
	}
	view(t, c, func(v *engine.View) {
		if got := about(t, v, engine.NodeTarget(node(t, v, "entity", "edda brandt"))); got != `EDDA BRANDT 0 [u1#0 u3#0] ["Edda Brandt built Tarn Mill"]` {
			t.Error(got)
		}
	})
}
