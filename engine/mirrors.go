package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/ragdb/ragdb/vecindex"
)

// mirrors counts what the open vector indexes keep in memory. Together they
// may have half of the budget. An index that needs memory takes it from those that
// were not searched for long. If all are in use, an index that does not fit beside
// them is searched on disk. One that is to be settled has it all; what a graph takes
// beyond that while it is linked is not counted, since it is given back.
type mirrors struct {
	mu      sync.Mutex
	open    []openIndex
	clock   uint64 // uses of all indexes
	settled []*vecindex.Index
}

type openIndex struct {
	*vecindex.Index
	used uint64 // the clock at its last use
}

// idleUses is how many times others are used before an index counts as idle: a
// method that searches several spaces for each question must not have one take
// the memory of the other by turns.
const idleUses = 64

// bytes returns the sizes of all mirrors that one has to leave room for.
func (m *mirrors) bytes(ix *vecindex.Index) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.Contains(m.settled, ix) {
		return 0
	}
	return m.held(ix)
}

func (m *mirrors) held(but *vecindex.Index) int64 {
	var n int64
	for _, x := range m.open {
		if x.Index != but {
			n += x.MemoryBytes()
		}
	}
	return n
}

func (m *mirrors) add(ix *vecindex.Index) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clock++
	m.open = append(m.open, openIndex{ix, m.clock})
}

// use notes that an index is about to be searched.
func (m *mirrors) use(ix *vecindex.Index) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick(ix)
}

func (m *mirrors) tick(ix *vecindex.Index) {
	m.clock++
	for i := range m.open {
		if m.open[i].Index == ix {
			m.open[i].used = m.clock
			return
		}
	}
}

// remove forgets an index that nothing leads to any more.
func (m *mirrors) remove(ix *vecindex.Index) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open = slices.DeleteFunc(m.open, func(x openIndex) bool { return x.Index == ix })
}

// makeRoom has idle indexes release their memory, the one first that was used
// longest ago, until one may hold want bytes of a bound on all. It reports
// whether that is so; if it cannot be, nothing is released. To ask is a use:
// of an index that many searches go to on disk each asks, and in the end has
// memory before those that none goes to.
func (m *mirrors) makeRoom(ix *vecindex.Index, bound, want int64) bool {
	for _, x := range m.idle(ix, bound, want) {
		x.Release()
	}
	return bound-m.bytes(ix) >= want
}

// idle returns the indexes to release. They are released under no lock: one
// that is just read asks how much room there is.
func (m *mirrors) idle(ix *vecindex.Index, bound, want int64) []openIndex {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick(ix)
	var out []openIndex
	for _, x := range m.open {
		if x.Index != ix && x.used+idleUses < m.clock && x.MemoryBytes() > 0 {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b openIndex) int { return cmp.Compare(a.used, b.used) })
	room := bound - m.held(ix)
	for n, x := range out {
		if room += x.MemoryBytes(); room >= want {
			return out[:n+1]
		}
	}
	return nil
}

// settling has all other indexes release their memory and leaves the whole bound to one,
// until the function is called that it returns. What others read back meanwhile comes
// on top.
func (m *mirrors) settling(ix *vecindex.Index) (end func()) {
	m.mu.Lock()
	m.settled = append(m.settled, ix)
	others := slices.Clone(m.open)
	m.mu.Unlock()
	for _, x := range others { // under no lock, as those of makeRoom
		if x.Index != ix {
			x.Release()
		}
	}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if i := slices.Index(m.settled, ix); i >= 0 {
			m.settled = slices.Delete(m.settled, i, i+1)
		}
	}
}

// room returns what an index may have of a bound on all. One that is not in memory is
// not read into it while work has that memory.
func (db *DB) room(ix *vecindex.Index, bound int64) int64 {
	room := bound - db.mirrors.bytes(ix)
	if ix != nil && ix.MemoryBytes() == 0 {
		room = min(room, db.memory.ForWork()-db.memory.Work())
	}
	return room
}

// openIndex opens a vector index whose mirror shares the budget with the
// others'. A negative bound means no mirror.
func (db *DB) openIndex(ctx context.Context, conf vecindex.Config, bound int64) (*vecindex.Index, error) {
	var ix *vecindex.Index
	half := db.opts.MemoryBudget / 2
	ix, err := vecindex.Open(ctx, db.store, conf, &vecindex.Options{
		MaxMirrorBytes: bound,
		Rerank:         db.opts.Rerank,
		Follow:         db.readOnly,
		ExactElements:  db.opts.ExactElements,
		Room:           func() int64 { return db.room(ix, half) },
		MakeRoom:       func(want int64) bool { return db.mirrors.makeRoom(ix, half, want) },
	})
	if err == nil && bound >= 0 {
		db.mirrors.add(ix)
	}
	return ix, err
}
