package cypher

import (
	"math/bits"

	"github.com/ragdb/ragdb/engine"
)

// The number of an edge says which edge it is, so that nothing has to be stored: its
// upper bits pair the numbers of its ends (Szudzik's pairing function), its lower bits
// are the edge's type and its number among parallel ones, each in a code that says
// where it ends.

// edgeID returns the number of an edge, and false if it is beyond 63 bits: it fits if the
// numbers of the ends are below 2^26 in a graph of less than 32 edge types.
func edgeID(e engine.Edge) (int64, bool) {
	e = identity(e)
	a, b := uint64(e.From), uint64(e.To)
	pair := b*b + a
	if a >= b {
		pair = a*a + a + b
	}
	low, n := prefixCode(0, 0, uint64(e.Type))
	low, n = prefixCode(low, n, uint64(e.N)+1)
	if max(a, b) >= 1<<31 || bits.Len64(pair)+n > 63 {
		return 0, false
	}
	return int64(pair<<n | low), true
}

// prefixCode appends a number above 0 to n lower bits: as many ones as the number has
// bits below its highest, a zero, and these bits.
func prefixCode(low uint64, n int, x uint64) (uint64, int) {
	below := bits.Len64(x) - 1
	if n+2*below+1 > 63 {
		return 0, 64
	}
	low |= (1<<below - 1) << n
	low |= (x &^ (1 << below)) << (n + below + 1)
	return low, n + 2*below + 1
}
