package graphops

import (
	"math/bits"
	"slices"
)

// leidenRows are rows of a graph that are made as they are read: those of a projection
// whose rows are in bytes, without leaves and isolated nodes, its nodes put together
// again and again. A level of nearly as many entries as the base then takes two numbers a
// node of the base, rather than two an entry, but three to five times the time.
type leidenRows struct {
	p       *Projection
	stay    rankedSet // nodes of the projection that are in the base graph
	node    []uint32  // of each node of the base graph, that of the projection
	entries int       // of the base graph
	kept    int64     // up to so many entries the rows of a level are kept

	groups []leidenGroups // from the base graph on
	of     []uint32       // of each node of the base graph, that of the level; if there are groups
}

// leidenGroups has which nodes of a level each node of the next stands for.
type leidenGroups struct{ order, start []uint32 }

// own returns the node of the base graph that member i is, or None; base is folded.
func (r *leidenRun) own(i uint32) uint32 {
	if made := r.base.made; made != nil {
		rank, in := made.stay.rank(i)
		if in == 0 {
			return None
		}
		return rank
	}
	if r.degree[i] == 0 {
		return None
	}
	return r.place[i]
}

// host returns the node of the base graph that member i is or is folded into, None if it
// is isolated; base is folded.
func (r *leidenRun) host(rows *rowSource, i uint32) uint32 {
	made := r.base.made
	if made == nil {
		return r.place[i]
	}
	if v := r.own(i); v != None {
		return v
	}
	to, _ := rows.head(i, 1)
	if len(to) == 0 {
		return None
	}
	return r.own(to[0])
}

// loadRows is load of a whole projection with rows in bytes and no weights of 0.
func (r *leidenRun) loadRows(s *leidenSource) error {
	n := s.p.Len()
	r.n, r.members, r.folded = n, nil, true
	made := &leidenRows{p: s.p, stay: newRankedSet(n)}
	for i := range uint32(n) {
		d := s.p.packedDegree(i)
		if d == 0 {
			continue
		}
		if d == 1 && s.fold && s.loopOf(nil, int(i)) == 0 {
			to, _ := s.rows.head(i, 1)
			if host := to[0]; host < i || s.p.packedDegree(host) > 1 {
				made.entries -= d
				continue
			}
		}
		made.stay.add(i)
		made.entries += d
		if err := r.look(0); err != nil {
			return err
		}
	}
	count := made.stay.count()
	made.kept = s.kept(r.o, count, made.entries)
	made.node = make([]uint32, 0, count)
	g := &r.base
	*g = leidenGraph{mass: grow(g.mass, count), made: made}
	weight := 0.0
	for i := range uint32(n) {
		v, in := made.stay.rank(i)
		sum := s.loopOf(nil, int(i))
		if in == 0 {
			weight += sum
			continue
		}
		made.node = append(made.node, i)
		to, w := s.rows.row(i)
		for e, u := range to {
			x := float64(weightAt(w, e))
			sum += x
			if _, in := made.stay.rank(u); in == 0 { // a leaf, whose strength is that of the edge
				sum += x
			}
		}
		g.mass[v] = sum
		weight += sum
		if err := r.look(len(to)); err != nil {
			return err
		}
	}
	r.scale(weight)
	return nil
}

// leidenKept is the share of the base graph's entries that a level may always keep.
const leidenKept = 8

// kept returns up to how many entries a level is kept: what there is room for in the
// memory that the algorithm may take, or the projection might.
func (s *leidenSource) kept(o *LeidenOptions, nodes, entries int) int64 {
	spare := s.p.limit - s.p.Bytes()
	if o.MaxBytes > 0 {
		spare = o.MaxBytes
	}
	spare -= leidenNodeBytes * int64(nodes)
	// There are two levels at a time, at 8 bytes an entry.
	return max(int64(entries/leidenKept), spare/16)
}

// join makes next the level of the given number of nodes that ref has the nodes of g in,
// as grouped, its rows made as they are read.
func (r *leidenRun) join(g, next *leidenGraph, ref []uint32, count int) error {
	made := g.made
	if len(made.groups) == 0 {
		made.of = append(made.of[:0], ref...)
	} else {
		for v, c := range made.of {
			made.of[v] = ref[c]
		}
	}
	made.groups = append(made.groups, leidenGroups{r.order, r.start})
	r.order, r.start = make([]uint32, count), make([]uint32, count+1)
	next.csr, next.made, next.mass = csr{}, made, grow(next.mass, count)
	groups := made.groups[len(made.groups)-1]
	for c := range next.mass {
		next.mass[c] = 0
		for _, v := range groups.order[groups.start[c]:groups.start[c+1]] {
			next.mass[c] += g.mass[v]
		}
	}
	return r.ctx.Err()
}

// unjoin takes back what the levels of the last iteration were made of.
func (r *leidenRun) unjoin() {
	if made := r.base.made; made != nil && len(made.groups) > 0 {
		r.order, r.start = made.groups[0].order, made.groups[0].start
		made.groups = nil
	}
}

// joins reports whether the rows of the level of count nodes that ref has the nodes of g in
// can be made as they are read: the weights of its edges, which are f32 where they are
// kept, must be whole numbers that one can count.
func (g *leidenGraph) joins(ref []uint32, count int) bool {
	made := g.made
	switch {
	case made == nil || made.p.Weighted():
		return false
	case made.entries <= leidenExact:
		return true
	}
	// An edge weighs no more than what each of its ends has.
	strength := make([]int, count)
	for v, u := range made.node {
		c := uint32(v)
		if len(made.groups) > 0 {
			c = made.of[v]
		}
		strength[ref[c]] += made.p.packedDegree(u)
	}
	first, second := 0, 0
	for _, s := range strength {
		first, second = max(first, s), max(second, min(first, s))
	}
	return second <= leidenExact
}

// leidenExact is up to where every whole number is a float32.
const leidenExact = 1 << 24

// leidenReader reads rows of a level for one goroutine.
type leidenReader struct {
	g    *leidenGraph
	rows rowSource
	to   []uint32
}

// reader returns the reader of a worker for g.
func (r *leidenRun) reader(worker int, g *leidenGraph) *leidenReader {
	d := &r.readers[worker]
	d.g = g
	if g.made != nil {
		d.rows.p = g.made.p
	}
	return d
}

// row returns the row of v and its weights, nil if all are 1. Both are good until the
// next call. Rows that are made have an edge of weight n as n entries, of which the first
// is where the edge's would be.
func (d *leidenReader) row(v uint32) (to []uint32, w []float32) {
	made := d.g.made
	switch {
	case made == nil:
		return d.g.csr.Row(v)
	case len(made.groups) == 0:
		return made.row(&d.rows, v)
	}
	d.to = d.to[:0]
	d.add(len(made.groups), v, v)
	return d.to, nil
}

// add appends the edges of node c of a level to the row of v.
func (d *leidenReader) add(level int, c, v uint32) {
	made := d.g.made
	if level > 0 {
		g := &made.groups[level-1]
		for _, c := range g.order[g.start[c]:g.start[c+1]] {
			d.add(level-1, c, v)
		}
		return
	}
	row, _ := d.rows.row(made.node[c])
	count := len(d.to)
	to, of, stay := slices.Grow(d.to, len(row))[:count+len(row)], made.of, made.stay
	for _, u := range row {
		rank, in := stay.rank(u)
		if in == 0 {
			continue // a leaf
		}
		x := of[rank]
		to[count] = x
		if x != v {
			count++
		}
	}
	d.to = to[:count]
}

// row returns a row of the base graph.
func (l *leidenRows) row(rows *rowSource, v uint32) (to []uint32, w []float32) {
	to, w = rows.row(l.node[v])
	k := uint32(0)
	for i, u := range to {
		rank, in := l.stay.rank(u)
		to[k] = rank
		if w != nil {
			w[k] = w[i]
		}
		k += in
	}
	if w != nil {
		w = w[:k]
	}
	return to[:k], w
}

// rankedSet is a set of numbers that knows how many of them are below each.
type rankedSet []struct {
	in    uint64 // of 64 numbers
	below uint32 // how many are below these, once counted
}

func newRankedSet(n int) rankedSet { return make(rankedSet, (n+63)/64) }

func (s rankedSet) add(u uint32) { s[u/64].in |= 1 << (u % 64) }

// count makes ranks known and returns how many numbers there are.
func (s rankedSet) count() int {
	n := 0
	for i := range s {
		s[i].below = uint32(n)
		n += bits.OnesCount64(s[i].in)
	}
	return n
}

// rank returns how many numbers are below u, and 1 if u is in the set, else 0.
func (s rankedSet) rank(u uint32) (below, in uint32) {
	b := &s[u/64]
	up := b.in >> (u % 64)
	return b.below + uint32(bits.OnesCount64(b.in)-bits.OnesCount64(up)), uint32(up & 1)
}
