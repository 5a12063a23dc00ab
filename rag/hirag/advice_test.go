package hirag_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/hirag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestAdvice says that clustering anew is advised where too much is new since
// the last time, that it is then done on demand, and that nothing is left to
// do or to advise after it.
func TestAdvice(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(57, 16))
	c := open(t)
	sys := c.System(t, "hirag")
	advice := func() (out []method.Advice) {
		c.View(t, "hirag", func(v *engine.View) (err error) {
			out, err = sys.Advice(t.Context(), v)
			return err
		})
		return out
	}
	c.Index(t, "hirag", docs[:12]...)
	if a := advice(); len(a) > 0 {
		t.Errorf("of a new index: %v", a)
	}
	c.Index(t, "hirag", docs...)
	a := advice()
	if len(a) == 0 || a[0].Action != "recluster" || !strings.Contains(a[0].Reason, "layer 0") {
		t.Errorf("a third is new: %v", a)
	}
	x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{sys}, Options: rag.IndexOptions{Recluster: true}}
	if _, err := x.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if a := advice(); len(a) > 0 {
		t.Errorf("after clustering anew: %v", a)
	}
	ragtest.Check(t, c.DB())
	want := open(t)
	want.Index(t, "hirag", docs...)
	ragtest.Same(t, "clustered anew", c.Canonical(t), want.Canonical(t))
	if r := c.Index(t, "hirag"); r.Usage.Calls != 0 {
		t.Errorf("left to do: %+v", r.Stages)
	}
}

// TestInserted says what documents cost that come one by one to 24 others with which
// they share their people and places: their own texts, and now and then a summary or
// report of which a quarter has changed. If each were made again at once they would
// cost twice as much at least.
func TestInserted(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(58, 30))
	calls := map[string]int{}
	full := 0
	for _, spec := range []string{"hirag", "hirag:lag=0"} {
		c := open(t)
		// How many texts are embedded at once depends on how busy the machine is.
		asked := func(docs ...ragtest.Doc) (n int) {
			for _, s := range c.Index(t, spec, docs...).Spent {
				if !strings.HasPrefix(s.Model, "hashes") {
					n += s.Calls
				}
			}
			return n
		}
		full = asked(docs[:24]...)
		for _, d := range docs[24:] {
			n := asked(d)
			t.Logf("%s: %d calls, of %d for all before", spec, n, full)
			if n == 0 {
				t.Error("a document asks nothing")
			}
			calls[spec] += n
		}
	}
	if with, without := calls["hirag"], calls["hirag:lag=0"]; 2*with > without || with > 2*full {
		t.Errorf("6 documents: %d calls, %d without a lag, %d for the 24 before", with, without, full)
	}
}

// TestStats says that the figures are those of the index.
func TestStats(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Index(t, "hirag", ragtest.Docs(59, 12)...)
	c.View(t, "hirag", func(v *engine.View) error {
		list, err := c.System(t, "hirag").Stats(t.Context(), v)
		if err != nil {
			return err
		}
		figures := map[string]float64{}
		for _, f := range list {
			figures[f.Name] = f.Value
		}
		var want = map[string]float64{"layer 0: nodes": 0, "layer 0: clusters": 0, "level 0: communities": 0}
		for _, n := range nodes(t, v, "entity") {
			if !n.Props()["name"].IsNull() {
				want["layer 0: nodes"]++
			}
		}
		for key := range nodes(t, v, "cluster") {
			if strings.HasPrefix(key, "0/") {
				want["layer 0: clusters"]++
			}
		}
		for key := range nodes(t, v, "community") {
			if strings.HasPrefix(key, "0/") {
				want["level 0: communities"]++
			}
		}
		for name, x := range want {
			if figures[name] != x {
				t.Errorf("%s: %g, want %g", name, figures[name], x)
			}
		}
		if s, r := figures["layer 0: sparsity"], figures["layer 0: change rate"]; s <= 0 || s >= 1 || math.Abs(r-math.Abs(s-0.01)/0.01) > 1e-9 {
			t.Errorf("sparsity %g, change rate %g", s, r)
		}
		// Of each three nodes two of whose pairs are joined, how many have
		// the third pair joined?
		near := map[engine.NodeID][]engine.NodeID{}
		for _, e := range relations(t, v) {
			near[e.From] = append(near[e.From], e.To)
			near[e.To] = append(near[e.To], e.From)
		}
		closed, paths := 0.0, 0.0
		for _, to := range near {
			for i, a := range to {
				for _, b := range to[:i] {
					paths++
					if slices.Contains(near[a], b) {
						closed++
					}
				}
			}
		}
		if got := figures["clustering coefficient"]; math.Abs(got-closed/paths) > 1e-12 {
			t.Errorf("clustering coefficient %g, want %g", got, closed/paths)
		}
		return nil
	})
}

// TestCoverage says which part of the terms of two parts stand in the bridge.
func TestCoverage(t *testing.T) {
	part := func(name string, texts ...string) rag.EvidenceSection {
		s := rag.EvidenceSection{Name: name}
		for _, text := range texts {
			s.Items = append(s.Items, rag.Cited{Item: query.Item{Text: text}})
		}
		return s
	}
	ev := &rag.Evidence{Sections: []rag.EvidenceSection{
		part("sources", "x y z"), part("bridge", "a b", "c"), part("entities", "a a d", "b e"), part("reports", "f", "c"),
	}}
	if l, g := hirag.Coverage(ev, strings.Fields); l != 0.5 || g != 0.5 {
		t.Errorf("local %g, global %g; want 2 of 4 and 1 of 2", l, g)
	}
	if l, g := hirag.Coverage(&rag.Evidence{}, strings.Fields); l != 1 || g != 1 {
		t.Errorf("of nothing: %g, %g", l, g)
	}
}
