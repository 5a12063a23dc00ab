package ketrag

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// TestNearOfLists looks for the chunks near one that was added where vectors are searched
// by lists: it is found, and neither are lists made again nor all vectors read.
func TestNearOfLists(t *testing.T) {
	t.Parallel()
	const n, dim, k = 3000, 12, 3
	store := kvtest.NewCounter(memkv.New(layout.Schema()))
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
		ExactElements: 1000 * dim, NoBackground: true,
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := ragtest.OpenIn(t, db)
	sys, err := Open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	g, model := sys.Graph(), llm.SpaceInfo{Model: "m", Dim: dim}
	p, r := parse(nil)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	space := spaceOf(method.ChunkNodeType, model.Model)
	rng := rand.New(rand.NewPCG(4, 96))
	put := func(from, to int) {
		t.Helper()
		err := db.Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(g)
			chunk, err := v.MakeNodeType(method.ChunkNodeType)
			if err != nil {
				return err
			}
			if err := method.MakeSpace(v, space, model, vecindex.Cosine); err != nil {
				return err
			}
			for i := from; i < to; i++ {
				id, _, err := v.PutNode(chunk, fmt.Sprintf("d#%04d", i), nil)
				if err != nil {
					return err
				}
				vec := make([]float32, dim)
				for d := range vec {
					vec[d] = float32(rng.NormFloat64())
				}
				if err := v.PutVector(space, id, vec); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	find := func(n int, what *looks) (out *channel, keys int) {
		t.Helper()
		st := &nearStage{s: &system{Identity: sys.Identity, p: p, c: c.Docs(), g: g}, model: model}
		out = &channel{old: make([][]near, n), now: make([][]near, n)}
		words := &channel{old: make([][]near, n), now: make([][]near, n), have: make([]bool, n)}
		err := db.View(t.Context(), func(s *engine.Snapshot) error {
			ids, err := graph.Of(s.Graph(g), method.ChunkNodeType)
			if err != nil {
				return err
			}
			store.Take()
			return st.vector(t.Context(), s, ids, out, words, k, what)
		})
		if err != nil {
			t.Fatal(err)
		}
		return out, store.Take().Keys
	}
	put(0, n)
	if _, keys := find(n, everything(n)); keys < n {
		t.Fatalf("all chunks take %d reads", keys)
	}
	put(n, n+1)
	out, keys := find(n+1, &looks{places: []int{n}, floors: make([]int32, n+1)})
	if len(out.now[n]) != k || keys > 2*n {
		t.Errorf("one chunk more has %d near ones after %d reads", len(out.now[n]), keys)
	}
}
