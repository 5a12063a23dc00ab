package graphops

import (
	"context"
	"fmt"
	"slices"
)

// Induced returns the edges that have both ends among the nodes, each once,
// with its weight, 1 where there are none. Where a is symmetric, see
// [Reversible], From is the lesser end; else every entry of a row is an edge
// of its own. They are in order of From and To. Nodes may repeat; one that a
// Projection does not have is an error. The rows of all nodes are read, by
// binary search where they are much longer than the nodes are many.
func Induced(ctx context.Context, a Adjacency, nodes []uint32) ([]WeightedEdge, error) {
	edges, err := induced(ctx, a, nodes)
	if err != nil {
		return nil, fmt.Errorf("graphops: induced: %w", err)
	}
	return edges, nil
}

func induced(ctx context.Context, a Adjacency, nodes []uint32) ([]WeightedEdge, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, release := borrow(a)
	defer release()
	r := newRowReader(ctx, "induced", a, 0)
	r.limit = 0 // the caller has chosen the nodes
	r.ids, r.w = s.ids, s.w
	defer func() { s.ids, s.w = r.ids, r.w }()

	set := distinct(nodes)
	for _, u := range set {
		if err := r.check(u); err != nil {
			return nil, err
		}
	}
	once := symmetric(a)
	var out []WeightedEdge
	for i, u := range set {
		others := set
		if once {
			if others = set[i+1:]; len(others) == 0 {
				break
			}
		}
		row, w, err := r.row(u)
		if err != nil {
			return nil, err
		}
		eachCommon(row, others, func(k int) {
			out = append(out, WeightedEdge{From: u, To: row[k], Weight: weightAt(w, k)})
		})
	}
	return out, nil
}

// searchRatio is from which ratio of lengths on the members of the shorter of
// two lists are searched in the longer one.
const searchRatio = 16

// eachCommon calls fn with the places in a of what two ascending lists have in
// common, in order.
func eachCommon(a, b []uint32, fn func(i int)) {
	switch {
	case len(a) > searchRatio*len(b):
		from := 0
		for _, x := range b {
			i, ok := slices.BinarySearch(a[from:], x)
			if from += i; ok {
				fn(from)
			}
		}
	case len(b) > searchRatio*len(a):
		for i, x := range a {
			k, ok := slices.BinarySearch(b, x)
			if b = b[k:]; ok {
				fn(i)
			}
		}
	default:
		for i, k := 0, 0; i < len(a) && k < len(b); {
			switch {
			case a[i] < b[k]:
				i++
			case a[i] > b[k]:
				k++
			default:
				fn(i)
				i, k = i+1, k+1
			}
		}
	}
}
