package query

import (
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// startRanks returns the rank of each seed among those of its type, 1 for the first: by
// score descending, then in their order. Without quotas types do not count.
func (o *PPR) startRanks(l *lens, w *walkGraph, seeds []Item) ([]int, error) {
	order := make([]int, len(seeds))
	for i := range order {
		order[i] = i
	}
	if !o.Uniform {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(seeds[b].Score, seeds[a].Score) })
	}
	ranks := make([]int, len(seeds))
	before := map[engine.TypeID]int{}
	for _, i := range order {
		var t engine.TypeID
		if o.Quotas != nil {
			var err error
			if t, err = o.typeOf(l, w, seeds[i].ID); err != nil {
				return nil, err
			}
		}
		before[t]++
		ranks[i] = before[t]
	}
	return ranks, nil
}

// typeOf returns the type of a node, 0 if the graph lacks it.
func (o *PPR) typeOf(l *lens, w *walkGraph, id engine.NodeID) (engine.TypeID, error) {
	if w.p == nil {
		t, _, err := l.typeOf(id)
		return t, err
	}
	u, ok := w.number(id)
	if !ok {
		return 0, nil
	}
	return w.p.TypeOf(u), nil
}
