package vecindex_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// hooked runs functions around the taking of a snapshot, which only building a
// mirror does in these tests.
type hooked struct {
	kv.Store
	before, after func()
}

func (h *hooked) Snapshot(ctx context.Context) (kv.Snapshot, error) {
	if f := h.before; f != nil {
		h.before = nil
		f()
	}
	s, err := h.Store.Snapshot(ctx)
	if f := h.after; f != nil {
		h.after = nil
		f()
	}
	return s, err
}

// TestWritesDuringLoad commits while a mirror is being built and expects the
// mirror to be kept if it can be made current, and right answers in all cases.
func TestWritesDuringLoad(t *testing.T) {
	const none, published, unpublished = 0, 1, 2
	for _, c := range []struct {
		name          string
		before, after int
		last          int // another commit after that, during the build too
		source        string
	}{
		{"before the snapshot", published, none, none, vecindex.Memory},
		{"after the snapshot", none, published, none, vecindex.Memory},
		{"both", published, published, published, vecindex.Memory},
		{"not published before", unpublished, none, published, vecindex.Memory},
		{"not published after", none, unpublished, published, vecindex.Unloaded},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := &hooked{Store: memory(t)}
			ix := mustOpen(t, st, config(vecindex.L2), nil)
			put(t, st, ix, 1, map[uint64][]float32{1: unit(0, 1), 2: unit(1, 1), 3: unit(2, 1)})
			seq := uint64(1)
			commit := func(how int) {
				if how == none {
					return
				}
				seq++
				b := st.NewBatch()
				w, err := ix.Begin(t.Context(), b, seq)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Put(t.Context(), 1, 0, unit(0, float32(seq))); err != nil {
					t.Fatal(err)
				}
				if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
					t.Fatal(err)
				}
				if how == published {
					w.Publish()
				}
			}
			st.before = func() { commit(c.before) }
			st.after = func() { commit(c.after); commit(c.last) }

			first := func(v *vecindex.View) float32 {
				hits, err := v.Search(t.Context(), vecindex.Search{Vector: unit(0, 10), K: 1}, nil)
				if err != nil || len(hits) != 1 {
					t.Fatal(hits, err)
				}
				return hits[0].Score
			}
			old, err := st.Store.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer old.Close()
			v, err := ix.At(t.Context(), old, 1)
			if err != nil {
				t.Fatal(err)
			}
			if got := first(v); got != -81 {
				t.Errorf("the old snapshot scores %g, want -81", got)
			}
			if s, err := ix.Stats(t.Context()); err != nil || s.Source != c.source {
				t.Errorf("after the build: %+v, %v; want %s", s, err, c.source)
			}
			now, err := ix.At(t.Context(), st, seq)
			if err != nil {
				t.Fatal(err)
			}
			d := float32(10 - int(seq))
			if got := first(now); got != -d*d {
				t.Errorf("the latest commit scores %g, want %g", got, -d*d)
			}
		})
	}
}

// TestWaitForLoad searches while another search builds the mirror.
func TestWaitForLoad(t *testing.T) {
	st := &hooked{Store: memory(t)}
	ix := mustOpen(t, st, config(vecindex.L2), nil)
	put(t, st, ix, 1, map[uint64][]float32{1: unit(0, 1)})
	v, err := ix.At(t.Context(), st, 1)
	if err != nil {
		t.Fatal(err)
	}
	q := vecindex.Search{Vector: unit(0, 1), K: 1}
	var wg sync.WaitGroup
	st.after = func() {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := v.Search(ctx, q, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("waiting with a context that has ended: %v", err)
		}
		wg.Go(func() {
			if hits, err := v.Search(t.Context(), q, nil); err != nil || len(hits) != 1 {
				t.Errorf("waiting search: %v, %v", hits, err)
			}
		})
	}
	if hits, err := v.Search(t.Context(), q, nil); err != nil || len(hits) != 1 {
		t.Errorf("building search: %v, %v", hits, err)
	}
	wg.Wait()
}

// TestPublishAfterLoad builds the mirror between a commit and its publication.
func TestPublishAfterLoad(t *testing.T) {
	st := memory(t)
	ix := mustOpen(t, st, config(vecindex.L2), nil)
	b := st.NewBatch()
	w, err := ix.Begin(t.Context(), b, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(t.Context(), 1, 0, unit(0, 1)); err != nil {
		t.Fatal(err)
	}
	if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
		t.Fatal(err)
	}
	q := vecindex.Search{Vector: unit(0, 1), K: 5}
	for range 2 {
		if hits, err := viewOf(t, st, ix, 1).Search(t.Context(), q, nil); err != nil || len(hits) != 1 {
			t.Fatalf("found %v, %v", hits, err)
		}
		w.Publish()
		if s, err := ix.Stats(t.Context()); err != nil || s.Source != vecindex.Memory {
			t.Fatalf("%+v, %v", s, err)
		}
	}
}
