package erarag

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
)

// TestCount: what is done is counted in the tree, and what a removal asks for is
// pending until it is done.
func TestCount(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	docs := ragtest.Docs(3, 40)
	count := func() map[string]queue.StageCount {
		m := c.OpenModels(t)
		out := map[string]queue.StageCount{}
		err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
			for _, st := range c.System(t, small).Build(m) {
				n, err := st.Count(t.Context(), s)
				if err != nil {
					return err
				}
				out[st.Name()] = n
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	c.Index(t, small, docs...)
	n := count()
	leaves := n["leaves"].Done
	if n["planes"].Done != 1 || leaves < len(docs) || n["segments 1"].Done != 1 || n["summaries 1"].Done < 2 {
		t.Fatalf("%+v", n)
	}
	for name, x := range n {
		if x.Pending+x.Failed != 0 {
			t.Errorf("%s: %+v", name, x)
		}
	}
	c.Remove(t, docs[0].Key)
	less := count()
	if less["leaves"].Done >= leaves || less["segments 1"].Done+less["segments 1"].Pending != 1 || less["summaries 1"].Done >= n["summaries 1"].Done || less["summaries 1"].Pending == 0 {
		t.Errorf("after a removal: %+v", less)
	}
	c.Index(t, small)
	if again := count(); again["summaries 1"].Pending != 0 || again["leaves"].Done != less["leaves"].Done {
		t.Errorf("after the next run: %+v", again)
	}
}
