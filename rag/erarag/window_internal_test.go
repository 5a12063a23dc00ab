package erarag

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/erarag/internal/runs"
)

// TestWindow says that segments which are kept one by one, and of which only
// those that a change touches are read, are those of a [runs.Segments]
// that holds them all.
func TestWindow(t *testing.T) {
	t.Parallel()
	seeds, steps := 12, 25
	if *long {
		seeds, steps = 300, 60
	}
	c := corpus(t)
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 34))
		s := opened(t, c, specs[seed%uint64(len(specs))])
		model := string(rune('a' + seed%26))
		all, err := runs.Restore(s.p.sizes(), runs.State{Next: 1})
		if err != nil {
			t.Fatal(err)
		}
		live := map[uint64]uint64{} // id -> code
		next := uint64(1)
		for step := range steps {
			var put, remove []runs.Item
			var gone []uint64
			n := 1 + r.IntN(3)
			if r.IntN(4) == 0 {
				n = r.IntN(60)
			}
			for range n {
				code := uint64(r.IntN(40)) << 58 // many are equal
				if r.IntN(2) == 0 {
					code = r.Uint64()
				}
				put = append(put, runs.Item{ID: next, Code: code})
				next++
			}
			if r.IntN(3) == 0 && len(live) > 0 {
				some := r.IntN(len(live) + 1)
				ids := []uint64{}
				for id := range live {
					ids = append(ids, id)
				}
				slices.Sort(ids)
				r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
				from := min(some, len(ids)-1)
				for _, id := range ids[from:min(len(ids), from+1+r.IntN(20))] {
					remove = append(remove, runs.Item{ID: id, Code: live[id]})
					gone = append(gone, id)
				}
			}
			if _, err := all.Apply(put, gone); err != nil {
				t.Fatal(err)
			}
			for _, it := range put {
				live[it.ID] = it.Code
			}
			for _, id := range gone {
				delete(live, id)
			}
			err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
				x, err := s.change(tx, model+s.Instance())
				if err != nil {
					return err
				}
				return x.regroup(1, put, remove)
			})
			if err != nil {
				t.Fatal(err)
			}
			view(t, c, s, func(v *engine.View) error {
				x := s.tree(v, model+s.Instance())
				var got []runs.Segment
				for e, err := range x.Prefix(layerKey('s', 1)) {
					if err != nil {
						return err
					}
					g, err := readSegment(e.Value)
					if err != nil {
						return err
					}
					got = append(got, runs.Segment{ID: g.number, Items: g.items})
				}
				same := func(a, b runs.Segment) bool { return a.ID == b.ID && slices.Equal(a.Items, b.Items) }
				if want := inOrder(x, all); !slices.EqualFunc(got, want, same) {
					t.Fatalf("seed %d, step %d, %s: segments\n%v, want\n%v", seed, step, s.Instance(), got, want)
				}
				return nil
			})
		}
		if err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			x, err := s.change(tx, model+s.Instance())
			if err != nil {
				return err
			}
			return x.w.DeletePrefix(nil)
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// inOrder returns all segments in the order of their items.
func inOrder(x *tree, all *runs.Segments) (out []runs.Segment) {
	for id := range all.Next() {
		if g, ok := all.Segment(id); ok {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b runs.Segment) int {
		return x.placeOf(a.Items[0]).compare(x.placeOf(b.Items[0]))
	})
	return out
}
