package memkv_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	s := kvtest.Schema()
	kvtest.Run(t, func(*testing.T) kv.Store { return memkv.New(s) }, s)
}

// The tree keeps its order, its heap order and its counts.
func TestCheckAfterRandomEdits(t *testing.T) {
	t.Parallel()
	s := kvtest.Schema()
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		st, m := memkv.New(s), kvtest.NewModel(s)
		for range 30 {
			b := st.NewBatch()
			kvtest.Mutate(rnd, rnd.IntN(50), b, m)
			if err := st.Apply(t.Context(), b, kv.Sync); err != nil {
				t.Fatal(err)
			}
			if err := st.Check(t.Context()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if err := m.Equal(t.Context(), st); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func Benchmark(b *testing.B) {
	s := kvtest.Schema()
	for _, n := range []int{10_000, 200_000} {
		b.Run(fmt.Sprintf("keys=%d", n), func(b *testing.B) {
			kvtest.Bench(b, n, func(*testing.B) kv.Store { return memkv.New(s) })
		})
	}
}
