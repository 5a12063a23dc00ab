package hnsw

import (
	"unsafe"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// Source reads a graph that is not in memory.
type Source interface {
	// Links appends the links of a slot on a level to dst. They may
	// lead to slots that the graph does not have.
	Links(slot uint32, level int, dst []uint32) ([]uint32, error)
	// Read reads the codes of slots, for Code. It returns those of the slots
	// that the graph has, in their order, in the same memory.
	Read(slots []uint32) ([]uint32, error)
	// Code returns a code that was read.
	Code(slot uint32) []byte
}

// SearchSource is [Searcher.Search] of a graph that is read as the walk goes:
// it finds the same candidates. The result is valid until the next use of s.
func (s *Searcher) SearchSource(src Source, q *quant.Query, in Layer, from []uint32, ef int) ([]Candidate, error) {
	if in.Linked == 0 {
		return nil, nil
	}
	w := &sourceWalk{s: s, src: src, q: q, seen: map[uint32]bool{}}
	err := w.begin(in, from)
	if err == nil {
		err = w.walk(0, ef)
	}
	return s.pool, err
}

// AcceptedSource is [Searcher.SearchAccepted] of such a graph.
func (s *Searcher) AcceptedSource(src Source, q *quant.Query, in Layer, from []uint32, ef, budget int, accept func(slot uint32) (bool, error)) ([]Candidate, bool, error) {
	if in.Linked == 0 {
		return nil, true, nil
	}
	w := &sourceWalk{s: s, src: src, q: q, seen: map[uint32]bool{}}
	if err := w.begin(in, from); err != nil {
		return nil, false, err
	}
	return w.accepted(ef, budget, accept)
}

// sourceWalk is a walk of a source; see [Searcher] for the same in memory.
type sourceWalk struct {
	s     *Searcher
	src   Source
	q     *quant.Query
	seen  map[uint32]bool
	links []uint32
}

// begin puts into the pool where the walk of level 0 begins.
func (w *sourceWalk) begin(in Layer, from []uint32) error {
	w.s.pool, w.s.found, w.s.spent = w.s.pool[:0], w.s.found[:0], 0
	if len(from) > 0 {
		if err := w.start(from); err != nil {
			return err
		}
		return w.start([]uint32{in.Root})
	}
	if err := w.start([]uint32{in.Entry}); err != nil {
		return err
	}
	for level := in.Top; level > 0; level-- {
		if err := w.walk(level, 1); err != nil {
			return err
		}
		w.again()
	}
	return w.start([]uint32{in.Root})
}

// start puts slots into the pool.
func (w *sourceWalk) start(slots []uint32) error {
	w.links = append(w.links[:0], slots...) // measure changes what it gets
	return w.measure(w.links, func(c Candidate) error {
		w.s.pool, _ = insert(w.s.pool, c, len(w.s.pool)+1)
		return nil
	})
}

func (w *sourceWalk) again() {
	clear(w.seen)
	for i := range w.s.pool {
		w.s.pool[i] &^= followed
		w.seen[w.s.pool[i].Slot()] = true
	}
}

// measure calls fn with the candidates of those of the slots that were not met.
func (w *sourceWalk) measure(slots []uint32, fn func(c Candidate) error) error {
	n := 0
	for _, slot := range slots {
		if !w.seen[slot] {
			w.seen[slot] = true
			slots[n] = slot
			n++
		}
	}
	slots, err := w.src.Read(slots[:n])
	if err != nil {
		return err
	}
	s := w.s
	s.clearStep()
	for _, slot := range slots {
		s.addCode(slot, w.src.Code(slot))
	}
	for i, dot := range s.measure(w.q) {
		code := w.src.Code(s.slots[i])
		if err := fn(candidate(quant.KeyOf(w.q.Estimate(unsafe.Pointer(&code[0]), dot)), s.slots[i])); err != nil {
			return err
		}
	}
	return nil
}

// follow measures what the links of a slot lead to.
func (w *sourceWalk) follow(slot uint32, level int, fn func(c Candidate) error) (err error) {
	if w.links, err = w.src.Links(slot, level, w.links[:0]); err != nil {
		return err
	}
	return w.measure(w.links, fn)
}

// walk is [Searcher.walk].
func (w *sourceWalk) walk(level, ef int) error {
	pool := w.s.pool[:min(len(w.s.pool), ef)]
	for i := 0; i < len(pool); {
		c := pool[i]
		if c&followed != 0 {
			i++
			continue
		}
		pool[i] = c | followed
		next := i + 1
		err := w.follow(c.Slot(), level, func(c Candidate) error {
			if len(pool) >= ef && c >= pool[len(pool)-1] {
				return nil
			}
			var at int
			pool, at = insert(pool, c, ef)
			next = min(next, at)
			return nil
		})
		if err != nil {
			return err
		}
		i = next
	}
	w.s.pool = pool
	return nil
}

// accepted is the walk of [Searcher.SearchAccepted].
func (w *sourceWalk) accepted(ef, budget int, accept func(slot uint32) (bool, error)) (_ []Candidate, ok bool, err error) {
	pool, found := w.s.pool, w.s.found
	defer func() { w.s.pool, w.s.found = pool, found }()
	take := func(c Candidate) error {
		ok, err := accept(c.Slot())
		if ok {
			found, _ = insert(found, c, ef)
		}
		return err
	}
	for _, c := range pool {
		if err := take(c); err != nil {
			return nil, false, err
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
		if w.s.spent > budget {
			return found, false, nil
		}
		pool[i] = c | followed
		next := i + 1
		err := w.follow(c.Slot(), 0, func(c Candidate) error {
			if len(found) == ef && c >= found[ef-1] {
				return nil
			}
			var at int
			pool, at = insert(pool, c, len(pool)+1)
			next = min(next, at)
			return take(c)
		})
		if err != nil {
			return nil, false, err
		}
		i = next
	}
	return found, true, nil
}
