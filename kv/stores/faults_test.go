//go:build !nopostgres

package stores_test

import (
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/pgtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// TestCuts cuts the connection at the n-th message in each direction in turn. The writer
// goes on, and nothing is lost or done twice.
func TestCuts(t *testing.T) {
	server := shared.Server(t)
	url := server.NewDatabase(t)
	p := pgtest.StartProxy(t, server.Addr())
	s, err := openStore(t.Context(), p.URL(url), tight, tablekv.Options{Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	direct, err := openStore(t.Context(), url, tight, tablekv.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	most := 12
	if *long {
		most = 150
	}
	f, at := newFollower(3), 0
	for _, way := range []pgtest.Direction{pgtest.ToServer, pgtest.ToClient} {
		for n := 1; n <= most; n++ {
			p.SetCut(way, n)
			for range 3 {
				at++
				b := s.NewBatch()
				step(3, at, b)
				if err := s.Apply(t.Context(), b, kv.Sync); err != nil {
					t.Fatalf("direction %d, message %d, batch %d: %v", way, n, at, err)
				}
			}
			f.check(t, direct, at, at)
		}
	}
	p.SetCut(pgtest.ToServer, 0)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := direct.Close(); err != nil {
		t.Error(err)
	}
}

// TestFailover kills the server while a writer goes on, and makes the standby the server.
// Nothing that was acknowledged is lost.
func TestFailover(t *testing.T) {
	durable := pgtest.Options{Durable: true}
	first := pgtest.Start(t, durable)
	url := first.NewDatabase(t)
	standby := first.StartStandby(t, durable)
	p := pgtest.StartProxy(t, first.Addr())
	s, err := openStore(t.Context(), p.URL(url), tight, tablekv.Options{Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	r, err := openStore(t.Context(), p.URL(url), tight, tablekv.Options{ReadOnly: true, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	switched := make(chan error, 1)
	go func() {
		time.Sleep(300 * time.Millisecond)
		err := first.Kill()
		standby.Promote(t)
		p.SetTarget(standby.Addr())
		p.CutAll()
		switched <- err
	}()
	f, at, left := newFollower(4), 0, -1
	for left != 0 {
		at++
		left--
		b := s.NewBatch()
		step(4, at, b)
		if err := s.Apply(t.Context(), b, kv.Sync); err != nil {
			t.Fatalf("batch %d: %v", at, err)
		}
		select {
		case err := <-switched:
			if err != nil {
				t.Fatal(err)
			}
			left = 20 // batches on the new server
		default:
		}
	}
	f.check(t, r, at, at)
	t.Logf("%d batches", at)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
