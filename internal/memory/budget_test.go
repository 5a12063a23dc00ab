package memory_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragdb/ragdb/internal/memory"
)

const (
	mib = 1 << 20
	// small is what a share draws at least. What is let go in such steps need not be
	// collected, which would happen outside of a bubble of synctest.
	small = 256 << 10
)

// patience is how long a share waits in all.
const patience = 10 * time.Second

func grow(t *testing.T, s *memory.Share, n int64) {
	t.Helper()
	if err := s.Grow(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

// TestOver: a share that would not fit if it were alone is refused at once. What stands
// counts.
func TestOver(t *testing.T) {
	b := memory.New(64 * mib)
	held := int64(32 * mib)
	remove := b.Standing(func() int64 { return held })
	s := b.Begin()
	defer s.Close()
	grow(t, s, 32*mib)
	var over *memory.OverError
	if err := s.Grow(t.Context(), 1); !errors.As(err, &over) || over.Limit != 32*mib || !errors.Is(err, memory.ErrOver) {
		t.Fatalf("%v", err)
	}
	if s.Used() != 32*mib || b.Work() != 32*mib {
		t.Fatalf("a refused share changed: %d of %d", s.Used(), b.Work())
	}
	held = 100 * mib // more stands than there is: an eighth is left for work
	if got := b.ForWork(); got != 8*mib {
		t.Fatalf("%d bytes are left for work", got)
	}
	remove()
	grow(t, s, 32*mib)
	if b.ForWork() != 64*mib {
		t.Fatal("what was removed stands still")
	}
}

// TestWaits: a share waits for another to end, and for no longer than its patience in all.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(14 * small)
		first := b.Begin()
		grow(t, first, 13*small)
		time.AfterFunc(patience/2, func() { first.Shrink(7 * small) })
		second := b.Begin()
		from := time.Now()
		grow(t, second, 7*small)
		if took := time.Since(from); took != patience/2 {
			t.Fatalf("waited %v", took)
		}
		if err := second.Grow(t.Context(), 2*small); err != memory.ErrBusy {
			t.Fatalf("%v", err)
		}
		if took := time.Since(from); took != patience {
			t.Fatalf("waited %v in all", took)
		}
		// It has no patience left, and is refused at once.
		if err := second.Grow(t.Context(), 2*small); err != memory.ErrBusy || time.Since(from) != patience {
			t.Fatalf("%v after %v", err, time.Since(from))
		}
		second.Close()
		// One that can be put off waits on, until its context ends.
		patient := b.Begin().Patient()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := patient.Grow(ctx, 13*small); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%v", err)
		}
		patient.Close()
		first.Close()
		first.Close()
		if b.Work() != 0 {
			t.Fatalf("%d bytes are still drawn", b.Work())
		}
	})
}

// TestNoneIsLeft: if all that hold memory wait for more, the last one is refused, and the
// others go on when it has ended.
func TestNoneIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(14 * small)
		var refused atomic.Int32
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				s := b.Begin()
				defer s.Close()
				for range 10 {
					if err := s.Grow(t.Context(), small); err == memory.ErrBusy {
						refused.Add(1)
						return
					} else if err != nil {
						t.Error(err)
					}
					time.Sleep(time.Millisecond)
				}
			})
		}
		from := time.Now()
		all.Wait()
		if n := refused.Load(); n == 0 || n == 4 {
			t.Errorf("%d of 4 were refused", n)
		}
		if took := time.Since(from); took > patience/2 {
			t.Errorf("they waited %v for each other", took)
		}
		if b.Work() != 0 {
			t.Errorf("%d bytes are still drawn", b.Work())
		}
	})
}

// TestCollected: what a closed share had is there again once it is collected, which a share
// that waits sees to.
func TestCollected(t *testing.T) {
	b := memory.New(64 * mib)
	for range 5 {
		s := b.Begin()
		grow(t, s, 60*mib)
		s.Close()
		if b.Work() != 60*mib {
			t.Fatalf("%d bytes are drawn before a collection", b.Work())
		}
	}
	kept := new([32]int)
	memory.Hold(b, kept, 60*mib)
	s := b.Begin()
	var over *memory.OverError
	if err := s.Grow(t.Context(), 8*mib); err != memory.ErrBusy {
		t.Fatalf("beside an object that stays: %v", err)
	}
	if err := s.Grow(t.Context(), 65*mib); !errors.As(err, &over) {
		t.Fatal(err)
	}
	runtime.KeepAlive(kept)
	grow(t, s, 60*mib)
}

// TestPatientBesideObject: a patient share is not refused beside an object that no share holds:
// it waits until the object is collected, or for its context.
func TestPatientBesideObject(t *testing.T) {
	b := memory.New(64 * mib)
	kept := new([32]int)
	memory.Hold(b, kept, 60*mib)
	ctx, cancel := context.WithCancel(t.Context())
	s := b.Begin().Patient()
	time.AfterFunc(200*time.Millisecond, cancel)
	if err := s.Grow(ctx, 8*mib); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() {
		runtime.KeepAlive(kept)
		kept = nil
		runtime.GC()
	})
	grow(t, s, 8*mib)
	s.Close()
}

// TestEvicts: a cache that keeps objects drops them for work, and is forgotten when it is
// collected itself.
func TestEvicts(t *testing.T) {
	type cache struct {
		kept    []*[32]int
		dropped int
	}
	b := memory.New(64 * mib)
	c := &cache{}
	memory.Evicts(b, c, func(c *cache) { c.kept = nil; c.dropped++ })
	memory.Evicts(b, &cache{}, func(c *cache) { c.kept = nil })
	for range 3 {
		c.kept = append(c.kept, new([32]int))
		memory.Hold(b, c.kept[len(c.kept)-1], 20*mib)
	}
	s := b.Begin().Patient()
	defer s.Close()
	grow(t, s, 40*mib)
	if c.dropped != 1 || len(c.kept) != 0 {
		t.Errorf("dropped %d times, %d are kept", c.dropped, len(c.kept))
	}
}

// TestBound runs shares at random: together they never have more than the budget, and in
// the end nothing.
func TestBound(t *testing.T) {
	b := memory.New(8 * mib)
	var drawn atomic.Int64
	var all sync.WaitGroup
	for seed := range uint64(8) {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 1))
			for range 200 {
				s := b.Begin()
				own := int64(0)
				for range rng.IntN(20) {
					n := rng.Int64N(mib / 4)
					if rng.IntN(3) == 0 {
						n = rng.Int64N(own + 1)
						drawn.Add(-n)
						own -= n
						s.Shrink(n)
						continue
					}
					if s.Grow(t.Context(), n) != nil {
						break
					}
					own += n
					if got := drawn.Add(n); got > 8*mib {
						t.Errorf("%d bytes are drawn", got)
					}
				}
				if s.Used() != own {
					t.Errorf("a share has %d bytes of %d", s.Used(), own)
				}
				drawn.Add(-own)
				s.Close()
			}
		})
	}
	all.Wait()
	if b.Work() != 0 {
		t.Errorf("%d bytes are still drawn", b.Work())
	}
}

// TestNil: without a budget there is no bound.
func TestNil(t *testing.T) {
	var b *memory.Budget
	s := b.Begin().Patient()
	if err := s.Grow(t.Context(), 1<<62); err != nil || s.Used() != 0 || b.Work() != 0 {
		t.Fatal(err)
	}
	s.Shrink(1)
	s.Close()
}
