package graphops

import (
	"context"

	"github.com/ragdb/ragdb/engine"
)

// brandes finds how much the shortest paths from one source depend on each
// node: the dependency of s on v is the sum, over all other targets, of the
// share of the shortest paths from s to the target that v is inside of
// (Brandes, "A Faster Algorithm for Betweenness Centrality", 2001).
//
// Nodes get places in the order in which a breadth-first search reaches them,
// and all that is known of them is kept by place, so that a level of the
// search is contiguous. The edges that shortest paths use lead from one level
// to the next. They are written down as they are found and read backwards
// afterwards, so that the way back visits no other edge.
//
// If edges have no direction, a level is found from whichever side has
// fewer entries of rows to visit: the nodes of the level before, or those that
// are not reached yet (Beamer, Asanovic, Patterson, "Direction-Optimizing
// Breadth-First Search", 2012). Unlike there, a node looks at its whole row,
// since all its predecessors count.
type brandes struct {
	rows      csr // with weights if they are lengths
	symmetric bool

	place      []uint32  // of each node; none if it is not reached
	order      []uint32  // the nodes by place
	paths      []float64 // by place, number of shortest paths; see back
	dependency []float64 // by place

	// The edges of shortest paths, as places, in rows of which row r begins at
	// begin[r]. A level found from the one before has a row for each node of
	// that, with the successors; a level found from the nodes not reached has a
	// row for each of its own nodes, with the predecessors.
	edges []uint32
	begin []uint32

	unreached []uint32
	pulled    []pulledLevel

	visits int // since the last look at the context
}

// A pulledLevel is one found from the nodes not reached: the places lo to mid
// are the level before, mid to hi its own. There are few, since each has less
// than half as many edges not reached after it as the one before.
type pulledLevel struct{ lo, mid, hi uint32 }

func newBrandes(p *Projection, lengths bool) *brandes {
	n := p.Len()
	rows := p.csr
	if !lengths {
		rows.w = nil
	}
	b := &brandes{
		rows:       rows,
		symmetric:  p.symmetric,
		place:      make([]uint32, n),
		order:      make([]uint32, n),
		paths:      make([]float64, n),
		dependency: make([]float64, n),
		edges:      make([]uint32, brandesEdges(p)),
		begin:      make([]uint32, 2*n),
		unreached:  make([]uint32, n),
	}
	for u := range b.place {
		b.place[u] = none
	}
	return b
}

// brandesEdges returns how many edges shortest paths can have, and one more,
// since every entry visited is written before it is known to be one.
func brandesEdges(p *Projection) int {
	if p.symmetric {
		return len(p.to)/2 + 1
	}
	return len(p.to) + 1
}

// brandesBytes returns the size of a brandes.
func brandesBytes(p *Projection) int64 {
	return 36*int64(p.Len()) + 4*int64(brandesEdges(p))
}

// run searches from s, and adds times the dependency of s on each node to sum,
// and of the squares to squares, if that is not nil.
func (b *brandes) run(ctx context.Context, s uint32, times float64, sum, squares []float64) error {
	search := b.search
	if b.rows.w != nil {
		search = b.searchLengths
	}
	f, err := search(ctx, s)
	if err == nil {
		err = b.back(ctx, f)
	}
	if err != nil {
		return err
	}
	for i, u := range b.order[:f.hi] {
		b.place[u] = none
		if !(b.paths[i] > 0) {
			return phase.Mark(engine.ErrInvalid, "more shortest paths from one node than a float64 counts")
		}
		if i == 0 {
			continue // no path from s has s inside
		}
		d := b.dependency[i]
		sum[u] += float64(times * d)
		if squares != nil {
			squares[u] += float64(times * float64(d*d))
		}
	}
	return nil
}

// look looks at the context if enough has been visited.
func (b *brandes) look(ctx context.Context) error {
	if b.visits < visitsPerLook {
		return nil
	}
	b.visits = 0
	return ctx.Err()
}

// A frontier is how far a search has come: the places lo to hi are the newest
// level, hi to next the one that is being found.
type frontier struct {
	lo, hi, next         uint32
	entries, nextEntries uint32 // of the rows of the two levels
	edges, rows          uint32 // how many there are so far
}

// search finds places, paths and edges. In the frontier that it returns, hi
// nodes are reached, and those from lo on have no successors.
func (b *brandes) search(ctx context.Context, s uint32) (frontier, error) {
	b.pulled = b.pulled[:0]
	b.place[s], b.order[0], b.paths[0] = 0, s, 1
	f := frontier{lo: 0, hi: 1, entries: b.degree(s)}
	// How many entries the rows of nodes not reached have.
	left := uint32(len(b.rows.to)) - f.entries
	var unreached []uint32
	for f.lo < f.hi {
		if b.symmetric && left == 0 {
			break // no edge leads to a node that is not reached
		}
		f.next, f.nextEntries = f.hi, 0
		var err error
		if !b.symmetric || left >= f.entries {
			err = b.push(ctx, &f)
		} else {
			if unreached == nil {
				unreached = b.listUnreached()
			}
			unreached, err = b.pull(ctx, &f, unreached)
			b.pulled = append(b.pulled, pulledLevel{f.lo, f.hi, f.next})
		}
		if err != nil {
			return f, err
		}
		f.lo, f.hi, f.entries = f.hi, f.next, f.nextEntries
		left -= f.entries
	}
	return f, nil
}

func (b *brandes) listUnreached() []uint32 {
	out := b.unreached[:0]
	for u, p := range b.place {
		if p == none {
			out = append(out, uint32(u))
		}
	}
	b.visits += len(b.place)
	return out
}

func (b *brandes) degree(u uint32) uint32 { return b.rows.off[u+1] - b.rows.off[u] }

// push finds the next level from the rows of the newest. It does not branch
// on an entry if either outcome is likely.
func (b *brandes) push(ctx context.Context, f *frontier) error {
	off, to := b.rows.off, b.rows.to
	place, order, paths, edges := b.place, b.order, b.paths, b.edges
	hi, next, k := f.hi, f.next, f.edges
	for i := f.lo; i < hi; i++ {
		b.begin[f.rows] = k
		f.rows++
		first := k
		u := order[i]
		row := to[off[u]:off[u+1]]
		for _, v := range row {
			p := place[v]
			if p == none {
				p = next
				place[v], order[p], paths[p] = p, v, 0
				f.nextEntries += off[v+1] - off[v]
				next++
			}
			edges[k] = p
			more := uint32(0)
			if p >= hi {
				more = 1
			}
			k += more
		}
		own := paths[i]
		for _, p := range edges[first:k] {
			paths[p] += own
		}
		if b.visits += len(row) + 1; b.visits >= visitsPerLook {
			if err := b.look(ctx); err != nil {
				return err
			}
		}
	}
	f.next, f.edges = next, k
	return nil
}

// pull finds the next level from the rows of the nodes not reached, and
// returns those that still are not.
func (b *brandes) pull(ctx context.Context, f *frontier, unreached []uint32) ([]uint32, error) {
	off, to := b.rows.off, b.rows.to
	place, paths, edges := b.place, b.paths, b.edges
	lo, size, k := f.lo, f.hi-f.lo, f.edges
	rest := unreached[:0]
	for _, v := range unreached {
		if place[v] != none {
			continue
		}
		first := k
		row := to[off[v]:off[v+1]]
		for _, u := range row {
			p := place[u]
			edges[k] = p
			more := uint32(0)
			if p-lo < size {
				more = 1
			}
			k += more
		}
		if b.visits += len(row) + 1; b.visits >= visitsPerLook {
			if err := b.look(ctx); err != nil {
				return nil, err
			}
		}
		if k == first {
			rest = append(rest, v)
			continue
		}
		sum := 0.0
		for _, p := range edges[first:k] {
			sum += paths[p]
		}
		place[v], b.order[f.next], paths[f.next] = f.next, v, sum
		f.next++
		f.nextEntries += uint32(len(row))
		b.begin[f.rows] = first
		f.rows++
	}
	f.edges = k
	return rest, nil
}

// back finds the dependencies, from the last level to the source. Of a node it
// is done with, paths has (1+dependency)/paths: what a predecessor's
// dependency gets for each of its paths.
func (b *brandes) back(ctx context.Context, f frontier) error {
	paths, edges := b.paths, b.edges
	i, k, row := f.hi, f.edges, f.rows
	for i > f.lo {
		i--
		b.settle(i, 0)
	}
	pulled := b.pulled
	for i > 0 {
		if top := len(pulled) - 1; top >= 0 && pulled[top].mid == i {
			l := pulled[top]
			pulled = pulled[:top]
			sums := b.dependency[:l.mid]
			clear(sums[l.lo:])
			for j := l.hi; j > l.mid; {
				j--
				row--
				first := b.begin[row]
				for _, p := range edges[first:k] {
					sums[p] += paths[j]
				}
				if b.visits += int(k-first) + 1; b.visits >= visitsPerLook {
					if err := b.look(ctx); err != nil {
						return err
					}
				}
				k = first
			}
			for i > l.lo {
				i--
				b.settle(i, sums[i])
			}
			continue
		}
		i--
		row--
		first := b.begin[row]
		sum := 0.0
		for _, p := range edges[first:k] {
			sum += paths[p]
		}
		b.settle(i, sum)
		if b.visits += int(k-first) + 1; b.visits >= visitsPerLook {
			if err := b.look(ctx); err != nil {
				return err
			}
		}
		k = first
	}
	return nil
}

// settle makes the dependency on the node at place i from the sum over its
// successors of (1+dependency)/paths.
func (b *brandes) settle(i uint32, sum float64) {
	d := float64(b.paths[i] * sum)
	b.dependency[i] = d
	b.paths[i] = (1 + d) / b.paths[i]
}
