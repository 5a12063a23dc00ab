package query

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// visible is the part of a graph that a query with a filter may see, for
// walks: nodes that pass, and edges whose sources do. Parallel edges are one of
// their summed weight, and there are no loops, as in a [graphops.LocalGraph].
type visible struct {
	keptRows
	l *lens
	f engine.EdgeFilter
}

func newVisible(l *lens, f engine.EdgeFilter) *visible {
	g := &visible{l: l, f: f}
	g.keptRows = newKeptRows(g.read)
	return g
}

var _ graphops.Reversible = (*visible)(nil)

// Len implements [graphops.Adjacency].
func (g *visible) Len() int {
	if g.l.allow.IsEmpty() {
		return 0
	}
	return int(g.l.allow.Maximum()) + 1
}

// Symmetric implements [graphops.Reversible].
func (g *visible) Symmetric() bool { return graphops.Local(g.l.raw, g.f).Symmetric() }

// Reverse implements [graphops.Reversible].
func (g *visible) Reverse() graphops.Adjacency {
	if g.Symmetric() {
		return g
	}
	f := g.f
	if f.Direction = engine.In; g.f.Direction == engine.In {
		f.Direction = engine.Out
	}
	return newVisible(g.l, f)
}

func (g *visible) read(id engine.NodeID) (r keptRow, err error) {
	if !g.l.may(id) {
		return r, nil
	}
	last, sum := engine.NodeID(0), 0.0
	end := func() {
		if last != 0 {
			r.ids, r.w = append(r.ids, uint32(last)), append(r.w, float32(sum))
		}
	}
	err = g.l.edges(id, g.f, func(edge engine.Edge) error {
		other := edge.Other(id)
		if other == id {
			return nil
		}
		if other != last {
			end()
			last, sum = other, 0
		}
		sum += float64(edge.Weight)
		return nil
	})
	end()
	return r, err
}
