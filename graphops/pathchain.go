package graphops

import (
	"context"
	"fmt"
)

// PathChain returns the shortest paths through key nodes: from the
// first to the second, from there to the third, and so on. Each leg is what
// [ShortestPath] returns, with the limits of o each for itself. If there is no
// path to a key, its leg is not found, and the next leg begins at that key. One
// key or none make no legs. A key
// that is given twice is visited twice, by a leg without edges if it
// comes twice in a row.
//
// Source: HiRAG (Huang et al. 2025), section 4.2, the bridge between the key
// entities of communities. Its code loses the start of a chain of two keys,
// and the one key of a chain of one.
func PathChain(ctx context.Context, a Adjacency, keys []uint32, o PathOptions) ([]*Path, error) {
	legs, err := pathChain(ctx, a, keys, &o)
	if err != nil {
		return nil, phase.Errorf("path chain: %w", err)
	}
	return legs, nil
}

func pathChain(ctx context.Context, a Adjacency, keys []uint32, o *PathOptions) ([]*Path, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, ctx.Err()
	}
	s, release := borrow(a)
	defer release()
	f := newPathFinder(a, s)
	if err := f.begin(ctx, keys[0], keys[0], o.MaxVisits); err != nil {
		return nil, err
	}
	var legs []*Path
	for i := 1; i < len(keys); i++ {
		from, to := keys[i-1], keys[i]
		p, err := f.shortest(ctx, from, to, o)
		if err != nil {
			return nil, fmt.Errorf("leg %d, %d-%d: %w", i-1, from, to, err)
		}
		legs = append(legs, p)
	}
	return legs, nil
}
