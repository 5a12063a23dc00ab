package hnsw

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// BatchSize is the number of nodes that one call of [Graph.Link] should get:
// what comes out depends on how nodes are divided into batches.
const BatchSize = 1024

// Node is a node to be linked. Its code is in its slot already.
type Node struct {
	Slot uint32
	ID   uint64
}

// ListKey names a list of links.
type ListKey struct {
	Slot  uint32
	Level uint8
}

// Compare orders lists as their records are: by level, then slot.
func (k ListKey) Compare(o ListKey) int {
	return cmp.Or(cmp.Compare(k.Level, o.Level), cmp.Compare(k.Slot, o.Slot))
}

// batch is the work of one Link.
type batch struct {
	g       *Graph
	v       *Version // being made
	layer   uint8
	in      Layer // as it was, then being made
	nodes   []Node
	levels  []int
	own     [][][]Candidate // by node and level: the links that it gets
	workers int
	touched map[ListKey]struct{}
}

// Link links nodes of a layer, on up to workers goroutines, and returns the
// lists that changed, in order. The nodes are invisible until [Graph.Show].
// Slots must be reserved, hold the nodes' codes and not be linked. An error is
// ctx's, and leaves the graph as it was.
func (g *Graph) Link(ctx context.Context, layer uint8, nodes []Node, workers int) ([]ListKey, error) {
	next := *g.current.Load()
	b := &batch{g: g, v: &next, layer: layer, in: next.Layer(layer), nodes: nodes, workers: max(1, workers), touched: map[ListKey]struct{}{}}
	b.levels = make([]int, len(nodes))
	for i, n := range nodes {
		b.levels[i] = g.Level(n.ID)
	}
	b.own = make([][][]Candidate, len(nodes))
	if err := b.choose(ctx); err != nil {
		return nil, err
	}
	b.place()
	b.back()
	b.adopt()
	b.enter()
	b.in.Linked += len(nodes)
	next.setLayer(layer, b.in)
	g.current.Store(&next)
	return b.keys(), nil
}

// each calls fn for 0 to n-1, with a searcher, on the batch's goroutines.
func (b *batch) each(ctx context.Context, n int, fn func(s *Searcher, i int)) error {
	var at atomic.Int64
	var wg sync.WaitGroup
	for range min(b.workers, n) {
		wg.Go(func() {
			s := b.g.Searcher()
			defer b.g.Release(s)
			for ctx.Err() == nil {
				i := int(at.Add(1)) - 1
				if i >= n {
					return
				}
				fn(s, i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// choose finds the links of every node: what lies near it in the graph and in
// the batch.
func (b *batch) choose(ctx context.Context) error {
	slots := make([]uint32, len(b.nodes))
	for i, n := range b.nodes {
		slots[i] = n.Slot
	}
	return b.each(ctx, len(b.nodes), func(s *Searcher, i int) {
		q := s.query
		q.FillStored(b.v.Code(slots[i]))
		s.begin(b.v)
		all := s.Measure(b.v, q, slots, nil)
		own := make([][]Candidate, b.levels[i]+1)
		if b.in.Linked > 0 {
			s.descend(b.v, q, b.in, min(b.levels[i], b.in.Top))
		}
		efc := b.g.p.EfConstruction
		var near []Candidate
		for l := b.levels[i]; l >= 0; l-- {
			if b.in.Linked > 0 && l <= b.in.Top {
				if l == 0 {
					s.addRoot(b.v, q, b.in)
				}
				s.walk(b.v, q, l, efc)
				near = append(near[:0], s.pool...)
				if l > 0 {
					s.again()
				}
			}
			own[l] = s.diverse(b.v, b.nearest(near, all, i, l), b.g.p.M, nil)
			near = near[:0]
		}
		b.own[i] = own
	})
}

// nearest returns the nearest of what a walk found and of the nodes of the
// batch that have a level.
func (b *batch) nearest(near, all []Candidate, self, level int) []Candidate {
	efc := b.g.p.EfConstruction
	bound := ^Candidate(0)
	if len(near) >= efc {
		bound = near[len(near)-1]
	}
	out := make([]Candidate, 0, efc+len(near))
	for j, c := range all {
		if j != self && c < bound && b.levels[j] >= level {
			out = append(out, c)
		}
	}
	for _, c := range near {
		out = append(out, c&^followed)
	}
	slices.Sort(out)
	return out[:min(len(out), efc)]
}

// place gives the nodes their lists.
func (b *batch) place() {
	v, m := b.v, b.g.p.M
	for _, n := range b.nodes {
		c, row := v.at(n.Slot)
		if u := c.upper[row].Swap(0); u != 0 {
			b.g.vacant = append(b.g.vacant, u-1) // of the node that had the slot
		}
	}
	if len(b.g.vacant) > 0 {
		v.uppers = slices.Clone(v.uppers) // places are used again that other versions know
	}
	for i, n := range b.nodes {
		c, row := v.at(n.Slot)
		c.parent[row] = none
		c.ids[row].Store(n.ID)
		c.layer[row] = b.layer
		c.died[row].Store(0)
		if c.down != nil {
			c.down[row].Store(0)
		}
		if level := b.levels[i]; level > 0 {
			up := &upper{slot: n.Slot, level: int32(level), links: make([]uint32, m*level)}
			for j := range up.links {
				up.links[j] = none
			}
			v.upperBytes += up.bytes()
			if last := len(b.g.vacant) - 1; last >= 0 {
				u := b.g.vacant[last]
				b.g.vacant = b.g.vacant[:last]
				v.upperBytes -= v.uppers[u].bytes()
				v.uppers[u] = up
				c.upper[row].Store(u + 1)
			} else {
				// Versions share the array: each looks at as much of it as it
				// has, and the last one alone is continued.
				v.uppers = append(v.uppers, up)
				c.upper[row].Store(uint32(len(v.uppers)))
			}
		}
		for l, own := range b.own[i] {
			setList(v.list(n.Slot, l), own)
			b.touched[ListKey{n.Slot, uint8(l)}] = struct{}{}
		}
	}
}

// setList writes links, the nearest first, and ends the list.
func setList(list []uint32, links []Candidate) {
	for i := range list {
		n := uint32(none)
		if i < len(links) {
			n = links[i].Slot()
		}
		if list[i] != n {
			atomic.StoreUint32(&list[i], n)
		}
	}
}

// length returns the number of links in a list.
func length(list []uint32) int {
	for i, n := range list {
		if n == none {
			return i
		}
	}
	return len(list)
}

// incoming is a link to be made from a node of the graph or the batch.
type incoming struct {
	to   ListKey
	from uint32
}

// back links the chosen to those that chose them. Each list is worked out by
// itself, so it does not matter by which goroutine and when.
func (b *batch) back() {
	var in []incoming
	for i, n := range b.nodes {
		for l, own := range b.own[i] {
			for _, c := range own {
				in = append(in, incoming{ListKey{c.Slot(), uint8(l)}, n.Slot})
			}
		}
	}
	slices.SortFunc(in, func(x, y incoming) int {
		return cmp.Or(x.to.Compare(y.to), cmp.Compare(x.from, y.from))
	})
	var groups [][]incoming
	for from, i := 0, 1; i <= len(in); i++ {
		if i == len(in) || in[i].to != in[from].to {
			groups = append(groups, in[from:i])
			b.touched[in[from].to] = struct{}{}
			from = i
		}
	}
	// What is under way is finished: half of the lists would be a graph too,
	// but not the one that the batch leads to.
	_ = b.each(context.Background(), len(groups), func(s *Searcher, i int) {
		b.extend(s, groups[i])
	})
}

// extend adds links to a list, choosing again if they do not all fit.
func (b *batch) extend(s *Searcher, in []incoming) {
	key := in[0].to
	list := b.v.list(key.Slot, int(key.Level))
	n := length(list)
	fresh := make([]uint32, 0, len(in))
	for _, x := range in {
		if !slices.Contains(list[:n], x.from) {
			fresh = append(fresh, x.from)
		}
	}
	if n+len(fresh) <= len(list) {
		for i, slot := range fresh {
			atomic.StoreUint32(&list[n+i], slot)
		}
		return
	}
	q := s.query
	q.FillStored(b.v.Code(key.Slot))
	all := s.Measure(b.v, q, append(fresh, list[:n]...), nil)
	slices.Sort(all)
	var keep func(slot uint32) bool
	if key.Level == 0 {
		keep = func(slot uint32) bool { return b.v.parent(slot) == key.Slot }
	}
	setList(list, s.diverse(b.v, all, len(list), keep))
}

// diverse chooses up to m of the candidates, which ascend: each that is nearer
// to the node it is a candidate for than to those chosen before. keep, if not
// nil, names those that are chosen in any case.
func (s *Searcher) diverse(v *Version, all []Candidate, m int, keep func(slot uint32) bool) []Candidate {
	q := s.g.codec.NewStored()
	out := make([]Candidate, 0, min(m, len(all)))
	must := 0 // candidates left that are kept
	if keep != nil {
		for _, c := range all {
			if keep(c.Slot()) {
				must++
			}
		}
	}
	s.clearStep()
	for _, c := range all {
		if len(out) == m {
			break
		}
		if keep != nil && keep(c.Slot()) {
			must--
		} else if len(out)+must >= m || s.covered(v, &q, c) {
			continue
		}
		out = append(out, c)
		s.add(v, c.Slot())
	}
	return out
}

// covered reports whether a candidate is nearer to one of the step's slots
// than to the node that it is a candidate for.
func (s *Searcher) covered(v *Version, q *quant.Query, c Candidate) bool {
	q.FillStored(v.Code(c.Slot()))
	d := c.Distance()
	const block = 4
	for from := 0; from < len(s.rows); from += block {
		to := min(from+block, len(s.rows))
		s.dot(q, from, to)
		for j := from; j < to; j++ {
			if q.Estimate(v.code(s.slots[j]), s.dots[j]) < d {
				return true
			}
		}
	}
	return false
}
