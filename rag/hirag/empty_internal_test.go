package hirag

import (
	"encoding/json"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// TestEmptyLayer: a layer above the first one that has no nodes is not clustered, and
// nothing is kept of it.
func TestEmptyLayer(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open})
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for layer, kept := range []bool{true, false, false} {
		st := &layerStage{s: s, layer: layer, model: llm.SpaceInfo{Model: "x", Dim: 2}}
		err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
			raw, err := st.Do(t.Context(), snap, nil, method.WorkItem{})
			if err != nil {
				return err
			}
			var plan layerPlan
			if err := json.Unmarshal(raw, &plan); err != nil {
				return err
			}
			if (plan.Fit != nil) != kept {
				t.Errorf("layer %d: the fit %+v", layer, plan.Fit)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
