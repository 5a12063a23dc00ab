package query

import (
	"errors"
	"math"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// A walkGraph is what an operator walks: the store, the part of it that the
// query may see, or a projection.
type walkGraph struct {
	a graphops.Adjacency
	p *graphops.Projection // a, if it is one; else numbers are node ids
	// bounded says that what needs too much of it is tried again on another.
	bounded bool
}

// number returns the number of a node; ok is false if the graph lacks it.
func (g *walkGraph) number(id engine.NodeID) (u uint32, ok bool) {
	if g.p != nil {
		return g.p.Index(id)
	}
	return uint32(id), id <= math.MaxUint32
}

// node returns the node of a number.
func (g *walkGraph) node(u uint32) engine.NodeID {
	if g.p != nil {
		return g.p.NodeOf(u)
	}
	return engine.NodeID(u)
}

// errTooWide says that a bounded graph needs too much of the store.
var errTooWide = errors.New("too much of the store")

// walkOptions say what a walk is made over.
type walkOptions struct {
	filter   engine.EdgeFilter
	weighted bool // the weights of a projection matter
	inMemory bool // the projection is wanted at once
}

// walk calls fn with the graph that an operator walks. Without a filter that
// is the store, and if fn returns errTooWide or an [*graphops.ExpandError] of
// it, or o.inMemory wants it, the projection in the Env's cache, if it has
// one. Under a filter it is what the query may see of the store, however much
// has to be read: a projection does not know which edges may be seen.
func (l *lens) walk(o walkOptions, fn func(w *walkGraph) error) error {
	if l.allow != nil {
		return fn(&walkGraph{a: newVisible(l, o.filter)})
	}
	graphs := l.e.Graphs
	if !o.inMemory || graphs == nil {
		local := graphops.Local(l.raw, o.filter)
		if graphs != nil {
			local = graphs.Local(l.raw, o.filter)
		}
		err := fn(&walkGraph{a: local, bounded: true})
		var wide *graphops.ExpandError
		if graphs == nil || !errors.As(err, &wide) && !errors.Is(err, errTooWide) {
			return err
		}
	}
	p, err := graphs.Project(l.ctx, l.raw, graphops.Spec{Edges: o.filter.Types, Direction: o.filter.Direction, Weighted: o.weighted, NoPacking: !o.inMemory})
	if err != nil {
		return err
	}
	if !o.inMemory {
		l.e.note("the store would be read too often: walked the projection")
	}
	return fn(&walkGraph{a: p, p: p})
}
