package tablekv_test

import (
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// atSpeed opens a store for writing in a process whose clock runs so many times as fast as
// that of others: all times that it measures are so many times shorter.
func atSpeed(t *testing.T, server *kvtest.Server, speed float64) (*tablekv.Store, error) {
	t.Helper()
	span := func(d time.Duration) time.Duration { return time.Duration(float64(d) / speed) }
	return tablekv.Open(t.Context(), server.Table(kv.Bounds{}), kvtest.Schema(), &tablekv.Options{
		Owner: "the first", Lease: span(6 * time.Second), Patience: span(15 * time.Second),
	})
}

// TestClocks has a process wait for the lease of another one, whose clocks differ. A wrong
// clock costs a writer its place, or the waiting process its time, and never a commit.
func TestClocks(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for _, c := range []struct {
		name            string
		writer, waiter  float64       // speeds of their clocks
		every           time.Duration // between two writes; 0 if it writes nothing
		takes, tolerate time.Duration // when the waiter has the lease; 0 if it is refused
	}{
		{"right", 1, 1, second, 0, 0},
		{"right, of an idle writer", 1, 1, 0, 0, 0},
		{"the waiter's runs ahead", 1, 100, second, 60 * time.Millisecond, second / 10},
		{"the waiter's runs ahead of an idle writer", 1, 100, 0, 60 * time.Millisecond, second / 10},
		{"the waiter's is slow", 1, .01, second, 0, 0},
		{"the writer's is slow", .1, 1, 0, 6 * second, second},
		{"the writer's is slow, and it writes", .1, 1, second, 0, 0},
		{"the writer's stands still", 1e-6, 1, 0, 6 * second, second},
		{"the writer's stands still, and it writes", 1e-6, 1, 20 * second, 6 * second, second},
		{"the writer's stands still, the waiter's is slow", 1e-6, .01, 0, 600 * second, 100 * second},
		{"the writer's runs ahead", 100, 1, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := kvtest.NewServer(1)
				first, err := atSpeed(t, server, c.writer)
				if err != nil {
					t.Fatal(err)
				}
				acked := 0
				write := func() error {
					err := set(t, first, "n", strconv.Itoa(acked+1))
					if err == nil {
						acked++
					}
					return err
				}
				if err := write(); err != nil {
					t.Fatal(err)
				}
				stop, ended := make(chan bool), make(chan error, 1)
				go func() {
					pause := make(<-chan time.Time)
					if c.every > 0 {
						tick := time.NewTicker(c.every)
						defer tick.Stop()
						pause = tick.C
					}
					for {
						select {
						case <-pause:
						case <-stop:
							ended <- write()
							return
						}
						if err := write(); err != nil {
							ended <- err
							return
						}
					}
				}()
				begin := time.Now()
				second, err := atSpeed(t, server, c.waiter)
				took := time.Since(begin)
				if c.takes == 0 {
					if !errors.Is(err, kv.ErrLocked) {
						t.Fatalf("a second writer beside one that is alive: %v after %v", err, took)
					}
					close(stop)
					if err := errors.Join(<-ended, first.Close()); err != nil {
						t.Error(err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if took < c.takes || took > c.takes+c.tolerate {
					t.Errorf("it has the lease after %v, not %v", took, c.takes)
				}
				if c.every == 0 {
					close(stop)
				}
				if err := <-ended; !errors.Is(err, kv.ErrLease) {
					t.Errorf("the first writer's next write: %v", err)
				}
				want(t, second, "n", strconv.Itoa(acked))
				if err := set(t, second, "m", "x"); err != nil {
					t.Error(err)
				}
				if err := write(); !errors.Is(err, kv.ErrLease) {
					t.Errorf("a later write of the first writer: %v", err)
				}
				want(t, second, "n", strconv.Itoa(acked))
				if err := errors.Join(first.Close(), second.Close()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
