package hnsw

import (
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// Candidate is a slot with the estimate of its distance: the key in the upper
// 32 bits, the slot above the lowest bit, which says that the slot's links
// were followed. Candidates are ordered by distance, then slot.
type Candidate uint64

func candidate(k quant.Key, slot uint32) Candidate {
	return Candidate(k)<<32 | Candidate(slot)<<1
}

// Slot returns the slot.
func (c Candidate) Slot() uint32 { return uint32(c) >> 1 }

// Distance returns the estimated distance.
func (c Candidate) Distance() float32 { return quant.Key(c >> 32).Distance() }

const followed Candidate = 1

// Searcher walks graphs. It holds the memory that a search needs and is for
// one goroutine at a time.
type Searcher struct {
	g       *Graph
	visited []uint16 // generation in which a slot was last met
	gen     uint16
	pool    []Candidate // where to walk on, ascending
	found   []Candidate // accepted ones, ascending
	// A step is some slots, the addresses of their high planes, and the
	// products with the query. Addresses are numbers, so that the collector
	// need not look at them: the version keeps what they lead to.
	slots []uint32
	rows  []uintptr
	dots  []int32
	// spent counts the distances of a search, total those of all since the
	// searcher was taken.
	spent, total         int
	refined              []Refined
	sure, doubt          []Candidate
	lower, upper, sorted []float32
	// Of the linker.
	query *quant.Query
}

func newSearcher(g *Graph) *Searcher {
	m := 2 * g.p.M
	return &Searcher{
		g: g, slots: make([]uint32, 0, m), rows: make([]uintptr, 0, m), dots: make([]int32, m),
		query: g.codec.NewQuery(),
	}
}

// Searcher returns a searcher, to be handed back with [Graph.Release].
func (g *Graph) Searcher() *Searcher {
	s := g.searchers.Get().(*Searcher)
	s.total = 0
	return s
}

// Release takes a searcher back.
func (g *Graph) Release(s *Searcher) { g.searchers.Put(s) }

// begin forgets what was met.
func (s *Searcher) begin(v *Version) {
	if len(s.visited) < int(v.n) {
		s.visited = make([]uint16, v.capacity())
		s.gen = 0
	}
	s.forget()
	s.pool, s.found, s.spent = s.pool[:0], s.found[:0], 0
}

// forget begins a generation, in which nothing was met.
func (s *Searcher) forget() {
	if s.gen++; s.gen == 0 {
		clear(s.visited)
		s.gen = 1
	}
}

// add adds a slot to the step.
func (s *Searcher) add(v *Version, slot uint32) {
	s.slots = append(s.slots, slot)
	s.rows = append(s.rows, uintptr(v.code(slot))+uintptr(s.g.codec.HeaderSize()))
}

// addCode adds a slot whose code the caller keeps.
func (s *Searcher) addCode(slot uint32, code []byte) {
	s.slots = append(s.slots, slot)
	s.rows = append(s.rows, uintptr(unsafe.Pointer(&code[0]))+uintptr(s.g.codec.HeaderSize()))
}

// meet adds a slot to the step unless it was met.
func (s *Searcher) meet(v *Version, slot uint32) {
	if s.visited[slot] != s.gen {
		s.visited[slot] = s.gen
		s.add(v, slot)
	}
}

func (s *Searcher) clearStep() {
	s.slots, s.rows = s.slots[:0], s.rows[:0]
}

// measure computes the products of the step's slots.
func (s *Searcher) measure(q *quant.Query) []int32 {
	n := len(s.rows)
	s.spent += n
	s.total += n
	s.dot(q, 0, n)
	return s.dots[:n]
}

// dot computes the products of some of the step's slots.
func (s *Searcher) dot(q *quant.Query, from, to int) {
	if to > len(s.dots) {
		s.dots = append(s.dots, make([]int32, to-len(s.dots))...)
	}
	rows := *(*[]*int8)(unsafe.Pointer(&s.rows))
	q.Products(rows[from:to], s.dots[from:to])
}

// start begins a walk at some slots.
func (s *Searcher) start(v *Version, q *quant.Query, slots ...uint32) {
	s.clearStep()
	for _, slot := range slots {
		s.meet(v, slot)
	}
	for i, dot := range s.measure(q) {
		s.pool = append(s.pool, candidate(quant.KeyOf(q.Estimate(v.code(s.slots[i]), dot)), s.slots[i]))
	}
	slices.Sort(s.pool)
}

// insert puts c into its place in pool, which it returns with the place; the
// last goes where pool holds bound already.
func insert(pool []Candidate, c Candidate, bound int) ([]Candidate, int) {
	lo, hi := 0, len(pool)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if pool[mid] < c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == bound {
		return pool, lo
	}
	if len(pool) < bound {
		pool = append(pool, 0)
	}
	copy(pool[lo+1:], pool[lo:])
	pool[lo] = c
	return pool, lo
}

// walk goes on from the pool on a level until the ef nearest that it knows
// have been followed, and leaves them in the pool.
func (s *Searcher) walk(v *Version, q *quant.Query, level, ef int) {
	pool := s.pool
	if len(pool) > ef {
		pool = pool[:ef]
	}
	for i := 0; i < len(pool); {
		c := pool[i]
		if c&followed != 0 {
			i++
			continue
		}
		pool[i] = c | followed
		s.gather(v, c.Slot(), level)
		next := i + 1
		if next < len(pool) && level == 0 {
			s.lookAhead(v, pool[next])
		}
		for j, dot := range s.measure(q) {
			c := candidate(quant.KeyOf(q.Estimate(v.code(s.slots[j]), dot)), s.slots[j])
			if len(pool) >= ef && c >= pool[len(pool)-1] {
				continue
			}
			var at int
			pool, at = insert(pool, c, ef)
			next = min(next, at)
		}
		i = next
	}
	s.pool = pool
}

// gather makes the step of a slot's links that were not met.
func (s *Searcher) gather(v *Version, slot uint32, level int) {
	list := v.list(slot, level)
	slots, rows := s.slots[:0], s.rows[:0]
	stride := uintptr(s.g.stride)
	header := uintptr(s.g.codec.HeaderSize())
	for i := range list {
		n := atomic.LoadUint32(&list[i])
		if n >= v.n {
			if n == none {
				break
			}
			continue // linked after the version was made
		}
		if s.visited[n] == s.gen {
			continue
		}
		s.visited[n] = s.gen
		slots = append(slots, n)
		rows = append(rows, uintptr(v.chunks[n>>chunkShift].codes)+uintptr(n&(1<<chunkShift-1))*stride+header)
	}
	s.slots, s.rows = slots, rows
}

// lookAhead fetches the links of a candidate that will probably be followed
// next.
func (s *Searcher) lookAhead(v *Version, c Candidate) {
	if c&followed == 0 {
		list := v.list(c.Slot(), 0)
		distance.Prefetch(unsafe.Pointer(&list[0]), 4*len(list))
	}
}

// descend leaves in the pool where a walk of a level begins: what the greedy
// walks of the levels above lead to.
func (s *Searcher) descend(v *Version, q *quant.Query, in Layer, level int) {
	s.start(v, q, in.Entry)
	for l := in.Top; l > level; l-- {
		s.walk(v, q, l, 1)
		s.again()
	}
}

// again makes the pool the beginning of another walk: of another level, on
// which nothing was met yet but the pool.
func (s *Searcher) again() {
	s.forget()
	for i := range s.pool {
		s.pool[i] &^= followed
		s.visited[s.pool[i].Slot()] = s.gen
	}
}

// addRoot makes the root one of the beginnings of a walk of level 0.
func (s *Searcher) addRoot(v *Version, q *quant.Query, in Layer) {
	s.clearStep()
	s.meet(v, in.Root)
	for i, dot := range s.measure(q) {
		c := candidate(quant.KeyOf(q.Estimate(v.code(s.slots[i]), dot)), s.slots[i])
		s.pool, _ = insert(s.pool, c, len(s.pool)+1)
	}
}

// begins puts into the pool where a search of a layer begins: at the given
// slots, or if there are none at what the levels above lead to; and at the
// root in any case.
func (s *Searcher) begins(v *Version, q *quant.Query, in Layer, from []uint32) {
	s.begin(v)
	if len(from) > 0 {
		s.start(v, q, from...)
	} else {
		s.descend(v, q, in, 0)
	}
	s.addRoot(v, q, in)
}

// Search returns the ef candidates of a layer nearest to q, ascending, of all
// nodes whether they are alive or not. from, if not empty, are nodes of the
// layer to begin at. The result is valid until the next use of s.
func (s *Searcher) Search(v *Version, q *quant.Query, layer uint8, from []uint32, ef int) []Candidate {
	in := v.Layer(layer)
	if in.Linked == 0 {
		return nil
	}
	s.begins(v, q, in, from)
	s.walk(v, q, 0, ef)
	runtime.KeepAlive(v)
	return s.pool
}

// Spent returns the number of distances of the last search.
func (s *Searcher) Spent() int { return s.spent }

// Total returns the number of distances of all that the searcher did since it
// was taken.
func (s *Searcher) Total() int { return s.total }

// SearchAccepted is Search for the candidates that accept takes. It reports
// whether it did not give up, which it does when it has spent more than budget
// distances.
func (s *Searcher) SearchAccepted(v *Version, q *quant.Query, layer uint8, from []uint32, ef, budget int, accept func(slot uint32) bool) ([]Candidate, bool) {
	in := v.Layer(layer)
	if in.Linked == 0 {
		return nil, true
	}
	s.begins(v, q, in, from)
	pool, found := s.pool, s.found
	for _, c := range pool {
		if accept(c.Slot()) {
			found, _ = insert(found, c, ef)
		}
	}
	for i := 0; i < len(pool); {
		c := pool[i]
		if c&followed != 0 {
			i++
			continue
		}
		if len(found) == ef && c > found[ef-1] {
			break
		}
		if s.spent > budget {
			s.pool, s.found = pool, found
			return found, false
		}
		pool[i] = c | followed
		s.gather(v, c.Slot(), 0)
		next := i + 1
		for j, dot := range s.measure(q) {
			c := candidate(quant.KeyOf(q.Estimate(v.code(s.slots[j]), dot)), s.slots[j])
			if len(found) == ef && c >= found[ef-1] {
				continue
			}
			var at int
			pool, at = insert(pool, c, len(pool)+1)
			next = min(next, at)
			if accept(c.Slot()) {
				found, _ = insert(found, c, ef)
			}
		}
		i = next
	}
	s.pool, s.found = pool, found
	runtime.KeepAlive(v)
	return found, true
}

// Measure appends to dst the estimated distances of slots.
func (s *Searcher) Measure(v *Version, q *quant.Query, slots []uint32, dst []Candidate) []Candidate {
	for len(slots) > 0 {
		n := min(len(slots), 256)
		s.clearStep()
		for _, slot := range slots[:n] {
			s.add(v, slot)
		}
		for i, dot := range s.measure(q) {
			dst = append(dst, candidate(quant.KeyOf(q.Estimate(v.code(s.slots[i]), dot)), s.slots[i]))
		}
		slots = slots[n:]
	}
	runtime.KeepAlive(v)
	return dst
}
