package cypher

import (
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// TestEdgeID: different edges have different numbers.
func TestEdgeID(t *testing.T) {
	// From 3 to 5 of type 2: 5*5+3 = 28; type 2 is 1, 0, 0 from the lowest bit on, and
	// the first of parallel edges 0. 28<<4 | 0b0001.
	if id, ok := edgeID(engine.Edge{From: 3, To: 5, Type: 2}); !ok || id != 28<<4|1 {
		t.Errorf("the number is %d", id)
	}
	seen := map[int64]engine.Edge{}
	for from := range engine.NodeID(9) {
		for to := range engine.NodeID(9) {
			for typ := range engine.EdgeType(9) {
				for n := range uint32(9) {
					e := engine.Edge{From: from + 1, To: to + 1, Type: typ + 2, N: n}
					id, ok := edgeID(e)
					if was, taken := seen[id]; !ok || taken && was != identity(e) {
						t.Fatalf("%v has the number %d, %v, as has %v", e, id, ok, was)
					}
					seen[id] = identity(e)
				}
			}
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		e := identity(engine.Edge{
			From: engine.NodeID(rnd.Uint32() >> rnd.IntN(20)), To: engine.NodeID(rnd.Uint32() >> rnd.IntN(20)),
			Type: engine.EdgeType(2 + rnd.Uint32()>>rnd.IntN(32)), N: rnd.Uint32() >> rnd.IntN(32),
		})
		id, ok := edgeID(e)
		if max(e.From, e.To) < 1<<26 && e.Type < 32 && e.N == 0 && !ok {
			t.Fatalf("%v has no number", e)
		}
		if was, taken := seen[id]; ok && (id < 0 || taken && was != e) {
			t.Fatalf("%v has the number %d, as has %v", e, id, was)
		}
		if ok {
			seen[id] = e
		}
	}
}
