package engine

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/internal/unfinished"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// Backup copies the database to the directory dir while the database is in use.
// dir must not exist, be empty, or hold the remains of a Backup that was killed. If it
// holds a whole backup of what the database holds now, Backup compares the two, leaves it
// as it is and returns its manifest; any other backup is [ErrExists].
// Writers wait only for the checkpoint, about ten milliseconds; the hashes of the
// files are computed afterwards. If the file system has hard links, the copy takes
// little room until the database changes, but only a copy on another disk is safe
// from the loss of the disk. [Restore] reads it.
//
// If the storage engine makes no checkpoints, as on a server, all keys of a snapshot
// are copied into a new directory; writers do not wait. A database in a directory that is
// open for reading is [ErrReadOnly]. After an error dir is as it was.
func (db *DB) Backup(ctx context.Context, dir string) (*Manifest, error) {
	m, err := db.backup(ctx, dir)
	if err != nil {
		return nil, phase.Errorf("backup to %s: %w", dir, err)
	}
	return m, nil
}

func (db *DB) backup(ctx context.Context, dir string) (m *Manifest, err error) {
	if err := db.enter(); err != nil {
		return nil, err
	}
	defer db.leave()
	uuid, err := db.UUID(ctx)
	if err != nil {
		return nil, err
	}
	part, undo, err := claimDir(dir)
	if errors.Is(err, ErrExists) {
		if m, merr := db.backedUp(ctx, dir); m != nil || merr != nil {
			return m, merr
		}
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, part.Close(), undo())
		}
	}()
	data := filepath.Join(dir, backupData)
	m = &Manifest{
		Version: manifestVersion,
		UUID:    hex.EncodeToString(uuid[:]),
		Format:  Format,
		Created: time.Now().UTC(),
	}
	if m.Epoch, err = db.checkpoint(ctx, data); err != nil {
		return nil, err
	}
	names, err := fileNames(data)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		f, err := os.Open(filepath.Join(data, name))
		if err != nil {
			return nil, err
		}
		x, err := copyHashed(ctx, io.Discard, f, name)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		m.Files = append(m.Files, x)
	}
	if err := m.write(part); err != nil {
		return nil, err
	}
	if err := unfinished.Rename(part, filepath.Join(dir, manifestName)); err != nil {
		return nil, err
	}
	return m, syncDir(dir)
}

// checkpoint writes a checkpoint between two commits and returns the epoch
// that it has.
func (db *DB) checkpoint(ctx context.Context, dir string) (uint64, error) {
	cp, ok := db.store.(kv.Checkpointer)
	if !ok {
		return db.copyStore(ctx, dir)
	}
	if err := db.lockWriter(ctx); err != nil {
		return 0, err
	}
	defer db.unlockWriter()
	return db.epoch.Load(), cp.Checkpoint(ctx, dir)
}

// copyStore copies the last commit into a new directory and returns its epoch.
func (db *DB) copyStore(ctx context.Context, dir string) (epoch uint64, err error) {
	sn, err := db.store.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, sn.Close()) }()
	if epoch, err = getUint64(ctx, sn, layout.Meta("epoch")); err != nil {
		return 0, err
	}
	to, err := pebblekv.Open(ctx, dir, layout.Schema(), &pebblekv.Options{Logger: db.log})
	if err != nil {
		return 0, err
	}
	return epoch, errors.Join(copyKeys(ctx, sn, to), to.Close())
}

// copyKeys sets all keys of a state in a store, at once.
func copyKeys(ctx context.Context, from kv.Reader, to kv.Ingester) (err error) {
	it, err := from.Iter(ctx, nil, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	return to.Ingest(ctx, func(w kv.SortedWriter) error {
		for ok := it.First(); ok; ok = it.Next() {
			if err := w.Set(it.Key(), it.Value()); err != nil {
				return err
			}
		}
		return it.Err()
	})
}

// partName is the name of a manifest that is not whole. It is there from the
// first moment of a backup to the last, locked by who makes it: a directory that
// has it, unlocked, is what a killed backup left.
const partName = manifestName + ".part"

// claimDir makes a directory for a backup, or takes an empty one or what a killed
// backup left. part is the manifest to be; undo removes what the directory was
// given since.
func claimDir(dir string) (part *os.File, undo func() error, err error) {
	err = os.Mkdir(dir, 0o700)
	made := err == nil
	if !made {
		if !errors.Is(err, fs.ErrExist) {
			return nil, nil, err
		}
		if err := wantUnfinished(dir); err != nil {
			return nil, nil, err
		}
	}
	if part, err = unfinished.Lock(filepath.Join(dir, partName)); err != nil {
		if errors.Is(err, unfinished.ErrBusy) {
			err = fmt.Errorf("%w: %w", ErrExists, err)
		}
		return nil, nil, err
	}
	data := filepath.Join(dir, backupData)
	undo = func() error {
		if made {
			return os.RemoveAll(dir)
		}
		return errors.Join(os.RemoveAll(data), os.RemoveAll(filepath.Join(dir, manifestName)), os.RemoveAll(part.Name()))
	}
	// Another process may have made it whole meanwhile.
	if _, err := os.Lstat(filepath.Join(dir, manifestName)); err == nil {
		return nil, nil, errors.Join(ErrExists, part.Close(), os.Remove(part.Name()))
	}
	if err := errors.Join(os.RemoveAll(data), part.Truncate(0)); err != nil {
		return nil, nil, errors.Join(err, part.Close())
	}
	return part, undo, nil
}

// wantUnfinished returns ErrExists unless a directory is empty, or holds what a
// killed backup left and nothing else.
func wantUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrExists, err)
	}
	marked, other := false, false
	for _, e := range entries {
		switch {
		case e.Name() == partName && e.Type().IsRegular():
			marked = true
		case e.Name() != backupData || !e.IsDir():
			other = true
		}
	}
	if len(entries) > 0 && (other || !marked) {
		return fmt.Errorf("%w: the directory is not empty", ErrExists)
	}
	return nil
}

// wantEmpty returns ErrExists unless path is an empty directory.
func wantEmpty(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrExists, err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%w: the directory is not empty", ErrExists)
	}
	return nil
}

// fileNames returns the names of the files in a directory, which must hold
// nothing else, in order.
func fileNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if !e.Type().IsRegular() {
			return nil, &kv.CorruptError{File: e.Name(), Why: "it is no file"}
		}
		out = append(out, e.Name())
	}
	return out, nil
}
