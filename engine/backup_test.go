package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

func TestBackupAndRestore(t *testing.T) {
	needsDirectory(t)
	db := open(t, &engine.Options{})
	g := library(t, db)
	want := export(t, db, "main", canonical)
	for _, made := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "backup")
		if made {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		m, err := db.Backup(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		uuid, err := db.UUID(t.Context())
		if err != nil || m.Epoch != db.Epoch() || len(m.Files) == 0 || m.UUID == "" || m.Format != engine.Format {
			t.Fatalf("%+v %v", m, err)
		}
		before := files(t, dir)
		if again, err := db.Backup(t.Context(), dir); err != nil || !reflect.DeepEqual(again, m) || files(t, dir) != before {
			t.Errorf("a second backup of the same into one directory: %v, %+v", err, again)
		}
		// What is written later is not in it.
		update(t, g, func(v *engine.TxView) {
			typ, _ := v.MakeNodeType("late")
			if _, _, err := v.PutNode(typ, m.UUID, nil); err != nil {
				t.Fatal(err)
			}
		})
		if _, err := db.Backup(t.Context(), dir); !errors.Is(err, engine.ErrExists) {
			t.Errorf("a backup of a later state into one directory: %v", err)
		}
		path := filepath.Join(t.TempDir(), "restored")
		if made {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := engine.Restore(t.Context(), dir, path); err != nil {
			t.Fatal(err)
		}
		if err := engine.Restore(t.Context(), dir, path); err != nil {
			t.Errorf("restoring what is there: %v", err)
		}
		got, err := engine.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if id, err := got.UUID(t.Context()); id != uuid || err != nil || got.Epoch() != m.Epoch {
			t.Errorf("restored %x at %d, %v", id, got.Epoch(), err)
		}
		if !made {
			sameText(t, "restored", export(t, got, "main", canonical), want)
		}
		sound(t, got, "restored")
		if err := got.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBackupOfAnother takes a backup for one's own only if it holds the same: not that of a
// copy which made as many commits, nor one that is damaged.
func TestBackupOfAnother(t *testing.T) {
	needsDirectory(t)
	first := filepath.Join(t.TempDir(), "first")
	db := open(t, &engine.Options{})
	library(t, db)
	if _, err := db.Backup(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	var dbs, backups [2]string
	for i := range dbs {
		dbs[i], backups[i] = filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "backup")
		if err := engine.Restore(t.Context(), first, dbs[i]); err != nil {
			t.Fatal(err)
		}
		db, err := engine.Open(t.Context(), dbs[i], nil)
		if err != nil {
			t.Fatal(err)
		}
		update(t, graph(t, db, engine.Base), func(v *engine.TxView) {
			typ, _ := v.MakeNodeType("copy")
			if _, _, err := v.PutNode(typ, fmt.Sprint(i), nil); err != nil {
				t.Fatal(err)
			}
		})
		if _, err := db.Backup(t.Context(), backups[i]); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Backup(t.Context(), backups[0]); i == 1 && !errors.Is(err, engine.ErrExists) {
			t.Errorf("over the backup of a copy: %v", err)
		}
		if err := os.WriteFile(filepath.Join(backups[1], "data", "extra"), nil, 0o600); i == 1 && err != nil {
			t.Fatal(err)
		}
		if _, err := db.Backup(t.Context(), backups[1]); i == 1 && !errors.Is(err, engine.ErrCorrupt) {
			t.Errorf("over one's own that is damaged: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]error{dbs[0]: nil, dbs[1]: engine.ErrExists, backups[0]: engine.ErrExists} {
		if err := engine.Restore(t.Context(), backups[0], path); !errors.Is(err, want) {
			t.Errorf("restored over %s: %v, want %v", path, err, want)
		}
	}
}

// TestBackupWithoutCheckpoints copies a database whose store makes no checkpoints, as one
// on a server.
func TestBackupWithoutCheckpoints(t *testing.T) {
	needsDirectory(t) // to restore to
	db := open(t, &engine.Options{OpenStore: func(_ context.Context, _ string, s *kv.Schema) (kv.Store, error) {
		return memkv.New(s), nil
	}})
	library(t, db)
	dir, path := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "restored")
	m, err := db.Backup(t.Context(), dir)
	if err != nil || m.Epoch != db.Epoch() {
		t.Fatalf("%+v, %v", m, err)
	}
	if err := engine.Restore(t.Context(), dir, path); err != nil {
		t.Fatal(err)
	}
	got, err := engine.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Epoch() != m.Epoch {
		t.Errorf("restored at %d, want %d", got.Epoch(), m.Epoch)
	}
	sameText(t, "restored", export(t, got, "main", canonical), export(t, db, "main", canonical))
	sound(t, got, "restored")
	if err := got.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRestoreRefusesDamage damages one file of a backup at a time.
func TestRestoreRefusesDamage(t *testing.T) {
	needsDirectory(t)
	db := open(t, &engine.Options{})
	library(t, db)
	manifest := func(from, to string) func(t *testing.T, dir, file string) {
		return func(t *testing.T, dir, file string) {
			path := filepath.Join(dir, engine.ManifestName)
			b, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(b), from) {
				t.Fatal(string(b), err)
			}
			if err := os.WriteFile(path, []byte(strings.Replace(string(b), from, to, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		damage func(t *testing.T, dir, file string)
		is     error
		names  bool // the file
	}{
		"bit flipped": {func(t *testing.T, dir, file string) {
			b, err := os.ReadFile(filepath.Join(dir, "data", file))
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/2] ^= 1
			if err := os.WriteFile(filepath.Join(dir, "data", file), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}, engine.ErrCorrupt, true},
		"cut": {func(t *testing.T, dir, file string) {
			if err := os.Truncate(filepath.Join(dir, "data", file), 10); err != nil {
				t.Fatal(err)
			}
		}, engine.ErrCorrupt, true},
		"missing": {func(t *testing.T, dir, file string) {
			if err := os.Remove(filepath.Join(dir, "data", file)); err != nil {
				t.Fatal(err)
			}
		}, engine.ErrCorrupt, true},
		"extra": {func(t *testing.T, dir, file string) {
			if err := os.WriteFile(filepath.Join(dir, "data", "extra"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}, engine.ErrCorrupt, false},
		"a link": {func(t *testing.T, dir, file string) {
			path := filepath.Join(dir, "data", file)
			if err := os.Rename(path, filepath.Join(dir, "x")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("../x", path); err != nil {
				t.Skipf("this file system has no symbolic links: %v", err)
			}
		}, engine.ErrCorrupt, true},
		"no data": {func(t *testing.T, dir, file string) {
			if err := os.RemoveAll(filepath.Join(dir, "data")); err != nil {
				t.Fatal(err)
			}
		}, engine.ErrCorrupt, false},
		"no manifest": {func(t *testing.T, dir, file string) {
			if err := os.Remove(filepath.Join(dir, engine.ManifestName)); err != nil {
				t.Fatal(err)
			}
		}, engine.ErrNotFound, false},
		"manifest cut": {func(t *testing.T, dir, file string) {
			if err := os.Truncate(filepath.Join(dir, engine.ManifestName), 50); err != nil {
				t.Fatal(err)
			}
		}, engine.ErrCorrupt, false},
		"newer format":    {manifest(`"format": 1`, `"format": 2`), engine.ErrFormat, false},
		"newer manifest":  {manifest(`"v": 1`, `"v": 2`), engine.ErrFormat, false},
		"another epoch":   {manifest(`"epoch": `, `"epoch": 9`), engine.ErrCorrupt, false},
		"name that leads": {manifest(`"name": "`, `"name": "../`), engine.ErrCorrupt, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "backup")
			m, err := db.Backup(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			file := m.Files[0].Name
			for _, f := range m.Files {
				if strings.HasSuffix(f.Name, ".log") && f.Size > 100 {
					file = f.Name
				}
			}
			c.damage(t, dir, file)
			target := t.TempDir()
			err = engine.Restore(t.Context(), dir, filepath.Join(target, "db"))
			if !errors.Is(err, c.is) || c.names && !strings.Contains(err.Error(), file) {
				t.Errorf("%s: %v", file, err)
			}
			if left, err := os.ReadDir(target); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}
