package engine_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
)

// TestBackupFaults lets the n-th operation of the storage engine's files fail in
// a backup, for each n: there is a backup that can be restored, or nothing; and
// the database goes on, or opens again as it was.
func TestBackupFaults(t *testing.T) {
	needsDirectory(t)
	t.Parallel()
	ref := newFaultReference(t)
	dir := t.TempDir()
	var left atomic.Int64 // operations until the fault
	d := &faultDB{
		t: t, ref: ref, path: filepath.Join(dir, "db"), heal: func() {}, cause: errorfs.ErrInjected,
		faulty: errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(errorfs.Op) error {
			if left.Add(-1) == 0 {
				return errorfs.ErrInjected
			}
			return nil
		})),
	}
	d.reopen()
	for _, step := range ref.steps {
		if step.name == "checkpoint" {
			continue
		}
		if err := step.do(d); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
	}
	want, failed := d.state(d.db), 0
	for n := int64(1); !t.Failed(); n++ {
		d.what = fmt.Sprintf("operation %d", n)
		to := filepath.Join(dir, fmt.Sprint("backup", n))
		left.Store(n)
		_, err := d.db.Backup(t.Context(), to)
		reached := left.Swap(0) <= 0
		if err == nil {
			restored := filepath.Join(dir, fmt.Sprint("restored", n))
			if err := engine.Restore(t.Context(), to, restored); err != nil {
				t.Fatalf("%s: restore: %v", d.what, err)
			}
			db, err := engine.Open(t.Context(), restored, nil)
			if err != nil {
				t.Fatalf("%s: open what was restored: %v", d.what, err)
			}
			if d.state(db) != want {
				t.Errorf("%s: another state is restored", d.what)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		} else {
			failed++
			d.errors = 0
			d.excuse("backup", err)
			if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: something of the backup is left: %v", d.what, err)
			}
		}
		if d.store.(kv.Maintainer).Metrics().BackgroundError != nil {
			if err := d.db.Close(); !errors.Is(err, engine.ErrReadOnly) {
				t.Errorf("%s: close: %v", d.what, err)
			}
			d.reopen()
		}
		if d.state(d.db) != want {
			t.Errorf("%s: another state", d.what)
		}
		if !reached {
			break
		}
	}
	sound(t, d.db, "after the backups")
	if err := d.db.Close(); err != nil {
		t.Error(err)
	}
	if failed < 10 {
		t.Errorf("only %d backups failed", failed)
	}
	t.Logf("%d backups failed", failed)
}

// reopen opens the database while nothing fails.
func (d *faultDB) reopen() {
	d.t.Helper()
	if err := d.open(); err != nil {
		d.t.Fatalf("%s: open: %v", d.what, err)
	}
}
