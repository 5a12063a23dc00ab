package engine

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/internal/unfinished"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/kv/stores"
)

// Restore makes the backup in backupDir the database at path, which must not
// exist or be an empty directory, or the name of an empty store on a server. Every file is compared with its hash while
// it is copied, and the copy must pass a quick check, before path is made. After an
// error, path does not exist. Restore removes what an earlier Restore to the same
// path left when it was killed. If path holds what the backup holds, it is compared with it
// and stays as it is; anything else there is [ErrExists]. A file that is missing, extra or damaged is
// [ErrCorrupt] and named.
func Restore(ctx context.Context, backupDir, path string) error {
	if err := restore(ctx, backupDir, path); err != nil {
		return phase.Errorf("restore %s to %s: %w", backupDir, stores.Shown(path), err)
	}
	return nil
}

func restore(ctx context.Context, backupDir, path string) (err error) {
	m, err := readManifest(backupDir)
	if err != nil {
		return err
	}
	if same, err := m.restored(ctx, backupDir, path); same || err != nil {
		return err
	}
	if stores.OnServer(path) {
		return m.restoreKeys(ctx, filepath.Join(backupDir, backupData), path)
	}
	if err := unfinished.Sweep(path); err != nil {
		return err
	}
	_, err = os.Lstat(path)
	exists := err == nil
	if exists {
		if err := wantEmpty(path); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	data := filepath.Join(backupDir, backupData)
	if err := m.compare(data); err != nil {
		return err
	}
	// Built beside the target, so that renaming it is all or nothing.
	part, err := restoreFolder(path)
	if err != nil {
		return err
	}
	if err := m.restoreFiles(ctx, data, part.Dir); err != nil {
		return errors.Join(err, part.Discard())
	}
	if exists {
		// Only an empty directory goes.
		if err := os.Remove(path); err != nil {
			return errors.Join(err, part.Discard())
		}
	}
	if err := part.Commit(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(filepath.Clean(path)))
}

// restoreFolder makes the folder in which files are restored that are for path.
func restoreFolder(path string) (*unfinished.Folder, error) {
	if stores.OnServer(path) {
		return unfinished.TempFolder(os.TempDir(), "ragdb-restore")
	}
	return unfinished.MakeFolder(path)
}

// restoreKeys sets the keys of a backup in an empty store on a server, in one commit.
func (m *Manifest) restoreKeys(ctx context.Context, data, path string) (err error) {
	if err := m.compare(data); err != nil {
		return err
	}
	// The backup stays as it is: opening a directory writes to it.
	part, err := restoreFolder(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, part.Discard()) }()
	if err := m.restoreFiles(ctx, data, part.Dir); err != nil {
		return err
	}
	from, err := pebblekv.Open(ctx, part.Dir, layout.Schema(), &pebblekv.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := stores.Open(ctx, path, layout.Schema(), stores.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	it, err := to.Iter(ctx, nil, nil)
	if err != nil {
		return err
	}
	some := it.First()
	switch err := errors.Join(it.Err(), it.Close()); {
	case err != nil:
		return err
	case some:
		return ErrExists
	}
	in, ok := to.(kv.Ingester)
	if !ok {
		return errors.ErrUnsupported
	}
	return copyKeys(ctx, from, in)
}

// restoreFiles copies the files of a backup and verifies the copy.
func (m *Manifest) restoreFiles(ctx context.Context, from, to string) error {
	for _, f := range m.Files {
		if err := restoreFile(ctx, filepath.Join(from, f.Name), filepath.Join(to, f.Name), f); err != nil {
			return err
		}
	}
	if err := syncDir(to); err != nil {
		return err
	}
	return m.verify(ctx, to)
}

// compare verifies that a directory has the files that m names and no others.
func (m *Manifest) compare(dir string) error {
	names, err := fileNames(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return &kv.CorruptError{File: backupData, Why: "the folder is missing"}
	}
	if err != nil {
		return err
	}
	for _, f := range m.Files {
		if _, ok := slices.BinarySearch(names, f.Name); !ok {
			return &kv.CorruptError{File: f.Name, Why: "the file is missing"}
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(m.Files, func(f backupFile) bool { return f.Name == name }) {
			return &kv.CorruptError{File: name, Why: "the manifest does not name it"}
		}
	}
	return nil
}

// restoreFile copies a file that must be as want says.
func restoreFile(ctx context.Context, from, to string, want backupFile) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return errors.Join(err, r.Close())
	}
	have, err := copyHashed(ctx, w, r, want.Name)
	if err = errors.Join(err, w.Sync(), w.Close(), r.Close()); err != nil {
		return err
	}
	switch {
	case have.Size != want.Size:
		return &kv.CorruptError{File: want.Name, Why: fmt.Sprintf("it has %d bytes, not %d", have.Size, want.Size)}
	case have.SHA256 != want.SHA256:
		return &kv.CorruptError{File: want.Name, Why: "its hash is not the manifest's"}
	}
	return nil
}

// verify opens the database in dir and checks that it is the one that m
// describes.
func (m *Manifest) verify(ctx context.Context, dir string) (err error) {
	db, err := Open(ctx, dir, &Options{MustExist: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	uuid, err := db.UUID(ctx)
	if err != nil {
		return err
	}
	if hex.EncodeToString(uuid[:]) != m.UUID || db.Epoch() != m.Epoch {
		return &kv.CorruptError{File: manifestName, Why: fmt.Sprintf("the files are of database %x at commit %d", uuid, db.Epoch())}
	}
	for f, err := range db.Check(ctx, CheckOptions{}) {
		if err != nil {
			return err
		}
		return fmt.Errorf("%w: %s", ErrCorrupt, f)
	}
	return nil
}
