package pebblekv_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// breaker fails the n-th file operation, or all from the n-th on.
type breaker struct {
	n     int64
	on    bool // all from the n-th on
	reads bool // reads go on
	count atomic.Int64
	what  atomic.Pointer[errorfs.Op]
}

func (b *breaker) MaybeError(op errorfs.Op) error {
	if b.reads && op.Kind.ReadOrWrite() == errorfs.OpIsRead {
		return nil
	}
	i := b.count.Add(1) - 1
	if i < b.n || i > b.n && !b.on {
		return nil
	}
	b.what.CompareAndSwap(nil, &op)
	return errorfs.ErrInjected
}

func (b *breaker) String() string { return fmt.Sprintf("operation %d", b.n) }

// TestFaults fails every file operation of a store's life in turn. A call
// returns an error or has its effect, nothing panics or hangs or leaks, and
// what a later open finds is a prefix of the commits with every durable one.
// It must not run beside other tests, for it counts goroutines.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		on     bool
		stride int64
	}{
		{"one operation", false, 5},
		{"all operations from one on", true, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			if *long {
				c.stride = 1
			}
			n, reached := int64(0), true
			for ; reached; n += c.stride {
				reached = faultRun(t, &breaker{n: n, on: c.on})
			}
			if n < 100 {
				t.Errorf("only %d operations", n)
			}
			t.Logf("%d operations", n)
		})
	}
}

// TestReadFails says that an error of the file system in a read is told from damage
// and from all others, by every kind of read, and that the same read succeeds later.
func TestReadFails(t *testing.T) {
	t.Parallel()
	var failing atomic.Bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if failing.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsRead {
			return errorfs.ErrInjected
		}
		return nil
	}))
	o := small(fs)
	o.NoCompression = true
	st := open(t, "db", o)
	b := st.NewBatch()
	val := make([]byte, 4000)
	for i := range 500 {
		b.Set(fmt.Appendf(nil, "k%03d", i), val)
	}
	if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
		t.Fatal(err)
	}
	if err := st.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	sn, err := st.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var key []byte // one that was not read before, for each read that is to fail
	iterate := func(r kv.Reader) error {
		it, err := r.Iter(t.Context(), key, append(key[:len(key):len(key)], 0))
		if err != nil {
			return err
		}
		for ok := it.First(); ok; ok = it.Next() {
			it.Value()
		}
		err = it.Err()
		if cerr := it.Close(); cerr != nil && !errors.Is(cerr, errorfs.ErrInjected) {
			t.Errorf("close: %v", cerr)
		}
		return err
	}
	one := func(int, []byte) error { return nil }
	reads := map[string]func() error{
		"get":                    func() error { _, err := st.Get(t.Context(), key, nil); return err },
		"get of a snapshot":      func() error { _, err := sn.Get(t.Context(), key, nil); return err },
		"multiget":               func() error { return st.MultiGet(t.Context(), [][]byte{key}, one) },
		"multiget of a snapshot": func() error { return sn.MultiGet(t.Context(), [][]byte{key}, one) },
		"iter":                   func() error { return iterate(st) },
		"iter of a snapshot":     func() error { return iterate(sn) },
	}
	for round := range 3 { // the first reads of a snapshot go another way
		for i, name := range slices.Sorted(maps.Keys(reads)) {
			read := reads[name]
			key = fmt.Appendf(nil, "k%03d", 5+20*(round*len(reads)+i))
			failing.Store(true)
			err := read()
			failing.Store(false)
			if !errors.Is(err, kv.ErrIO) || !errors.Is(err, errorfs.ErrInjected) || errors.Is(err, kv.ErrCorrupt) {
				t.Errorf("%s: %v, want ErrIO", name, err)
			}
			if err := read(); err != nil {
				t.Errorf("%s, later: %v", name, err)
			}
		}
	}
	if err := errors.Join(sn.Close(), st.Close()); err != nil {
		t.Error(err)
	}
}

// A disk that fails under load makes every writer return, also those that
// wait for a flush or a compaction.
func TestFaultUnderLoad(t *testing.T) {
	rounds := 12
	if *long {
		rounds = 500
	}
	for seed := range uint64(rounds) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		b := &breaker{n: 100 + rnd.Int64N(1500), on: true, reads: seed%2 == 0}
		o := small(errorfs.Wrap(vfs.NewMem(), b))
		o.MemtableBytes = 64 << 10
		st, err := pebblekv.Open(t.Context(), "db", kvtest.Schema(), o)
		if err != nil {
			t.Fatal(err)
		}
		const writers = 4
		ended := make(chan error, writers)
		for w := range writers {
			go func() { ended <- writeUntilError(t.Context(), st, w) }()
		}
		for range writers {
			select {
			case err := <-ended:
				if !errors.Is(err, kv.ErrReadOnly) || !errors.Is(err, errorfs.ErrInjected) {
					t.Errorf("seed %d: %v", seed, err)
				}
			case <-time.After(2 * time.Minute):
				buf := make([]byte, 1<<20)
				t.Fatalf("seed %d: a writer hangs\n%s", seed, buf[:runtime.Stack(buf, true)])
			}
		}
		if err := st.Close(); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("seed %d: close: %v", seed, err)
		}
		if leak := leaked(); leak != "" {
			t.Fatalf("seed %d: goroutines left:\n%s", seed, leak)
		}
	}
}

// An open that has much to replay begins compactions, and waits for them. It
// also ends if the disk fails from some write on.
func TestFaultInOpen(t *testing.T) {
	mem := vfs.NewCrashableMem()
	o := small(mem)
	o.MemtableBytes = 64 << 10
	st := open(t, "db", o)
	val := make([]byte, 4000)
	for i := range 600 {
		b := st.NewBatch()
		b.Set(fmt.Append(nil, i%100), val)
		if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	crashed := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for n, reached := int64(0), true; reached; n++ {
		b := &breaker{n: n, on: true, reads: true}
		clone := crashed.CrashClone(vfs.CrashCloneCfg{})
		o := small(errorfs.Wrap(clone, b))
		ended := make(chan error, 1)
		go func() {
			st, err := pebblekv.Open(t.Context(), "db", kvtest.Schema(), o)
			if err == nil {
				err = st.Close()
			}
			ended <- err
		}()
		select {
		case err := <-ended:
			reached = b.what.Load() != nil
			if err != nil {
				failed++
			}
		case <-time.After(time.Minute):
			buf := make([]byte, 1<<20)
			t.Fatalf("operation %d, %+v: the open hangs\n%s", n, b.what.Load(), buf[:runtime.Stack(buf, true)])
		}
	}
	if failed < 10 {
		t.Errorf("only %d opens failed", failed)
	}
	t.Logf("%d opens failed", failed)
}

// writeUntilError applies batches, with a flush or compaction now and then.
func writeUntilError(ctx context.Context, st *pebblekv.Store, w int) error {
	val := make([]byte, 4000)
	for i := 0; ; i++ {
		b := st.NewBatch()
		for j := range 1 + i%20 {
			b.Set(fmt.Appendf(nil, "%c/%d/%d", 'a'+w, i%50, j), val)
		}
		err := st.Apply(ctx, b, kv.Durability(i%2))
		if err == nil && i%16 == w {
			err = st.Flush(ctx)
		}
		if err == nil && i%64 == w {
			err = st.Compact(ctx, nil, nil)
		}
		if err != nil {
			return err
		}
	}
}

// faultRun lives a store's life with one fault and reports whether the fault
// was reached.
func faultRun(t *testing.T, b *breaker) (reached bool) {
	t.Helper()
	mem := vfs.NewCrashableMem()
	if err := mkdir(mem, "parent"); err != nil {
		t.Fatal(err)
	}
	h := newHistory()
	done := make(chan error, 1)
	go func() { done <- life(t, errorfs.Wrap(mem, b), h) }()
	var err error
	select {
	case err = <-done:
	case <-time.After(2 * time.Minute):
		buf := make([]byte, 1<<20)
		t.Fatalf("%v, %+v: hangs\n%s", b, b.what.Load(), buf[:runtime.Stack(buf, true)])
	}
	if b.what.Load() == nil && err != nil {
		t.Fatalf("%v: error without a fault: %v", b, err)
	}
	what := "nothing"
	if op := b.what.Load(); op != nil {
		what = fmt.Sprintf("%+v", *op)
	}
	if errors.Is(err, errWrong) {
		t.Fatalf("%v, %s: %v", b, what, err)
	}
	if leak := leaked(); leak != "" {
		t.Fatalf("%v, %s: goroutines left after close:\n%s", b, what, leak)
	}
	for _, fs := range []vfs.FS{mem, mem.CrashClone(vfs.CrashCloneCfg{})} {
		st, err := pebblekv.Open(t.Context(), "parent/db", kvtest.Schema(), small(fs))
		if err != nil {
			t.Fatalf("%v, %s: reopen: %v", b, what, err)
		}
		if err := h.check(t, st); err != nil {
			t.Errorf("%v, %s: after reopen: %v", b, what, err)
		}
		if err := st.Close(); err != nil {
			t.Fatalf("%v, %s: close: %v", b, what, err)
		}
	}
	return b.what.Load() != nil && !t.Failed()
}

// mkdir makes a directory that survives a crash.
func mkdir(fs vfs.FS, name string) error {
	if err := fs.MkdirAll(name, 0o755); err != nil {
		return err
	}
	root, err := fs.OpenDir("")
	if err != nil {
		return err
	}
	return errors.Join(root.Sync(), root.Close())
}

// errWrong marks a result or an error that no fault excuses.
var errWrong = errors.New("wrong")

// life opens a store, uses everything it has, closes it and opens it again.
// It returns the errors it meets.
func life(t *testing.T, fs vfs.FS, h *history) error {
	rnd := rand.New(rand.NewPCG(1, 1))
	var errs []error
	for pass := range 2 {
		o := small(fs)
		o.MemtableBytes = 64 << 10
		st, err := pebblekv.Open(t.Context(), "parent/db", kvtest.Schema(), o)
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		if err := h.resume(t, st); err != nil {
			return errors.Join(append(errs, err, st.Close())...)
		}
		steps := []func() error{
			func() error { return commits(t, rnd, st, h, 6) },
			func() error { return st.Flush(t.Context()) },
			func() error { return commits(t, rnd, st, h, 4) },
			func() error { return reads(t.Context(), st, h) },
			func() error { return ingests(t, rnd, st, h) },
			func() error { return commits(t, rnd, st, h, 30) },
			func() error { return st.Compact(t.Context(), nil, nil) },
			func() error { return st.Checkpoint(t.Context(), "parent/copy"+fmt.Sprint(h.last())) },
			func() error { return st.Check(t.Context()) },
			func() error { return reads(t.Context(), st, h) },
		}
		if pass > 0 {
			steps = steps[2:4]
		}
		for _, step := range steps {
			errs = append(errs, step())
		}
		err = st.Close()
		if err != nil && !errors.Is(err, kv.ErrReadOnly) {
			err = fmt.Errorf("%w: close: %w", errWrong, err)
		}
		if err == nil {
			h.synced = h.last()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// resume checks a store just opened and forgets the commits it has lost.
func (h *history) resume(t *testing.T, st *pebblekv.Store) error {
	if err := h.check(t, st); err != nil {
		if errors.Is(err, errorfs.ErrInjected) {
			return err
		}
		return fmt.Errorf("%w: after open: %w", errWrong, err)
	}
	v, err := st.Get(t.Context(), meta, nil)
	switch {
	case err == nil:
		h.states = h.states[:binary.BigEndian.Uint32(v)+1]
	case errors.Is(err, kv.ErrNotFound):
		h.states = h.states[:1]
	default:
		return err
	}
	return nil
}

// commits makes n commits and stops at the first that fails: that one is in
// doubt, and no later one may succeed.
func commits(t *testing.T, rnd *rand.Rand, st *pebblekv.Store, h *history, n int) error {
	for range n {
		before, frozen := h.last(), st.Metrics().BackgroundError != nil
		err := h.commit(t, rnd, st)
		switch {
		case err == nil && frozen:
			return fmt.Errorf("%w: a commit after the failure", errWrong)
		case err == nil:
			continue
		case !errors.Is(err, kv.ErrReadOnly) && !errors.Is(err, errorfs.ErrInjected):
			return fmt.Errorf("%w: commit: %w", errWrong, err)
		case frozen || st.Metrics().BackgroundError == nil:
			// Refused, or an ingest's own failure: no effect.
			h.states = h.states[:before+1]
		}
		return err
	}
	return nil
}

func ingests(t *testing.T, rnd *rand.Rand, st *pebblekv.Store, h *history) error {
	for {
		before := len(h.states)
		// Commit until an ingest happens: it alone makes itself durable with
		// the value of meta in between other keys.
		synced := h.synced
		if err := commits(t, rnd, st, h, 1); err != nil {
			return err
		}
		if h.synced > synced || len(h.states) > before+20 {
			return nil
		}
	}
}

// reads compares what the store shows with the state of the last commits.
func reads(ctx context.Context, st *pebblekv.Store, h *history) error {
	var wrong error
	for at := h.last(); at >= 0 && at >= h.last()-1; at-- {
		sn, err := st.Snapshot(ctx)
		if err != nil {
			return err
		}
		err = h.states[at].Equal(ctx, sn)
		if cerr := sn.Close(); cerr != nil {
			return cerr
		}
		if err == nil {
			return nil
		}
		if errors.Is(err, errorfs.ErrInjected) {
			return err
		}
		wrong = errors.Join(wrong, fmt.Errorf("%w: %w", errWrong, err))
	}
	return wrong
}

// leaked returns the stacks of goroutines of a store, after a while for them
// to end.
func leaked() string {
	var left []string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); runtime.Gosched() {
		buf := make([]byte, 1<<20)
		left = nil
		for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")[1:] {
			if strings.Contains(g, "pebble") && !strings.Contains(g, "testing.tRunner") {
				left = append(left, g)
			}
		}
		if len(left) == 0 {
			return ""
		}
	}
	return strings.Join(left, "\n\n")
}
