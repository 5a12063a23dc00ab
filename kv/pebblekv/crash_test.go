package pebblekv_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// history is what a store was told: the state after each commit. Commit i
// sets the key meta to i, so that a state tells which one it is.
type history struct {
	states []*kvtest.Model
	synced int // every commit up to this one must survive
}

var meta = []byte("meta")

func newHistory() *history {
	return &history{states: []*kvtest.Model{kvtest.NewModel(kvtest.Schema())}}
}

// next adds the state after a commit that fn describes.
func (h *history) next(fn func(b kv.Batch)) {
	m := h.states[len(h.states)-1].Clone()
	fn(m)
	m.Set(meta, binary.BigEndian.AppendUint32(nil, uint32(len(h.states))))
	h.states = append(h.states, m)
}

// last is the number of the newest commit.
func (h *history) last() int { return len(h.states) - 1 }

// check compares a store with the state its meta key names, which must be
// neither older than the last durable commit nor newer than the last one.
func (h *history) check(t *testing.T, st *pebblekv.Store) error {
	t.Helper()
	at := 0
	v, err := st.Get(t.Context(), meta, nil)
	switch {
	case err == nil:
		at = int(binary.BigEndian.Uint32(v))
	case err != kv.ErrNotFound:
		return err
	}
	if at < h.synced || at > h.last() {
		return fmt.Errorf("commit %d of %d survives, %d was durable", at, h.last(), h.synced)
	}
	if err := h.states[at].Equal(t.Context(), st); err != nil {
		return fmt.Errorf("commit %d: %w", at, err)
	}
	return nil
}

// commit makes a random commit: mostly a batch, sometimes an ingest.
func (h *history) commit(t *testing.T, rnd *rand.Rand, st *pebblekv.Store) error {
	if rnd.IntN(40) == 0 {
		keys := [][]byte{[]byte("a/00"), []byte("b/10"), []byte("c"), meta, []byte("n")}
		op := kvtest.Operand(rnd)
		h.next(func(b kv.Batch) {
			for _, k := range keys {
				b.Merge(k, op)
			}
		})
		err := st.Ingest(t.Context(), func(w kv.SortedWriter) error {
			for _, k := range keys {
				if string(k) == string(meta) {
					if err := w.Set(k, binary.BigEndian.AppendUint32(nil, uint32(h.last()))); err != nil {
						return err
					}
				} else if err := w.Merge(k, op); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			h.synced = h.last()
		}
		return err
	}
	b := st.NewBatch()
	big := make([]byte, rnd.IntN(2000))
	h.next(func(m kv.Batch) {
		kvtest.Mutate(rnd, 1+rnd.IntN(5), b, m)
		for _, to := range []kv.Batch{b, m} {
			to.Set([]byte("big/"+string('a'+rune(len(big)%8))), big)
		}
	})
	b.Set(meta, binary.BigEndian.AppendUint32(nil, uint32(h.last())))
	d := kv.NoSync
	if rnd.IntN(7) == 0 {
		d = kv.Sync
	}
	err := st.Apply(t.Context(), b, d)
	if err == nil && d == kv.Sync {
		h.synced = h.last()
	}
	return err
}

// After any crash the store holds a prefix of the commits with every durable
// one. A crash keeps a random part of what was not synced.
func TestCrash(t *testing.T) {
	t.Parallel()
	clones, perSeed := 500, 20
	if *long {
		clones = 50_000
	}
	lost := 0
	for seed := range uint64(clones / perSeed) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		mem := vfs.NewCrashableMem()
		o := small(mem)
		o.MemtableBytes = 64 << 10
		st := open(t, "db", o)
		h := newHistory()
		// The first open is not a commit: its directory must survive.
		for range perSeed {
			for range 1 + rnd.IntN(20) {
				if err := h.commit(t, rnd, st); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			if rnd.IntN(10) == 0 {
				if err := st.Flush(t.Context()); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				h.synced = h.last()
			}
			clone := mem.CrashClone(vfs.CrashCloneCfg{
				UnsyncedDataPercent: slices.Max([]int{0, rnd.IntN(120) - 20}),
				RNG:                 rnd,
			})
			lost += reopen(t, seed, clone, h)
		}
		if err := st.Close(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		h.synced = h.last()
		if n := reopen(t, seed, mem.CrashClone(vfs.CrashCloneCfg{}), h); n != 0 {
			t.Errorf("seed %d: %d commits are lost after Close", seed, n)
		}
	}
	t.Logf("%d clones, %.1f commits lost on average", clones, float64(lost)/float64(clones))
	if lost == 0 {
		t.Error("no clone lost anything: the test does not crash")
	}
}

// An ingest is durable at once, and so are the commits before it, in other keys too.
func TestIngestIsAfterCommits(t *testing.T) {
	t.Parallel()
	mem := vfs.NewCrashableMem()
	st := open(t, "db", small(mem))
	b := st.NewBatch()
	b.Set([]byte("a"), []byte("commit"))
	if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
		t.Fatal(err)
	}
	if err := st.Ingest(t.Context(), func(w kv.SortedWriter) error { return w.Set([]byte("z"), []byte("ingest")) }); err != nil {
		t.Fatal(err)
	}
	clone := mem.CrashClone(vfs.CrashCloneCfg{})
	closeStore(t, st)
	st = open(t, "db", small(clone))
	if a, z := value(t, st, "a"), value(t, st, "z"); a != "commit" || z != "ingest" {
		t.Errorf("after a crash: %q, %q", a, z)
	}
	closeStore(t, st)
}

// reopen opens a clone, checks it, writes to it, and returns how many commits
// it had lost.
func reopen(t *testing.T, seed uint64, clone vfs.FS, h *history) int {
	t.Helper()
	o := small(clone)
	o.MemtableBytes = 64 << 10
	st, err := pebblekv.Open(t.Context(), "db", kvtest.Schema(), o)
	if err != nil {
		t.Fatalf("seed %d, commit %d: reopen: %v", seed, h.last(), err)
	}
	if err := h.check(t, st); err != nil {
		t.Fatalf("seed %d: after a crash: %v", seed, err)
	}
	at := uint32(0)
	if v, err := st.Get(t.Context(), meta, nil); err == nil {
		at = binary.BigEndian.Uint32(v)
	}
	b := st.NewBatch()
	b.Set([]byte("after"), nil)
	if err := st.Apply(t.Context(), b, kv.Sync); err != nil {
		t.Fatalf("seed %d: write after a crash: %v", seed, err)
	}
	if err := st.Close(); err != nil {
		t.Fatalf("seed %d: close after a crash: %v", seed, err)
	}
	return h.last() - int(at)
}
