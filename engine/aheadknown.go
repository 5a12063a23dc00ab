package engine

import (
	"bytes"
	"sync"

	"github.com/ragdb/ragdb/kv"
)

const (
	// aheadBytes bounds what a snapshot keeps of what was read.
	aheadBytes = 32 << 20
	// aheadRows is how many pairs of a range are read at once.
	aheadRows = 32
)

// aheadKnown is what was read of a snapshot.
type aheadKnown struct {
	mu     sync.RWMutex
	values map[string][]byte // nil for a key without a value
	ranges map[string]*aheadRange
	bytes  int
}

// aheadRange is all pairs from a key up to an end, "" for the end of all.
type aheadRange struct {
	rows []kv.Pair
	end  []byte
}

func newAheadKnown() *aheadKnown {
	return &aheadKnown{values: map[string][]byte{}, ranges: map[string]*aheadRange{}}
}

// full reports whether nothing more is kept.
func (k *aheadKnown) full() bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.bytes >= aheadBytes
}

// value returns the value of a key; ok is false if it was not read.
func (k *aheadKnown) value(key []byte) (v []byte, ok bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	v, ok = k.values[string(key)]
	return v, ok
}

// put keeps the value of a key, nil if it has none.
func (k *aheadKnown) put(key, v []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.bytes < aheadBytes {
		k.values[string(key)] = v
		k.bytes += len(key) + len(v)
	}
}

// from returns what is known from a key on, nil if nothing is.
func (k *aheadKnown) from(key []byte) *aheadRange {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.ranges[string(key)]
}

// putRange keeps the first pairs of a range.
func (k *aheadKnown) putRange(s kv.Range, rows []kv.Pair) *aheadRange {
	out := &aheadRange{rows: rows, end: s.Hi}
	if len(rows) >= aheadRows {
		out.end = append(bytes.Clone(rows[len(rows)-1].Key), 0)
	}
	size := len(s.Lo)
	for _, p := range rows {
		size += len(p.Key) + len(p.Value)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.bytes < aheadBytes {
		k.ranges[string(s.Lo)] = out
		k.bytes += size
	}
	return out
}
