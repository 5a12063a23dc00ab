package queue

import (
	"bytes"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// TestRegularFrontiers reads back frontiers with no node, with consecutive ones and the
// last ones, and with edges that share their ends.
func TestRegularFrontiers(t *testing.T) {
	const last = 1<<32 - 1
	for _, n := range []uint64{0, 1, 2, 127, 128, 129, 1025} {
		for _, first := range []uint64{1, last - max(n, 1) + 1} {
			for _, edges := range []uint64{0, n} {
				f := frontier{digest: [32]byte{31: 1}, upto: last, open: roaring.New()}
				f.open.AddRange(first, first+n)
				for i := range edges {
					f.leave(engine.EdgeTarget(engine.NodeID(last), engine.NodeID(first+i), 1))
				}
				b := f.encode()
				got, err := decodeFrontier(b)
				if err != nil || got.digest != f.digest || got.upto != f.upto || !got.open.Equals(f.open) || uint64(len(got.edges)) != edges {
					t.Fatalf("%d nodes from %d and %d edges: %v", n, first, edges, err)
				}
				if again := got.encode(); !bytes.Equal(again, b) {
					t.Errorf("%d nodes from %d and %d edges are written otherwise again", n, first, edges)
				}
			}
		}
	}
}
