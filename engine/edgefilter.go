package engine

import (
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
)

// Direction says which edges of directed types count. Edges of undirected
// types always do.
type Direction uint8

// The directions. Out is the default: edges are followed as they point.
const (
	Out Direction = iota
	In
	Both
)

// EdgeFilter chooses edges. The zero value is all types, outward.
type EdgeFilter struct {
	// Types lists the edge types that count; nil is all.
	Types []EdgeType
	// Direction says which way edges of directed types are followed.
	Direction Direction
}

// reads reports whether the filter wants the lists of a type that are stored
// in a direction.
func (f *EdgeFilter) reads(dir layout.Direction, t EdgeType) bool {
	if f.Types != nil && !slices.Contains(f.Types, t) {
		return false
	}
	if !t.Directed() || f.Direction == Both {
		return true
	}
	return (dir == layout.Out) == (f.Direction == Out)
}

// follows reports whether any list that is stored in a direction can matter to
// the filter.
func (r *reader) follows(dir layout.Direction, f *EdgeFilter) bool {
	if f.Direction == Both || (dir == layout.Out) == (f.Direction == Out) {
		return true
	}
	// The lists against the direction hold what is followed of undirected
	// types only.
	if f.Types != nil {
		return slices.ContainsFunc(f.Types, func(t EdgeType) bool { return !t.Directed() })
	}
	return r.graph.st.undirected.Load()
}

// Edge is an edge. Edges of undirected types have the node that was asked
// about as From, or the smaller id if none was.
type Edge struct {
	From, To NodeID
	Type     EdgeType
	Weight   float32
	// N tells parallel edges apart, which are edges of one type from one node to
	// another: 0 for the first. Lists of neighbours hold parallel edges once, with N
	// 0 and the sum of their weights; [Reader].Parallel returns them one by one.
	N uint32
}

// Other returns the end of e that is not id.
func (e Edge) Other(id NodeID) NodeID {
	if e.From == id {
		return e.To
	}
	return e.From
}

func edgeOf(dir layout.Direction, id, other NodeID, t EdgeType, w float32) Edge {
	if dir == layout.In && t.Directed() {
		return Edge{From: other, To: id, Type: t, Weight: w}
	}
	return Edge{From: id, To: other, Type: t, Weight: w}
}
