package pebblekv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/ragdb/ragdb/kv"
)

// Flush moves all batches into tables.
func (s *Store) Flush(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return s.wrap("flush", err)
	}
	defer s.life.Leave()
	return s.wrap("flush", s.flush(ctx))
}

func (s *Store) flush(ctx context.Context) error {
	if s.readOnly {
		return kv.ErrReadOnly
	}
	done, err := s.guard.began()
	if err != nil {
		return err
	}
	defer done()
	flushed, err := s.db.AsyncFlush()
	if err != nil {
		return err
	}
	select {
	case <-flushed:
	case <-s.guard.failed:
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.guard.failure()
}

// Compact rewrites lo <= key < hi, or to the last key for a nil hi. A
// compaction that has begun goes on after ctx ends. When it returns, what was in
// logs is in tables and the logs are gone; after Close no file has anything that
// was removed before in the range, other than those of checkpoints.
func (s *Store) Compact(ctx context.Context, lo, hi []byte) error {
	if err := s.enter(ctx); err != nil {
		return s.wrap("compact", err)
	}
	defer s.life.Leave()
	return s.wrap("compact", s.compact(ctx, lo, hi))
}

func (s *Store) compact(ctx context.Context, lo, hi []byte) error {
	if s.readOnly {
		return kv.ErrReadOnly
	}
	if hi == nil {
		hi = aboveAll
	}
	if bytes.Compare(lo, hi) >= 0 {
		return nil
	}
	if err := s.guard.failure(); err != nil {
		return err
	}
	s.compacted.Store(true)
	if err := s.flush(ctx); err != nil {
		return err
	}
	newest := s.guard.newestLog.Load()
	// Compactions wait once the store has failed, so this call must not.
	within, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-s.guard.failed:
			cancel()
		case <-within.Done():
		}
	}()
	err := s.db.Compact(within, lo, hi, true)
	cancel()
	<-watched
	if failure := s.guard.failure(); failure != nil {
		return failure
	}
	if err != nil {
		return err
	}
	return s.waitForLogs(ctx, newest)
}

// waitForLogs waits until Pebble has removed the logs before newest, which are
// not needed any more. It gives up after some seconds: a checkpoint that is being made
// keeps them until it is done.
func (s *Store) waitForLogs(ctx context.Context, newest uint64) error {
	for range 5000 {
		names, err := s.fs.List(s.dir)
		if err != nil {
			return err
		}
		old := slices.ContainsFunc(names, func(name string) bool {
			f, ok := factOf(name)
			return ok && f.kind == logFile && f.number < newest
		})
		if !old {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.guard.failed:
			return s.guard.failure()
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// DiskBytes returns about how many bytes of tables the range lo <= key < hi
// takes, compressed as they are. It does not count data that is still in memory.
func (s *Store) DiskBytes(ctx context.Context, lo, hi []byte) (uint64, error) {
	if err := s.enter(ctx); err != nil {
		return 0, s.wrap("disk bytes", err)
	}
	defer s.life.Leave()
	if bytes.Compare(lo, hi) >= 0 {
		return 0, nil
	}
	n, err := s.db.EstimateDiskUsage(lo, hi)
	return n, s.wrap("disk bytes", err)
}

// Checkpoint writes a copy of the store to the directory dir, which must not
// exist. Tables are hard links if the file system has them. A store that is
// open for reading is [kv.ErrReadOnly].
func (s *Store) Checkpoint(ctx context.Context, dir string) error {
	if err := s.enter(ctx); err != nil {
		return s.wrap("checkpoint", err)
	}
	defer s.life.Leave()
	err := s.checkpoint(dir)
	if errors.Is(err, errNoManifest) {
		// Whatever is flushed makes Pebble open one.
		if err = s.flush(ctx); err == nil {
			err = s.checkpoint(dir)
		}
	}
	return s.wrap("checkpoint", err)
}

// errNoManifest says that Pebble has no manifest open, as after an open that had
// nothing to recover: it then copies nothing of the one there is, and reports no
// error.
var errNoManifest = errors.New("the copy of the manifest is empty")

func (s *Store) checkpoint(dir string) (err error) {
	if s.readOnly {
		return kv.ErrReadOnly // Pebble has no manifest open to copy
	}
	done, err := s.guard.began()
	if err != nil {
		return err
	}
	defer done()
	// Pebble panics if it cannot sync the new directory.
	defer func() {
		if r := recover(); r != nil {
			cause, ok := r.(error)
			if !ok {
				panic(r)
			}
			err = errors.Join(cause, s.fs.RemoveAll(dir))
		}
	}()
	if err := s.db.Checkpoint(dir, pebble.WithFlushedWAL()); err != nil {
		return err
	}
	err = s.hasManifest(dir)
	if err == nil {
		err = writeWitness(s.fs, dir)
	}
	if err != nil {
		return errors.Join(err, s.fs.RemoveAll(dir))
	}
	return s.guard.failure()
}

// hasManifest returns errNoManifest if the manifest of a checkpoint is empty.
func (s *Store) hasManifest(dir string) error {
	names, err := s.fs.List(dir)
	if err != nil {
		return err
	}
	info, err := s.fs.Stat(s.fs.PathJoin(dir, currentManifest(names)))
	if err == nil && info.Size() == 0 {
		err = errNoManifest
	}
	return err
}

// Check reads every block of every table and compares its checksum, then
// checks the order of the keys of all levels and that merges fold.
func (s *Store) Check(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return s.wrap("check", err)
	}
	defer s.life.Leave()
	if err := s.checkTables(ctx); err != nil {
		return s.wrap("check", err)
	}
	return s.wrap("check", s.db.CheckLevels(nil))
}

func (s *Store) checkTables(ctx context.Context) error {
	seen := map[string]bool{}
	names, err := s.tables()
	if err != nil {
		return err
	}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.checkTable(ctx, name)
		if !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				return err
			}
			continue
		}
		// A compaction has replaced it since, or it is lost.
		if names, err = s.tables(); err != nil {
			return err
		}
		for _, n := range names {
			if n == name {
				return &kv.CorruptError{File: name, Why: "the file is missing"}
			}
		}
	}
	return nil
}

// tables returns the file names of the live tables.
func (s *Store) tables() ([]string, error) {
	levels, err := s.db.SSTables()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, level := range levels {
		for _, t := range level {
			names = append(names, fmt.Sprintf("%s.sst", t.BackingSSTNum))
		}
	}
	return names, nil
}

func (s *Store) checkTable(ctx context.Context, name string) (err error) {
	f, err := s.guard.Open(s.fs.PathJoin(s.dir, name))
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r, err := sstable.NewReader(ctx, readable, s.opts.MakeReaderOptions())
	if err != nil {
		_ = readable.Close()
		return tableError(name, err)
	}
	err = r.ValidateBlockChecksums()
	_ = r.Close()
	return tableError(name, err)
}

func tableError(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case pebble.IsCorruptionError(err):
		return &kv.CorruptError{File: name, Err: &oneLine{err}}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Metrics returns the figures of this moment; of a closed store none.
func (s *Store) Metrics() kv.Metrics {
	if !s.life.Enter() {
		return kv.Metrics{}
	}
	defer s.life.Leave()
	m := s.db.Metrics()
	out := kv.Metrics{
		DiskBytes:       m.DiskSpaceUsage(),
		WALBytes:        m.WAL.Size,
		MemtableBytes:   m.MemTable.Size,
		CacheBytes:      uint64(m.BlockCache.Size),
		CacheHits:       m.BlockCache.Hits,
		CacheMisses:     m.BlockCache.Misses,
		ReadAmp:         m.ReadAmp(),
		WriteStalls:     s.stalls.Load(),
		OpenSnapshots:   int(s.handles.Snapshots.Load()),
		PinnedKeys:      m.Snapshots.PinnedKeys,
		BackgroundError: s.guard.failure(),
	}
	for _, l := range m.Levels {
		out.Files += int(l.TablesCount)
		out.CompactedBytes += l.TableBytesCompacted
	}
	return out
}
