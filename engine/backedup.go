package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"

	"github.com/ragdb/ragdb/internal/unfinished"
)

// backedUp returns the manifest of the backup in dir if it holds what the database holds
// now, such as one whose process was killed when it was whole; else nil.
func (db *DB) backedUp(ctx context.Context, dir string) (*Manifest, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, nil
	}
	same := false
	err = db.View(ctx, func(s *Snapshot) error {
		same, err = m.isOf(ctx, s)
		if err != nil || !same {
			return err
		}
		part, err := unfinished.MakeFolder(dir)
		if err != nil {
			return err
		}
		same, err = m.holds(ctx, dir, part.Dir, s)
		return errors.Join(err, part.Discard())
	})
	if err != nil || !same {
		return nil, err
	}
	return m, nil
}

// isOf reports whether a snapshot has the UUID and the epoch of the manifest.
func (m *Manifest) isOf(ctx context.Context, s *Snapshot) (bool, error) {
	uuid, err := s.UUID(ctx)
	return hex.EncodeToString(uuid[:]) == m.UUID && s.Epoch() == m.Epoch, err
}

// holds reports whether the backup in dir, which the manifest describes, holds what a
// snapshot shows: copies of a database have its UUID, and each goes on with the next
// epoch. It copies the backup to an empty folder, since opening a directory writes to it.
func (m *Manifest) holds(ctx context.Context, dir, folder string, s *Snapshot) (same bool, err error) {
	data := filepath.Join(dir, backupData)
	if err := m.compare(data); err != nil {
		return false, err
	}
	if err := m.restoreFiles(ctx, data, folder); err != nil {
		return false, err
	}
	want, err := s.content(ctx)
	if err != nil {
		return false, err
	}
	db, err := Open(ctx, folder, &Options{ReadOnly: true})
	if err != nil {
		return false, err
	}
	err = db.View(ctx, func(s *Snapshot) error {
		have, err := s.content(ctx)
		same = bytes.Equal(have, want)
		return err
	})
	return same, errors.Join(err, db.Close())
}

// content returns a hash of what a snapshot shows in all namespaces.
func (s *Snapshot) content(ctx context.Context) ([]byte, error) {
	var names []string
	err := eachEntry(ctx, s.kv, func(ns, graph string, _ directoryEntry) {
		if graph == "" {
			names = append(names, ns)
		}
	})
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	for _, ns := range names {
		sum, err := s.Digest(ctx, ns, ExportOptions{})
		if err != nil {
			return nil, err
		}
		h.Write(append(sum[:], ns...))
	}
	return h.Sum(nil), nil
}

// restored reports whether path has the database that the backup in dir holds, such as
// one whose Restore was killed when it was whole.
func (m *Manifest) restored(ctx context.Context, dir, path string) (same bool, err error) {
	db, err := Open(ctx, path, &Options{ReadOnly: true})
	if err != nil {
		return false, nil // what else is there is told when it is to be replaced
	}
	err = db.View(ctx, func(s *Snapshot) error {
		same, err = m.isOf(ctx, s)
		if err != nil || !same {
			return err
		}
		part, err := restoreFolder(path)
		if err != nil {
			return err
		}
		same, err = m.holds(ctx, dir, part.Dir, s)
		return errors.Join(err, part.Discard())
	})
	return same, errors.Join(err, db.Close())
}
