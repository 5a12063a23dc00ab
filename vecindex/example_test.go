package vecindex_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/vecindex"
)

func Example() {
	ctx := context.Background()
	st := memkv.New(layout.Schema())
	ix, err := vecindex.Open(ctx, st, vecindex.Config{Dim: 2, Model: "toy-1"}, nil)
	if err != nil {
		log.Fatal(err)
	}

	b := st.NewBatch()
	w, err := ix.Begin(ctx, b, 1) // the commit will be epoch 1
	if err != nil {
		log.Fatal(err)
	}
	for id, v := range [][]float32{{1, 0}, {0, 3}, {1, 1}} {
		if err := w.Put(ctx, uint64(id), 0, v); err != nil {
			log.Fatal(err)
		}
	}
	if err := st.Apply(ctx, b, kv.Sync); err != nil {
		log.Fatal(err)
	}
	w.Publish()

	view, err := ix.At(ctx, st, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer view.Close()
	hits, err := view.Search(ctx, vecindex.Search{Vector: []float32{0, 1}, K: 2}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Printf("node %d scores %.3f\n", h.ID, h.Score)
	}
	// Output:
	// node 1 scores 1.000
	// node 2 scores 0.707
}
