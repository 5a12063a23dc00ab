package layout_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
)

// TestPostingsFold holds the fold against a map, the operands coming in any
// order of ages and any grouping.
func TestPostingsFold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 12))
	key := layout.Postings(1, 1, "term", 0)
	for range 500 {
		model := map[uint64]layout.Posting{}
		var ops [][]byte
		whole, positions := false, r.IntN(3) > 0 // a field has them or not
		for range 1 + r.IntN(8) {
			ids := randomIDs(r, 8, 12)
			ps := randomPostings(r, ids)
			for i := range ps {
				if !positions {
					ps[i].Positions = nil
				}
			}
			if r.IntN(6) == 0 {
				whole = true
				clear(model)
				ops = append(ops, layout.AppendPostings(nil, ps))
			} else {
				removed := without(randomIDs(r, 8, 12), ids)
				for _, id := range removed {
					delete(model, id)
				}
				ops = append(ops, layout.AppendPostingsDelta(nil, ps, removed))
			}
			for _, p := range ps {
				model[p.Node] = p
			}
		}
		// From the middle, older and newer ones in turn; sometimes the newer
		// ones folded beforehand, as a store does.
		from := r.IntN(len(ops))
		newer := ops[from+1:]
		if len(newer) > 1 && r.IntN(2) == 0 {
			f := layout.NewFold(key, newer[0])
			for _, op := range newer[1:] {
				f.Newer(op)
			}
			newer = [][]byte{f.Finish(false)}
		}
		f := layout.NewFold(key, ops[from])
		for older := ops[:from]; len(older) > 0 || len(newer) > 0; {
			if len(newer) == 0 || len(older) > 0 && r.IntN(2) == 0 {
				f.Older(older[len(older)-1])
				older = older[:len(older)-1]
			} else {
				f.Newer(newer[0])
				newer = newer[1:]
			}
		}
		v := f.Finish(true)
		got, err := layout.ReadPostings(v, nil, true)
		if err != nil || len(got) != len(model) {
			t.Fatalf("%d of %d postings (%v), whole %t", len(got), len(model), err, whole)
		}
		for _, p := range got {
			want := model[p.Node]
			if p.Freq != want.Freq || p.Words != want.Words || !slices.Equal(p.Positions, want.Positions) {
				t.Fatalf("%+v, want %+v", p, want)
			}
		}
	}
}

// BenchmarkPostingsFold folds a term that was added to by several commits.
func BenchmarkPostingsFold(b *testing.B) {
	key := layout.Postings(1, 1, "term", 0)
	for _, c := range []struct{ ops, each int }{{10, 1000}, {1000, 1}} {
		b.Run(fmt.Sprintf("%dx%d", c.ops, c.each), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 9))
			ops := make([][]byte, c.ops)
			for i := range ops {
				ps := make([]layout.Posting, c.each)
				for j := range ps {
					pos := []uint32{uint32(r.IntN(100)), 100 + uint32(r.IntN(100))}[:1+r.IntN(2)]
					ps[j] = layout.Posting{
						Node: uint64(i*c.each + j), Freq: uint32(len(pos)), Words: 100,
						Positions: layout.AppendPositions(nil, pos),
					}
				}
				ops[i] = layout.AppendPostingsDelta(nil, ps, nil)
			}
			for b.Loop() {
				f := layout.NewFold(key, ops[0])
				for _, op := range ops[1:] {
					f.Newer(op)
				}
				f.Finish(true)
			}
			b.ReportMetric(float64(c.ops*c.each)*float64(b.N)/b.Elapsed().Seconds(), "postings/s")
		})
	}
}
