package query_test

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// Packed sets share a number of items: the first ones have it, and the tokens of what
// is left out are taken off.
func TestLimitPacked(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 4)
	x := texts{1: "a a", 2: "b b b b b", 3: "c", 4: "d d"}
	pack := func(ids ...engine.NodeID) *query.Pack {
		in := &input{}
		for _, id := range ids {
			in.items = append(in.items, query.Item{Graph: 1, ID: id})
		}
		return &query.Pack{In: in, Budget: 100, Render: x.render}
	}
	for _, c := range []struct {
		n      int
		counts [2]int
		used   [2]int
	}{
		// An item takes its words and a line break: 1 takes 3, 2 takes 6, 3 takes 2,
		// 4 takes 3.
		{9, [2]int{2, 2}, [2]int{9, 5}},
		{3, [2]int{2, 1}, [2]int{9, 2}},
		{2, [2]int{2, 0}, [2]int{9, 0}},
		{1, [2]int{1, 0}, [2]int{3, 0}},
		{0, [2]int{0, 0}, [2]int{0, 0}},
		{-1, [2]int{0, 0}, [2]int{0, 0}},
	} {
		first := &query.Limit{In: pack(1, 2), N: c.n}
		second := &query.Limit{In: pack(3, 4), N: c.n, After: []query.Op{first}}
		e := w.env()
		for i, op := range []query.Op{first, second} {
			if s := run(t, e, op); len(s.Items) != c.counts[i] || s.Used != c.used[i] {
				t.Errorf("%d, set %d: %d items, %d tokens; want %d, %d", c.n, i, len(s.Items), s.Used, c.counts[i], c.used[i])
			}
		}
	}
}
