package engine

import "github.com/ragdb/ragdb/internal/memory"

// cacheBytes returns what the store's caches may take: a quarter of the budget, and a
// sixteenth of one that another database has its quarter of.
func (o *Options) cacheBytes() int64 {
	if o.MemoryWith != nil {
		return o.MemoryBudget / 16
	}
	return o.MemoryBudget / 4
}

// garbageShare is the part of a budget, one in so many, that is left to what work no longer
// uses and the collector has not found yet.
const garbageShare = 8

// standIn gives the database its budget, and counts in it what stays in memory.
func (db *DB) standIn() {
	db.memory = memory.New(db.opts.MemoryBudget)
	if with := db.opts.MemoryWith; with != nil {
		db.memory = with.memory
	}
	fixed := db.opts.cacheBytes()
	if db.opts.MemoryWith == nil {
		fixed += db.opts.MemoryBudget / garbageShare
	}
	db.leaves = []func(){
		db.memory.Standing(func() int64 { return fixed }),
		db.memory.Standing(db.mirrors.all),
	}
}

// all returns the sizes of all mirrors.
func (m *mirrors) all() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held(nil)
}
