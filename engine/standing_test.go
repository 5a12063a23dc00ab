package engine_test

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
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
