package pebblekv_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// files is the content of a store's directory by name.
type files map[string][]byte

func readFiles(t *testing.T, fs vfs.FS, dir string) files {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := files{}
	for _, name := range names {
		f, err := fs.Open(fs.PathJoin(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // an open store has removed it since
		}
		if err != nil {
			t.Fatal(err)
		}
		if out[name], err = io.ReadAll(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// write makes a directory of the files with one changed by edit.
func (fs files) write(t *testing.T, changed string, edit func(b []byte) []byte) vfs.FS {
	t.Helper()
	mem := vfs.NewMem()
	if err := mem.MkdirAll("db", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, b := range fs {
		if name == changed {
			if b = edit(append([]byte{}, b...)); b == nil {
				continue
			}
		}
		f, err := mem.Create("db/"+name, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(append([]byte{}, b...)); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return mem
}

// sample returns a store with several tables and a log, as a process that was
// killed left it, and the states it went through after they were written.
func sample(t *testing.T) (files, *history) {
	t.Helper()
	mem := vfs.NewCrashableMem()
	st := open(t, "db", small(mem))
	rnd := rand.New(rand.NewPCG(9, 9))
	h := newHistory()
	// Tables of several blocks beyond the keys that commits write.
	st.SetLimits(1<<30, 20<<10)
	err := st.Ingest(t.Context(), func(w kv.SortedWriter) error {
		for i := range 3000 {
			k, v := fmt.Appendf(nil, "x/%04d", i), fmt.Appendf(nil, "%x", rnd.Uint64())
			h.states[0].Set(k, v)
			if err := w.Set(k, v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		if err := h.commit(t, rnd, st); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A close waits for compactions, so that no file goes while others are read.
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = open(t, "db", small(mem))
	// Several blocks of log.
	for range 80 {
		b := st.NewBatch()
		v := make([]byte, 1500)
		h.next(func(m kv.Batch) { m.Set([]byte("tail"), v) })
		b.Set([]byte("tail"), v)
		b.Set(meta, binary.BigEndian.AppendUint32(nil, uint32(h.last())))
		if err := st.Apply(t.Context(), b, kv.Sync); err != nil {
			t.Fatal(err)
		}
	}
	h.synced = h.last()
	awaitRemovals(t, mem)
	left := readFiles(t, killed(t, mem), "db")
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	return left, h
}

// awaitRemovals waits until Pebble, which removes old files in the background,
// has removed those of the session before: damage in them harms nothing.
func awaitRemovals(t *testing.T, mem vfs.FS) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		names, err := mem.List("db")
		if err != nil {
			t.Fatal(err)
		}
		manifests, options := 0, 0
		for _, name := range names {
			if strings.HasPrefix(name, "MANIFEST-") {
				manifests++
			}
			if strings.HasPrefix(name, "OPTIONS-") {
				options++
			}
		}
		if manifests == 1 && options == 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("files of an older session stay: %v", names)
		}
		time.Sleep(time.Millisecond)
	}
}

// killed returns the files as a process leaves them that is killed now.
func killed(t *testing.T, mem *vfs.MemFS) *vfs.MemFS {
	t.Helper()
	d, err := mem.OpenDir("db")
	if err == nil {
		err = errors.Join(d.Sync(), d.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
}

// inspectDamaged opens a damaged store and reads all of it. It returns what
// complained first, and fails the test if something is wrong without a
// complaint.
func inspectDamaged(t *testing.T, fs vfs.FS, h *history) (err error) {
	t.Helper()
	o := small(fs)
	o.ReadOnly = true
	st, err := pebblekv.Open(t.Context(), "db", kvtest.Schema(), o)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := st.Close(); cerr != nil && !errors.Is(cerr, kv.ErrReadOnly) {
			t.Errorf("close: %v", cerr)
		}
	}()
	check := st.Check(t.Context())
	if err := h.check(t, st); err != nil {
		if !errors.Is(err, kv.ErrCorrupt) {
			t.Errorf("damage gives a wrong result: %v", err)
		}
		if check == nil {
			t.Errorf("check misses what reads find: %v", err)
		}
		return err
	}
	return check
}

// A flipped bit in a table is ErrCorrupt with the table's name, at the first
// read of it and by Check.
func TestFlippedBitInTable(t *testing.T) {
	t.Parallel()
	fs, h := sample(t)
	tables := 0
	for name, b := range fs {
		if !strings.HasSuffix(name, ".sst") {
			continue
		}
		tables++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(uint64(len(b)), 1))
			tries := 8
			if *long {
				tries = 20 * len(b)
			}
			for range tries {
				at, bit := rnd.IntN(len(b)), rnd.IntN(8)
				damaged := fs.write(t, name, func(b []byte) []byte {
					b[at] ^= 1 << bit
					return b
				})
				err := inspectDamaged(t, damaged, h)
				var ce *kv.CorruptError
				if !errors.As(err, &ce) || ce.File != name || !errors.Is(err, kv.ErrCorrupt) {
					t.Fatalf("byte %d of %d, bit %d: %v", at, len(b), bit, err)
				}
			}
		})
	}
	if tables < 3 {
		t.Fatalf("only %d tables", tables)
	}
}

// A flipped bit in another file is damage that names the file, or it harms
// nothing. In a log or manifest every byte that was written counts.
func TestFlippedBitElsewhere(t *testing.T) {
	t.Parallel()
	fs, h := sample(t)
	seen := map[string]int{}
	for name, b := range fs {
		kind, _, _ := strings.Cut(strings.TrimLeft(name, "0123456789"), "-")
		if len(b) == 0 || kind == ".sst" {
			continue
		}
		seen[kind]++
		rnd := rand.New(rand.NewPCG(uint64(len(b)), 2))
		for range 30 {
			at, bit := rnd.IntN(len(b)), rnd.IntN(8)
			damaged := fs.write(t, name, func(b []byte) []byte {
				b[at] ^= 1 << bit
				return b
			})
			err := inspectDamaged(t, damaged, h)
			var ce *kv.CorruptError
			switch {
			case err == nil && kind != ".log" && kind != "MANIFEST" && kind != "OPTIONS":
			case !errors.As(err, &ce) || ce.File != name:
				t.Errorf("%s, byte %d of %d, bit %d: %v", name, at, len(b), bit, err)
			}
		}
	}
	for _, kind := range []string{".log", "MANIFEST", "OPTIONS", "SYNCED"} {
		if seen[kind] == 0 {
			t.Errorf("no %s among %v", kind, seen)
		}
	}
}

func TestMissingOrShortTable(t *testing.T) {
	t.Parallel()
	fs, h := sample(t)
	for name := range fs {
		if !strings.HasSuffix(name, ".sst") {
			continue
		}
		for what, edit := range map[string]func(b []byte) []byte{
			"missing": func([]byte) []byte { return nil },
			"short":   func(b []byte) []byte { return b[:len(b)/2] },
			"empty":   func([]byte) []byte { return []byte{} },
		} {
			if err := inspectDamaged(t, fs.write(t, name, edit), h); !errors.Is(err, kv.ErrCorrupt) {
				t.Errorf("%s %s: %v", what, name, err)
			}
		}
	}
}

// Damage met by a compaction makes the store read-only and is reported; what
// is not damaged can still be read.
func TestDamageMetInBackground(t *testing.T) {
	t.Parallel()
	fs, _ := sample(t)
	for name, b := range fs {
		if strings.HasSuffix(name, ".sst") {
			for i := range len(b) / 2 {
				b[i] ^= 0xFF
			}
		}
	}
	st, err := pebblekv.Open(t.Context(), "db", kvtest.Schema(), small(fs.write(t, "", nil)))
	if err != nil {
		t.Fatal(err)
	}
	b := st.NewBatch()
	b.Set([]byte("a"), []byte("new"))
	b.Set([]byte("z"), []byte("new"))
	if err := st.Apply(t.Context(), b, kv.Sync); err != nil && !errors.Is(err, kv.ErrReadOnly) {
		t.Fatal(err)
	}
	err = st.Compact(t.Context(), nil, nil)
	if !errors.Is(err, kv.ErrCorrupt) || !errors.Is(err, kv.ErrReadOnly) || !strings.Contains(err.Error(), ".sst") {
		t.Errorf("compact: %v", err)
	}
	if err := st.Metrics().BackgroundError; !errors.Is(err, kv.ErrCorrupt) {
		t.Errorf("background error: %v", err)
	}
	b = st.NewBatch()
	b.Set([]byte("k"), nil)
	if err := st.Apply(t.Context(), b, kv.Sync); !errors.Is(err, kv.ErrReadOnly) {
		t.Errorf("apply: %v", err)
	}
	if v, err := st.Get(t.Context(), []byte("tail"), nil); err != nil || len(v) != 1500 {
		t.Errorf("get of what is in the log: %d bytes, %v", len(v), err)
	}
	if err := st.Close(); !errors.Is(err, kv.ErrReadOnly) {
		t.Errorf("close: %v", err)
	}
}
