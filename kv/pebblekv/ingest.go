package pebblekv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
)

// Ingest writes what fill gives into tables of at most 64 MiB beside the
// store's and adds them in one step. Until then the store does not change;
// while they are added Apply waits.
func (s *Store) Ingest(ctx context.Context, fill func(w kv.SortedWriter) error) error {
	if err := s.enter(ctx); err != nil {
		return s.wrap("ingest into", err)
	}
	defer s.life.Leave()
	return s.wrap("ingest into", s.ingest(ctx, fill))
}

func (s *Store) ingest(ctx context.Context, fill func(w kv.SortedWriter) error) error {
	if s.readOnly {
		return kv.ErrReadOnly
	}
	done, err := s.guard.began()
	if err != nil {
		return err
	}
	defer done()
	w := &tableWriter{store: s, ctx: ctx}
	defer w.discard()
	if err := fill(w); err != nil {
		return err
	}
	if w.err != nil {
		return w.err
	}
	if err := w.finish(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil || len(w.files) == 0 {
		return err
	}
	return s.commitTables(ctx, w.files)
}

// commitTables makes every earlier batch durable and then adds the tables.
func (s *Store) commitTables(ctx context.Context, files []string) error {
	s.order.Lock()
	defer s.order.Unlock()
	err := s.db.LogData(nil, pebble.Sync)
	if err == nil {
		err = s.db.Ingest(ctx, files)
	}
	if failure := s.guard.failure(); failure != nil {
		return failure
	}
	return err
}

// tableWriter implements kv.SortedWriter. It writes past the guard: an error
// here is the ingest's alone.
type tableWriter struct {
	store *Store
	ctx   context.Context
	table *sstable.Writer // nil between tables
	files []string        // all staged files
	last  []byte
	begun bool
	until []byte // end of the last range that is removed
	n     int    // keys written
	size  uint64 // bytes of keys and values in table
	err   error  // sticky
}

// checkKeys is how many keys are written between looks at the context.
const checkKeys = 1024

func (w *tableWriter) Set(k, v []byte) error {
	return w.add(k, v, (*sstable.Writer).Set)
}

func (w *tableWriter) Merge(k, op []byte) error {
	return w.add(k, op, (*sstable.Writer).Merge)
}

func (w *tableWriter) Delete(k []byte) error {
	return w.add(k, nil, func(t *sstable.Writer, k, _ []byte) error { return t.Delete(k) })
}

func (w *tableWriter) DeleteRange(lo, hi []byte) error {
	if len(lo) == 0 {
		lo = firstKey
	}
	if w.err != nil || bytes.Compare(lo, hi) >= 0 {
		return w.err
	}
	if w.begun && bytes.Compare(w.last, lo) >= 0 || bytes.Compare(w.until, lo) > 0 {
		w.err = fmt.Errorf("%w: a range from %s", kv.ErrOrder, formatKey(w.store.schema, lo))
		return w.err
	}
	if w.err = w.open(); w.err == nil {
		w.err = w.table.DeleteRange(lo, hi)
	}
	w.until = append(w.until[:0], hi...)
	return w.err
}

func (w *tableWriter) add(k, v []byte, write func(t *sstable.Writer, k, v []byte) error) error {
	if w.err != nil {
		return w.err
	}
	w.err = w.prepare(k)
	if w.err == nil {
		w.err = write(w.table, k, v)
	}
	if w.err != nil {
		return w.err
	}
	w.last, w.begun = append(w.last[:0], k...), true
	w.n++
	w.size += uint64(len(k) + len(v))
	if w.size >= w.store.maxTable && w.table.Raw().EstimatedSize() >= w.store.maxTable &&
		bytes.Compare(w.last, w.until) >= 0 { // tables do not overlap, and a range is in one of them
		w.err = w.finish()
	}
	return w.err
}

// prepare refuses a key that cannot follow, and opens a table for it.
func (w *tableWriter) prepare(k []byte) error {
	if w.n%checkKeys == 0 {
		if err := w.ctx.Err(); err != nil {
			return err
		}
	}
	if w.begun && bytes.Compare(w.last, k) >= 0 {
		return fmt.Errorf("%w: %s after %s", kv.ErrOrder,
			formatKey(w.store.schema, k), formatKey(w.store.schema, w.last))
	}
	if err := w.store.schema.ValidateKey(k); err != nil {
		return err
	}
	if w.begun && w.last[0] != k[0] && w.size >= familyTable && bytes.Compare(w.last, w.until) >= 0 {
		if err := w.finish(); err != nil {
			return err
		}
	}
	return w.open()
}

// familyTable is the size from which a table ends where the first byte of keys
// changes. Ingests whose keys ascend from one to the next in some families, and
// are spread in others, then overlap in the latter alone: the tables of the former
// go to the last level at once and are not rewritten.
const familyTable = 256 << 10

// open opens a table if none is.
func (w *tableWriter) open() error {
	if w.table != nil {
		return nil
	}
	s := w.store
	// Pebble removes files so named when it opens.
	name := s.fs.PathJoin(s.dir, fmt.Sprintf("temporary.%06d.dbtmp", s.staged.Add(1)))
	f, err := s.fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	w.files = append(w.files, name)
	w.size = 0
	opts := s.opts.MakeWriterOptions(len(s.opts.Levels)-1, s.db.TableFormat())
	opts.DisableValueBlocks = true
	// In a table of the lowest level reads pass over deletes.
	opts.WritingToLowestLevel = false
	w.table = sstable.NewWriter(objstorageprovider.NewFileWritable(f), opts)
	return nil
}

// finish syncs and closes the table being written.
func (w *tableWriter) finish() error {
	if w.table == nil {
		return nil
	}
	t := w.table
	w.table = nil
	return t.Close()
}

// discard closes the table being written and removes the staged files that
// are still there: all after an error, none after Pebble has taken them.
func (w *tableWriter) discard() {
	_ = w.finish()
	for _, name := range w.files {
		err := w.store.fs.Remove(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.store.guard.log.Errorf("remove %s: %s", name, err)
		}
	}
}
