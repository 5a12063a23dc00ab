package query_test

import (
	"testing"

	"github.com/ragdb/ragdb/query"
)

// TestReciprocalRank: an item scores 1/(Flat+r) for each set that has it at rank r,
// whatever it scored there, and equals are in order of id.
func TestReciprocalRank(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 9)
	set := func(ids ...int) *input {
		in := &input{}
		for i, n := range ids {
			in.items = append(in.items, w.item(w.nodes[n], float64(i*i)))
		}
		return in
	}
	at := func(n int, score float64) row { return row{graph: w.g.ID(), id: w.nodes[n], score: score} }
	vote := func(weight float64, rank int) float64 { return weight / float64(rank) }
	o := &query.Union{In: []query.Op{set(1, 2, 3), set(), set(3, 4)}, Combine: query.Sum, Flat: 60}
	same(t, 0, run(t, w.env(), o), []row{at(3, vote(1, 63)+vote(1, 61)), at(1, 1./61), at(2, 1./62), at(4, 1./62)})
	o.Weights = []float64{1, 1, 0.5}
	same(t, 0, run(t, w.env(), o), []row{at(3, vote(1, 63)+vote(.5, 61)), at(1, 1./61), at(2, 1./62), at(4, .5/62)})
	o.Flat = 2
	same(t, 0, run(t, w.env(), o), []row{at(3, vote(1, 5)+vote(.5, 3)), at(1, 1./3), at(2, 1./4), at(4, .5/4)})
}

// TestSectionsInOrder keeps what is packed, in another order: what that lacks comes last.
func TestSectionsInOrder(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 9)
	set := func(ids ...int) *input {
		in := &input{}
		for _, n := range ids {
			it := w.item(w.nodes[n], float64(n))
			it.Text, it.Tokens = "text", n
			in.items = append(in.items, it)
		}
		return in
	}
	order := set(7, 3, 5, 1)
	for i := range order.items {
		order.items[i].Score, order.items[i].Text = float64(10-i), "another"
	}
	got := run(t, w.env(), &query.Sections{In: []query.Op{set(1, 2, 3), set(4, 5)}, By: order})
	at := func(n int, score float64) row { return row{graph: w.g.ID(), id: w.nodes[n], score: score} }
	same(t, 0, got, []row{at(3, 9), at(5, 8), at(1, 7), at(2, 2), at(4, 4)})
	for i, n := range []int{3, 5, 1, 2, 4} {
		if it := got.Items[i]; it.Text != "text" || it.Tokens != n {
			t.Errorf("item %d is %q of %d tokens", n, it.Text, it.Tokens)
		}
	}
}
