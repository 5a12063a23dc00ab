package engine

import (
	"iter"

	"github.com/ragdb/ragdb/internal/layout"
)

// EdgeBlock holds some edges of a type and properties of them.
type EdgeBlock struct {
	part    *edgePart
	columns []Vector
}

// Rows returns the number of edges.
func (b *EdgeBlock) Rows() int {
	if b == nil || b.part == nil {
		return 0
	}
	return b.part.size()
}

// Edge returns an edge, without its weight. An undirected one goes from the node with the
// smaller id.
func (b *EdgeBlock) Edge(row int) Edge { return b.part.edge(row) }

// Column returns a property of the edges, by its place among those that were asked for.
func (b *EdgeBlock) Column(i int) *Vector { return &b.columns[i] }

// EdgeColumns implements [Reader].
func (r *reader) EdgeColumns(t EdgeType, properties []string) iter.Seq2[*EdgeBlock, error] {
	return func(yield func(*EdgeBlock, error) bool) {
		ids := make([]uint32, len(properties))
		for i, name := range properties {
			ids[i], _ = r.lookupName(layout.KindProperty, name)
		}
		b := EdgeBlock{columns: make([]Vector, len(properties))}
		err := r.eachEdgePart(t, func(p *edgePart) error {
			b.part = p
			for i, id := range ids {
				if err := p.vector(id, &b.columns[i]); err != nil {
					return err
				}
			}
			if !yield(&b, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield(nil, r.wrap("properties of edges", err))
		}
	}
}
