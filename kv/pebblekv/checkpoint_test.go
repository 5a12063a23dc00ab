package pebblekv_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// beforeCreate is a file system that calls a function before it makes a file.
type beforeCreate struct {
	vfs.FS
	do func(name string)
}

func (f beforeCreate) Unwrap() vfs.FS { return f.FS }

func (f beforeCreate) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f.do(name)
	return f.FS.Create(name, c)
}

// TestCheckpointAfterKilledOpen kills an open before each file that it makes, and
// writes a checkpoint right after the next one. Where that has nothing to recover
// Pebble has no manifest open, and copies nothing of the one there is.
func TestCheckpointAfterKilledOpen(t *testing.T) {
	key := layout.Node(1, 1)
	open := func(dir string, fs vfs.FS) *pebblekv.Store {
		t.Helper()
		s, err := pebblekv.Open(t.Context(), dir, layout.Schema(), &pebblekv.Options{FS: fs})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	shut := func(s *pebblekv.Store) {
		t.Helper()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "db")
	s := open(dir, vfs.Default)
	b := s.NewBatch()
	b.Set(key, []byte("x"))
	if err := s.Apply(t.Context(), b, kv.Sync); err != nil {
		t.Fatal(err)
	}
	shut(s)
	var killed []string // copies of the folder
	var mu sync.Mutex
	shut(open(dir, beforeCreate{vfs.Default, func(name string) {
		mu.Lock()
		defer mu.Unlock()
		left := filepath.Join(t.TempDir(), "left")
		err := os.CopyFS(left, os.DirFS(dir))
		for range 100 {
			if !errors.Is(err, fs.ErrNotExist) {
				break
			}
			// Pebble removes an old log meanwhile: it was listed, and is gone.
			err = errors.Join(os.RemoveAll(left), os.CopyFS(left, os.DirFS(dir)))
		}
		if err != nil {
			t.Error(err)
		}
		killed = append(killed, left)
	}}))
	if len(killed) < 3 {
		t.Fatalf("the open made %d files", len(killed))
	}
	for i, left := range killed {
		s := open(left, vfs.Default)
		copied := filepath.Join(t.TempDir(), "copied")
		if err := s.Checkpoint(t.Context(), copied); err != nil {
			t.Fatal(err)
		}
		shut(s)
		if s, err := pebblekv.Open(t.Context(), copied, layout.Schema(), nil); err != nil {
			t.Errorf("killed before file %d: the checkpoint: %v", i, err)
		} else {
			if v, err := s.Get(t.Context(), key, nil); err != nil || string(v) != "x" {
				t.Errorf("killed before file %d: the checkpoint has %q %v", i, v, err)
			}
			shut(s)
		}
	}
}
