package engine

import (
	"context"
	"sync"

	"github.com/ragdb/ragdb/vecindex"
)

// mirrors counts what the open vector indexes keep in memory. Together they
// may have half of the budget: who is asked first has its vectors in memory,
// and what does not fit beside it is searched on disk.
type mirrors struct {
	mu   sync.Mutex
	open []*vecindex.Index
}

// bytes returns the sizes of all mirrors but one's.
func (m *mirrors) bytes(but *vecindex.Index) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	var n int64
	for _, ix := range m.open {
		if ix != but {
			n += ix.MemoryBytes()
		}
	}
	return n
}

func (m *mirrors) add(ix *vecindex.Index) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open = append(m.open, ix)
}

// remove forgets an index that nothing leads to any more.
func (m *mirrors) remove(ix *vecindex.Index) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, x := range m.open {
		if x == ix {
			m.open = append(m.open[:i], m.open[i+1:]...)
			return
		}
	}
}

// openIndex opens a vector index whose mirror shares the budget with the
// others'. A negative bound is no mirror.
func (db *DB) openIndex(ctx context.Context, conf vecindex.Config, bound int64) (*vecindex.Index, error) {
	var ix *vecindex.Index
	ix, err := vecindex.Open(ctx, db.store, conf, &vecindex.Options{
		MaxMirrorBytes: bound,
		Rerank:         db.opts.Rerank,
		Room:           func() int64 { return db.opts.MemoryBudget/2 - db.mirrors.bytes(ix) },
	})
	if err == nil && bound >= 0 {
		db.mirrors.add(ix)
	}
	return ix, err
}
