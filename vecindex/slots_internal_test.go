package vecindex

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// slotWorld is an index whose slots are nearly used up.
type slotWorld struct {
	t   *testing.T
	st  kv.Store
	ix  *Index
	seq uint64
	now map[uint64]float32 // the first element of each vector
}

// newSlotWorld returns an index of a kind with 40 vectors and left slots that
// were never given out.
func newSlotWorld(t *testing.T, kind Kind, left uint32) *slotWorld {
	t.Helper()
	st := memkv.New(layout.Schema())
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	cfg := Config{Table: layout.Table{Graph: 1, Space: 1}, Dim: 2, Model: "m", Metric: InnerProduct, Kind: kind}
	ix, err := Open(t.Context(), st, cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &slotWorld{t: t, st: st, ix: ix, now: map[uint64]float32{}}
	w.commit(true, func(wr *Write) {
		for id := range uint64(40) {
			w.put(wr, id)
		}
	})
	w.commit(true, func(wr *Write) {
		wr.meta.next = maxSlots - left
		wr.setMeta()
	})
	return w
}

// commit makes a commit, published as told.
func (w *slotWorld) commit(publish bool, write func(wr *Write)) {
	w.t.Helper()
	w.seq++
	b := w.st.NewBatch()
	wr, err := w.ix.Begin(w.t.Context(), b, w.seq)
	if err != nil {
		w.t.Fatal(err)
	}
	write(wr)
	if err := w.st.Apply(w.t.Context(), b, kv.NoSync); err != nil {
		w.t.Fatal(err)
	}
	if publish {
		wr.Publish()
	}
}

func (w *slotWorld) put(wr *Write, id uint64) {
	w.t.Helper()
	x := float32(w.seq) + float32(id)/1024
	if err := wr.Put(w.t.Context(), id, 0, []float32{x, 1}); err != nil {
		w.t.Fatal(err)
	}
	w.now[id] = x
}

// check reads the vectors of a snapshot from the store and expects those of
// want.
func (w *slotWorld) check(r kv.Reader, seq uint64, want map[uint64]float32) {
	w.t.Helper()
	v, err := w.ix.At(w.t.Context(), r, seq)
	if err != nil {
		w.t.Fatal(err)
	}
	defer v.Close()
	if v.Len() != len(want) {
		w.t.Fatalf("%d vectors, want %d", v.Len(), len(want))
	}
	for e, err := range v.All(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		if want[e.ID] != e.Vector[0] {
			w.t.Fatalf("commit %d: vector of %d begins with %g, want %g", seq, e.ID, e.Vector[0], want[e.ID])
		}
	}
	slots := map[uint32]bool{}
	err = w.ix.in(r).scanSlots(w.t.Context(), func(slot uint32, _ slotRecord) { slots[slot] = true })
	if err != nil || len(slots) != len(want) {
		w.t.Fatalf("%d slots of %d vectors, %v", len(slots), len(want), err)
	}
}

// TestSlotsComeAgain puts vectors into a flat index all slots of which were
// given out: those that hold nothing are used again, and a snapshot taken before
// shows what it showed.
func TestSlotsComeAgain(t *testing.T) {
	for _, c := range []struct {
		name            string
		loaded, publish bool
	}{{"in the store", false, true}, {"in memory", true, true}, {"not published", true, false}} {
		t.Run(c.name, func(t *testing.T) {
			w := newSlotWorld(t, Flat, 3)
			snap, err := w.st.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer snap.Close()
			before, seq := map[uint64]float32{}, w.seq
			for id, x := range w.now {
				before[id] = x
			}
			if c.loaded {
				if _, err := w.ix.load(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for round := range 30 {
				w.commit(c.publish || round%3 > 0, func(wr *Write) {
					for id := range uint64(20) {
						w.put(wr, id*uint64(round%7+1)%64)
						if id%5 == 0 { // gives its slot back at once
							if _, err := wr.Delete(t.Context(), id); err != nil {
								t.Fatal(err)
							}
							delete(w.now, id)
						}
					}
				})
				w.check(w.st, w.seq, w.now)
			}
			w.check(snap, seq, before)
		})
	}
}

// TestSlotsUsedUp says what a graph without a free slot answers, and lists.
func TestSlotsUsedUp(t *testing.T) {
	for _, kind := range []Kind{HNSW, IVF, Auto} {
		w := newSlotWorld(t, kind, 0)
		w.commit(true, func(wr *Write) {
			if err := wr.Put(t.Context(), 7, 0, []float32{1, 1}); !errors.Is(err, ErrFull) {
				t.Errorf("%s: put without a slot left: %v", kind, err)
			}
		})
		w.check(w.st, w.seq-1, w.now)
	}
}

// TestManyFreeSlots publishes writes that use some of very many free slots: the
// cost is not that of comparing each with each, which takes minutes.
func TestManyFreeSlots(t *testing.T) {
	free := make([]uint32, maxFree)
	for i := range free {
		free[i] = uint32(2 * i)
	}
	w := &Write{free: free, reused: maxFree / 4}
	for _, c := range []struct {
		name string
		free []uint32 // when the write is published
	}{
		{"as at the beginning", free},
		{"more since", append(slices.Clone(free), 9, 11)},
		{"read again", append([]uint32{1}, free...)},
	} {
		w.ix = &Index{cfg: Config{Kind: HNSW}, free: c.free}
		want := slices.DeleteFunc(slices.Clone(c.free), func(s uint32) bool { return s%2 == 0 && s < 2*uint32(w.reused) })
		start := time.Now()
		w.ix.took(w)
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%s: it took %v", c.name, d)
		}
		if !slices.Equal(w.ix.free, want) {
			t.Errorf("%s: %d slots are free, want %d", c.name, len(w.ix.free), len(want))
		}
	}
}
