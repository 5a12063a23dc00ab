package tablekv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
)

// TestLostViews loses a third of the views that a writer reads for itself. Its commits
// succeed all the same.
func TestLostViews(t *testing.T) {
	t.Parallel()
	server := kvtest.NewServer(1)
	s := open(t, server.Table(tiny))
	m, rnd := kvtest.NewModel(kvtest.Schema()), rand.New(rand.NewPCG(1, 1))
	for i := range 30 {
		server.SetFaults(kvtest.Faults{Expire: 0.3})
		b := s.NewBatch()
		kvtest.Mutate(rnd, 20, b, m)
		if err := s.Apply(t.Context(), b, kv.Sync); err != nil {
			t.Fatalf("batch %d: %v", i, err)
		}
		server.SetFaults(kvtest.Faults{})
		if err := m.Equal(t.Context(), s); err != nil {
			t.Fatalf("batch %d: %v", i, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// lostScan is a table that loses a view once: at the first scan that begins at a key or
// after it.
type lostScan struct {
	kv.Table
	at   []byte
	lost bool
}

type lostScanView struct {
	kv.TableView
	of *lostScan
}

func (l *lostScan) View(ctx context.Context, keys ...[]byte) (kv.TableView, [][]byte, error) {
	v, vals, err := l.Table.View(ctx, keys...)
	return &lostScanView{v, l}, vals, err
}

func (v *lostScanView) Scan(ctx context.Context, lo, hi []byte, reverse bool, limit int) ([]kv.Pair, error) {
	if !v.of.lost && lo[0] != 0xFF && bytes.Compare(lo, v.of.at) >= 0 {
		v.of.lost = true
		return nil, kv.ErrExpired
	}
	return v.TableView.Scan(ctx, lo, hi, reverse, limit)
}

// TestLostGaps loses the view in which a load looks for room between rows, after it has
// found some.
func TestLostGaps(t *testing.T) {
	t.Parallel()
	tab := &lostScan{Table: kvtest.NewServer(1).Table(kv.Bounds{ChangeBytes: 8 << 10}), at: []byte("k3"), lost: true}
	s, m := open(t, tab), kvtest.NewModel(kvtest.Schema())
	for i := range 16 {
		mustSet(t, s, m, fmt.Sprintf("k2/%02d", i), "old")
	}
	tab.lost = false
	err := s.Ingest(t.Context(), func(w kv.SortedWriter) error {
		for i := range 200 {
			k := fmt.Appendf(nil, "k%d/%03d", 1+min(i/36, 1)*2, i)
			m.Set(k, []byte("v"))
			if err := w.Set(k, []byte("v")); err != nil {
				return err
			}
		}
		want(t, s, "k2/00", "old") // others read while the load goes on
		return nil
	})
	if err != nil || !tab.lost {
		t.Fatalf("lost %t: %v", tab.lost, err)
	}
	if err := errors.Join(m.Equal(t.Context(), s), s.Close()); err != nil {
		t.Error(err)
	}
}

// scans is a table that notes where scans of staged changes begin.
type scans struct {
	kv.Table
	from [][]byte
}

type scansView struct {
	kv.TableView
	of *scans
}

func (s *scans) View(ctx context.Context, keys ...[]byte) (kv.TableView, [][]byte, error) {
	v, vals, err := s.Table.View(ctx, keys...)
	return &scansView{v, s}, vals, err
}

func (v *scansView) Scan(ctx context.Context, lo, hi []byte, reverse bool, limit int) ([]kv.Pair, error) {
	if bytes.HasPrefix(lo, []byte{0xFF, 1}) {
		v.of.from = append(v.of.from, bytes.Clone(lo))
	}
	return v.TableView.Scan(ctx, lo, hi, reverse, limit)
}

// TestMovesGoOn commits what is staged in many steps. Each begins where the one before
// ended: a server keeps removed rows for a while, and passes over them.
func TestMovesGoOn(t *testing.T) {
	t.Parallel()
	tab := &scans{Table: kvtest.NewServer(1).Table(kv.Bounds{ChangeBytes: 2 << 10})}
	s := open(t, tab)
	for range 2 { // the second time the rows are there, and the new ones have to be staged
		tab.from = nil
		b := s.NewBatch()
		for i := range 200 {
			b.Set([]byte{'k', byte(i)}, bytes.Repeat([]byte{'v'}, 50))
		}
		if err := s.Apply(t.Context(), b, kv.Sync); err != nil {
			t.Fatal(err)
		}
	}
	if len(tab.from) < 5 {
		t.Errorf("%d scans: the batch was not moved in steps", len(tab.from))
	}
	for i := 1; i < len(tab.from); i++ {
		if bytes.Compare(tab.from[i-1], tab.from[i]) >= 0 {
			t.Errorf("scan %d begins at %x, the one before at %x", i, tab.from[i], tab.from[i-1])
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
