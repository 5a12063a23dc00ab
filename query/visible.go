package query

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// visible is the part of a graph that a query with a filter may see, for
// walks: nodes that pass, and edges whose sources do. Numbers are node ids,
// parallel edges are one of their summed weight, and there are no loops, as in
// a [graphops.LocalGraph]. Rows are read from the store once and kept. The
// first error is kept too: nodes have no neighbours from then on.
type visible struct {
	ctx   context.Context
	e     *Env
	v     *engine.View
	f     engine.EdgeFilter
	allow *roaring.Bitmap
	rows  map[uint32]visibleRow
	page  []engine.Edge
	err   error
}

type visibleRow struct {
	ids []uint32
	w   []float32
}

var _ graphops.Reversible = (*visible)(nil)

// Err returns the first error of reading.
func (g *visible) Err() error { return g.err }

// Len implements [graphops.Adjacency].
func (g *visible) Len() int {
	if g.allow.IsEmpty() {
		return 0
	}
	return int(g.allow.Maximum()) + 1
}

// Degree implements [graphops.Adjacency].
func (g *visible) Degree(u uint32) int { return len(g.row(u).ids) }

// Neighbors implements [graphops.Adjacency].
func (g *visible) Neighbors(u uint32, ids []uint32, w []float32) ([]uint32, []float32) {
	r := g.row(u)
	return append(ids, r.ids...), append(w, r.w...)
}

// Symmetric implements [graphops.Reversible].
func (g *visible) Symmetric() bool { return graphops.Local(g.v, g.f).Symmetric() }

// Reverse implements [graphops.Reversible].
func (g *visible) Reverse() graphops.Adjacency {
	if g.Symmetric() {
		return g
	}
	r := &visible{ctx: g.ctx, e: g.e, v: g.v, f: g.f, allow: g.allow, rows: map[uint32]visibleRow{}}
	if r.f.Direction = engine.In; g.f.Direction == engine.In {
		r.f.Direction = engine.Out
	}
	return r
}

func (g *visible) row(u uint32) visibleRow {
	r, ok := g.rows[u]
	if ok || g.err != nil || !g.allow.Contains(u) {
		return r
	}
	if r, g.err = g.read(engine.NodeID(u)); g.err != nil {
		return visibleRow{}
	}
	g.rows[u] = r
	return r
}

func (g *visible) read(id engine.NodeID) (r visibleRow, err error) {
	last, sum := engine.NodeID(0), 0.0
	end := func() {
		if last != 0 {
			r.ids, r.w = append(r.ids, uint32(last)), append(r.w, float32(sum))
		}
	}
	err = eachEdge(g.ctx, g.v, id, g.f, &g.page, func(edge engine.Edge) error {
		other := edge.Other(id)
		if other == id {
			return nil
		}
		may, err := g.e.mayEdge(g.ctx, g.v, other, edge)
		if err != nil || !may {
			return err
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
