package erarag

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestNoMean: without a chunk that has a vector there is no mean, and no mean of nothing
// by nothing either.
func TestNoMean(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	s := opened(t, c, "erarag:center=true")
	st := &planeStage{s: s, model: ragtest.Hashes{}.Space()}
	none := func(when string) {
		t.Helper()
		err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
			center, err := st.mean(t.Context(), snap)
			if center != nil {
				t.Errorf("%s the mean is %v", when, center)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	none("before there is a space")
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		return method.MakeSpace(tx.Graph(c.Base()), method.ChunkSpace(s.p.Chunks, st.model.Model), st.model, 0)
	})
	if err != nil {
		t.Fatal(err)
	}
	none("of no vectors")
}
