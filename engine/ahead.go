package engine

import (
	"bytes"
	"context"
	"errors"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// errNotRead is the error of a read on what [Snapshot.Ahead] has not read yet.
var errNotRead = errors.New("not read yet")

// maxAheadRounds bounds the round trips of one call of [Snapshot.Ahead].
const maxAheadRounds = 16

// Ahead reads together what n reads are going to read one after the other, if each read
// of the store is a round trip to a server ([kv.Gatherer]); else it does nothing. It calls
// read with each i below n and a snapshot that notes what it cannot tell yet, reads all of
// that in one round trip, and does so again with those that came further by it. What was
// read is kept for the reads that follow. read must change nothing and ignore no error;
// what it returns does not matter. It must not keep the snapshot that it is given.
func (s *Snapshot) Ahead(ctx context.Context, n int, read func(s *Snapshot, i int) error) error {
	if read == nil {
		return phase.Mark(ErrInvalid, "read ahead: no function to call")
	}
	if s == nil || n <= 0 {
		return nil
	}
	r, ok := s.kv.(*aheadReader)
	if !ok {
		return nil
	}
	todo := make([]int, n)
	for i := range todo {
		todo[i] = i
	}
	if r.wants != nil {
		// A call within another one's read notes what all of its own are going to read.
		before := r.wants.misses
		for _, i := range todo {
			_ = read(s, i) // the reads that follow return its error
		}
		if r.wants.misses > before {
			return errNotRead
		}
		return nil
	}
	for range maxAheadRounds {
		if len(todo) == 0 || r.known.full() {
			break
		}
		w := &aheadWants{keys: map[string]struct{}{}, ranges: map[string]kv.Range{}}
		d := &Snapshot{db: s.db, ctx: s.ctx, kv: &aheadReader{Snapshot: r.Snapshot, from: r.from, split: r.split, known: r.known, wants: w}, epoch: s.epoch}
		rest := todo[:0]
		for _, i := range todo {
			before := w.misses
			_ = read(d, i) // as above
			if w.misses > before {
				rest = append(rest, i)
			}
		}
		if err := firstError(d.release(), ctx.Err(), r.gather(ctx, w)); err != nil {
			return phase.Errorf("read ahead: %w", err)
		}
		todo = rest
	}
	return nil
}

// ahead is [Snapshot.Ahead] of reads of one graph; it does nothing in a transaction.
func (r *reader) ahead(n int, read func(r *reader, i int) error) error {
	if r.snap == nil {
		return nil
	}
	return r.snap.Ahead(r.ctx, n, func(s *Snapshot, i int) error {
		return read(&s.Graph(r.graph).WithContext(r.ctx).reader, i)
	})
}

// Ahead is [Snapshot.Ahead] of reads of the view's graph.
func (v *View) Ahead(n int, read func(v *View, i int) error) error {
	if read == nil {
		return phase.Mark(ErrInvalid, "read ahead: no function to call")
	}
	return v.snap.Ahead(v.ctx, n, func(s *Snapshot, i int) error { return read(s.Graph(v.graph).WithContext(v.ctx), i) })
}

// aheadWants is what reads miss.
type aheadWants struct {
	keys   map[string]struct{}
	ranges map[string]kv.Range
	misses int
}

// aheadReader is a snapshot of a store behind a server. It keeps what was read.
type aheadReader struct {
	kv.Snapshot
	from  kv.Gatherer
	split func(key []byte) int
	known *aheadKnown
	wants *aheadWants // what to note it in instead of reading; nil reads
}

// newAheadReader returns a snapshot that keeps what is read of it, if each read is a
// round trip.
func newAheadReader(s kv.Snapshot) kv.Snapshot {
	g, ok := s.(kv.Gatherer)
	if !ok {
		return s
	}
	return &aheadReader{Snapshot: s, from: g, split: layout.Schema().Split, known: newAheadKnown()}
}

// Get implements [kv.Reader].
func (r *aheadReader) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	v, ok := r.known.value(key)
	if !ok {
		if r.wants != nil {
			r.wants.misses++
			r.wants.keys[string(key)] = struct{}{}
			return dst, errNotRead
		}
		n := len(dst)
		out, err := r.Snapshot.Get(ctx, key, dst)
		switch {
		case err == nil:
			r.known.put(key, append([]byte{}, out[n:]...))
		case errors.Is(err, kv.ErrNotFound):
			r.known.put(key, nil)
		}
		return out, err
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	if v == nil {
		return dst, kv.ErrNotFound
	}
	return append(dst, v...), nil
}

// MultiGet implements [kv.Reader].
func (r *aheadReader) MultiGet(ctx context.Context, keys [][]byte, fn func(i int, v []byte) error) error {
	values := make([][]byte, len(keys))
	var missing [][]byte
	var at []int
	for i, k := range keys {
		var ok bool
		if values[i], ok = r.known.value(k); !ok {
			missing, at = append(missing, k), append(at, i)
		}
	}
	if len(missing) > 0 && r.wants != nil {
		r.wants.misses++
		for _, k := range missing {
			r.wants.keys[string(k)] = struct{}{}
		}
		return errNotRead
	}
	if len(missing) > 0 {
		err := r.Snapshot.MultiGet(ctx, missing, func(i int, v []byte) error {
			if v != nil {
				v = append([]byte{}, v...)
			}
			r.known.put(missing[i], v)
			values[at[i]] = v
			return nil
		})
		if err != nil {
			return err
		}
	}
	for i, v := range values {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(i, v); err != nil {
			return err
		}
	}
	return nil
}

// Gather implements [kv.Gatherer]. It keeps what it reads.
func (r *aheadReader) Gather(ctx context.Context, keys [][]byte, ranges []kv.Range, limit int) (values [][]byte, rows [][]kv.Pair, err error) {
	values = make([][]byte, len(keys))
	if err = r.MultiGet(ctx, keys, func(i int, v []byte) error {
		values[i] = v
		return nil
	}); err != nil || len(ranges) == 0 {
		return values, nil, err
	}
	if r.wants == nil {
		_, rows, err = r.from.Gather(ctx, nil, ranges, limit)
		return values, rows, err
	}
	rows = make([][]kv.Pair, len(ranges))
	for i, g := range ranges {
		for p, err := range scanRange(ctx, r, g.Lo, g.Hi) {
			if err != nil {
				return nil, nil, err
			}
			if len(rows[i]) == limit {
				break
			}
			rows[i] = append(rows[i], kv.Pair{Key: bytes.Clone(p.key), Value: bytes.Clone(p.value)})
		}
	}
	return values, rows, nil
}

// Iter implements [kv.Reader].
func (r *aheadReader) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	return &aheadIter{r: r, ctx: ctx, lo: append([]byte{}, lo...), hi: append([]byte(nil), hi...)}, ctx.Err()
}

// Close implements [kv.Snapshot]. A reader that notes what it misses closes nothing.
func (r *aheadReader) Close() error {
	if r.wants != nil {
		return nil
	}
	return r.Snapshot.Close()
}

// aheadKeys is how many keys and ranges are read by one round trip.
const aheadKeys = 1 << 14

// gather reads what is wanted.
func (r *aheadReader) gather(ctx context.Context, w *aheadWants) error {
	var keys [][]byte
	var ranges []kv.Range
	flush := func() error {
		values, rows, err := r.from.Gather(ctx, keys, ranges, aheadRows)
		if err != nil {
			return err
		}
		for i, v := range values {
			r.known.put(keys[i], v)
		}
		for i, some := range rows {
			r.known.putRange(ranges[i], some)
		}
		keys, ranges = nil, nil
		return nil
	}
	for k := range w.keys {
		if keys = append(keys, []byte(k)); len(keys) == aheadKeys {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	for _, s := range w.ranges {
		if ranges = append(ranges, s); len(keys)+len(ranges) >= aheadKeys {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if len(keys)+len(ranges) == 0 {
		return nil
	}
	return flush()
}
