package query

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// edgeFilter returns the filter for some edge types; ok is false where the
// graph has none of them.
func edgeFilter(v *engine.View, types []string, d engine.Direction) (f engine.EdgeFilter, ok bool) {
	f.Direction = d
	if types == nil {
		return f, true
	}
	f.Types = []engine.EdgeType{}
	for _, name := range types {
		if t, ok := v.EdgeType(name); ok {
			f.Types = append(f.Types, t)
		}
	}
	return f, len(f.Types) > 0
}

// eachEdge calls fn with the edges of a node, in order of neighbour, type and
// direction, reading them a page at a time. What is in scratch is lost.
func eachEdge(ctx context.Context, v *engine.View, id engine.NodeID, f engine.EdgeFilter, scratch *[]engine.Edge, fn func(engine.Edge) error) error {
	*scratch = slices.Grow((*scratch)[:0], 256)
	for after := engine.NodeID(0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		room := cap(*scratch)
		page, err := v.Neighbors(id, f, after, (*scratch)[:0])
		if err != nil {
			return err
		}
		*scratch = page[:0]
		for _, edge := range page {
			if err := fn(edge); err != nil {
				return err
			}
		}
		if len(page) < room {
			return nil
		}
		after = page[len(page)-1].Other(id)
	}
}

// edgeRanks tells the ranks of edges: the sum of their ends' degrees.
type edgeRanks struct {
	v       *engine.View
	filter  engine.EdgeFilter
	degrees map[engine.NodeID]int // of the nodes that were asked for
}

func newEdgeRanks(v *engine.View, f engine.EdgeFilter) *edgeRanks {
	return &edgeRanks{v: v, filter: f, degrees: map[engine.NodeID]int{}}
}

func (r *edgeRanks) of(edge engine.Edge) (float64, error) {
	sum := 0
	for _, id := range [2]engine.NodeID{edge.From, edge.To} {
		d, ok := r.degrees[id]
		if !ok {
			var err error
			if d, err = r.v.Degree(id, r.filter); err != nil {
				return 0, err
			}
			r.degrees[id] = d
		}
		sum += d
	}
	return float64(sum), nil
}
