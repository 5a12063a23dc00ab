package graphops

import (
	"context"
	"math"
)

// visitsPerLook is how many entries of rows an algorithm on one goroutine
// visits between two looks at its context: less than a millisecond's work.
const visitsPerLook = 1 << 16

// KCore returns the core number of every node, 0 if it has no neighbour: the largest k for which it is
// in the k-core, the largest part of the graph in which every node has k
// neighbours. Weights are ignored. If the projection is not symmetric, the
// degree is the one in both directions together, as in igraph (mode all) and
// networkx: an edge and its reverse count 2.
//
// Source: Batagelj and Zaversnik, "An O(m) Algorithm for Cores Decomposition
// of Networks", 2003: nodes are taken off in order of the degree that is left.
// Those of the next degree are not kept in buckets, but found by a scan of the
// nodes that are left, so that taking off an edge touches one number. A node
// is scanned no more often than its core number, hence O(n + m) all the same.
//
// Working memory is 12 bytes a node, and if the projection is not
// symmetric the reversed rows with 16 bytes a node more. It runs on one
// goroutine, and the result depends on the graph alone.
func KCore(ctx context.Context, p *Projection) ([]uint32, error) {
	r, err := kCore(ctx, p)
	if err != nil {
		return nil, phase.Errorf("k-core: %w", err)
	}
	return r, nil
}

func kCore(ctx context.Context, p *Projection) ([]uint32, error) {
	n := p.Len()
	if p.packed != nil && p.symmetric {
		c := &corePeeler{degree: make([]uint32, n), packed: &rowSource{p: p}}
		for u := range c.degree {
			c.degree[u] = uint32(p.packedDegree(uint32(u)))
		}
		return c.degree, c.run(ctx)
	}
	p, err := p.plain("k-core")
	if err != nil {
		return nil, err
	}
	rows := []csr{{off: p.off, to: p.to}}
	if !p.symmetric {
		in, err := rows[0].transpose(ctx, 1)
		if err != nil {
			return nil, err
		}
		rows = append(rows, in)
	}
	c := &corePeeler{degree: make([]uint32, n), rows: rows}
	for _, g := range rows {
		for u := range n {
			c.degree[u] += g.off[u+1] - g.off[u]
		}
	}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	return c.degree, nil
}

// corePeeler takes nodes off the graph in order of degree.
type corePeeler struct {
	rows   []csr      // one, or the rows of both directions
	packed *rowSource // in place of rows
	// degree has the number of neighbours that are left, of a node that is
	// itself taken off its core number.
	degree []uint32
}

func (c *corePeeler) run(ctx context.Context) error {
	n := len(c.degree)
	left := make([]uint32, n)
	for u := range left {
		left[u] = uint32(u)
	}
	queue := make([]uint32, n)
	for k := uint32(0); len(left) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		// The nodes of degree k are taken off, the others stay.
		next, stay, ends := uint32(math.MaxUint32), 0, 0
		for _, u := range left {
			switch d := c.degree[u]; {
			case d < k: // taken off at an earlier k
			case d == k:
				queue[ends] = u
				ends++
			default:
				left[stay] = u
				stay++
				next = min(next, d)
			}
		}
		left = left[:stay]
		if ends == 0 {
			k = next // no node has the degrees between
			continue
		}
		peel := c.peel
		if c.packed != nil {
			peel = c.peelPacked
		}
		if err := peel(ctx, k, queue, ends); err != nil {
			return err
		}
		k++
	}
	return nil
}

// peel takes off the nodes of queue[:ends], which have degree k, and those that come to
// have it.
func (c *corePeeler) peel(ctx context.Context, k uint32, queue []uint32, ends int) error {
	visits := 0
	for at := 0; at < ends; at++ {
		u := queue[at]
		for i := range c.rows {
			to, _ := c.rows[i].Row(u)
			ends = c.takeOff(to, k, queue, ends)
			visits += len(to)
		}
		if visits >= visitsPerLook {
			visits = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// peelPacked is peel with rows in bytes.
func (c *corePeeler) peelPacked(ctx context.Context, k uint32, queue []uint32, ends int) error {
	visits := 0
	for at := 0; at < ends; at++ {
		to, _ := c.packed.row(queue[at])
		ends = c.takeOff(to, k, queue, ends)
		if visits += len(to); visits >= visitsPerLook {
			visits = 0
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeOff takes an edge from each of the nodes that still has more than k, and
// appends those that then have k to queue[:ends]. It returns the new end.
func (c *corePeeler) takeOff(nodes []uint32, k uint32, queue []uint32, ends int) int {
	degree := c.degree
	for _, v := range nodes {
		d := degree[v]
		if d <= k {
			continue
		}
		degree[v] = d - 1
		if d-1 == k {
			queue[ends] = v
			ends++
		}
	}
	return ends
}
