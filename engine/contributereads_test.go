package engine_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// contributionCalls counts the calls that read contributions.
type contributionCalls struct {
	kv.Store
	n atomic.Int64
}

func (s *contributionCalls) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	snap, err := s.Store.Snapshot(ctx)
	return &contributionReads{snap, s}, err
}

type contributionReads struct {
	kv.Snapshot
	s *contributionCalls
}

func (r *contributionReads) note(key []byte) {
	if layout.Tag(key[0]) == layout.TagContribution {
		r.s.n.Add(1)
	}
}

func (r *contributionReads) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	r.note(key)
	return r.Snapshot.Get(ctx, key, dst)
}

func (r *contributionReads) MultiGet(ctx context.Context, keys [][]byte, fn func(int, []byte) error) error {
	if len(keys) > 0 {
		r.note(keys[0])
	}
	return r.Snapshot.MultiGet(ctx, keys, fn)
}

// TestContributionReads changes one source of an edge that has many: the calls that
// read what the others say do not grow with their number. Each was a call once.
func TestContributionReads(t *testing.T) {
	t.Parallel()
	calls := func(sources int) (change, total int64) {
		store := &contributionCalls{Store: memkv.New(layout.Schema())}
		db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
			OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		g := graph(t, db, "g")
		var edge engine.Target
		var last engine.NodeID
		weight := float32(0)
		contribute := func(put func(v *engine.TxView) error) {
			t.Helper()
			if err := db.Update(t.Context(), func(tx *engine.Tx) error { return put(tx.Graph(g)) }); err != nil {
				t.Fatal(err)
			}
		}
		contribute(func(v *engine.TxView) error {
			nt, err := v.MakeNodeType("n")
			if err != nil {
				return err
			}
			et, err := v.MakeEdgeType("e", true)
			if err != nil {
				return err
			}
			a, _, err := v.PutNode(nt, "a", nil)
			if err != nil {
				return err
			}
			b, _, err := v.PutNode(nt, "b", nil)
			if err != nil {
				return err
			}
			edge = engine.EdgeTarget(a, b, et)
			for i := range sources {
				if last, _, err = v.PutNode(nt, fmt.Sprint(i), nil); err != nil {
					return err
				}
				weight += float32(i % 7)
				if err := v.Contribute(last, edge, engine.Contribution{Weight: float32(i % 7), Texts: []string{fmt.Sprint(i)}}); err != nil {
					return err
				}
			}
			return nil
		})
		store.n.Store(0)
		contribute(func(v *engine.TxView) error { return v.Contribute(last, edge, engine.Contribution{Weight: 100}) })
		change = store.n.Load()
		view(t, g, func(v *engine.View) {
			store.n.Store(0)
			sum, err := v.Total(edge)
			if err != nil {
				t.Fatal(err)
			}
			total = store.n.Load()
			want := weight - float32((sources-1)%7) + 100
			if w, ok, err := v.HasEdge(edge.From, edge.To, edge.Type); err != nil || !ok || w != want || sum.Weight != want || sum.Sources != sources {
				t.Errorf("weight %v, %v, %v; total %+v; want %v of %d sources", w, ok, err, sum, want, sources)
			}
		})
		return change, total
	}
	few, fewTotal := calls(3)
	many, manyTotal := calls(900)
	if many != few || manyTotal != fewTotal {
		t.Errorf("%d calls to change one of 3 sources, %d of 900; %d and %d for the total", few, many, fewTotal, manyTotal)
	}
}
