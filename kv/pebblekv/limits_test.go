package pebblekv_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// testContext ends when the test program is asked to.
func testContext() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGTERM)
}

func TestBatchTooLarge(t *testing.T) {
	t.Parallel()
	st := open(t, "db", small(vfs.NewMem()))
	st.SetLimits(10_000, 1<<20)
	for name, op := range map[string]func(b kv.Batch){
		"set":          func(b kv.Batch) { b.Set([]byte("k"), make([]byte, 10_000)) },
		"merge":        func(b kv.Batch) { b.Merge([]byte("k"), make([]byte, 10_000)) },
		"delete range": func(b kv.Batch) { b.DeleteRange([]byte("k"), make([]byte, 10_000)) },
		"many": func(b kv.Batch) {
			for i := range 2000 {
				b.Delete(fmt.Append(nil, i))
			}
		},
	} {
		b := st.NewBatch()
		b.Set([]byte("small"), nil)
		op(b)
		if name == "delete range" {
			b.DeleteRange([]byte("k"), append([]byte("l"), make([]byte, 10_000)...))
		}
		if n := b.Bytes(); n > 10_000 {
			t.Errorf("%s: the batch has grown to %d", name, n)
		}
		if err := st.Apply(t.Context(), b, kv.Sync); !errors.Is(err, kv.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := kvtest.NewModel(kvtest.Schema()).Equal(t.Context(), st); err != nil {
		t.Errorf("a batch was applied in part: %v", err)
	}
	closeStore(t, st)
}

func TestIngestManyTables(t *testing.T) {
	t.Parallel()
	mem := vfs.NewMem()
	st := open(t, "db", small(mem))
	st.SetLimits(1<<20, 20<<10)
	m := kvtest.NewModel(kvtest.Schema())
	put(t, st, "k/0010", "old")
	err := st.Ingest(t.Context(), func(w kv.SortedWriter) error {
		for i := range 5000 {
			k, v := fmt.Appendf(nil, "k/%04d", i), fmt.Appendf(nil, "%x", i*i*1234567)
			m.Set(k, v)
			if err := w.Set(k, v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := st.Metrics().Files; n < 3 {
		t.Errorf("%d tables", n)
	}
	if err := errors.Join(m.Equal(t.Context(), st), st.Check(t.Context())); err != nil {
		t.Error(err)
	}
	wantNoStaging(t, mem)
	closeStore(t, st)
}

func wantNoStaging(t *testing.T, fs vfs.FS) {
	t.Helper()
	// Only names are read: an open store removes old files as it goes.
	names, err := fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.Contains(name, "tmp") {
			t.Errorf("%s is left", name)
		}
	}
}

// A disk that is full while an ingest writes its files fails the ingest
// alone; what a crash leaves of it is removed by the next open.
func TestIngestFaults(t *testing.T) {
	t.Parallel()
	mem := vfs.NewMem()
	full := false
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full && strings.HasSuffix(op.Path, ".dbtmp") && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			return syscall.ENOSPC
		}
		return nil
	})
	st := open(t, "db", small(errorfs.Wrap(mem, inject)))
	write := func(w kv.SortedWriter) error { return w.Set([]byte("k"), []byte("v")) }
	full = true
	if err := st.Ingest(t.Context(), write); !errors.Is(err, syscall.ENOSPC) || errors.Is(err, kv.ErrReadOnly) {
		t.Errorf("ingest on a full disk: %v", err)
	}
	full = false
	if err := st.Metrics().BackgroundError; err != nil {
		t.Errorf("background error: %v", err)
	}
	if err := st.Ingest(t.Context(), write); err != nil {
		t.Errorf("ingest afterwards: %v", err)
	}
	closeStore(t, st)
	f, err := mem.Create("db/temporary.000009.dbtmp", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	st = open(t, "db", small(mem))
	wantNoStaging(t, mem)
	closeStore(t, st)
}

func TestCheckpoint(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := open(t, dir+"/db", small(nil))
	put(t, st, "a", "1")
	if err := st.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := st.NewBatch()
	b.Merge([]byte("m"), kvtest.Delta("abc", ""))
	if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
		t.Fatal(err)
	}
	if err := st.Checkpoint(t.Context(), dir+"/copy"); err != nil {
		t.Fatal(err)
	}
	if err := st.Checkpoint(t.Context(), dir+"/copy"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("checkpoint into an existing directory: %v", err)
	}
	put(t, st, "a", "later")

	copied := open(t, dir+"/copy", small(nil))
	if a, m := value(t, copied, "a"), value(t, copied, "m"); a != "1" || m != "babc" {
		t.Errorf("the copy has %q and %q", a, m)
	}
	if err := copied.Check(t.Context()); err != nil {
		t.Errorf("check of the copy: %v", err)
	}
	put(t, copied, "a", "copy")
	closeStore(t, copied)
	if a := value(t, st, "a"); a != "later" {
		t.Errorf("the original has %q", a)
	}
	closeStore(t, st)
}

// An error in a checkpoint's directory fails the checkpoint alone.
func TestCheckpointFaults(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		mem := vfs.NewMem()
		count := 0
		inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
			if !strings.HasPrefix(op.Path, "copy") || op.Kind == errorfs.OpRemoveAll {
				return nil
			}
			count++
			if count-1 == n {
				return syscall.ENOSPC
			}
			return nil
		})
		st := open(t, "db", small(errorfs.Wrap(mem, inject)))
		put(t, st, "a", "1")
		err := st.Checkpoint(t.Context(), "copy")
		if count > n && err == nil && n > 0 {
			// Pebble may do without an operation, but not without the data.
			if _, err := pebblekv.Open(t.Context(), "copy", kvtest.Schema(), small(mem)); err != nil {
				t.Errorf("operation %d: no error, but the copy does not open: %v", n, err)
			}
		}
		if err := st.Metrics().BackgroundError; err != nil {
			t.Errorf("operation %d: %v", n, err)
		}
		put(t, st, "b", "2")
		closeStore(t, st)
		if count <= n {
			if err != nil || n < 10 {
				t.Errorf("%d operations, %v", n, err)
			}
			return
		}
	}
}
