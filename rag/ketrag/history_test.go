package ketrag_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/baseline"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestDoubledByAnotherMethod says that a corpus which doubles while it is
// indexed by one method stays indexed by the others too: the new word table
// takes all their vectors with it.
func TestDoubledByAnotherMethod(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Use(nil) // those that learn
	c.Methods["naive"] = baseline.Open("naive")
	docs := ragtest.Docs(71, 20)
	c.Index(t, "ketrag", docs[:8]...)
	models := func() string {
		m, err := c.Corpus.OpenLocal(t.Context(), false, rag.Parts{})
		if err != nil {
			t.Fatal(err)
		}
		return m.DocumentSpace().Model
	}
	first := models()
	c.Index(t, "naive", docs[8:]...)
	if models() == first {
		t.Fatal("the words were not learnt anew")
	}
	if r := c.Index(t, "ketrag"); len(r.Stages) != 0 {
		t.Errorf("left to do for ketrag: %+v", r.Stages)
	}
	sys := c.System(t, "ketrag")
	err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		v := s.Graph(sys.Graph())
		spaces := v.Spaces()
		if len(spaces) == 0 {
			t.Error("no vectors")
		}
		for _, name := range spaces {
			info, err := v.SpaceInfo(name)
			if err != nil {
				return err
			}
			if info.Model != models() {
				t.Errorf("space %s is of %s", name, info.Model)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ragtest.Check(t, c.DB())
}

// TestRemoveFromInterrupted says that a document leaves nothing in the graph
// of a method whose first index was interrupted.
func TestRemoveFromInterrupted(t *testing.T) {
	t.Parallel()
	const spec = "ketrag:beta=1,describe=always"
	docs := sorted(ragtest.Docs(72, 10))
	want := atOnce(t, spec, docs[1:])

	for _, stage := range []string{"near", "core", "extract", "describe"} {
		c := open(t)
		c.Methods["bm25"] = baseline.Open("bm25")
		for _, d := range docs {
			c.Index(t, "bm25", d)
		}
		ctx, cancel := context.WithCancel(t.Context())
		met := false
		x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, spec)}}
		x.Options.Notify = func(e rag.Event) {
			if e.Stage == "ketrag/"+stage || e.Stage == stage {
				met = true
				cancel()
			}
		}
		if _, err := x.Run(ctx, nil); !met || !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: met %v, %v", stage, met, err)
		}
		cancel()
		c.Remove(t, docs[0].Key)
		c.Index(t, spec)
		ragtest.Check(t, c.DB())
		ragtest.Same(t, stage, c.Canonical(t), want.Canonical(t))
	}
}
