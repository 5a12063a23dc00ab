package rag_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestPortions runs a stage of more items than are in memory at once: they are applied in
// order, each once, over runs of which one is interrupted and one has items that fail.
func TestPortions(t *testing.T) {
	t.Parallel()
	const n = 35_000
	c := ragtest.Open(t, nil).Corpus
	ids := make([]engine.NodeID, n)
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(c.Base())
		typ, err := v.MakeNodeType("number")
		for i := range ids {
			if err == nil {
				ids[i], _, err = v.PutNode(typ, fmt.Sprint(i), nil)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	st := &numbers{c: c}
	digest := method.Digest("")
	step := method.Step{Stage: st, Growth: &queue.Growth{Type: "number", Digest: digest,
		Items: func(v *engine.View, ids []engine.NodeID) ([]method.WorkItem, error) {
			out := make([]method.WorkItem, len(ids))
			return out, v.EachNode(ids, func(i int, n engine.Node) error {
				out[i] = method.WorkItem{Key: n.Key, Digest: digest, Node: n.ID}
				return nil
			})
		}}}
	fails := func(i int) bool { return i%1000 == 7 }
	wrong := errors.New("wrong")
	var last rag.Event
	notify := func(e rag.Event) {
		if e.Stage == st.Name() {
			last = e
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	st.do = func(_ context.Context, i int) error {
		if i == 20_000 {
			cancel()
		}
		if fails(i) {
			return wrong
		}
		return nil
	}
	if _, err := runStage(t, c, step, ctx, rag.IndexOptions{Workers: 2, Notify: notify}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if done := len(st.applied); done < 16_000 || done > 30_000 {
		t.Errorf("%d items were applied before the run was cancelled", done)
	}
	if last.Total != n {
		t.Errorf("the last event was %+v", last)
	}
	out, err := runStage(t, c, step, t.Context(), rag.IndexOptions{Workers: 2, Notify: notify})
	if !errors.Is(err, rag.ErrPartial) || out.Failed != n/1000 {
		t.Fatalf("%d failed, %v", out.Failed, err)
	}
	st.do = nil
	if _, err := runStage(t, c, step, t.Context(), rag.IndexOptions{Retry: true}); err != nil {
		t.Fatal(err)
	}
	first := slices.DeleteFunc(upTo(n), fails)
	want := append(first, slices.DeleteFunc(upTo(n), func(i int) bool { return !fails(i) })...)
	if !slices.Equal(st.applied, want) {
		t.Errorf("%d items were applied, or in another order", len(st.applied))
	}
}
