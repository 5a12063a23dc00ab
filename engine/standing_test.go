package engine_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// TestMemoryWith: databases that share a budget draw from one, in which each counts what
// stays in memory of it until it is closed.
func TestMemoryWith(t *testing.T) {
	open := func(o engine.Options) *engine.DB {
		db, err := engine.Open(t.Context(), engine.Memory, &o)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	first := open(engine.Options{MemoryBudget: 64 << 20})
	defer first.Close()
	alone := first.Memory().ForWork()
	if alone <= 0 || alone >= 64<<20 {
		t.Fatalf("%d bytes of 64 MiB are for work", alone)
	}
	second := open(engine.Options{MemoryWith: first, MemoryBudget: 32 << 20})
	if second.Memory() != first.Memory() || second.MemoryBudget() != 64<<20 {
		t.Errorf("the second has a budget of its own, of %d bytes", second.MemoryBudget())
	}
	if both := first.Memory().ForWork(); both >= alone {
		t.Errorf("the caches of the second do not count: %d bytes are for work, %d before", both, alone)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if after := first.Memory().ForWork(); after != alone {
		t.Errorf("a closed database still counts: %d bytes are for work, %d before", after, alone)
	}
}

// TestWorkBeforeVectors: vectors are not read into memory while work has the budget, and are
// found all the same; they are read when it has ended.
func TestWorkBeforeVectors(t *testing.T) {
	const dim, n = 64, 4000
	g := graph(t, open(t, &engine.Options{MemoryBudget: 16 << 20}), "g")
	vec := make([]float32, dim)
	err := g.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		typ, err := v.MakeNodeType("n")
		if err != nil {
			return err
		}
		if err := v.MakeSpace("s", engine.SpaceOptions{Dim: dim, Model: "m"}); err != nil {
			return err
		}
		for i := range n {
			id, _, err := v.PutNode(typ, fmt.Sprint(i), nil)
			if err != nil {
				return err
			}
			for k := range vec {
				vec[k] = float32((i*(k+3)+k*k)%101) - 50
			}
			if err := v.PutVector("s", id, vec); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var first []vecindex.Hit
	search := func(when string) (inMemory bool) {
		t.Helper()
		view(t, g, func(v *engine.View) {
			space := result(v.Vectors("s"))(t)
			hits, err := space.Search(t.Context(), vecindex.Search{Vector: vec, K: 3}, nil)
			if first == nil {
				first = hits
			}
			if err != nil || len(hits) != 3 || !slices.Equal(hits, first) {
				t.Errorf("%s: %v, %v, at first %v", when, hits, err, first)
			}
		})
		if err := g.DB().View(t.Context(), func(s *engine.Snapshot) error {
			stats, err := s.MemoryStats(t.Context())
			inMemory = err == nil && stats.Memory.VectorBytes > 0
			return err
		}); err != nil {
			t.Error(err)
		}
		return inMemory
	}
	work := g.DB().Memory().Begin()
	if err := work.Grow(t.Context(), g.DB().Memory().ForWork()-256<<10); err != nil {
		t.Fatal(err)
	}
	if search("while work has the budget") {
		t.Error("vectors are in memory while work has the budget")
	}
	work.Close()
	// What work had counts until the collector has run, which tells of it later.
	for try := 0; !search("afterwards"); try++ {
		if try == 200 {
			t.Fatal("vectors are not in memory when work has left the budget")
		}
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
	}
}
