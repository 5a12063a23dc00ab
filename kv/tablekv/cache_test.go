package tablekv_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// TestCaches has readers of several sizes of caches follow writers that take turns, which
// skip commits, keep old snapshots, and read at random.
func TestCaches(t *testing.T) {
	t.Parallel()
	usual := kv.Bounds{ValueBytes: 100 << 10, ChangeBytes: 10 << 20}
	for _, b := range []kv.Bounds{usual, {ChangeBytes: 4 << 10}, {ChangeBytes: 700, ValueBytes: 40, RemoveKeys: 2}} {
		for _, cache := range []int64{0, 20 << 10, 2 << 10} {
			t.Run(fmt.Sprint(b.ChangeBytes, cache), func(t *testing.T) {
				t.Parallel()
				checkCaches(t, b, cache)
			})
		}
	}
}

func checkCaches(t *testing.T, b kv.Bounds, cache int64) {
	server := kvtest.NewServer(1)
	rnd := rand.New(rand.NewPCG(uint64(cache), uint64(b.ChangeBytes)))
	reopen := func(readOnly bool) *tablekv.Store {
		s, err := tablekv.Open(t.Context(), server.Table(b), kvtest.Schema(), &tablekv.Options{
			ReadOnly: readOnly, CacheBytes: cache, Lease: 50 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	w := reopen(false)
	m := kvtest.NewModel(kvtest.Schema())
	readers := []kv.Store{w, reopen(true), reopen(true)}
	type frozen struct {
		sn kv.Snapshot
		m  *kvtest.Model
	}
	var olds []frozen
	for step := range 400 {
		switch op := rnd.IntN(20); {
		case op < 10:
			b := w.NewBatch()
			kvtest.Mutate(rnd, 1+rnd.IntN(6), b, m)
			if err := w.Apply(t.Context(), b, kv.Sync); err != nil {
				t.Fatal(err)
			}
		case op == 10 && step%3 == 0: // another writer, or a pause of several hundred commits
			if rnd.IntN(4) == 0 {
				for range 300 {
					b := w.NewBatch()
					kvtest.Mutate(rnd, 1, b, m)
					if err := w.Apply(t.Context(), b, kv.Sync); err != nil {
						t.Fatal(err)
					}
				}
				continue
			}
			for _, f := range olds {
				if err := f.sn.Close(); err != nil {
					t.Fatal(err)
				}
			}
			olds = nil
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			w = reopen(false)
			readers[0] = w
		case op == 11 && len(olds) < 6:
			sn, err := readers[rnd.IntN(len(readers))].Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			olds = append(olds, frozen{sn, m.Clone()})
		case op == 12 && len(olds) > 0:
			f := olds[rnd.IntN(len(olds))]
			kvtest.CheckReader(t, rnd, f.sn, f.m)
		default:
			kvtest.CheckReader(t, rnd, readers[rnd.IntN(len(readers))], m)
		}
	}
	for _, f := range olds {
		kvtest.CheckReader(t, rnd, f.sn, f.m)
		if err := f.sn.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, s := range readers {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCacheTrips counts the round trips of reads that were done before: the view alone,
// until a commit changes what they read.
func TestCacheTrips(t *testing.T) {
	t.Parallel()
	server := kvtest.NewServer(1)
	w := open(t, server.Table(kv.Bounds{}))
	tab, take := kvtest.CountTable(server.Table(kv.Bounds{}))
	r, err := tablekv.Open(t.Context(), tab, kvtest.Schema(), &tablekv.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	read := func() error {
		sn, err := r.Snapshot(t.Context())
		if err != nil {
			return err
		}
		_, err = sn.Get(t.Context(), []byte("a/1"), nil)
		it, ierr := sn.Iter(t.Context(), []byte("b"), []byte("c"))
		if err = errors.Join(err, ierr); err != nil {
			return err
		}
		for ok := it.First(); ok; ok = it.Next() {
		}
		_, _, gerr := sn.(kv.Gatherer).Gather(t.Context(), [][]byte{[]byte("a/1"), []byte("no")}, []kv.Range{{Lo: []byte("b"), Hi: []byte("c")}}, 100)
		return errors.Join(it.Err(), it.Close(), gerr, sn.Close())
	}
	for i := range 60 {
		if err := errors.Join(set(t, w, fmt.Sprintf("a/%d", i), "x"), set(t, w, fmt.Sprintf("b/%02d", i), "x")); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		change       string // the key that another process changes before
		views, reads int
	}{
		{"", 1, 4}, // a key, two windows, what was never asked for
		{"", 1, 0},
		{"c", 1, 0},
		{"a/1", 1, 1},
		{"b/20", 1, 2}, // the window, and the rest of the range
		{"no", 1, 1},
	} {
		if c.change != "" {
			if err := set(t, w, c.change, "y"); err != nil {
				t.Fatal(err)
			}
		}
		take()
		if err := read(); err != nil {
			t.Fatal(err)
		}
		if views, reads, _ := take(); views != c.views || reads != c.reads {
			t.Errorf("after %q was changed: %d views and %d reads, want %d and %d", c.change, views, reads, c.views, c.reads)
		}
	}
	if err := errors.Join(r.Close(), w.Close()); err != nil {
		t.Error(err)
	}
}

// TestNewTable clears a table and fills it again while a reader has it open. The new
// table has had as many writers as the old one, and once as many commits. The reader
// shows nothing of the old one.
func TestNewTable(t *testing.T) {
	t.Parallel()
	server := kvtest.NewServer(1)
	tab := server.Table(kv.Bounds{})
	fill := func(v string, n int) {
		w := open(t, tab)
		for i := range n {
			if err := set(t, w, fmt.Sprintf("k%d", i%5), v); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	fill("old", 10)
	r, err := tablekv.Open(t.Context(), tab, kvtest.Schema(), &tablekv.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range []int{10, 14, 5, 400} {
		for k := range 5 {
			want(t, r, fmt.Sprintf("k%d", k), []string{"old", "new10", "new14", "new5"}[i])
		}
		server.Clear(t)
		fill(fmt.Sprintf("new%d", n), n)
	}
	want(t, r, "k1", "new400")
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestDamagedLog damages the row that says what the last commit has changed. Readers that
// have cached the value from before show the new one.
func TestDamagedLog(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(b []byte) []byte{
		"cut":          func(b []byte) []byte { return b[:len(b)-1] },
		"too short":    func(b []byte) []byte { return b[:4] },
		"empty":        func([]byte) []byte { return nil },
		"longer":       func(b []byte) []byte { return append(b, 0xFF) },
		"of a nobody":  func(b []byte) []byte { return append([]byte{b[0] ^ 1}, b[1:]...) },
		"all ones":     func(b []byte) []byte { return bytes.Repeat([]byte{0xFF}, len(b)) },
		"without kind": func(b []byte) []byte { b[8] = 7; return b },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := kvtest.NewServer(1).Table(kv.Bounds{})
			w := open(t, tab)
			if err := set(t, w, "a", "old"); err != nil {
				t.Fatal(err)
			}
			r, err := tablekv.Open(t.Context(), tab, kvtest.Schema(), &tablekv.Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			want(t, r, "a", "old")
			if err := set(t, w, "a", "new"); err != nil {
				t.Fatal(err)
			}
			row := []byte{0xFF, 4, 0, 0, 0, 0, 0, 0, 0, 2} // of the second commit
			v, vals, err := tab.View(t.Context(), row)
			if err != nil || vals[0] == nil {
				t.Fatalf("the row of the commit: %q, %v", vals, err)
			}
			g := kv.Guard{Key: row, Old: vals[0], New: damage(bytes.Clone(vals[0]))}
			if err := errors.Join(v.Close(), tab.Write(t.Context(), g, &kv.Changes{})); err != nil {
				t.Fatal(err)
			}
			want(t, r, "a", "new")
			if err := errors.Join(r.Close(), w.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}
