package graphops

import (
	"context"
	"slices"
)

const (
	// leidenStream keys the streams of random numbers.
	leidenStream = 0x4c656964656e
	// leidenSlack is how much better than to stay a move must be, as a share
	// of the strength of the node. It is far above what rounding can feign, so
	// that every move makes the objective better and moving ends.
	leidenSlack = 1e-10
	// leidenLook is after how many visits of edges and nodes ctx is looked at.
	leidenLook = 1 << 16
	// leidenPieces is into how many pieces the work of several goroutines is
	// cut.
	leidenPieces = 64
)

// leidenGraph is the graph of one level: rows without loops, and the mass of
// each node. Joining two sets of nodes gains the weight between them less the
// product of their masses times a price. For modularity mass is strength and
// the price is resolution/2m; for CPM mass is the number of nodes and the
// price the resolution.
type leidenGraph struct {
	csr
	mass []float64
	made *leidenRows // if rows are not kept, but made as they are read
}

// Len returns the number of nodes.
func (g *leidenGraph) Len() int { return len(g.mass) }

// entries returns the number of entries of all rows, about if rows are not kept.
func (g *leidenGraph) entries() int {
	if g.made != nil {
		return g.made.entries
	}
	return len(g.to)
}

// leidenCell is what a community adds up to, in one cache line.
type leidenCell struct {
	mass float64
	link float64 // weight between it and the node at hand; else 0
}

// leidenRun is the state of the algorithm on one graph, and scratch that is
// used again for the next.
type leidenRun struct {
	leidenWatch
	o       *LeidenOptions
	workers int
	piece   uint64 // of what random numbers are for

	n       int         // members of the part
	members []uint32    // nil: all nodes
	base    leidenGraph // what is left of them to cluster
	copied  csr         // its rows, if they are not the projection's
	folded  bool        // they are not
	place   []uint32    // if folded into a copy, of each member: its node of base, or None
	degree  []uint32    // scratch of load
	price   float64
	slack   float64 // for each unit of mass

	comm   [2][]uint32 // communities of a level and the next; of base in 0
	maps   [][]uint32  // from nodes of each level to those of the next
	arena  []uint32    // what maps are parts of
	levels [2]leidenGraph

	history [][]uint32 // maps of the last iteration, if a dendrogram is wanted

	cells   []leidenCell
	size    []uint32 // nodes of a community
	number  []uint32
	queue   []uint32
	waiting []uint8
	order   []uint32 // nodes by community
	start   []uint32 // of each community in order
	inside  []float64
	touched [][]uint32  // a worker
	links   [][]float64 // a worker
	readers []leidenReader
}

// newLeidenRun checks the weights and returns a run on the graph that the
// options ask for. It sets what src is.
func newLeidenRun(ctx context.Context, p *Projection, o *LeidenOptions, src *leidenSource) (*leidenRun, error) {
	members, label := leidenMembers(p.Len(), o.Nodes)
	*src = leidenSource{p: p, rows: rowSource{p: p}, fold: !o.CPM && o.Resolution <= 1, label: label}
	if err := src.checkWeights(ctx); err != nil {
		return nil, err
	}
	if label != nil {
		src.position = make([]uint32, p.Len())
	}
	r := &leidenRun{leidenWatch: leidenWatch{ctx: ctx}, o: o, workers: leidenWorkers(p, o)}
	return r, r.load(src, members, 0)
}

// grow returns a slice of length n, with what fits of the elements of s, or
// others.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// leidenWatch looks at a context now and then.
type leidenWatch struct {
	ctx    context.Context
	visits int // since ctx was looked at
}

// look counts visits and looks at ctx if there were many.
func (w *leidenWatch) look(visits int) error {
	w.visits += visits + 1
	if w.visits < leidenLook {
		return nil
	}
	w.visits = 0
	return w.ctx.Err()
}

func (r *leidenRun) reserve(n int) {
	r.cells = grow(r.cells, n)
	r.size = grow(r.size, n)
	r.number = grow(r.number, n)
	r.waiting = grow(r.waiting, n)
	r.order = grow(r.order, n)
	r.start = grow(r.start, n+1)
	r.inside = grow(r.inside, n)
	r.comm[0], r.comm[1] = grow(r.comm[0], n), grow(r.comm[1], n)
	if cap(r.arena) < 2*n {
		r.arena = make([]uint32, 0, 2*n)
	}
	ring := 1
	for ring <= n {
		ring *= 2
	}
	r.queue = grow(r.queue, ring)
	if r.touched == nil {
		r.touched = make([][]uint32, r.workers)
		r.links = make([][]float64, r.workers)
		r.readers = make([]leidenReader, r.workers)
	}
	for i := range r.touched {
		r.touched[i] = grow(r.touched[i], n+1)
	}
}

// iterate runs the algorithm on the base graph and leaves the communities in
// comm[0]. If done is not nil, it is called after each iteration.
func (r *leidenRun) iterate(initial *Partition, done func(iterations int)) error {
	n := r.base.Len()
	r.reserve(n)
	for v := range r.comm[0] {
		r.comm[0][v] = uint32(v)
	}
	if initial != nil {
		r.begin(initial)
	}
	var last []uint32
	for i := 0; i != r.o.Iterations; i++ {
		if r.o.Iterations < 0 {
			last = append(last[:0], r.comm[0]...)
		}
		if err := r.iteration(uint64(i)); err != nil {
			return err
		}
		if done != nil {
			done(i + 1)
		}
		if r.o.Iterations < 0 && slices.Equal(last, r.comm[0]) {
			break
		}
	}
	return nil
}

// begin sets the communities to those of a partition.
func (r *leidenRun) begin(initial *Partition) {
	// Numbers below n: each community has that of its first node.
	first := make([]uint32, initial.Count)
	for c := range first {
		first[c] = None
	}
	for i := range r.n {
		v, u := uint32(i), uint32(i)
		if r.members != nil {
			u = r.members[i]
		}
		if r.folded {
			if v = r.own(v); v == None {
				continue // isolated, or if its host is
			}
		}
		if c := initial.Of[u]; c != None {
			if first[c] == None {
				first[c] = v
			}
			r.comm[0][v] = first[c]
		}
	}
}

// iteration moves, refines and aggregates from the communities in comm[0]
// until there is nothing more to move.
func (r *leidenRun) iteration(round uint64) error {
	g := &r.base
	comm, next := r.comm[0], r.comm[1]
	r.unjoin()
	r.maps, r.arena = r.maps[:0], r.arena[:0]
	for level := 0; ; level++ {
		n := g.Len()
		if err := r.move(g, comm); err != nil {
			return err
		}
		count := r.renumber(comm)
		if count == n {
			break
		}
		r.group(comm, count)
		ref, err := r.pushMap(n), error(nil)
		key := newStream(r.o.Seed, leidenStream, r.piece, round, uint64(level))
		if err = r.refine(g, comm, ref, count, key); err != nil {
			return err
		}
		clusters := r.numberClusters(ref)
		if clusters == n {
			if clusters, err = r.connect(g, comm, ref); err != nil {
				return err
			}
			if clusters == n { // nothing holds the communities together
				for v := range comm {
					comm[v] = uint32(v)
				}
				r.maps = r.maps[:len(r.maps)-1]
				break
			}
		}
		to := &r.levels[level&1]
		if err := r.aggregate(g, to, ref, clusters); err != nil {
			return err
		}
		next = next[:clusters]
		for v, c := range ref {
			next[c] = comm[v]
		}
		g, comm, next = to, next, comm
	}
	r.unwind(comm)
	return nil
}

// pushMap returns a new map from n nodes of a level to those of the next.
// If the room for all is used up, the last two become one.
func (r *leidenRun) pushMap(n int) []uint32 {
	if r.o.Dendrogram {
		r.maps = append(r.maps, make([]uint32, n))
		return r.maps[len(r.maps)-1]
	}
	for len(r.arena)+n > cap(r.arena) {
		k := len(r.maps) - 1
		last := r.maps[k]
		for v, x := range r.maps[k-1] {
			r.maps[k-1][v] = last[x]
		}
		r.maps = r.maps[:k]
		r.arena = r.arena[:len(r.arena)-len(last)]
	}
	at := len(r.arena)
	r.arena = r.arena[:at+n]
	r.maps = append(r.maps, r.arena[at:at+n:at+n])
	return r.maps[len(r.maps)-1]
}

// unwind writes the communities of the coarsest level's nodes to comm[0], for
// the nodes of the base graph.
func (r *leidenRun) unwind(top []uint32) {
	if r.o.Dendrogram {
		r.history = append(r.history[:0], r.maps...)
		for i, m := range r.maps {
			r.maps[i] = slices.Clone(m)
		}
	}
	for i := len(r.maps) - 1; i >= 0; i-- {
		m := r.maps[i]
		for v, x := range m {
			m[v] = top[x]
		}
		top = m
	}
	copy(r.comm[0], top)
}

// renumber gives the communities of n nodes, which are below n, the numbers 0,
// 1, ... in order of their first node, and returns how many there are.
func (r *leidenRun) renumber(comm []uint32) int {
	number := r.number[:len(comm)]
	for i := range number {
		number[i] = None
	}
	n := uint32(0)
	for v, c := range comm {
		x := number[c]
		if x == None {
			x = n
			number[c] = x
			n++
		}
		comm[v] = x
	}
	return int(n)
}

// group sets order and start by clusters below count, nodes in the order of
// their numbers.
func (r *leidenRun) group(cluster []uint32, count int) {
	start := r.start[:count+1]
	clear(start)
	for _, c := range cluster {
		start[c]++
	}
	sum := uint32(0)
	for c, n := range start {
		sum += n
		start[c] = sum
	}
	for v := len(cluster) - 1; v >= 0; v-- {
		c := cluster[v]
		start[c]--
		r.order[start[c]] = uint32(v)
	}
}

// workersFor returns how many goroutines are worth their start on a level.
func (r *leidenRun) workersFor(g *leidenGraph) int {
	if g.entries() < 1<<15 {
		return 1
	}
	return r.workers
}

// cuts cuts the clusters below count, as grouped, into pieces of about equally
// many nodes: piece i has those from at[i] to at[i+1].
func (r *leidenRun) cuts(count, pieces int) []int {
	at := make([]int, pieces+1)
	n := int(r.start[count])
	for i := range at {
		at[i], _ = slices.BinarySearch(r.start[:count], uint32(n*i/pieces))
	}
	at[pieces] = count
	return at
}
