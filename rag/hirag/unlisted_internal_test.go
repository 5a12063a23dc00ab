package hirag

import (
	"errors"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestUnlistedReport: a community that was not listed has no report made.
func TestUnlistedReport(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open})
	c.Use(ragtest.Fixed)
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	st := &reportStage{s: s, listed: map[string]plannedCommunity{"community:0/a": {Key: "0/a"}}, kept: map[string]bool{"community:0/a": true, "community:0/b": true}}
	m := c.OpenModels(t)
	for key, listed := range map[string]bool{"community:0/a": true, "community:0/b": false} {
		err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
			_, err := st.Do(t.Context(), snap, m, method.WorkItem{Key: key})
			return err
		})
		if (err == nil) != listed || !listed && !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("%s, listed %v: %v", key, listed, err)
		}
	}
}
