package tablekv

import (
	"context"

	"github.com/ragdb/ragdb/kv"
)

// logAhead is how many rows of commits a view reads with the record. A reader that is
// further behind reads the rest of them by another round trip.
const logAhead = 8

// logAfter returns the last commit that the cache of a reader knows, and the keys of its
// row and the next ones. The row of the last one itself tells whether the table still
// has that commit.
func (s *Store) logAfter() (since uint64, keys [][]byte) {
	since, by := s.cache.last()
	if !s.opts.ReadOnly || by == 0 {
		return since, nil
	}
	for n := range uint64(logAhead + 1) {
		keys = append(keys, logKey(since+n))
	}
	return since, keys
}

// follow brings the cache of a reader up to the view's commit. rows are those that
// [Store.logAfter] asked for.
func (v *view) follow(ctx context.Context, since uint64, rows [][]byte) {
	c := v.s.cache
	commit, by := c.last()
	switch {
	case v.rec.by == 0:
		return // nobody has written yet
	case by != 0 && commit >= v.rec.commit:
		return // moment tells whether it is one of those
	case len(rows) == 0 || v.rec.commit-since >= logCommits:
		c.begin(v.rec.commit, v.rec.by)
		return
	}
	if n := v.rec.commit - since + 1; n > uint64(len(rows)) {
		keys := make([][]byte, 0, n)
		for i := uint64(len(rows)); i < n; i++ {
			keys = append(keys, logKey(since+i))
		}
		more, err := v.t.MultiGet(ctx, keys)
		if err != nil {
			return // the view goes on without a cache, if it is not lost
		}
		rows = append(rows, more...)
	}
	rows = rows[:v.rec.commit-since+1]
	all := make([]changed, len(rows))
	for i, b := range rows {
		var ok bool
		if all[i], ok = decodeChanged(b); !ok {
			c.begin(v.rec.commit, v.rec.by)
			return
		}
	}
	if c.moment(since, all[0].by) == (moment{}) || all[len(all)-1].by != v.rec.by {
		c.begin(v.rec.commit, v.rec.by)
		return
	}
	for i, what := range all[1:] {
		c.follow(since+uint64(i), what)
	}
}

// unknown sets the pairs of keys that the cache knows, and returns the places and keys of
// the others.
func (v *view) unknown(keys [][]byte, pairs []kv.Pair) (at []int, missing [][]byte) {
	for i, k := range keys {
		if val, ok := v.s.cache.value(v.at, k); ok {
			pairs[i] = kv.Pair{Key: k, Value: val}
			continue
		}
		at, missing = append(at, i), append(missing, k)
	}
	return at, missing
}

// keep keeps values in the cache.
func (v *view) keep(pairs []kv.Pair) {
	for _, p := range pairs {
		v.s.cache.putValue(v.at, p.Key, p.Value)
	}
}

// logged returns the next commit, what is written of it, and the row that goes.
func (s *Store) logged(what *changed) (commit uint64, row kv.Pair, drop [][]byte) {
	commit = s.record().commit + 1
	most := logBytes
	for _, b := range []int{s.bounds.ChangeBytes / 8, s.bounds.ValueBytes} {
		if b > 0 {
			most = min(most, b)
		}
	}
	if commit > logCommits {
		drop = [][]byte{logKey(commit - logCommits)}
	}
	return commit, kv.Pair{Key: logKey(commit), Value: what.encode(most)}, drop
}

// note has the cache know a commit of this writer, and what it has written.
func (s *Store) note(commit uint64, what changed, c *kv.Changes) {
	s.cache.follow(commit-1, what)
	at := s.cache.moment(commit, s.id)
	if c.Bytes() > int(s.opts.CacheBytes)/entryShare {
		return
	}
	for _, k := range c.Delete {
		if k[0] != own {
			s.cache.putValue(at, k, nil)
		}
	}
	for _, p := range c.Set {
		if p.Key[0] != own && p.Value[0] == valueWhole {
			s.cache.putValue(at, p.Key, p.Value[1:])
		}
	}
}
