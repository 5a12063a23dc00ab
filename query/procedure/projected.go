package procedure

import (
	"cmp"
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query/cypher"
)

// result are the figures of the nodes of a projection.
type result struct {
	// order are the nodes in order; nil is all of them, ascending by id.
	order []uint32
	// levels is how many rows a node may have; 0 is one.
	levels int
	// at appends the figures of a node on a level, or nothing to leave it out.
	at    func(u uint32, level int, dst []cypher.Value) []cypher.Value
	stats []cypher.Value
}

// projected returns a runner that runs on a projection.
func projected(run func(ctx context.Context, p *graphops.Projection) (*result, error)) runner {
	return func(ctx context.Context, call *cypher.ProcedureCall, s graphops.Spec) (*outcome, error) {
		p, err := project(ctx, call, s)
		if err != nil {
			return nil, err
		}
		r, err := run(ctx, p)
		if err != nil {
			return nil, err
		}
		each := func(fn func(id engine.NodeID, figures []cypher.Value) error) error { return r.each(p, fn) }
		return &outcome{nodes: p.Len(), edges: p.Edges(), each: each, stats: r.stats}, nil
	}
}

func (r *result) each(p *graphops.Projection, fn func(id engine.NodeID, figures []cypher.Value) error) error {
	order := r.order
	if order == nil {
		order = sorted(p, p.Len(), func(a, b uint32) int { return 0 })
	}
	var figures []cypher.Value
	for _, u := range order {
		for level := range max(1, r.levels) {
			if figures = r.at(u, level, figures[:0]); len(figures) == 0 {
				continue
			}
			if err := fn(p.NodeOf(u), figures); err != nil {
				return err
			}
		}
	}
	return nil
}

// sorted returns the nodes of a projection in an order, equal ones by id.
func sorted(p *graphops.Projection, n int, by func(a, b uint32) int) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(by(a, b), cmp.Compare(p.NodeOf(a), p.NodeOf(b)))
	})
	return order
}

// scores is the result of an algorithm that gives each node a score.
func scores(p *graphops.Projection, figures []float64, stats ...cypher.Value) *result {
	return &result{
		order: sorted(p, len(figures), func(a, b uint32) int { return cmp.Compare(figures[b], figures[a]) }), stats: stats,
		at: func(u uint32, _ int, dst []cypher.Value) []cypher.Value { return append(dst, cypher.Float(figures[u])) },
	}
}

// counts is the result of an algorithm that gives each node a number.
func counts[T uint32 | uint64 | int](p *graphops.Projection, figures []T, stats ...cypher.Value) *result {
	return &result{
		order: sorted(p, len(figures), func(a, b uint32) int { return cmp.Compare(figures[b], figures[a]) }), stats: stats,
		at: func(u uint32, _ int, dst []cypher.Value) []cypher.Value {
			return append(dst, cypher.Int(int64(figures[u])))
		},
	}
}

// clusters is the result of an algorithm that puts nodes into clusters.
func clusters(part *graphops.Partition, stats ...cypher.Value) *result {
	return &result{
		stats: stats,
		at: func(u uint32, _ int, dst []cypher.Value) []cypher.Value {
			if part.Of[u] == graphops.None {
				return dst
			}
			return append(dst, cypher.Int(int64(part.Of[u])))
		},
	}
}
