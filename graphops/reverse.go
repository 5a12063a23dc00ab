package graphops

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// Reversible is an [Adjacency] that knows something of its edges the other way
// round. Searches that go from both ends ask it: if it is symmetric they
// follow its own rows from the target too, else those of Reverse; without
// either they go from the start alone.
type Reversible interface {
	Adjacency
	// Symmetric reports whether every edge leads both ways with one weight.
	Symmetric() bool
	// Reverse returns the same nodes with the edges turned round, nil if
	// that would have to be built.
	Reverse() Adjacency
}

var (
	_ Reversible = (*Projection)(nil)
	_ Reversible = (*LocalGraph)(nil)
)

// Reverse implements [Reversible]: a symmetric projection is its own reverse,
// others have none. One with the nodes numbered alike is the projection of the
// same [Spec] with the opposite Direction.
func (p *Projection) Reverse() Adjacency {
	if p.symmetric {
		return p
	}
	return nil
}

// Symmetric reports whether no edge that g reads has a direction, or it is
// ignored.
func (g *LocalGraph) Symmetric() bool {
	types := g.f.Types
	if types == nil {
		types = g.v.EdgeTypes()
	}
	return g.f.Direction == engine.Both || !slices.ContainsFunc(types, engine.EdgeType.Directed)
}

// Reverse implements [Reversible].
func (g *LocalGraph) Reverse() Adjacency {
	if g.Symmetric() {
		return g
	}
	f := g.f
	if f.Direction == engine.In {
		f.Direction = engine.Out
	} else {
		f.Direction = engine.In
	}
	r := Local(g.v, f)
	r.pool, r.combine = g.pool, g.combine
	return r
}

// reverseOf returns a with its edges turned round, nil if it has no such
// thing.
func reverseOf(a Adjacency) Adjacency {
	r, ok := a.(Reversible)
	if !ok {
		return nil
	}
	if r.Symmetric() {
		return a
	}
	return r.Reverse()
}

// backEntries returns for each entry of symmetric rows of the same edge
// in the row of its other end. O(n + m).
func backEntries(ctx context.Context, c *csr) ([]uint32, error) {
	next := slices.Clone(c.off)
	out := make([]uint32, len(c.to))
	checked := uint32(0)
	for u := range c.Len() {
		if c.off[u+1]-checked >= 1<<16 {
			checked = c.off[u+1]
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		for i := c.off[u]; i < c.off[u+1]; i++ {
			// Rows are ascending, so u's come to v's row in order.
			v := c.to[i]
			out[i] = next[v]
			next[v]++
		}
	}
	return out, nil
}
