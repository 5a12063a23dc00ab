package tablekv

import (
	"bytes"
	"sync"

	"github.com/ragdb/ragdb/kv"
)

// cache keeps what views have read beyond their end: values of keys, and ranges. Each has
// the number of a commit that it was seen at, and is good for the commits from there on,
// and for those before, as long as none changed it. Of the last commits the cache knows what
// they changed; what it saw last before those is of no use.
//
// It has two generations. If the younger is half of what the cache may hold, it becomes
// the older, and what is in that one is dropped. What is used moves to the younger.
type cache struct {
	mu         sync.Mutex // guards all fields
	most       int        // bytes
	held       int        // calls of hold that are not released
	young, old generation

	commit uint64    // the last one that the cache knows of
	turn   uint64    // moves when everything is forgotten
	log    []changed // what the last ones changed, in their order, the last at its end
	by     uint64    // the writer of commit
}

// logCommits bounds the commits whose changes are known.
const logCommits = 256

type generation struct {
	values map[string]*cachedValue
	ranges map[string]*cachedRange // by their first key
	bytes  int
}

type cachedValue struct {
	at    uint64
	value []byte // nil if the key has none
}

type cachedRange struct {
	at   uint64
	rows []kv.Pair // all up to end
	end  []byte
}

const (
	entryBytes = 96 // of an entry, beside its keys and values
	heldCache  = 8  // the share of a cache that is held
	entryShare = 16 // an entry above this share of a cache is not kept
)

func newCache(most int) *cache {
	c := &cache{most: most, turn: 1}
	c.clear()
	return c
}

func (c *cache) clear() {
	c.young, c.old = newGeneration(), newGeneration()
}

func newGeneration() generation {
	return generation{values: map[string]*cachedValue{}, ranges: map[string]*cachedRange{}}
}

// hold keeps the cache from growing beyond an eighth of its room.
func (c *cache) hold() (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.held--
	})
}

// moment is a commit that a cache can tell the changes since, until it forgets everything.
// The zero moment is none: nothing is known at it, and nothing is kept.
type moment struct{ commit, turn uint64 }

// begin forgets everything: the last commit is one of a writer, and nothing is known of
// those before.
func (c *cache) begin(commit, by uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	c.turn++
	c.commit, c.by, c.log = commit, by, nil
}

// last returns the last commit that the cache knows of, and its writer.
func (c *cache) last() (commit, by uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commit, c.by
}

// follow notes what the commit after another one has changed. It does nothing if the cache
// knows a later one.
func (c *cache) follow(after uint64, what changed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.commit != after {
		return
	}
	c.commit, c.by = after+1, what.by
	if c.log = append(c.log, what); len(c.log) > logCommits {
		c.log = append([]changed(nil), c.log[len(c.log)-logCommits/2:]...)
	}
}

// moment returns the moment of a commit of a writer, none if the cache cannot tell the
// changes since.
func (c *cache) moment(commit, by uint64) moment {
	c.mu.Lock()
	defer c.mu.Unlock()
	// The writer of the commit before those in the log is not known any more.
	known := commit == c.commit && by == c.by
	if commit < c.commit && c.commit-commit < uint64(len(c.log)) {
		known = c.log[len(c.log)-int(c.commit-commit)-1].by == by
	}
	if !known {
		return moment{}
	}
	return moment{commit, c.turn}
}

// same reports whether nothing from lo to hi differs between two commits.
func (c *cache) same(a, b uint64, lo, hi []byte) bool {
	if a > b {
		a, b = b, a
	}
	first := c.commit - uint64(len(c.log)) // what changed since is known
	if a < first || b > c.commit {
		return a == b
	}
	for i := a - first; i < b-first; i++ {
		if c.log[i].in(lo, hi) {
			return false
		}
	}
	return true
}

// value returns the value of a key at a moment; ok is false if it is not known. The caller
// must not change it.
func (c *cache) value(m moment, key []byte) (v []byte, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.turn != c.turn {
		return nil, false
	}
	e, young := c.young.values[string(key)]
	if !young {
		if e = c.old.values[string(key)]; e == nil {
			return nil, false
		}
	}
	if e.at != m.commit && !c.same(e.at, m.commit, key, after(key)) {
		return nil, false
	}
	e.at = max(e.at, m.commit)
	if !young && c.held == 0 {
		c.old.bytes -= len(key) + len(e.value) + entryBytes
		delete(c.old.values, string(key))
		c.addValue(string(key), e)
	}
	return e.value, true
}

// rows returns pairs of a range at a moment, all up to end; ok is false if none are known
// from its first key on. The caller must not change them.
func (c *cache) rows(m moment, lo, hi []byte) (rows []kv.Pair, end []byte, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.turn != c.turn {
		return nil, nil, false
	}
	e, young := c.young.ranges[string(lo)]
	if !young {
		if e = c.old.ranges[string(lo)]; e == nil {
			return nil, nil, false
		}
	}
	if e.at != m.commit && !c.same(e.at, m.commit, lo, e.end) {
		return nil, nil, false
	}
	e.at = max(e.at, m.commit)
	if !young && c.held == 0 {
		c.old.bytes -= len(lo) + e.size() + entryBytes
		delete(c.old.ranges, string(lo))
		c.addRange(string(lo), e)
	}
	if bytes.Compare(hi, e.end) >= 0 {
		return e.rows, e.end, true
	}
	n := 0
	for n < len(e.rows) && bytes.Compare(e.rows[n].Key, hi) < 0 {
		n++
	}
	return e.rows[:n:n], hi, true
}

// putValue keeps the value of a key at a moment. The cache owns it from now on.
func (c *cache) putValue(m moment, key, v []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.turn != c.turn || len(v) > c.most/entryShare {
		return
	}
	if e := c.young.values[string(key)]; e != nil {
		if e.at > m.commit {
			return
		}
		c.young.bytes -= len(key) + len(e.value) + entryBytes
		delete(c.young.values, string(key))
	}
	c.addValue(string(key), &cachedValue{at: m.commit, value: v})
}

// putRange keeps all pairs from lo to end at a moment. The cache owns them from now on.
func (c *cache) putRange(m moment, lo, end []byte, rows []kv.Pair) {
	e := &cachedRange{at: m.commit, rows: rows, end: end}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.turn != c.turn || bytes.Compare(lo, end) >= 0 || e.size() > c.most/entryShare {
		return
	}
	if have := c.young.ranges[string(lo)]; have != nil {
		if have.at > m.commit {
			return
		}
		c.young.bytes -= len(lo) + have.size() + entryBytes
		delete(c.young.ranges, string(lo))
	}
	c.addRange(string(lo), e)
}

func (e *cachedRange) size() int {
	n := len(e.end)
	for _, p := range e.rows {
		n += len(p.Key) + len(p.Value) + entryBytes/2
	}
	return n
}

func (c *cache) addValue(key string, e *cachedValue) {
	if c.room(len(key) + len(e.value)) {
		c.young.values[key] = e
	}
}

func (c *cache) addRange(lo string, e *cachedRange) {
	if c.room(len(lo) + e.size()) {
		c.young.ranges[lo] = e
	}
}

// room makes room for an entry, and reports whether there is any. While the cache is held,
// entries take no others' place.
func (c *cache) room(n int) bool {
	n += entryBytes
	switch {
	case c.held > 0 && c.young.bytes+c.old.bytes+n > c.most/heldCache:
		return false
	case c.young.bytes+n > c.most/2:
		c.old, c.young = c.young, newGeneration()
	}
	c.young.bytes += n
	return true
}

// after returns the key that follows a key at once.
func after(key []byte) []byte { return append(bytes.Clone(key), 0) }
