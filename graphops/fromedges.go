package graphops

import (
	"context"
	"math"
	"sync"

	"github.com/ragdb/ragdb/engine"
)

// WeightedEdge is an edge between two nodes that are numbers.
type WeightedEdge struct {
	From, To uint32
	Weight   float32
}

// EdgeOptions say what a list of edges means. The zero value is an undirected
// graph without weights.
type EdgeOptions struct {
	// Directed keeps edges only in the row of From.
	Directed bool
	// Weighted keeps weights; else they are ignored and every edge counts 1.
	Weighted bool
	// Combine says what weight parallel edges have together.
	Combine Combine
}

// FromEdges returns the graph of nodes 0 to n-1 with the given edges: for
// graphs that the caller has made and the store does not hold. Loops are kept
// apart from the rows, parallel edges combined. An end that is not below n, a
// weight that is not finite, or more edges than a projection can address
// ([ErrTooLarge]) is an error. O(n + m log d) for m edges at nodes of degree
// d.
func FromEdges(n int, edges []WeightedEdge, o EdgeOptions) (*Projection, error) {
	p, err := fromEdges(n, edges, o)
	if err != nil {
		return nil, phase.Errorf("from edges: %w", err)
	}
	return p, nil
}

func fromEdges(n int, edges []WeightedEdge, o EdgeOptions) (*Projection, error) {
	if n < 0 || int64(n) >= none {
		return nil, phase.Mark(engine.ErrInvalid, "%d nodes", n)
	}
	if o.Combine > Min {
		return nil, phase.Mark(engine.ErrInvalid, "unknown Combine %d", o.Combine)
	}
	ways := forward | backward
	if o.Directed {
		ways = forward
	}
	p := &Projection{scratch: new(sync.Pool)}
	all := part{to: make([]uint32, 0, len(edges))}
	var loops []storedLoop
	for _, e := range edges {
		switch w := float64(e.Weight); {
		case int64(e.From) >= int64(n) || int64(e.To) >= int64(n):
			return nil, phase.Mark(engine.ErrInvalid, "edge %d-%d among %d nodes", e.From, e.To, n)
		case o.Weighted && (math.IsNaN(w) || math.IsInf(w, 0)):
			return nil, phase.Mark(engine.ErrInvalid, "weight %v of edge %d-%d", w, e.From, e.To)
		case e.From == e.To:
			loops = append(loops, storedLoop{e.From, ways, e.Weight})
			continue
		}
		all.to = append(all.to, e.To)
		all.pushRun(e.From, 1, ways)
		if o.Weighted {
			all.w = append(all.w, e.Weight)
		}
	}
	if int64(len(all.to))*int64(ways.entries()) > math.MaxUint32 {
		return nil, ErrTooLarge
	}
	p.symmetric = !o.Directed || len(all.to) == 0
	p.setLoops(loops, o.Weighted, o.Combine)
	var err error
	p.csr, err = buildRows(context.Background(), n, []part{all}, o.Weighted, o.Combine, 1)
	return p, err
}
