package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
)

// TestListLengths compares with a map: a bound that is known is never below
// what was set, and is that exactly while it fits.
func TestListLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	l := newListLengths(1000)
	set := map[listKey]uint32{} // since the last forget
	firstNew := uint64(1000)
	for i := range 20_000 {
		key := listKey{layout.Direction(r.IntN(2)), 1 + r.Uint64N(3000), 2 + 2*r.Uint32N(3)}
		if r.IntN(3) == 0 {
			n := r.Uint32N(2000)
			if r.IntN(100) == 0 {
				n = 0xFFFE + r.Uint32N(5)
			}
			l.set(key, n, 3001)
			set[key] = n
		}
		if i == 12_000 {
			l.forget(2500)
			clear(set)
			firstNew = 2500
		}
		n, known := l.bound(key)
		want, isSet := set[key]
		switch {
		case isSet && want <= 0xFFFE:
			if !known || n != want {
				t.Fatalf("step %d: %v is %d, %t, want %d", i, key, n, known, want)
			}
		case isSet:
			if known {
				t.Fatalf("step %d: %v is known to be %d, though it is %d", i, key, n, want)
			}
		case known && (n != 0 || key.node < firstNew):
			t.Fatalf("step %d: %v is known to be %d", i, key, n)
		}
	}
	// Where there are too many lists it forgets, and takes none for empty.
	for node := uint64(1); node < 2*maxLengthPages*lengthsPerPage; node += lengthsPerPage {
		l.set(listKey{layout.Out, node, 2}, 7, 1<<40)
		if len(l.pages) > maxLengthPages {
			t.Fatalf("%d pages", len(l.pages))
		}
	}
	if n, known := l.bound(listKey{layout.Out, 1, 2}); known {
		t.Errorf("a list that was forgotten is known to be %d", n)
	}
}
