package tablekv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// watched is a table that counts the rows that are written by key, and calls after when
// some were. Once it is dead, nothing is written.
type watched struct {
	kv.Table
	rows  map[string]int
	most  int // bytes of a state record
	after func()
	dead  atomic.Bool
}

var errDead = errors.New("the process has ended")

func (w *watched) Write(ctx context.Context, g kv.Guard, c *kv.Changes) error {
	if w.dead.Load() {
		return errDead
	}
	err := w.Table.Write(ctx, g, c)
	w.most = max(w.most, len(g.New))
	if err == nil && len(c.Set)+len(c.Delete)+len(c.Remove) > 0 {
		for _, p := range c.Set {
			w.rows[string(p.Key)]++
		}
		if w.after != nil {
			w.after()
		}
	}
	return err
}

// raw returns the keys of a server's table: those of a store, and of staged changes.
func raw(t *testing.T, server *kvtest.Server) (keys []string) {
	t.Helper()
	v, _, err := server.Table(kv.Bounds{}).View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := v.Scan(t.Context(), nil, nil, false, 1<<20)
	if err = errors.Join(err, v.Close()); err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		if k := string(p.Key); k != "\xff\x00" && k < "\xff\x02" {
			keys = append(keys, string(p.Key))
		}
	}
	return keys
}

func mustSet(t *testing.T, s *tablekv.Store, m *kvtest.Model, k, v string) {
	t.Helper()
	if err := set(t, s, k, v); err != nil {
		t.Fatal(err)
	}
	m.Set([]byte(k), []byte(v))
}

// TestPlaced loads rows around some that are there, and replaces and removes these. Each
// row is written once.
func TestPlaced(t *testing.T) {
	t.Parallel()
	server := kvtest.NewServer(1)
	tab := &watched{Table: server.Table(kv.Bounds{ValueBytes: 1 << 10, ChangeBytes: 8 << 10, RemoveKeys: 2}), rows: map[string]int{}}
	s, m := open(t, tab), kvtest.NewModel(kvtest.Schema())
	for _, k := range []string{"k0500", "k0750", "k0900", "m"} {
		mustSet(t, s, m, k, "old")
	}
	clear(tab.rows)
	err := s.Ingest(t.Context(), func(w kv.SortedWriter) error {
		for i := range 1000 {
			k := fmt.Appendf(nil, "k%04d", i)
			var err error
			switch i {
			case 750:
				continue // its range is removed
			case 900:
				m.Delete(k)
				err = w.Delete(k)
			case 700:
				m.DeleteRange(k, []byte("k0800"))
				err = w.DeleteRange(k, []byte("k0800"))
				fallthrough
			default:
				v := fmt.Appendf(nil, "value %d", i)
				m.Set(k, v)
				err = errors.Join(err, w.Set(k, v))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, n := range tab.rows {
		if n != 1 || k[0] == 0xFF && k[1] == 1 {
			t.Errorf("the row %q was written %d times", k, n)
		}
	}
	if err := m.Equal(t.Context(), s); err != nil || len(tab.rows) != 998+1 { // what the commit has changed is a row
		t.Errorf("after the load, of which %d rows were written: %v", len(tab.rows), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := raw(t, server); !slices.Equal(got, m.Keys()) {
		t.Errorf("the table has %q", got)
	}
}

// TestManyGaps loads rows between very many that are there. The state record stays small.
func TestManyGaps(t *testing.T) {
	t.Parallel()
	tab := &watched{Table: kvtest.NewServer(1).Table(kv.Bounds{ChangeBytes: 8 << 10}), rows: map[string]int{}}
	s, m := open(t, tab), kvtest.NewModel(kvtest.Schema())
	for _, odd := range []bool{false, true} {
		err := s.Ingest(t.Context(), func(w kv.SortedWriter) error {
			for i := range 12_000 {
				if (i%40 != 0) == odd {
					k := fmt.Appendf(nil, "k%050d", i)
					m.Set(k, nil)
					if err := w.Set(k, nil); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if tab.most > 2500 {
		t.Errorf("a state record has %d bytes", tab.most)
	}
	if err := errors.Join(m.Equal(t.Context(), s), s.Close()); err != nil {
		t.Error(err)
	}
}

// TestUnfinished reads after each write of a load, which is committed, fails, or whose
// process ends. Until its commit nobody sees a row of it; and if there is none, its place
// is free for the same writer and for the next one.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	for _, bounds := range []kv.Bounds{tiny, {ValueBytes: 200, ChangeBytes: 2 << 10, RemoveKeys: 7}, {ChangeBytes: 4 << 10}} {
		for _, end := range []string{"commits", "fails", "fails and is closed", "dies"} {
			t.Run(fmt.Sprintf("%v/%s", bounds, end), func(t *testing.T) {
				t.Parallel()
				unfinished(t, bounds, end)
			})
		}
	}
}

func unfinished(t *testing.T, bounds kv.Bounds, end string) {
	server := kvtest.NewServer(1)
	tab := &watched{Table: server.Table(bounds), rows: map[string]int{}}
	s, before := open(t, tab), kvtest.NewModel(kvtest.Schema())
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, k := range []string{"a", "k/100", "k/101", "k/240", "z"} {
		mustSet(t, s, before, k, "old")
	}
	r, err := tablekv.Open(t.Context(), server.Table(bounds), kvtest.Schema(), &tablekv.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	after, now, looks := before.Clone(), before, 0
	tab.after = func() {
		if looks++; now == before && end == "commits" && before.Equal(t.Context(), r) != nil {
			now = after
		}
		kvtest.CheckReader(t, rnd, r, now)
		k := fmt.Appendf(nil, "k/%03d", rnd.IntN(300))
		want, has := now.Value(k)
		if got, err := r.Get(t.Context(), k, nil); !bytes.Equal(got, want) || has != (err == nil) {
			t.Fatalf("%s is %q, %v", k, got, err)
		}
	}
	failed := errors.New("the input ends")
	err = s.Ingest(t.Context(), func(w kv.SortedWriter) error {
		for i := range 300 {
			k := fmt.Appendf(nil, "k/%03d", i)
			v := make([]byte, 10)
			if i%20 == 0 {
				v = make([]byte, 300) // in pieces
			}
			if i == 200 {
				after.DeleteRange(k, []byte("k/250"))
				if err := w.DeleteRange(k, []byte("k/250")); err != nil {
					return err
				}
			}
			after.Set(k, v)
			if err := w.Set(k, v); err != nil {
				return err
			}
		}
		if end == "commits" {
			return nil
		}
		return failed
	})
	tab.after = nil
	switch {
	case end == "commits":
		if err != nil || now != after {
			t.Fatalf("the load was not seen, or failed: %v", err)
		}
	case !errors.Is(err, failed):
		t.Fatal(err)
	}
	if looks < 5 {
		t.Errorf("%d writes: the load was not written in parts", looks)
	}
	kvtest.CheckReader(t, rnd, r, now)
	next := s
	switch end {
	case "fails and is closed":
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		next = open(t, server.Table(bounds))
	case "dies":
		tab.dead.Store(true)
		next = open(t, server.Table(bounds))
		_ = s.Close() // it cannot give the lease up
	}
	kvtest.CheckReader(t, rnd, r, now)
	mustSet(t, next, now, "k/150", "new")
	kvtest.CheckReader(t, rnd, r, now)
	if err := errors.Join(next.Close(), open(t, server.Table(bounds)).Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	if got := raw(t, server); !slices.Equal(got, now.Keys()) {
		t.Errorf("the table has %q", got)
	}
}

// TestUnfinishedHeld reads an old snapshot while a load goes on and after it.
func TestUnfinishedHeld(t *testing.T) {
	t.Parallel()
	server := kvtest.NewServer(1)
	s, m := open(t, server.Table(kv.Bounds{ChangeBytes: 1 << 10, ViewAge: time.Hour})), kvtest.NewModel(kvtest.Schema())
	mustSet(t, s, m, "b", "1")
	rnd := rand.New(rand.NewPCG(1, 1))
	var held []kv.Snapshot
	hold := func() error {
		sn, err := s.Snapshot(t.Context())
		held = append(held, sn)
		return err
	}
	err := s.Ingest(t.Context(), func(w kv.SortedWriter) error {
		for i := range 200 {
			if err := w.Set(fmt.Appendf(nil, "k%03d", i), []byte("v")); err != nil {
				return err
			}
			if i%50 == 0 {
				if err := hold(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, sn := range held {
		kvtest.CheckReader(t, rnd, sn, m)
		if err := sn.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
