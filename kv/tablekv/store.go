package tablekv

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/internal/lifetime"
)

// Options say how a store is opened. The zero value opens for writing.
type Options struct {
	// ReadOnly opens for reading, beside any writer.
	ReadOnly bool
	// MustExist refuses to make a store of an empty table.
	MustExist bool
	// Name is what errors call the store.
	Name string
	// Owner is what others are told of this process while it is the writer.
	Owner string
	// Lease is how long the writer may be silent before another takes its place. The
	// default is 6 seconds.
	Lease time.Duration
	// Wait is how long Open waits for a writer that is alive. By default it does not
	// wait longer than it takes to see that the writer is alive.
	Wait time.Duration
	// Patience is how long a call that the server refuses is tried again. The default
	// is 15 seconds.
	Patience time.Duration
	// CacheBytes bounds what the store keeps in memory of what it has read. The default
	// is 64 MiB.
	CacheBytes int64
}

// Store is a kv.Store in a table. It is safe for concurrent use.
type Store struct {
	table   kv.Table
	schema  *kv.Schema
	opts    Options
	bounds  kv.Bounds
	life    lifetime.Lifetime
	handles lifetime.Handles

	turn chan struct{} // holds a token; its holder is the one call that writes

	// mu is held by the one transaction that is made, and guards the fields below.
	mu    sync.Mutex
	rec   record // as the table has it, of the writer
	stuck error  // why nothing more is written

	large map[string]uint32 // the pieces of values, by key; of the holder of turn
	dirty bool              // there may be staged changes that do not count; likewise

	fence atomic.Uint64 // of this writer; 0 for a reader
	id    uint64        // what this writer calls itself in the record
	cache *cache

	stop    chan struct{} // closed by Close to end the renewal
	renewed chan struct{} // closed when it has ended
}

var (
	_ kv.Store    = (*Store)(nil)
	_ kv.Ingester = (*Store)(nil)
)

// Open opens the store in a table, making it if the table is empty. The store closes the
// table with itself, and at once if Open fails. Opening for writing takes the lease:
// the error is a [*kv.LockedError] if another process has it. A table with another
// schema is [kv.ErrIncompatible].
func Open(ctx context.Context, t kv.Table, s *kv.Schema, o *Options) (*Store, error) {
	st := &Store{
		table:  t,
		schema: s,
		bounds: t.Bounds(),
		id:     1 + rand.Uint64N(math.MaxUint64),
		turn:   make(chan struct{}, 1),
		large:  map[string]uint32{},
		stop:   make(chan struct{}),
	}
	if o != nil {
		st.opts = *o
	}
	st.opts.CacheBytes = cmp.Or(st.opts.CacheBytes, 64<<20)
	st.cache = newCache(int(st.opts.CacheBytes))
	st.opts.Lease = cmp.Or(st.opts.Lease, 6*time.Second)
	st.opts.Patience = cmp.Or(st.opts.Patience, 15*time.Second)
	st.opts.Name = cmp.Or(st.opts.Name, "the store")
	st.opts.Owner = cmp.Or(st.opts.Owner, "another process")
	st.turn <- struct{}{}
	err := st.open(ctx)
	if err != nil {
		return nil, phase.At("open "+st.opts.Name, errors.Join(err, t.Close()))
	}
	return st, nil
}

func (s *Store) open(ctx context.Context) error {
	if s.opts.ReadOnly {
		sn, err := s.view(ctx)
		if err != nil {
			return err
		}
		defer sn.release()
		if sn.new {
			if err := s.foreign(ctx); err != nil {
				return err
			}
			return kv.ErrNotFound
		}
		return s.fits(&sn.rec)
	}
	if err := s.acquire(ctx); err != nil {
		return err
	}
	rec := s.record()
	s.cache.begin(rec.commit, rec.by)
	if err := s.recover(ctx); err != nil {
		return errors.Join(err, s.yield(ctx))
	}
	s.renewed = make(chan struct{})
	go s.renew()
	return nil
}

// fits refuses a record that was written under another schema.
func (s *Store) fits(r *record) error {
	if r.comparer != s.schema.ComparerName || r.merger != s.schema.MergerName {
		return kv.ErrIncompatible
	}
	return nil
}

// enter begins a call. The returned error is nil, kv.ErrClosed or ctx's; only
// after nil the caller must call s.life.Leave.
func (s *Store) enter(ctx context.Context) error {
	if !s.life.Enter() {
		return kv.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		s.life.Leave()
		return err
	}
	return nil
}

// Get appends the value of key in the latest commit to dst.
func (s *Store) Get(ctx context.Context, key, dst []byte) ([]byte, error) {
	err := s.read(ctx, [][]byte{key}, func(_ int, v []byte) error {
		if v == nil {
			return kv.ErrNotFound
		}
		dst = append(dst, v...)
		return nil
	})
	return dst, err
}

// MultiGet calls fn for each key in the order of keys, with its value in the latest
// commit.
func (s *Store) MultiGet(ctx context.Context, keys [][]byte, fn func(i int, v []byte) error) error {
	return s.read(ctx, keys, fn)
}

func (s *Store) read(ctx context.Context, keys [][]byte, fn func(i int, v []byte) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.life.Leave()
	var vals []kv.Pair
	err := s.reading(ctx, keys, func(v *view) (err error) {
		vals, err = v.values(ctx, keys)
		return err
	})
	if err != nil {
		return err
	}
	return each(ctx, vals, fn)
}

// Iter returns an iterator over the latest commit.
func (s *Store) Iter(ctx context.Context, lo, hi []byte) (kv.Iterator, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.life.Leave()
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	return newIterator(ctx, v, lo, hi), nil
}

// Snapshot returns the state of the latest commit. It is one round trip.
func (s *Store) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.life.Leave()
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	s.handles.Snapshots.Add(1)
	return &snapshot{v: v}, nil
}

// HoldCache keeps the cache from growing beyond an eighth of its room.
func (s *Store) HoldCache() (release func()) { return s.cache.hold() }

// Close gives the lease up and closes the table. It returns an error and leaves the
// store open while snapshots or iterators are.
func (s *Store) Close() error {
	ok, err := lifetime.Shut(&s.life, &s.handles)
	switch {
	case err != nil:
		return phase.Errorf("close: %w", err)
	case !ok:
		return kv.ErrClosed
	}
	if !s.opts.ReadOnly {
		close(s.stop)
		<-s.renewed
		// Tests have leases far shorter than a busy machine needs for a call.
		ctx, cancel := context.WithTimeout(context.Background(), max(s.opts.Lease, 2*time.Second))
		defer cancel()
		err = s.yield(ctx)
	}
	if err = errors.Join(err, s.table.Close()); err != nil {
		return phase.Errorf("close: %w", err)
	}
	return nil
}
