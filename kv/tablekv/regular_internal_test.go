package tablekv

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// TestRegularRows reads back rows with nothing in them, with equal and consecutive keys'
// beginnings, with empty names, and with ranges that touch.
func TestRegularRows(t *testing.T) {
	key := func(i int) []byte { return fmt.Appendf(nil, "key%05d", i) }
	for _, n := range []int{0, 1, 2, 127, 128, 129, 1025} {
		for _, r := range []record{
			{}, {fence: ^uint64(0), beat: ^uint64(0), commit: ^uint64(0), by: ^uint64(0), staged: true},
			{comparer: "c", merger: strings.Repeat("m", n), owner: strings.Repeat("o", n)},
		} {
			for i := range n {
				r.removed = append(r.removed, kv.Range{Lo: key(i), Hi: key(i + 1)})
			}
			if got, err := decodeRecord(r.encode()); err != nil || !reflect.DeepEqual(got, r) {
				t.Errorf("a record with %d ranges: %v", n, err)
			}
		}
		c := changed{by: ^uint64(0)}
		for i := range n {
			c.keys = append(c.keys, key(i))
			c.ranges = append(c.ranges, kv.Range{Lo: key(i), Hi: key(i + 1)})
		}
		for _, keys := range [][][]byte{nil, c.keys, {{}}, {{0}, {0, 0}, {0, 0, 0}}} {
			for _, ranges := range [][]kv.Range{nil, c.ranges} {
				x := changed{by: c.by, keys: slices.Clone(keys), ranges: ranges}
				got, ok := decodeChanged(x.bytes())
				if !ok || len(got.keys) != len(keys) || !slices.EqualFunc(got.keys, x.keys, bytes.Equal) || len(got.ranges) != len(ranges) {
					t.Errorf("%d keys and %d ranges: %d and %d are read, %t", len(keys), len(ranges), len(got.keys), len(got.ranges), ok)
				}
				for _, most := range []int{9, 10, 64, 1 << 10} {
					x := changed{by: c.by, keys: slices.Clone(keys), ranges: ranges}
					got, ok := decodeChanged(x.encode(most))
					if !ok {
						t.Errorf("%d keys and %d ranges in %d bytes cannot be read", len(keys), len(ranges), most)
					}
					for _, k := range keys {
						if !got.in(k, append(bytes.Clone(k), 0)) {
							t.Errorf("%d keys in %d bytes: %x is not among them", len(keys), most, k)
						}
					}
				}
			}
		}
	}
	for _, k := range [][]byte{{1}, {0}, {0, 0, 0}, {0, 0xFF}, []byte("a\x00b"), bytes.Repeat([]byte{0xFF}, 129)} {
		for _, n := range []uint32{0, 1, ^uint32(0)} {
			if got, m, ok := pieceOf(pieceKey(k, n)[2:]); !ok || m != n || !bytes.Equal(got, k) {
				t.Errorf("piece %d of %x is that of %x, %d, %t", n, k, got, m, ok)
			}
		}
	}
}
