package pebblekv_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// The only log of a new store that was killed: cut at any length, removed, or with
// any byte changed, it is damage with the log's name.
func TestLostCommits(t *testing.T) {
	t.Parallel()
	mem := vfs.NewCrashableMem()
	st := open(t, "db", small(mem))
	for i := range 20 {
		put(t, st, fmt.Sprint("k", i), strings.Repeat("v", 50*i))
	}
	left := readFiles(t, killed(t, mem), "db")
	closeStore(t, st)
	name := ""
	for n := range left {
		if strings.HasSuffix(n, ".log") {
			name = n
		}
	}
	size := len(left[name])
	if size < 9500 {
		t.Fatalf("%s has %d bytes of %v", name, size, left)
	}
	try := func(what string, edit func(b []byte) []byte) {
		t.Helper()
		o := small(left.write(t, name, edit))
		st, err := pebblekv.Open(t.Context(), "db", kvtest.Schema(), o)
		if err == nil {
			_ = st.Close()
		}
		var ce *kv.CorruptError
		if !errors.As(err, &ce) || ce.File != name {
			t.Errorf("%s %s: %v", name, what, err)
		}
	}
	try("removed", func([]byte) []byte { return nil })
	for at := 0; at < size; at += 37 {
		try(fmt.Sprint("cut at ", at), func(b []byte) []byte { return b[:at] })
		try(fmt.Sprint("changed at ", at), func(b []byte) []byte { b[at] ^= 0x10; return b })
	}
}

// Every log of a store, the first one too, is in Pebble's newest format: its
// chunks tell how far the log was synced before them.
func TestFirstLogHasNewestFormat(t *testing.T) {
	t.Parallel()
	mem := vfs.NewCrashableMem()
	st := open(t, "db", small(mem))
	put(t, st, "k", "v")
	for name, b := range readFiles(t, killed(t, mem), "db") {
		const walSyncFull = 9
		if strings.HasSuffix(name, ".log") && b[6] != walSyncFull {
			t.Errorf("%s begins with a chunk of kind %d", name, b[6])
		}
	}
	closeStore(t, st)
}

// A store without a witness, one whose records are damaged, and one whose witness
// is older than its manifest, are opened as they are.
func TestWitnessIsNotNeeded(t *testing.T) {
	t.Parallel()
	mem := vfs.NewCrashableMem()
	st := open(t, "db", small(mem))
	put(t, st, "k", "v")
	old := readFiles(t, killed(t, mem), "db")["SYNCED"]
	closeStore(t, st)
	st = open(t, "db", small(mem))
	put(t, st, "k", "w")
	left := readFiles(t, killed(t, mem), "db")
	closeStore(t, st)
	for what, edit := range map[string]func(b []byte) []byte{
		"missing": func([]byte) []byte { return nil },
		"empty":   func([]byte) []byte { return []byte{} },
		"zero":    func(b []byte) []byte { clear(b); return b },
		"old":     func([]byte) []byte { return old },
	} {
		fs := left.write(t, "SYNCED", edit)
		st := open(t, "db", small(fs))
		if v := value(t, st, "k"); v != "w" {
			t.Errorf("%s: k is %q", what, v)
		}
		put(t, st, "k", "x")
		closeStore(t, st)
		st = open(t, "db", small(fs))
		if v := value(t, st, "k"); v != "x" {
			t.Errorf("%s: after another session k is %q", what, v)
		}
		closeStore(t, st)
	}
}

// A crash at any moment of many writers, flushes and compactions never leaves a
// witness that claims what the crash has lost.
func TestWitnessClaimsNoMore(t *testing.T) {
	t.Parallel()
	mem := vfs.NewCrashableMem()
	o := small(mem)
	o.MemtableBytes = 64 << 10
	st := open(t, "db", o)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 3)
	for w := range 3 {
		go func() {
			err := writeUntilError(ctx, st, w)
			if errors.Is(err, context.Canceled) {
				err = nil
			}
			done <- err
		}()
	}
	n := 40
	if *long {
		n = 1000
	}
	var clones []*vfs.MemFS
	for seed := range uint64(n) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		time.Sleep(time.Millisecond)
		clones = append(clones, mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rnd.IntN(100), RNG: rnd}))
	}
	stop()
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	closeStore(t, st)
	for seed, clone := range clones {
		st, err := pebblekv.Open(t.Context(), "db", kvtest.Schema(), small(clone))
		if err != nil {
			t.Fatalf("clone %d: %v", seed, err)
		}
		closeStore(t, st)
	}
}
