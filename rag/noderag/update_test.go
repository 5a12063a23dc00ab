package noderag_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/noderag"
)

// index indexes documents with options.
func index(t testing.TB, c *ragtest.Corpus, o rag.IndexOptions, docs ...ragtest.Doc) *rag.IndexResult {
	t.Helper()
	x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, noderag.Name)}, Options: o}
	var in []rag.Input
	if len(docs) > 0 {
		in = []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}
	}
	r, err := x.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// without returns an export without the lines that hold one of some words, and
// in order.
func without(export string, words ...string) string {
	var out []string
	for line := range strings.Lines(export) {
		if strings.HasPrefix(line, `{"ragdb"`) || strings.HasPrefix(line, `{"end"`) {
			continue
		}
		if !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(line, w) }) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// near edges depend on the order of node ids.
const nearEdges = `"type":"near"`

// TestOrder says that the index does not depend on the order in which
// documents came, near edges apart, once its communities are made anew.
func TestOrder(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(61, 14)
	want := open(t)
	index(t, want, rag.IndexOptions{}, docs...)
	other := open(t)
	for i := len(docs) - 1; i >= 0; i -= 5 {
		index(t, other, rag.IndexOptions{}, docs[max(0, i-4):i+1]...)
	}
	index(t, other, rag.IndexOptions{Recluster: true})
	ragtest.Same(t, "in another order", without(other.Canonical(t), nearEdges), without(want.Canonical(t), nearEdges))
	ragtest.Check(t, other.DB())
	if nodes(t, want, noderag.Name, "attribute") == 0 || nodes(t, want, noderag.Name, "element") == 0 {
		t.Error("there is nothing to compare")
	}
}

// TestWorkers says that the index is the same for any number of workers.
func TestWorkers(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(62, 12)
	a, b := open(t), open(t)
	index(t, a, rag.IndexOptions{Workers: 1}, docs...)
	index(t, b, rag.IndexOptions{Workers: 8}, docs...)
	ragtest.Same(t, "eight workers", b.Canonical(t), a.Canonical(t))
}

// TestAddAndRemove says that documents which come and go again leave nothing.
// What the communities decide (elements, overviews, what is near to them) may
// differ until they are made anew.
func TestAddAndRemove(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(63, 18)
	var stay, gone []ragtest.Doc
	for i, d := range docs {
		if i%3 == 1 {
			gone = append(gone, d)
		} else {
			stay = append(stay, d)
		}
	}
	want, c := open(t), open(t)
	index(t, want, rag.IndexOptions{}, stay...)
	index(t, c, rag.IndexOptions{}, stay...)
	index(t, c, rag.IndexOptions{}, docs...)
	for _, d := range gone {
		c.Remove(t, d.Key)
	}
	index(t, c, rag.IndexOptions{})
	for _, d := range gone {
		if left := ragtest.Find(t, c.Store, d.Code); len(left) > 0 {
			t.Errorf("%s is left in %d places, such as %s", d.Code, len(left), left[0])
		}
	}
	ragtest.Check(t, c.DB())
	summaries := []string{nearEdges, `"covers"`, `"titles"`, `"element"`, `"overview"`}
	ragtest.Same(t, "added and removed", without(c.Canonical(t), summaries...), without(want.Canonical(t), summaries...))
	index(t, c, rag.IndexOptions{Recluster: true})
	ragtest.Same(t, "made anew", without(c.Canonical(t), nearEdges), without(want.Canonical(t), nearEdges))
	supported(t, c)
}

// supported checks that every derived node has a source, and that the queue
// has no mark of one that is gone.
func supported(t *testing.T, c *ragtest.Corpus) {
	t.Helper()
	c.View(t, noderag.Name, func(v *engine.View) error {
		there := map[engine.NodeID]bool{}
		for _, typ := range v.NodeTypes() {
			set, err := v.Nodes(typ)
			if err != nil {
				return err
			}
			for it := set.Iterator(); it.HasNext(); {
				id := engine.NodeID(it.Next())
				there[id] = true
				sources, err := v.Sources(engine.NodeTarget(id))
				if err != nil {
					return err
				}
				if v.NodeTypeName(typ) != "chunk" && sources.IsEmpty() {
					t.Errorf("%s %d rests on nothing", v.NodeTypeName(typ), id)
				}
			}
		}
		for e, err := range v.Bucket("jobs").Scan(nil, nil) {
			if err != nil {
				return err
			}
			item, _, _ := strings.Cut(string(e.Key), "\x00")
			kind, number, _ := strings.Cut(item, ":")
			if kind != "vector" && kind != "attribute" {
				continue
			}
			var id engine.NodeID
			if err := json.Unmarshal([]byte(number), &id); err != nil {
				return err
			}
			if !there[id] {
				t.Errorf("there is a mark of %s", item)
			}
		}
		return nil
	})
}

// TestReplace says that a document that changes leaves nothing of what it was.
func TestReplace(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(64, 10)
	c := open(t)
	index(t, c, rag.IndexOptions{}, docs...)
	now := slices.Clone(docs)
	now[4] = ragtest.Document(64, 4, 1)
	index(t, c, rag.IndexOptions{}, now[4])
	index(t, c, rag.IndexOptions{Recluster: true})
	want := open(t)
	index(t, want, rag.IndexOptions{}, now...)
	ragtest.Same(t, "replaced", without(c.Canonical(t), nearEdges), without(want.Canonical(t), nearEdges))
}

// TestOneMore says that what one document costs that comes to others does not
// grow with them: a sixth of the calls for 60, and with -long a fiftieth of
// those for 400, at the median. Where nothing comes nothing is done.
func TestOneMore(t *testing.T) {
	t.Parallel()
	n, share, more := 60, 6, 3
	if *long {
		n, share, more = 400, 50, 7
	}
	docs := ragtest.Docs(65, n+more)
	c := open(t)
	calls := func(r *rag.IndexResult) (n int) {
		for _, s := range r.Spent {
			if s.Model != "hashes" {
				n += s.Calls
			}
		}
		return n
	}
	full := calls(index(t, c, rag.IndexOptions{}, docs[:n]...))
	if again := index(t, c, rag.IndexOptions{}); len(again.Stages) > 0 {
		t.Errorf("nothing changed, and %+v was done", again.Stages)
	}
	var each []int
	for _, d := range docs[n:] {
		each = append(each, calls(index(t, c, rag.IndexOptions{}, d)))
	}
	slices.Sort(each)
	if median := each[more/2]; each[0] == 0 || median*share > full {
		t.Errorf("%v calls for one more document each, %d for %d", each, full, n)
	}
}

// TestRemade says that an attribute that was made anew is of a community again
// in the same run.
func TestRemade(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(68, 20)
	c := open(t)
	index(t, c, rag.IndexOptions{}, docs...)
	before := nodes(t, c, noderag.Name, "attribute")
	c.Remove(t, docs[2].Key)
	if n := nodes(t, c, noderag.Name, "attribute"); n >= before {
		t.Fatalf("%d attributes before, %d after", before, n)
	}
	index(t, c, rag.IndexOptions{})
	c.View(t, noderag.Name, func(v *engine.View) error {
		typ, _ := v.NodeType("attribute")
		set, err := v.Nodes(typ)
		if err != nil {
			return err
		}
		for it := set.Iterator(); it.HasNext(); {
			id := engine.NodeID(it.Next())
			key := append([]byte("n"), 0, 0, 0, 0, byte(id>>24), byte(id>>16), byte(id>>8), byte(id))
			if ok, err := v.Bucket("communities").Has(key); err != nil || !ok {
				t.Errorf("attribute %d is in no community: %v", id, err)
			}
		}
		return nil
	})
}

// TestAdvice says that the communities ask to be made anew once many nodes came
// after they were.
func TestAdvice(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(66, 24)
	c := open(t)
	index(t, c, rag.IndexOptions{}, docs[:12]...)
	ask := func() (out []method.Advice) {
		c.View(t, noderag.Name, func(v *engine.View) (err error) {
			out, err = c.System(t, noderag.Name).Advice(context.Background(), v)
			return err
		})
		return out
	}
	if a := ask(); len(a) > 0 {
		t.Errorf("new, and %v", a)
	}
	index(t, c, rag.IndexOptions{}, docs[12:]...)
	if a := ask(); len(a) == 0 || a[0].Action != "recluster" {
		t.Errorf("half came later, and the advice is %v", a)
	}
	index(t, c, rag.IndexOptions{Recluster: true})
	if a := ask(); len(a) > 0 {
		t.Errorf("clustered anew, and %v", a)
	}
}

// TestStats says that the figures are those of the graph.
func TestStats(t *testing.T) {
	t.Parallel()
	c := open(t)
	index(t, c, rag.IndexOptions{}, ragtest.Docs(67, 8)...)
	got := map[string]float64{}
	c.View(t, noderag.Name, func(v *engine.View) error {
		figures, err := c.System(t, noderag.Name).Stats(context.Background(), v)
		for _, f := range figures {
			got[f.Name] = f.Value
		}
		return err
	})
	sum := 0.0
	for name, typ := range map[string]string{
		"T chunk": "chunk", "S unit": "unit", "N entity": "entity", "R relationship": "relationship", "A attribute": "attribute",
		"H element": "element", "O overview": "overview",
	} {
		n := float64(nodes(t, c, noderag.Name, typ))
		if sum += n; got[name] != n {
			t.Errorf("%s is %g, want %g", name, got[name], n)
		}
	}
	if got["nodes"] != sum {
		t.Errorf("%g nodes, want %g", got["nodes"], sum)
	}
	if near, _ := edges(t, c, noderag.Name, "near"); got["near edges"] != float64(near) {
		t.Errorf("%g near edges, want %d", got["near edges"], near)
	}
	if got["edges"] != got["base edges"]+got["near edges"]-got["overlapping edges"] || got["tokens"] == 0 {
		t.Errorf("the figures do not add up: %v", slices.Sorted(maps.Keys(got)))
	}
}
