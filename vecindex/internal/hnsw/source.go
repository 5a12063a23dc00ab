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
func (s *Searcher) SearchSource(src Source, q *quant.Query, in Layer, ef int) ([]Candidate, error) {
	if in.Linked == 0 {
		return nil, nil
	}
	w := &sourceWalk{s: s, src: src, q: q}
	s.pool, s.spent = s.pool[:0], 0
	w.seen = map[uint32]bool{}
	if err := w.start(in.Entry, 1); err != nil {
		return nil, err
	}
	for level := in.Top; level > 0; level-- {
		if err := w.walk(level, 1); err != nil {
			return nil, err
		}
		w.again()
	}
	if err := w.start(in.Root, len(s.pool)+1); err != nil {
		return nil, err
	}
	err := w.walk(0, ef)
	return s.pool, err
}

// sourceWalk is a walk of a source; see [Searcher] for the same in memory.
type sourceWalk struct {
	s     *Searcher
	src   Source
	q     *quant.Query
	seen  map[uint32]bool
	links []uint32
}

// start puts a slot into the pool of at most bound.
func (w *sourceWalk) start(slot uint32, bound int) error {
	return w.measure([]uint32{slot}, func(c Candidate) { w.s.pool, _ = insert(w.s.pool, c, bound) })
}

func (w *sourceWalk) again() {
	clear(w.seen)
	for i := range w.s.pool {
		w.s.pool[i] &^= followed
		w.seen[w.s.pool[i].Slot()] = true
	}
}

// measure calls fn with the candidates of those of the slots that were not met.
func (w *sourceWalk) measure(slots []uint32, fn func(c Candidate)) error {
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
		fn(candidate(quant.KeyOf(w.q.Estimate(unsafe.Pointer(&code[0]), dot)), s.slots[i]))
	}
	return nil
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
		var err error
		if w.links, err = w.src.Links(c.Slot(), level, w.links[:0]); err != nil {
			return err
		}
		next := i + 1
		err = w.measure(w.links, func(c Candidate) {
			if len(pool) >= ef && c >= pool[len(pool)-1] {
				return
			}
			var at int
			pool, at = insert(pool, c, ef)
			next = min(next, at)
		})
		if err != nil {
			return err
		}
		i = next
	}
	w.s.pool = pool
	return nil
}
