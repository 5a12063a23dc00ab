package cypher

import "container/heap"

// sortKey is a key of ORDER BY.
type sortKey struct {
	value evaluator
	desc  bool
	nulls nullsPlace
}

// sortStep sorts rows stably. If it knows a bound, it keeps only that many.
type sortStep struct {
	planned
	keys []sortKey
	// skip and limit are the bounds of the projection, if it has a limit.
	skip, limit *rowBound
}

// sorted is a row with its keys.
type sorted struct {
	keys []Value
	row  row
	seq  int
	held int64
}

// weight returns how many steps of a loop comparing the row's keys is worth.
func (s *sorted) weight() int64 {
	n := int64(0)
	for i := range s.keys {
		n += s.keys[i].weight()
	}
	return n
}

// sortHeap has the last of its rows on top.
type sortHeap struct {
	keys []sortKey
	rows []sorted
}

// compare orders rows as the result has them.
func (h *sortHeap) compare(a, b *sorted) int {
	for i, k := range h.keys {
		c := k.compare(a.keys[i], b.keys[i])
		if c != 0 {
			return c
		}
	}
	return a.seq - b.seq
}

// compare orders two values.
func (k *sortKey) compare(a, b Value) int {
	if k.nulls != nullsGreatest && a.IsNull() != b.IsNull() {
		if a.IsNull() == (k.nulls == nullsFirst) {
			return -1
		}
		return 1
	}
	c := compareOrder(a, b)
	if k.desc {
		c = -c
	}
	return c
}

func (h *sortHeap) Len() int           { return len(h.rows) }
func (h *sortHeap) Less(i, j int) bool { return h.compare(&h.rows[i], &h.rows[j]) > 0 }
func (h *sortHeap) Swap(i, j int)      { h.rows[i], h.rows[j] = h.rows[j], h.rows[i] }
func (h *sortHeap) Push(x any)         { h.rows = append(h.rows, x.(sorted)) }
func (h *sortHeap) Pop() any {
	last := h.rows[len(h.rows)-1]
	h.rows = h.rows[:len(h.rows)-1]
	return last
}

func (s *sortStep) open(x *exec, next sink) sink {
	h := &sortHeap{keys: s.keys}
	var unbounded chunks[sorted] // the rows if there is no bound
	bound, known := int64(-1), false
	seq := 0
	keys := make([]Value, len(s.keys))
	push := func(r row) error {
		if !known && s.limit != nil {
			known = true
			limit, err := s.limit.rows(x)
			if err != nil {
				return err
			}
			skip, err := s.skip.rows(x)
			if err != nil {
				return err
			}
			if bound = limit + skip; bound < 0 {
				bound = -1 // more than there can be
			}
		}
		if bound == 0 {
			return errEnough
		}
		if err := x.tick(); err != nil {
			return err
		}
		for i, k := range s.keys {
			v, err := k.value(x, r)
			if err != nil {
				return err
			}
			keys[i] = v
		}
		seq++
		one := sorted{keys: keys, seq: seq}
		if err := x.work(one.weight()); err != nil {
			return err
		}
		full := bound > 0 && int64(len(h.rows)) == bound
		if full && h.compare(&one, &h.rows[0]) > 0 {
			return nil
		}
		before := x.held
		var err error
		if one.keys, err = x.keep(keys); err != nil {
			return err
		}
		if one.row, err = x.keep(r); err != nil {
			return err
		}
		one.held = x.held - before
		switch {
		case full:
			x.held -= h.rows[0].held
			h.rows[0] = one
			heap.Fix(h, 0)
		case bound > 0:
			heap.Push(h, one)
		default:
			unbounded.add(one)
		}
		return nil
	}
	done := func() error {
		if unbounded.n > 0 {
			var err error
			if h.rows, err = unbounded.take(x); err != nil {
				return err
			}
		}
		if err := sortWatched(x, h.rows, h.compare, (*sorted).weight); err != nil {
			return err
		}
		for i := range h.rows {
			if err := x.tick(); err != nil {
				return err
			}
			r := h.rows[i].row
			x.held -= h.rows[i].held
			h.rows[i] = sorted{}
			if err := next.push(r); err == errEnough {
				break
			} else if err != nil {
				return err
			}
		}
		h.rows = nil
		return next.done()
	}
	return sink{push, done}
}
