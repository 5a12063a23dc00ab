package vecindex

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/ragdb/ragdb/kv"
)

// Index is one generation of a vector space in a store. It is safe for
// concurrent use, writes excepted: see [Index.Begin]. It holds no resource but
// memory and need not be closed.
type Index struct {
	store kv.Store
	cfg   Config
	limit int64
	room  func() int64

	mirror  atomic.Pointer[mirror] // nil where there is none
	scratch sync.Pool              // *scratch

	// mu protects the change from one mirror to the next. Readers take it only
	// to build the first one, and not while they build.
	mu       sync.Mutex
	loading  chan struct{} // closed when the build under way ends
	buffered []*Write      // published during that build
}

// Open returns the index that c describes, with the options o; nil is the
// zero Options. It reads one record. An index that was never written is empty.
// The error is a [*StampError] where the index holds other vectors than c
// says, and that of [Config.Validate] where c is not valid.
func Open(ctx context.Context, st kv.Store, c Config, o *Options) (*Index, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("vecindex: open: %w", err)
	}
	ix := &Index{store: st, cfg: c}
	if o != nil {
		ix.limit, ix.room = o.MaxMirrorBytes, o.Room
	}
	ix.scratch.New = func() any { return new(scratch) }
	if _, err := ix.readMeta(ctx, st); err != nil {
		return nil, ix.wrap("open", err)
	}
	return ix, nil
}

// Config returns the configuration that the index was opened with.
func (ix *Index) Config() Config { return ix.cfg }

// MemoryBytes returns the size of the mirror. Versions that only open Views
// hold come on top.
func (ix *Index) MemoryBytes() int64 {
	if m := ix.mirror.Load(); m != nil {
		return m.size
	}
	return 0
}

// Source says where searches of an index read vectors.
type Source uint8

// The sources.
const (
	Unloaded Source = iota // nothing was searched yet: memory, if it fits
	Memory                 // the mirror
	Disk                   // the store: there is to be no mirror, or it is too large
)

// String returns the source's name.
func (s Source) String() string {
	switch s {
	case Unloaded:
		return "unloaded"
	case Memory:
		return "memory"
	case Disk:
		return "disk"
	}
	return fmt.Sprintf("source(%d)", uint8(s))
}

// Stats are an index's figures at one moment.
type Stats struct {
	Vectors     int    // in the latest commit
	Source      Source // of the next search of the latest commit
	MemoryBytes int64  // size of the mirror
	Dead        int    // vectors in the mirror that only older Views see
}

// Stats reads one record and returns the index's figures.
func (ix *Index) Stats(ctx context.Context) (Stats, error) {
	m, err := ix.readMeta(ctx, ix.store)
	if err != nil {
		return Stats{}, ix.wrap("stats", err)
	}
	s := Stats{Vectors: int(m.live)}
	switch mirror := ix.mirror.Load(); {
	case mirror != nil:
		s.Source, s.MemoryBytes, s.Dead = Memory, mirror.size, mirror.dead
	case !ix.fits(m.live):
		s.Source = Disk
	}
	return s, nil
}

// wrap names the index and the operation in an error.
func (ix *Index) wrap(op string, err error) error {
	t := ix.cfg.Table
	return fmt.Errorf("vecindex: %s (graph %d, space %d, generation %d): %w", op, t.Graph, t.Space, t.Generation, err)
}

func (ix *Index) in(r kv.Reader) stored {
	return stored{r: r, table: ix.cfg.Table, dim: ix.cfg.Dim}
}

// readMeta reads the index's record and checks its stamp.
func (ix *Index) readMeta(ctx context.Context, r kv.Reader) (meta, error) {
	m, err := ix.in(r).meta(ctx)
	if err != nil {
		return meta{}, err
	}
	if want := ix.cfg.stamp(); m.seq != 0 && m.stamp != want {
		return meta{}, &StampError{Want: m.stamp, Have: want}
	}
	return m, nil
}

// fits reports whether n vectors may be mirrored.
func (ix *Index) fits(n uint32) bool {
	limit := ix.bound()
	return limit == 0 || mirrorBytes(n, ix.cfg.Dim) <= limit/4*3
}

// bound returns the bytes that a mirror may have now; 0 is no bound.
func (ix *Index) bound() int64 {
	if ix.room == nil || ix.limit < 0 {
		return ix.limit
	}
	room := max(ix.room(), 1)
	if ix.limit > 0 {
		room = min(room, ix.limit)
	}
	return room
}

// load returns the mirror, building it where there is none yet, or nil where
// there is to be none. Callers that meet a build under way wait for it.
func (ix *Index) load(ctx context.Context) (*mirror, error) {
	if m := ix.mirror.Load(); m != nil || ix.limit < 0 {
		return m, nil
	}
	done := make(chan struct{})
	for {
		ix.mu.Lock()
		if m := ix.mirror.Load(); m != nil {
			ix.mu.Unlock()
			return m, nil
		}
		other := ix.loading
		if other == nil {
			ix.loading = done
			ix.mu.Unlock()
			break
		}
		ix.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	m, err := ix.build(ctx)

	ix.mu.Lock()
	defer ix.mu.Unlock()
	for _, w := range ix.buffered {
		if m == nil || w.seq <= m.head {
			continue
		}
		if w.base != m.head {
			m = nil // a commit was not published: the next use builds anew
			continue
		}
		m.apply(w)
	}
	ix.loading, ix.buffered = nil, nil
	ix.keep(m)
	close(done)
	return ix.mirror.Load(), err
}

// keep makes m the current mirror unless it is over the limit.
func (ix *Index) keep(m *mirror) {
	if limit := ix.bound(); m != nil && limit > 0 && m.size > limit {
		m = nil
	}
	ix.mirror.Store(m)
}

// build reads a mirror from the latest commit; it is nil where the vectors do
// not fit.
func (ix *Index) build(ctx context.Context) (m *mirror, err error) {
	snap, err := ix.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := snap.Close(); err == nil && cerr != nil {
			m, err = nil, cerr
		}
	}()
	head, err := ix.readMeta(ctx, snap)
	if err != nil || !ix.fits(head.live) {
		return nil, err
	}
	m = newMirror(ix.cfg.Dim, int(head.live), head.seq)
	row := make([]float32, ix.cfg.Dim)
	err = ix.in(snap).scan(ctx, func(rec slotRecord, slot uint32, key, raw []byte) error {
		if slot >= head.next {
			return corrupt(key, "slot %d of %d", slot, head.next)
		}
		if rec.born == 0 || rec.born > head.seq {
			return corrupt(key, "born in commit %d, after the last one %d", rec.born, head.seq)
		}
		if _, ok := m.table.find(rec.id); ok {
			return corrupt(key, "node %d has a second slot", rec.id)
		}
		if err := readVector(key, raw, row); err != nil {
			return err
		}
		m.add(rec, row)
		return nil
	})
	if err == nil && m.live != int(head.live) {
		err = corrupt(ix.cfg.Table.Meta(metaName), "%d vectors of %d", m.live, head.live)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}
