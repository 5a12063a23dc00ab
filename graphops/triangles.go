package graphops

import (
	"context"
	"sort"

	"github.com/ragdb/ragdb/engine"
)

// TrianglesOptions tune [Triangles]. The zero value is right for most.
type TrianglesOptions struct {
	// MaxBytes bounds the working memory, the result among it; 0 means no bound.
	MaxBytes int64
	// Workers bounds the goroutines; 0 is one for each processor. The result
	// does not depend on it.
	Workers int
}

// TrianglesResult is what [Triangles] returns.
type TrianglesResult struct {
	// Of has the number of triangles that each node is a corner of.
	Of []uint64
	// Total is the number of triangles, a third of the sum of Of.
	Total uint64
	// Local has the clustering coefficient of each node: the share of the
	// pairs of its neighbours that are neighbours themselves. It is 0 for
	// nodes of less than two neighbours (Watts and Strogatz, 1998).
	Local []float64
	// Average is the mean of Local over all nodes, those of less than two
	// neighbours among them, as in networkx; 0 if there are no nodes.
	Average float64
	// Global is the transitivity: the share of the paths of two edges whose
	// ends are neighbours (Newman, 2003, section III.B). It is 0 if there is no
	// such path.
	Global float64
}

// Triangles counts the triangles of the graph, which are sets of three nodes
// that are all neighbours, and computes the clustering coefficients. Weights are ignored. The projection must be symmetric, else
// the error is [engine.ErrInvalid]; a projection of directed edges is where
// its Spec has the direction [engine.Both].
//
// Source: Chiba and Nishizeki, "Arboricity and Subgraph Listing Algorithms",
// 1985, as Latapy orders it, "Main-memory Triangle Computations for Very Large
// (Sparse (Power-Law)) Graphs", 2008, section 3: every edge leads to the end
// of higher degree, so that no row has more than sqrt(2m) entries. The rows of
// the nodes that an edge joins are intersected by marks on the one and a scan
// of the other. That takes no longer if degrees differ much, since the
// marks are made once a node, and the scanned row is the one of the end of
// higher degree, which tends to be short.
//
// O(m^1.5) at most, O(m a) for arboricity a. Working memory is 24 bytes a
// node, 4 an edge, and 9 a node for each worker. The result does not depend on
// the number of workers.
func Triangles(ctx context.Context, p *Projection, o TrianglesOptions) (*TrianglesResult, error) {
	r, err := triangles(ctx, p, &o)
	if err != nil {
		return nil, phase.Errorf("triangles: %w", err)
	}
	return r, nil
}

// trianglePieces is how many pieces counting is cut into.
const trianglePieces = 256

// trianglesBytes returns the working memory of [Triangles].
func trianglesBytes(p *Projection, o *TrianglesOptions) int64 {
	return 24*int64(p.Len()) + 2*int64(len(p.to)) + 9*int64(p.Len())*int64(triangleWorkers(p, o))
}

func triangleWorkers(p *Projection, o *TrianglesOptions) int {
	if len(p.to) < 1<<14 {
		return 1 // all is done before a goroutine has started
	}
	return min(workersOf(o.Workers), trianglePieces)
}

func triangles(ctx context.Context, p *Projection, o *TrianglesOptions) (*TrianglesResult, error) {
	if !p.symmetric {
		return nil, phase.Mark(engine.ErrInvalid, "the projection has directed edges")
	}
	p, err := p.plain("triangles")
	if err != nil {
		return nil, err
	}
	if o.MaxBytes > 0 {
		if need := trianglesBytes(p, o); need > o.MaxBytes {
			return nil, &MemoryError{Op: "triangles", Need: need, Limit: o.MaxBytes}
		}
	}
	up, err := upward(ctx, p)
	if err != nil {
		return nil, err
	}
	n := p.Len()
	workers := triangleWorkers(p, o)
	counters := make([]triangleCounter, workers)
	r := &TrianglesResult{Of: make([]uint64, n)}
	counters[0].counts = r.Of // not every worker need get work
	err = parallel(ctx, workers, trianglePieces, func(worker, i int) error {
		c := &counters[worker]
		if c.counts == nil {
			c.counts = make([]uint64, n)
		}
		if c.marked == nil {
			c.marked = make([]bool, n)
		}
		return c.count(ctx, up, up.cut(i, trianglePieces), up.cut(i+1, trianglePieces))
	})
	if err != nil {
		return nil, err
	}
	for _, c := range counters[1:] {
		for u, x := range c.counts { // integers: the order does not matter
			r.Of[u] += x
		}
	}
	r.coefficients(p)
	return r, nil
}

// coefficients derives all other fields from Of.
func (r *TrianglesResult) coefficients(p *Projection) {
	r.Local = make([]float64, len(r.Of))
	sum, corners, paths := 0.0, uint64(0), uint64(0)
	for u, count := range r.Of {
		corners += count
		d := uint64(p.off[u+1] - p.off[u])
		if d < 2 {
			continue
		}
		pairs := d * (d - 1) / 2
		paths += pairs
		r.Local[u] = float64(count) / float64(pairs)
		sum += r.Local[u]
	}
	r.Total = corners / 3
	if len(r.Of) > 0 {
		r.Average = sum / float64(len(r.Of))
	}
	if paths > 0 {
		r.Global = float64(corners) / float64(paths)
	}
}

// upward returns the graph with each edge only in the row of the end of lower
// degree, of equal ones the lower number. Rows stay ascending.
func upward(ctx context.Context, p *Projection) (*csr, error) {
	n := p.Len()
	up := &csr{off: make([]uint32, n+1), to: make([]uint32, len(p.to)/2)}
	degree := make([]uint32, n)
	for u := range degree {
		degree[u] = p.off[u+1] - p.off[u]
	}
	at, visits := 0, 0
	for u := range uint32(n) {
		row := p.to[p.off[u]:p.off[u+1]]
		du := degree[u]
		for _, v := range row {
			if dv := degree[v]; dv > du || dv == du && v > u {
				up.to[at] = v
				at++
			}
		}
		up.off[u+1] = uint32(at)
		if visits += len(row) + 1; visits >= visitsPerLook {
			visits = 0
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	return up, nil
}

// cut returns the first node of piece i of k that have about equally many
// entries and nodes.
func (c *csr) cut(i, k int) uint32 {
	n := c.Len()
	all := int64(n) + int64(len(c.to))
	return uint32(sort.Search(n, func(u int) bool {
		return int64(u)+int64(c.off[u]) >= all*int64(i)/int64(k)
	}))
}

// triangleCounter is what one worker counts.
type triangleCounter struct {
	counts []uint64
	marked []bool // nodes of the row that is looked at
}

// count adds the triangles whose lowest corner, in the order of the upward
// edges, is one of lo <= u < hi.
func (c *triangleCounter) count(ctx context.Context, up *csr, lo, hi uint32) error {
	visits := 0
	for u := lo; u < hi; u++ {
		row, _ := up.Row(u)
		if len(row) < 2 {
			continue
		}
		for _, v := range row {
			c.marked[v] = true
		}
		total := uint64(0)
		for _, v := range row {
			other, _ := up.Row(v)
			found := uint64(0)
			for _, w := range other {
				if c.marked[w] {
					c.counts[w]++
					found++
				}
			}
			c.counts[v] += found
			total += found
			visits += len(other)
			if visits >= visitsPerLook {
				visits = 0
				if err := ctx.Err(); err != nil {
					return err
				}
			}
		}
		c.counts[u] += total
		for _, v := range row {
			c.marked[v] = false
		}
	}
	return nil
}
