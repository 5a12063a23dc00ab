package pebblekv

import "sync"

// heldCache is the share of the block cache up to which a scan may fill it.
const heldCache = 8

// cacheHold is what keeps the block cache from growing.
type cacheHold struct {
	mu      sync.Mutex
	holders int
	release func() // of the room that is kept from it; nil if there is none
}

// HoldCache keeps the block cache from growing beyond an eighth of what it may take, or
// what it has: Pebble's iterators cannot pass by it. What memtables leave free counts as
// room for it, as ever.
func (s *Store) HoldCache() (release func()) {
	if !s.life.Enter() {
		return func() {}
	}
	defer s.life.Leave()
	h := &s.held
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.holders++; h.holders == 1 {
		m, most := s.db.Metrics(), s.opts.Cache.MaxSize()
		room := most - int64(m.MemTable.Size+m.MemTable.ZombieSize) - max(m.BlockCache.Size, most/heldCache)
		if room > 0 {
			h.release = s.opts.Cache.Reserve(int(room))
		}
	}
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.holders--; h.holders == 0 && h.release != nil {
			h.release()
			h.release = nil
		}
	})
}
