package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/internal/lifetime"
)

// Store is an open directory. It is safe for concurrent use.
type Store struct {
	path   string // as given to Open
	dir    string // as Pebble has it
	schema *kv.Schema
	opts   *pebble.Options
	fs     vfs.FS // without the guard
	guard  *guard
	db     *pebble.DB
	lock   *pebble.Lock // nil if this open made the store
	entry  *openDir     // nil if fs is not the operating system's

	readOnly  bool
	compacted atomic.Bool // since the open
	maxBatch  int
	maxTable  uint64
	staged    atomic.Uint64 // numbers the files of ingests
	stalls    atomic.Int64
	held      cacheHold

	life    lifetime.Lifetime
	handles lifetime.Handles

	// order is held by an ingest while it commits, and shared by Apply: an
	// ingest is durable at once, so every batch before it must be too.
	order sync.RWMutex
}

var (
	_ kv.Store        = (*Store)(nil)
	_ kv.Ingester     = (*Store)(nil)
	_ kv.Checkpointer = (*Store)(nil)
	_ kv.Maintainer   = (*Store)(nil)
)

// Open opens the store in the directory path, with schema s, and creates it
// unless o forbids. The caller must Close it.
//
// The error is a *kv.LockedError if the directory is open already,
// kv.ErrForeign if it holds something else, kv.ErrIncompatible if it
// was written under other names of comparer or merger, fs.ErrNotExist if
// it is not there and must be, and satisfies errors.Is(err, kv.ErrCorrupt)
// if it is damaged.
func Open(ctx context.Context, path string, s *kv.Schema, o *Options) (*Store, error) {
	if o == nil {
		o = &Options{}
	}
	st, err := open(ctx, path, s, o)
	if err != nil {
		return nil, phase.At("open "+path, err)
	}
	return st, nil
}

func open(ctx context.Context, path string, s *kv.Schema, o *Options) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	st := &Store{
		path:     path,
		schema:   s,
		fs:       o.fs(),
		readOnly: o.ReadOnly,
		maxBatch: maxBatchBytes,
		maxTable: maxTableBytes,
	}
	st.dir = st.fs.PathJoin(path)
	if vfs.Root(st.fs) == vfs.Default {
		entry, err := openDirs.acquire(path)
		if err != nil {
			return nil, err
		}
		st.entry, st.dir = entry, entry.path
	}
	if err := st.openDB(o); err != nil {
		st.release()
		return nil, err
	}
	return st, nil
}

func (s *Store) openDB(o *Options) (err error) {
	exists, err := inspect(s.fs, s.dir)
	if err != nil {
		return err
	}
	if !exists && (o.ReadOnly || o.MustExist) {
		return fs.ErrNotExist
	}
	s.guard = newGuard(s.fs, s.dir, o.Logger)
	s.guard.readOnly = o.ReadOnly
	if exists {
		lock, err := pebble.LockDirectory(s.dir, s.guard)
		if err != nil {
			return s.openError(err, exists)
		}
		s.lock = lock
		witness, err := verifyStore(s.fs, s.dir, s.schema)
		if err != nil {
			return errors.Join(err, lock.Close())
		}
		s.guard.witness.generation, s.guard.witness.facts = witness.generation, witness.facts
		s.guard.witness.on = !o.ReadOnly
	}
	if err := s.openPebble(o, exists); err != nil {
		return errors.Join(err, s.unlock())
	}
	return nil
}

// unlock gives up the lock of a store that was there before. Pebble has its own
// share of it, and the lock of a store that it made.
func (s *Store) unlock() error {
	if s.lock == nil {
		return nil
	}
	return s.lock.Close()
}

func (s *Store) openPebble(o *Options, exists bool) (err error) {
	s.opts = o.pebbleOptions(s.schema, s.guard)
	s.opts.EventListener = &pebble.EventListener{
		BackgroundError: s.backgroundError,
		DataCorruption:  func(info pebble.DataCorruptionInfo) { s.guard.log.Errorf("%s", info) },
		WriteStallBegin: func(pebble.WriteStallBeginInfo) { s.stalls.Add(1) },
	}
	s.opts.Lock = s.lock
	s.opts.EnsureDefaults()
	// Pebble starts compactions in Open, and Open waits for them.
	s.guard.writers.Add(1)
	s.db, err = pebble.Open(s.dir, s.opts)
	s.guard.writers.Add(-1)
	s.opts.Cache.Unref() // Pebble has a reference of its own
	if err != nil {
		s.guard.witness.abandon()
		return s.openError(err, exists)
	}
	if s.entry != nil {
		openDirs.identify(s.entry)
	}
	if !o.ReadOnly {
		s.begin(!exists)
	}
	// A write that failed during the open was kept from Pebble.
	if s.guard.refused.Load() {
		close(s.guard.closing)
		err := errors.Join(s.guard.reason(), s.db.Close())
		s.guard.witness.abandon()
		return err
	}
	return nil
}

// begin makes a store that is open for writing ready for it. A failure is the
// guard's.
func (s *Store) begin(created bool) {
	if created {
		// Pebble begins the first log before it has raised the format, so that
		// damage in its middle would look like its end.
		_ = s.flush(context.Background())
	}
	if !s.guard.frozen.Load() {
		if err := s.guard.witness.start(); err != nil {
			s.guard.refuse(err)
		}
	}
	s.removeOldManifests()
}

// removeOldManifests removes the manifests before the one that the open made.
// Pebble keeps one to look into, and in it are keys of tables that are gone. A
// manifest that stays does no harm: the next open removes it. A later one stays:
// Pebble may begin it at any time, and it is then the one that counts.
func (s *Store) removeOldManifests() {
	now, err := pebble.Peek(s.dir, s.fs)
	if err != nil || !now.Exists {
		return
	}
	current, ok := manifestNumber(s.fs.PathBase(now.ManifestFilename))
	if !ok {
		return
	}
	names, err := s.fs.List(s.dir)
	if err != nil {
		return
	}
	for _, name := range names {
		if n, ok := manifestNumber(name); ok && n < current {
			if err := s.guard.Remove(s.fs.PathJoin(s.dir, name)); err != nil {
				s.guard.log.Errorf("remove %s: %s", name, err)
			}
		}
	}
}

// manifestNumber returns the number of a manifest's file name.
func manifestNumber(name string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, "MANIFEST-")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil
}

// openError classifies an error of pebble.Open. A file that the manifest
// names and that is missing or has another length is damage.
func (s *Store) openError(err error, exists bool) error {
	var failed *lockError
	switch {
	case errors.As(err, &failed):
		return locked(s.fs, s.path, s.dir, err)
	case s.guard.refused.Load():
		return errors.Join(s.guard.reason(), err)
	case exists && (errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "size mismatch")):
		return corrupt(err)
	}
	err = translate(err)
	var damage *kv.CorruptError
	if errors.As(err, &damage) && damage.File == "" {
		damage.File, _ = s.guard.replayed.Load().(string)
	}
	return err
}

// backgroundError freezes the store: what Pebble does on its own does not
// succeed any more.
func (s *Store) backgroundError(err error) {
	if errors.Is(err, pebble.ErrCancelledCompaction) {
		return
	}
	s.guard.log.Errorf("background error: %s", err)
	s.guard.fail(err)
}

// release gives up the directory in this process.
func (s *Store) release() {
	if s.entry != nil {
		openDirs.release(s.entry)
	}
}

// enter begins a call; after nil the caller must call s.life.Leave.
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

// Close moves all batches into tables and releases the directory. While snapshots
// or iterators are open it returns an error that counts them and leaves the
// store as it is. After an earlier failed write the error satisfies
// errors.Is(err, kv.ErrReadOnly), and the directory is released all the same.
// A second Close returns kv.ErrClosed.
func (s *Store) Close() error {
	ok, err := lifetime.Shut(&s.life, &s.handles)
	switch {
	case err != nil:
		return phase.At("close "+s.path, err)
	case !ok:
		return kv.ErrClosed
	}
	err = s.shut()
	if err == nil && s.compacted.Load() {
		err = s.renew()
	}
	s.release()
	return s.wrap("close", err)
}

// shut closes Pebble's store, after a flush if the log holds anything.
func (s *Store) shut() error {
	if !s.readOnly && s.db.Metrics().WAL.Size > 0 {
		_ = s.flush(context.Background()) // a failure is the guard's too
	}
	close(s.guard.closing)
	err := s.db.Close()
	if err == nil && !s.readOnly && !s.guard.frozen.Load() {
		if err := s.guard.witness.finish(); err != nil {
			s.guard.refuse(err)
		}
	}
	s.guard.witness.abandon()
	if uerr := s.unlock(); err == nil {
		err = uerr
	}
	if failure := s.guard.failure(); failure != nil {
		return failure
	}
	return err
}

// renew opens the store and closes it again, which leaves a new manifest: that of
// a session keeps the first and last keys of tables that are gone.
func (s *Store) renew() error {
	again := &Store{path: s.path, dir: s.dir, schema: s.schema, fs: s.fs}
	err := again.openDB(&Options{MustExist: true, FS: s.fs, CacheBytes: minMemtableBytes, MemtableBytes: minMemtableBytes})
	if err == nil {
		err = again.shut()
	}
	if err != nil && !errors.Is(err, kv.ErrReadOnly) {
		err = fmt.Errorf("%w: no new manifest could be made: %w", kv.ErrReadOnly, err)
	}
	return err
}
