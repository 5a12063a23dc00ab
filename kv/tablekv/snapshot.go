package tablekv

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/ragdb/ragdb/kv"
)

// view is one state of the table, as a store shows it. Snapshots and iterators share it;
// the last of them closes the table's view.
type view struct {
	s     *Store
	t     kv.TableView
	rec   record
	new   bool // the table has no state record
	users atomic.Int64
	// first has the values of the keys that were read with the record, as the table
	// has them.
	first map[string][]byte
	at    moment // of the cache, if it knows the view's commit and what changed since
}

// view opens the latest commit and reads keys of it.
func (s *Store) view(ctx context.Context, keys ...[]byte) (*view, error) {
	v := &view{s: s}
	v.users.Store(1)
	ask := append([][]byte{stateKey}, keys...)
	since, log := s.logAfter()
	ask = append(ask, log...)
	var vals [][]byte
	err := s.patiently(ctx, func() (err error) {
		v.t, vals, err = s.table.View(ctx, ask...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.new = vals[0] == nil; !v.new {
		if v.rec, err = decodeRecord(vals[0]); err != nil {
			v.release()
			return nil, err
		}
	}
	if !s.opts.ReadOnly && v.rec.fence != s.fence.Load() {
		// Another process has committed since. The layers above would mix its rows with
		// what they keep in memory of this process's last commit.
		v.release()
		return nil, kv.ErrLease
	}
	if s.opts.ReadOnly {
		v.follow(ctx, since, vals[1+len(keys):])
	}
	if !v.rec.staged && v.rec.by != 0 {
		v.at = s.cache.moment(v.rec.commit, v.rec.by)
	}
	if len(keys) > 0 && !v.rec.staged {
		v.first = make(map[string][]byte, len(keys))
		for i, k := range keys {
			v.first[string(k)] = vals[i+1]
		}
	}
	return v, nil
}

// reading calls fn with a view of the latest commit, of which it may already have the
// values of keys. It calls fn again, with a new view, if the first is lost meanwhile, as
// with its connection.
func (s *Store) reading(ctx context.Context, keys [][]byte, fn func(v *view) error) error {
	return s.patiently(ctx, func() error {
		v, err := s.view(ctx, keys...)
		if err != nil {
			return err
		}
		defer v.release()
		if err = fn(v); errors.Is(err, kv.ErrExpired) {
			err = errors.Join(kv.ErrRefused, err)
		}
		return err
	})
}

func (v *view) hold() *view {
	v.users.Add(1)
	return v
}

func (v *view) release() {
	if v.users.Add(-1) == 0 {
		// The state was read: what the end of its transaction says changes nothing.
		_ = v.t.Close()
	}
}

// raw returns the values of keys as they are in the table, with staged changes in front.
func (v *view) raw(ctx context.Context, keys [][]byte) ([][]byte, error) {
	if v.first != nil {
		out := make([][]byte, len(keys))
		all := true
		for i, k := range keys {
			var has bool
			if out[i], has = v.first[string(k)]; !has {
				all = false
				break
			}
		}
		if all {
			return v.count(keys, out), nil
		}
	}
	if !v.rec.staged {
		out, err := v.t.MultiGet(ctx, keys)
		return v.count(keys, out), err
	}
	ask := make([][]byte, 0, 2*len(keys))
	ask = append(ask, keys...)
	for _, k := range keys {
		ask = append(ask, stagedKey(k))
	}
	vals, err := v.t.MultiGet(ctx, ask)
	if err != nil {
		return nil, err
	}
	out := vals[:len(keys)]
	for i, st := range vals[len(keys):] {
		switch {
		case st != nil:
			out[i], err = stagedValue(st)
			if err != nil {
				return nil, err
			}
		case v.rec.hidden(keys[i]):
			out[i] = nil
		}
	}
	return out, nil
}

// count makes the values of rows that do not count nil, and returns all values.
func (v *view) count(keys, vals [][]byte) [][]byte {
	for i := range vals {
		if vals[i] != nil && v.rec.hidden(keys[i]) {
			vals[i] = nil
		}
	}
	return vals
}

// multiGet calls fn with the values of keys.
func (v *view) multiGet(ctx context.Context, keys [][]byte, fn func(i int, val []byte) error) error {
	pairs, err := v.values(ctx, keys)
	if err != nil {
		return err
	}
	return each(ctx, pairs, fn)
}

// values returns the values of keys, nil for a key that has none.
func (v *view) values(ctx context.Context, keys [][]byte) ([]kv.Pair, error) {
	if len(keys) == 0 {
		return nil, ctx.Err()
	}
	pairs := make([]kv.Pair, len(keys))
	at, missing := v.unknown(keys, pairs)
	if len(missing) == 0 {
		return pairs, ctx.Err()
	}
	vals, err := v.raw(ctx, missing)
	if err != nil {
		return nil, err
	}
	read := make([]kv.Pair, len(missing))
	for i, k := range missing {
		read[i] = kv.Pair{Key: k, Value: vals[i]}
	}
	if err := v.whole(ctx, read); err != nil {
		return nil, err
	}
	v.keep(read)
	for i, p := range read {
		pairs[at[i]] = p
	}
	return pairs, nil
}

// each calls fn with each value.
func each(ctx context.Context, pairs []kv.Pair, fn func(i int, val []byte) error) error {
	for i, p := range pairs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(i, p.Value); err != nil {
			return err
		}
	}
	return nil
}

// page returns the first pairs of a range, about limit of them, or the last ones if
// reverse is set, always in ascending order and with whole values. They are all that
// there are from lo to end, or from end to hi.
func (v *view) page(ctx context.Context, lo, hi []byte, reverse bool, limit int) (pairs []kv.Pair, end []byte, err error) {
	edge := func(got []kv.Pair, open []byte) []byte { // to where a scan tells all
		if len(got) < limit {
			return open
		}
		k := got[len(got)-1].Key
		if reverse {
			return k
		}
		return append(bytes.Clone(k), 0)
	}
	open := hi
	if reverse {
		open = lo
	} else if rows, end, ok := v.s.cache.rows(v.at, lo, hi); ok {
		return rows, end, nil
	}
	var got []kv.Pair
	if lo, hi := v.rec.shown(lo, hi, reverse); bytes.Compare(lo, hi) < 0 {
		if got, err = v.t.Scan(ctx, lo, hi, reverse, limit); err != nil {
			return nil, nil, err
		}
	}
	end = edge(got, open)
	if !v.rec.staged {
		got = slices.DeleteFunc(got, func(p kv.Pair) bool { return v.rec.hidden(p.Key) })
	} else {
		over, err := v.t.Scan(ctx, stagedKey(lo), stagedKey(hi), reverse, limit)
		if err != nil {
			return nil, nil, err
		}
		for i := range over {
			over[i].Key = over[i].Key[len(stagedLo):]
		}
		end2 := edge(over, open)
		if before := bytes.Compare(end2, end) < 0; before != reverse {
			end = end2
		}
		if got, err = v.layered(got, over, end, reverse); err != nil {
			return nil, nil, err
		}
	}
	if reverse {
		for i, j := 0, len(got)-1; i < j; i, j = i+1, j-1 {
			got[i], got[j] = got[j], got[i]
		}
	}
	if err := v.whole(ctx, got); err != nil {
		return nil, nil, err
	}
	if !reverse {
		v.s.cache.putRange(v.at, bytes.Clone(lo), bytes.Clone(end), got)
	}
	return got, end, nil
}

// layered merges pairs with staged changes, up to end.
func (v *view) layered(base, over []kv.Pair, end []byte, reverse bool) (out []kv.Pair, err error) {
	in := func(k []byte) bool {
		if reverse {
			return bytes.Compare(k, end) >= 0
		}
		return bytes.Compare(k, end) < 0
	}
	for len(base) > 0 || len(over) > 0 {
		c := -1
		switch {
		case len(base) == 0:
			c = 1
		case len(over) > 0:
			if c = bytes.Compare(base[0].Key, over[0].Key); reverse {
				c = -c
			}
		}
		if c < 0 {
			if p := base[0]; in(p.Key) && !v.rec.hidden(p.Key) {
				out = append(out, p)
			}
			base = base[1:]
			continue
		}
		p := over[0]
		if over = over[1:]; c == 0 {
			base = base[1:]
		}
		if !in(p.Key) {
			continue
		}
		if p.Value, err = stagedValue(p.Value); err != nil {
			return nil, err
		}
		if p.Value != nil {
			out = append(out, p)
		}
	}
	return out, nil
}

// snapshot implements kv.Snapshot.
type snapshot struct {
	v      *view
	closed atomic.Bool
}

func (sn *snapshot) enter(ctx context.Context) error {
	if sn.closed.Load() {
		return kv.ErrClosed
	}
	return ctx.Err()
}

// Get appends the value of key to dst. It is one round trip.
func (sn *snapshot) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	err := sn.MultiGet(ctx, [][]byte{key}, func(_ int, v []byte) error {
		if v == nil {
			return kv.ErrNotFound
		}
		dst = append(dst, v...)
		return nil
	})
	return dst, err
}

// MultiGet calls fn for each key in the order of keys. It is one round trip.
func (sn *snapshot) MultiGet(ctx context.Context, keys [][]byte, fn func(i int, v []byte) error) error {
	if err := sn.enter(ctx); err != nil {
		return err
	}
	return sn.v.multiGet(ctx, keys, fn)
}

// Iter returns an iterator. It makes no round trip.
func (sn *snapshot) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	if err := sn.enter(ctx); err != nil {
		return nil, err
	}
	return newIterator(ctx, sn.v.hold(), lo, hi), nil
}

// Close releases the snapshot. A second Close does nothing.
func (sn *snapshot) Close() error {
	if !sn.closed.Swap(true) {
		sn.v.s.handles.Snapshots.Add(-1)
		sn.v.release()
	}
	return nil
}
