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
	c := &cache{most: most}
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

// begin forgets everything: the last commit is one of a writer, and nothing is known of
// those before.
func (c *cache) begin(commit, by uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
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

// knows reports whether a commit, made by a writer, is one of those that the cache can tell
// the changes since.
func (c *cache) knows(commit, by uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if commit > c.commit || commit+uint64(len(c.log)) < c.commit {
		return false
	}
	if commit == c.commit {
		return by == c.by
	}
	// The writer of the commit before those in the log is not known any more.
	at := len(c.log) - int(c.commit-commit) - 1
	return at >= 0 && c.log[at].by == by
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

// value returns the value of a key at a commit; ok is false if it is not known. The caller
// must not change it.
func (c *cache) value(at uint64, key []byte) (v []byte, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, young := c.young.values[string(key)]
	if !young {
		if e = c.old.values[string(key)]; e == nil {
			return nil, false
		}
	}
	if e.at != at && !c.same(e.at, at, key, after(key)) {
		return nil, false
	}
	e.at = max(e.at, at)
	if !young {
		delete(c.old.values, string(key))
		c.addValue(string(key), e)
	}
	return e.value, true
}

// rows returns pairs of a range at a commit, all up to end; nil if none are known from
// its first key on. The caller must not change them.
func (c *cache) rows(at uint64, lo, hi []byte) (rows []kv.Pair, end []byte, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, young := c.young.ranges[string(lo)]
	if !young {
		if e = c.old.ranges[string(lo)]; e == nil {
			return nil, nil, false
		}
	}
	if e.at != at && !c.same(e.at, at, lo, e.end) {
		return nil, nil, false
	}
	e.at = max(e.at, at)
	if !young {
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

// putValue keeps the value of a key at a commit. The cache owns it from now on.
func (c *cache) putValue(at uint64, key, v []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(v) > c.most/entryShare {
		return
	}
	if e := c.young.values[string(key)]; e != nil {
		if e.at <= at {
			c.young.bytes += len(v) - len(e.value)
			e.at, e.value = at, v
		}
		return
	}
	c.addValue(string(key), &cachedValue{at: at, value: v})
}

// putRange keeps all pairs from lo to end at a commit. The cache owns them from now on.
func (c *cache) putRange(at uint64, lo, end []byte, rows []kv.Pair) {
	e := &cachedRange{at: at, rows: rows, end: end}
	c.mu.Lock()
	defer c.mu.Unlock()
	if bytes.Compare(lo, end) >= 0 || e.size() > c.most/entryShare {
		return
	}
	if have := c.young.ranges[string(lo)]; have != nil {
		if have.at > at {
			return
		}
		c.young.bytes -= len(lo) + have.size() + entryBytes
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
	c.grow(len(key) + len(e.value))
	c.young.values[key] = e
}

func (c *cache) addRange(lo string, e *cachedRange) {
	c.grow(len(lo) + e.size())
	c.young.ranges[lo] = e
}

// grow makes room for an entry.
func (c *cache) grow(n int) {
	most := c.most / 2
	if c.held > 0 {
		most /= heldCache
	}
	if n += entryBytes; c.young.bytes+n > most {
		c.old, c.young = c.young, newGeneration()
	}
	c.young.bytes += n
}

// after returns the key that follows a key at once.
func after(key []byte) []byte { return append(bytes.Clone(key), 0) }
