package graphops

import (
	"math/rand/v2"
	"testing"
)

func TestNodeMap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	var m nodeMap
	// Wide and narrow queries by turns, so that old slots and tables must not
	// show.
	for round, q := range []struct {
		n, limit int
		table    bool // is made
	}{
		{5000, 0, false}, {3, 0, false}, {0, 10, false}, {700, 900, true}, {20000, 0, false}, {6000, 5000, true},
		{5000, 1 << 20, false}, {100, 0, false}, {9000, 10000, true}, {200, 300, false},
	} {
		n := q.n
		m.reset()
		m.limit = q.limit
		want := map[uint32]uint32{}
		var order []uint32
		for range n {
			u := r.Uint32N(uint32(2 * n))
			switch kind := r.IntN(4); {
			case q.limit > 0:
				u %= uint32(q.limit)
			case kind == 0:
				u = ^u // the greatest numbers
			case kind == 1:
				u <<= 16 // equal lower halves
			}
			place, ok := want[u]
			if got, found := m.find(u); found != ok || ok && got != place {
				t.Fatalf("round %d: find(%d) is %d, %t; want %d, %t", round, u, got, found, place, ok)
			}
			if !ok {
				place = uint32(len(want))
				want[u] = place
				order = append(order, u)
			}
			if got, fresh := m.add(u); got != place || fresh == ok {
				t.Fatalf("round %d: add(%d) is %d, %t; want %d, %t", round, u, got, fresh, place, !ok)
			}
		}
		for place, u := range order {
			if got, ok := m.find(u); !ok || int(got) != place || m.nodes[place] != u {
				t.Fatalf("round %d: node %d at %d, %t; want %d", round, u, got, ok, place)
			}
		}
		if q.table != (m.table != nil) {
			t.Errorf("round %d: %d nodes of %d, table %t", round, len(order), q.limit, m.table != nil)
		}
		if m.len() != len(order) {
			t.Errorf("round %d: %d nodes, want %d", round, m.len(), len(order))
		}
	}
}
