package importer_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/importer"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// indexer indexes by a method.
func indexer(t testing.TB, c *ragtest.Corpus, spec string) *rag.Indexer {
	t.Helper()
	return &rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, spec)}}
}

// importGraph imports tables into a corpus.
func importGraph(t testing.TB, c *ragtest.Corpus, fsys fs.FS, dir string) *importer.GraphRAGResult {
	t.Helper()
	g, err := importer.ReadGraphRAG(t.Context(), fsys, dir)
	check(t, err)
	r, err := g.Import(t.Context(), indexer(t, c, "naive"))
	check(t, err)
	return r
}

// view looks at the imported graph.
func view(t testing.TB, c *ragtest.Corpus, fn func(v *engine.View)) {
	t.Helper()
	g, err := c.Graph(t.Context(), importer.GraphName)
	check(t, err)
	check(t, c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		fn(s.Graph(g))
		return nil
	}))
}

// keys returns the keys of the nodes of a type.
func keys(t testing.TB, v *engine.View, kind string) []string {
	t.Helper()
	nt, ok := v.NodeType(kind)
	if !ok {
		return nil
	}
	set, err := v.Nodes(nt)
	check(t, err)
	var out []string
	for it := set.Iterator(); it.HasNext(); {
		n, err := v.Node(engine.NodeID(it.Next()))
		check(t, err)
		out = append(out, n.Key)
	}
	slices.Sort(out)
	return out
}

// about returns what is said of a node or edge: "label weight sources texts".
func about(t testing.TB, v *engine.View, to engine.Target) string {
	t.Helper()
	total, err := v.Total(to)
	check(t, err)
	set, err := v.Sources(to)
	check(t, err)
	var from []string
	for it := set.Iterator(); it.HasNext(); {
		n, err := v.Node(engine.NodeID(it.Next()))
		check(t, err)
		from = append(from, n.Key)
	}
	slices.Sort(from)
	return fmt.Sprintf("%s %g %v %q", total.Label, total.Weight, from, total.Texts)
}

func node(t testing.TB, v *engine.View, kind, key string) engine.NodeID {
	t.Helper()
	nt, ok := v.NodeType(kind)
	if !ok {
		t.Fatalf("no %s", kind)
	}
	id, err := v.Lookup(nt, key)
	check(t, err)
	return id
}

// TestGraphRAG imports the same tables in both formats and compares the graph
// with what the manual says of them.
func TestGraphRAG(t *testing.T) {
	t.Parallel()
	tables := os.DirFS("testdata")
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	r := importGraph(t, c, tables, "parquet")
	if r.Documents != 2 || r.Units != 3 || r.Entities != 6 || r.Relations != 3 || r.Communities != 2 || r.Reports != 2 ||
		r.Skipped != (importer.Skipped{Entities: 1, Relations: 2, Communities: 1, Reports: 1}) {
		t.Errorf("%+v", r)
	}
	view(t, c, func(v *engine.View) {
		for kind, want := range map[string][]string{
			"entity":    {"a j moss", "edda brandt", "norr", "per lund", "selby", "tarn mill"},
			"community": {"0", "1"}, "report": {"0", "1"},
			"chunk": {"guide.txt#0", "guide.txt#1", "log.txt#0"},
		} {
			if got := keys(t, v, kind); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", kind, got, want)
			}
		}
		// Each paragraph of the guide, which is a text unit, is a chunk.
		for key, want := range map[string]string{
			"edda brandt": `EDDA BRANDT 0 [guide.txt#0 log.txt#0] ["Edda Brandt built Tarn Mill"]`,
			"tarn mill":   `TARN MILL 0 [guide.txt#0] ["A mill with seven wheels"]`,
			"per lund":    `PER LUND 0 [guide.txt#1] ["The keeper of the mill"]`,
			"a j moss":    `A. J. MOSS 0 [guide.txt#1 log.txt#0] ["A passenger" "Weighs flour"]`,
			"norr":        `NORR 0 [log.txt#0] ["Far away"]`, // stands nowhere in it
		} {
			if got := about(t, v, engine.NodeTarget(node(t, v, "entity", key))); got != want {
				t.Errorf("%s: %s, want %s", key, got, want)
			}
		}
		relation, ok := v.EdgeType("relation")
		if !ok {
			t.Fatal("no relations")
		}
		for ends, want := range map[[2]string]string{
			{"edda brandt", "tarn mill"}: ` 3 [guide.txt#0] ["She built it"]`,
			{"per lund", "selby"}:        ` 9.5 [guide.txt#1] ["He came from there" "He left it"]`,
			// Half of it is of a text unit that names one end only.
			{"edda brandt", "selby"}: ` 5 [guide.txt#0 log.txt#0] ["She crossed there"]`,
		} {
			got := about(t, v, engine.EdgeTarget(node(t, v, "entity", ends[0]), node(t, v, "entity", ends[1]), relation))
			if got != want {
				t.Errorf("%v: %s, want %s", ends, got, want)
			}
		}
		if got := about(t, v, engine.NodeTarget(node(t, v, "community", "1"))); got != "Community 1 0 [per lund tarn mill] []" {
			t.Error(got)
		}
		rep := node(t, v, "report", "0")
		full, err := v.Text(rep, "text")
		check(t, err)
		n, err := v.Node(rep)
		check(t, err)
		if !strings.HasPrefix(full, "# Mill and ferry\n\nPeople") || len(full) < 1024 || n.Prop("title").AsString() != "Mill and ferry" || n.Prop("rating").AsFloat() != 7.5 {
			t.Errorf("%.40q %v", full, n.Props())
		}
		for edge, ends := range map[string][2]engine.NodeID{
			"about":   {rep, node(t, v, "community", "0")},
			"part_of": {node(t, v, "community", "1"), node(t, v, "community", "0")},
			"member":  {node(t, v, "entity", "norr"), node(t, v, "community", "0")},
		} {
			et, ok := v.EdgeType(edge)
			if !ok {
				t.Fatalf("no %s", edge)
			}
			if _, has, err := v.HasEdge(ends[0], ends[1], et); err != nil || !has {
				t.Errorf("%s: %v, %v", edge, has, err)
			}
		}
	})
	// The documents are searchable.
	ev := retrieve(t, c, "who keeps the mill")
	if len(ev) == 0 || ev[0] != "guide.txt#1" {
		t.Errorf("evidence %v", ev)
	}
	whole := c.Canonical(t)
	ragtest.Check(t, c.DB())

	lines := ragtest.Open(t, methods.All(), methods.Encodings()...)
	importGraph(t, lines, tables, "jsonl")
	ragtest.Same(t, "JSON lines", lines.Canonical(t), whole)
	importGraph(t, c, tables, "parquet")
	ragtest.Same(t, "again", c.Canonical(t), whole)

	// What only one document supports goes with it, and comes with it again.
	c.Remove(t, "guide.txt")
	view(t, c, func(v *engine.View) {
		if got := keys(t, v, "entity"); !slices.Equal(got, []string{"a j moss", "edda brandt", "norr", "selby"}) {
			t.Errorf("left: %v", got)
		}
		if got := append(keys(t, v, "community"), keys(t, v, "report")...); !slices.Equal(got, []string{"0", "0"}) {
			t.Errorf("left: %v", got)
		}
	})
	if got := ragtest.Find(t, c.Store, "keeper of the mill", "per lund", "a mill and its keeper", "seven wheels", "he left it"); len(got) > 0 {
		t.Errorf("left in %v", got)
	}
	ragtest.Check(t, c.DB())
	importGraph(t, c, tables, "jsonl")
	ragtest.Same(t, "after a removal", c.Canonical(t), whole)
	ragtest.Check(t, c.DB())
}

// retrieve returns the chunks of what naive finds.
func retrieve(t testing.TB, c *ragtest.Corpus, question string) (out []string) {
	t.Helper()
	m, err := c.Corpus.OpenLocal(t.Context(), false, rag.Parts{})
	check(t, err)
	ev, err := c.Retrieve(t.Context(), c.System(t, "naive"), m, method.Question{Text: question})
	check(t, err)
	for _, it := range ev.Items() {
		out = append(out, it.Chunks...)
	}
	return out
}

// stops is a context that ends after some looks at it.
type stops struct {
	context.Context
	left atomic.Int64
}

func stopAfter(t testing.TB, n int) context.Context {
	s := &stops{Context: t.Context()}
	s.left.Store(int64(n))
	return s
}

// Err implements [context.Context].
func (s *stops) Err() error {
	if s.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestGraphRAGInterrupted stops an import at several places and runs it again.
func TestGraphRAGInterrupted(t *testing.T) {
	t.Parallel()
	tables := os.DirFS("testdata/jsonl")
	want := ragtest.Open(t, methods.All(), methods.Encodings()...)
	importGraph(t, want, tables, ".")
	whole := want.Canonical(t)
	g, err := importer.ReadGraphRAG(t.Context(), tables, ".")
	check(t, err)
	stopped := 0
	for n := 0; n < 400; n += 23 {
		c := ragtest.Open(t, methods.All(), methods.Encodings()...)
		if _, err := g.Import(stopAfter(t, n), indexer(t, c, "naive")); err != nil {
			stopped++
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		importGraph(t, c, tables, ".")
		ragtest.Same(t, fmt.Sprintf("stopped at %d", n), c.Canonical(t), whole)
	}
	if stopped < 3 {
		t.Errorf("stopped %d times", stopped)
	}
}

// files returns the fixture with some files changed.
// TestBadGraphRAG refuses what does not fit together, by file and line.
// TestAnotherGraphRAG leaves the graph of another import alone.
// TestTextUnitsAlone makes each text unit a document if there are no others.
// TestCarol imports what GraphRAG made of a book.
func TestCarol(t *testing.T) {
	t.Parallel()
	dir := filepath.Dir(evaldata.Shared(t, "graphrag_carol/entities.jsonl.gz"))
	type row struct {
		ID, Name, Source, Target string
		Passages                 []string
		Weight                   float64
	}
	// Titles that differ by an article are one entity.
	entityOf, passages := map[string]string{}, map[string]map[string]bool{}
	for _, e := range evaldata.Lines[row](t, "graphrag_carol/entities.jsonl.gz") {
		key := text.Key(e.Name)
		if entityOf[e.ID] = key; passages[key] == nil {
			passages[key] = map[string]bool{}
		}
		for _, p := range e.Passages {
			passages[key][p] = true
		}
	}
	weights := map[[2]string]float64{}
	for _, x := range evaldata.Lines[row](t, "graphrag_carol/relationships.jsonl.gz") {
		ends := []string{entityOf[x.Source], entityOf[x.Target]}
		slices.Sort(ends)
		weights[[2]string(ends)] += x.Weight
	}
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	r := importGraph(t, c, os.DirFS(dir), ".")
	if r.Documents != 42 || r.Entities != len(passages) || r.Communities != 35 || r.Reports != 35 || r.Relations != len(weights) || r.Skipped != (importer.Skipped{}) {
		t.Errorf("%+v, of %d entities and %d relations", r, len(passages), len(weights))
	}
	view(t, c, func(v *engine.View) {
		for key, want := range passages {
			set, err := v.Sources(engine.NodeTarget(node(t, v, "entity", key)))
			check(t, err)
			got := map[string]bool{}
			for it := set.Iterator(); it.HasNext(); {
				n, err := v.Node(engine.NodeID(it.Next()))
				check(t, err)
				got[method.DocOf(n.Key)] = true
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s: %v, want %v", key, got, want)
			}
		}
		relation, _ := v.EdgeType("relation")
		for ends, want := range weights {
			total, err := v.Total(engine.EdgeTarget(node(t, v, "entity", ends[0]), node(t, v, "entity", ends[1]), relation))
			check(t, err)
			if d := float64(total.Weight) - want; d > 1e-4 || d < -1e-4 {
				t.Errorf("%v: %g, want %g", ends, total.Weight, want)
			}
		}
	})
	if ev := retrieve(t, c, "Who visits Scrooge on Christmas Eve?"); len(ev) == 0 {
		t.Error("no evidence")
	}
	ragtest.Check(t, c.DB())
}
