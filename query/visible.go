package query

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// visible is the part of a graph that a query with a filter may see, for
// walks: nodes that pass, and edges whose sources do, in the rows that a
// [graphops.LocalGraph] has.
type visible struct {
	keptRows
	l     *lens
	f     engine.EdgeFilter
	local *graphops.LocalGraph // all of it
}

func newVisible(l *lens, f engine.EdgeFilter) *visible {
	g := &visible{l: l, f: f, local: graphops.Local(l.raw, f)}
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

// Loop returns what that of a [graphops.LocalGraph] does.
func (g *visible) Loop(u uint32) (ends uint32, weight float64) {
	r := g.row(u)
	return r.ends, r.loopWeight
}

// Symmetric implements [graphops.Reversible].
func (g *visible) Symmetric() bool { return g.local.Symmetric() }

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
	var edges []engine.Edge
	err = g.l.edges(id, g.f, func(edge engine.Edge) error {
		edges = append(edges, edge)
		return nil
	})
	r.ids, r.w, r.ends, r.loopWeight = g.local.Row(id, edges)
	return r, err
}
