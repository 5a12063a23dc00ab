package vecindex_test

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/vecindex"
)

// Two layers, entities and communities, are searched in one descent.
func ExampleIndex_Settle() {
	ctx := context.Background()
	st := memkv.New(layout.Schema())
	defer st.Close()
	ix, err := vecindex.Open(ctx, st, vecindex.Config{
		Table: layout.Table{Graph: 1, Space: 1}, Dim: 2, Model: "example", Kind: vecindex.CHNSW,
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	batch := st.NewBatch()
	w, err := ix.Begin(ctx, batch, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	const entities, communities = 0, 1
	for id, at := range [][]float32{{1, 0}, {0.9, 0.1}, {0, 1}, {0.1, 0.9}} {
		if err := w.Put(ctx, uint64(id+1), entities, at); err != nil {
			fmt.Println(err)
			return
		}
	}
	for id, at := range [][]float32{{1, 0.1}, {0.1, 1}} {
		if err := w.Put(ctx, uint64(id+11), communities, at); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := st.Apply(ctx, batch, kv.Sync); err != nil {
		fmt.Println(err)
		return
	}
	w.Publish()
	commit := func(ctx context.Context, fn func(b kv.Batch) error) error {
		b := st.NewBatch()
		if err := fn(b); err != nil {
			return err
		}
		return st.Apply(ctx, b, kv.NoSync)
	}
	if err := ix.Settle(ctx, commit); err != nil {
		fmt.Println(err)
		return
	}
	snap, err := st.Snapshot(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer snap.Close()
	v, err := ix.At(ctx, snap, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer v.Close()
	hits, err := v.Search(ctx, vecindex.Search{
		Vector: []float32{1, 0},
		Layers: []vecindex.LayerK{{Layer: communities, K: 1}, {Layer: entities, K: 2}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, h := range hits {
		fmt.Printf("layer %d: node %d, cosine %.2f\n", h.Layer, h.ID, h.Score)
	}
	// Output:
	// layer 1: node 11, cosine 1.00
	// layer 0: node 1, cosine 1.00
	// layer 0: node 2, cosine 0.99
}
