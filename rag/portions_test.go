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

// putNumbers writes n nodes of the type number to the base graph, in order of their keys.
func putNumbers(t *testing.T, c *rag.Corpus, n int) (ids []engine.NodeID) {
	t.Helper()
	ids = make([]engine.NodeID, n)
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
	return ids
}

// growing is a step whose items are about the nodes of [putNumbers].
func growing(st *numbers) method.Step {
	return method.Step{Stage: st, Growth: &queue.Growth{Type: "number", Digest: method.Digest(""),
		Items: func(v *engine.View, ids []engine.NodeID) ([]method.WorkItem, error) {
			out := make([]method.WorkItem, len(ids))
			return out, v.EachNode(ids, func(i int, n engine.Node) error {
				d := ""
				if st.digest != nil {
					d = st.digest(i)
				}
				out[i] = method.WorkItem{Key: n.Key, Digest: method.Digest(d), Node: n.ID}
				return nil
			})
		}}}
}

// TestReopen: a run looks again at all nodes that were reopened, also at the last one that
// it looked at before, and at no others.
func TestReopen(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, nil).Corpus
	ids := putNumbers(t, c, 5)
	version := "1"
	st := &numbers{c: c, digest: func(int) string { return version }}
	run := func(want ...int) {
		t.Helper()
		st.applied = nil
		if _, err := runStage(t, c, growing(st), t.Context(), rag.IndexOptions{}); err != nil || !slices.Equal(st.applied, want) {
			t.Errorf("applied %v, %v; want %v", st.applied, err, want)
		}
	}
	run(upTo(5)...)
	version = "2"
	run()
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		return queue.Reopen(tx.Graph(c.Base()), st.Name(), []engine.NodeID{ids[1], ids[4]})
	})
	if err != nil {
		t.Fatal(err)
	}
	run(1, 4)
	run()
}

// TestPortions runs a stage of more items than are in memory at once: they are applied in
// order, each once, over runs of which one is interrupted and one has items that fail.
func TestPortions(t *testing.T) {
	t.Parallel()
	const n = 35_000 // three portions
	c := ragtest.Open(t, nil).Corpus
	putNumbers(t, c, n)
	st := &numbers{c: c}
	step := growing(st)
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
		if i == 34_000 { // in the last portion
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
	if done := len(st.applied); done < 32_000 || done > 34_900 {
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
