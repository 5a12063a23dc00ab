package layout_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
)

// patchChange returns a posting that is drawn, with positions if wanted.
func patchChange(r *rand.Rand, node uint64, positions bool) layout.Posting {
	p := layout.Posting{Node: node, Freq: 1 + uint32(r.IntN(3)), Words: uint32(r.IntN(1 << r.IntN(10)))}
	if positions {
		p.Positions = layout.AppendPositions(nil, []uint32{5, 9, 900}[:p.Freq])
	}
	return p
}

// TestPatch folds few changes into many postings, again and again, and compares the
// bytes with those of a value that was made at once of the same postings. Nodes are
// near each other or far apart, and are mostly removed in some rounds, so that blocks
// divide and join.
func TestPatch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 24))
	key := layout.Postings(1, 1, "t", 0)
	for range 100 {
		model := map[uint64]layout.Posting{}
		positions, spread := r.IntN(2) == 0, 1<<(9+r.IntN(8))
		at := r.IntN(1<<16 - spread + 1)
		node := func() uint64 { return uint64(at + r.IntN(spread)) }
		for range 130 + r.IntN(1<<(4+r.IntN(8))) {
			id := node()
			model[id] = patchChange(r, id, positions)
		}
		value := func() []byte {
			var ps []layout.Posting
			for _, id := range slices.Sorted(maps.Keys(model)) {
				ps = append(ps, model[id])
			}
			return layout.AppendPostings(nil, ps)
		}
		v := value()
		whole := r.IntN(4) > 0 // or an operand, which keeps what it removes
		removed := map[uint64]bool{}
		if !whole {
			v = layout.AppendPostingsDelta(nil, postingsOf(t, v), []uint64{})
		}
		for range 8 {
			f := layout.NewFold(key, v)
			shrinks := r.IntN(2) == 0
			ids := slices.Sorted(maps.Keys(model))
			for range 1 + r.IntN(4) {
				added := map[uint64]layout.Posting{}
				gone := map[uint64]bool{}
				for range 1 + r.IntN(30) {
					id := node()
					if r.IntN(2) == 0 && len(ids) > 0 {
						id = ids[r.IntN(len(ids))]
					}
					delete(added, id)
					delete(gone, id)
					if shrinks && r.IntN(4) > 0 || r.IntN(6) == 0 {
						gone[id] = true
					} else {
						added[id] = patchChange(r, id, positions)
					}
				}
				var ps []layout.Posting
				for _, id := range slices.Sorted(maps.Keys(added)) {
					ps = append(ps, added[id])
					model[id] = added[id]
					delete(removed, id)
				}
				for id := range gone {
					delete(model, id)
					removed[id] = true
				}
				f.Newer(layout.AppendPostingsDelta(nil, ps, slices.Sorted(maps.Keys(gone))))
			}
			v = f.Finish(whole)
			want := value()
			if !whole {
				want = layout.AppendPostingsDelta(nil, postingsOf(t, want), slices.Sorted(maps.Keys(removed)))
			}
			if !bytes.Equal(v, want) {
				t.Fatalf("%d postings, whole %t: %d bytes, made at once %d", len(model), whole, len(v), len(want))
			}
		}
	}
}

func postingsOf(t *testing.T, v []byte) []layout.Posting {
	t.Helper()
	ps, err := layout.ReadPostings(v, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

// TestPatchCopies changes one posting of many and compares the blocks of the others,
// which stay as they are even if they are damaged: reading all of them tells.
func TestPatchCopies(t *testing.T) {
	key := layout.Postings(1, 1, "t", 0)
	var ps []layout.Posting
	for node := uint64(0); node < 1<<16; node += 8 {
		ps = append(ps, layout.Posting{Node: node, Freq: 1, Words: 9})
	}
	v := layout.AppendPostings(nil, ps)
	v[len(v)-2] ^= 1 // of the last block: positions have no bytes
	f := layout.NewFold(key, layout.AppendPostingsDelta(nil, nil, []uint64{8}))
	f.Older(v)
	folded := f.Finish(true)
	if !bytes.Equal(folded[len(folded)-100:], v[len(v)-100:]) {
		t.Error("the last block is another one")
	}
	var c layout.Columns
	if c.Read(v) == nil || c.Read(folded) == nil {
		t.Error("the damage is not seen any more")
	}
}

// BenchmarkPatch changes one posting of many.
func BenchmarkPatch(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 25))
	key := layout.Postings(1, 1, "t", 0)
	var ps []layout.Posting
	for node := range uint64(1 << 16) {
		if r.IntN(6) == 0 {
			ps = append(ps, patchChange(r, node, true))
		}
	}
	v := layout.AppendPostings(nil, ps)
	op := layout.AppendPostingsDelta(nil, []layout.Posting{patchChange(r, 30_000, true)}, nil)
	for b.Loop() {
		f := layout.NewFold(key, op)
		f.Older(v)
		f.Finish(true)
	}
}
