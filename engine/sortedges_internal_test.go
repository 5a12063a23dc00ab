package engine

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestEdgeSorter sorts half edges over the whole range of ids, in memory and
// through runs, and compares with a stable sort.
func TestEdgeSorter(t *testing.T) {
	for _, c := range []struct {
		name     string
		n, limit int
		mask     uint32 // of node, type and neighbour
		byOther  bool   // neighbours come in order
		grow     bool   // nodes come to be of greater and greater ids
	}{
		{"none", 0, 10, ^uint32(0), false, false},
		{"one", 1, 10, ^uint32(0), false, false},
		{"in memory", 3000, 4000, ^uint32(0), false, false},
		{"runs", 3000, 100, ^uint32(0), false, false},
		{"full runs only", 3000, 1000, ^uint32(0), false, false},
		{"equal ones", 3000, 100, 0x3, false, false},
		{"equal lists", 3000, 100, 0x80000001, false, false},
		{"many ranges", 3000, 500, 0xFFFF, false, false},
		{"ranges of several widths", 3000, 300, ^uint32(0), false, true},
		{"in order, in memory", 3000, 4000, ^uint32(0), true, false},
		{"in order, runs", 3000, 100, 0xFFF, true, false},
		{"in order, long lists", 3000, 100, 0x3, true, false},
		{"in order, several widths", 3000, 300, ^uint32(0), true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(c.n)))
			var scratch []halfEdge
			s := edgeSorter{limit: c.limit, scratch: &scratch, byOther: c.byOther}
			var want []halfEdge
			for i := range c.n {
				h := halfOf(uint64(r.Uint32()&c.mask), uint64(r.Uint32()&c.mask), EdgeType(r.Uint32()&c.mask), float32(i))
				if c.grow {
					h.list >>= 32 * (c.n - i) / c.n
				}
				want = append(want, h)
			}
			if c.byOther {
				slices.SortStableFunc(want, func(a, b halfEdge) int { return cmp.Compare(a.other, b.other) })
			}
			for _, h := range want {
				if err := s.add(h); err != nil {
					t.Fatal(err)
				}
			}
			slices.SortStableFunc(want, func(a, b halfEdge) int { return compareHalves(&a, &b) })
			for range 2 { // it can be walked again
				var got []halfEdge
				err := s.each(t.Context(), func(h *halfEdge) error {
					got = append(got, *h)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%d half edges in another order than %d", len(got), len(want))
				}
			}
			if err := s.spill.close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestRecordLog keeps records in memory and in a file.
func TestRecordLog(t *testing.T) {
	for _, c := range []struct {
		n, limit int
		spilled  bool
	}{{0, 100, false}, {20, 1 << 20, false}, {500, 100, true}} {
		r := recordLog{limit: c.limit}
		var want [][]byte
		for i := range c.n {
			want = append(want, bytes.Repeat([]byte{byte(i)}, i))
			if err := r.add(want[i]); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // it can be walked again
			var got [][]byte
			err := r.each(t.Context(), func(b []byte) error {
				got = append(got, bytes.Clone(b))
				return nil
			})
			if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
				t.Fatalf("%d records of %d, %v", len(got), len(want), err)
			}
		}
		if (r.spill.f != nil) != c.spilled {
			t.Errorf("%d records within %d bytes: in a file %v", c.n, c.limit, !c.spilled)
		}
		if err := r.spill.close(); err != nil {
			t.Fatal(err)
		}
	}
}
