package query_test

import (
	"context"
	"errors"
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

// Items that do not count stay, behind the last that counts too.
func TestLimitCounts(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 4)
	x := texts{1: "a a", 2: "b b b b b", 3: "c", 4: "d d"}
	in := &input{}
	for id := range engine.NodeID(4) {
		in.items = append(in.items, query.Item{Graph: 1, ID: id + 1})
	}
	even := func(_ context.Context, _ *query.Env, it query.Item) (bool, error) { return it.ID%2 == 0, nil }
	first := &query.Limit{In: &query.Pack{In: in, Budget: 100, Render: x.render}, N: 1, Counts: even}
	second := &query.Limit{In: in, N: 1, Counts: even, After: []query.Op{first}}
	e := w.env()
	if s := run(t, e, first); len(s.Items) != 3 || s.Items[2].ID != 3 || s.Used != 11 {
		t.Errorf("%d items of %d tokens, want 1, 2 and 3 of 11", len(s.Items), s.Used)
	}
	if s := run(t, e, second); len(s.Items) != 2 || s.Items[0].ID != 1 || s.Items[1].ID != 3 {
		t.Errorf("%d items, want 1 and 3: the one that counts is in the first set", len(s.Items))
	}
	failing := errors.New("it cannot be read")
	_, err := query.Run(t.Context(), e, &query.Limit{In: in, N: 1, Counts: func(context.Context, *query.Env, query.Item) (bool, error) { return false, failing }})
	if !errors.Is(err, failing) {
		t.Errorf("%v, want what the counting failed with", err)
	}
}
