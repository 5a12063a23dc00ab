package memory

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
	"weak"
)

// patience is how long a share waits in all for others to end.
const patience = 10 * time.Second

// forever is the patience of work that can be put off.
const forever = time.Duration(1 << 62)

// leastWork is the part of a budget, one in so many, that work may take whatever stands.
const leastWork = 8

// muchLoose is from how many bytes it matters that what is let go is not collected yet.
const muchLoose = 4 << 20

// ErrBusy says that others hold the memory that is wanted: later it may be there.
var ErrBusy = errors.New("too much is done at once for the memory budget; try again later")

// ErrOver says that a piece of work alone would take more than there is. The error is an
// [*OverError].
var ErrOver = errors.New("over the memory budget")

// OverError says how much a piece of work may have at most, in bytes.
type OverError struct{ Limit int64 }

// Error implements error.
func (e *OverError) Error() string {
	return fmt.Sprintf("it takes more than the %d MiB that are left of the memory budget", e.Limit>>20)
}

// Is reports whether target is [ErrOver].
func (e *OverError) Is(target error) bool { return target == ErrOver }

// Budget bounds the bytes of all its shares and of what stands. It is safe for
// concurrent use. A nil Budget has no bound.
type Budget struct {
	bytes int64

	// mu guards the fields below it. It is not held while a standing part is asked.
	mu      sync.Mutex
	stands  []*standing
	caches  []func() (alive bool) // drop what they keep
	work    int64                 // of all shares, let go and held
	loose   int64                 // let go, and not collected
	held    int64                 // of objects that nobody closes
	sweeps  bool                  // a share runs the collector
	holding int                   // shares that have something
	waiting int                   // those of them that wait
	shrunk  chan struct{}         // closed when work gets less or something no longer stands; nil if none waits
}

// standing is a part that stays.
type standing struct{ held func() int64 }

// New returns a budget of so many bytes.
func New(bytes int64) *Budget { return &Budget{bytes: bytes} }

// Bytes returns the size of the budget.
func (b *Budget) Bytes() int64 { return b.bytes }

// Standing counts a part that stays until remove is called. held returns its bytes at
// the moment; it is called often and must not use the budget.
func (b *Budget) Standing(held func() int64) (remove func()) {
	s := &standing{held}
	b.mu.Lock()
	b.stands = append(b.stands, s)
	b.mu.Unlock()
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.stands = slices.DeleteFunc(b.stands, func(o *standing) bool { return o == s })
		b.tell()
	}
}

// ForWork returns how many bytes shares may have together at the moment: what does not
// stand, and at least an eighth.
func (b *Budget) ForWork() int64 {
	b.mu.Lock()
	stands := slices.Clone(b.stands)
	b.mu.Unlock()
	left := b.bytes
	for _, s := range stands {
		left -= s.held()
	}
	return max(left, b.bytes/leastWork)
}

// Work returns the bytes that shares have.
func (b *Budget) Work() int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.work
}

// tell wakes those who wait, none of whom then counts as waiting. The caller holds mu.
func (b *Budget) tell() {
	b.waiting = 0
	if b.shrunk != nil {
		close(b.shrunk)
		b.shrunk = nil
	}
}

// Hold counts bytes until the object that p points to is collected. They are counted in
// any case; what does not fit is to be refused before it is made.
func Hold[T any](b *Budget, p *T, bytes int64) {
	if b == nil || bytes <= 0 {
		return
	}
	b.mu.Lock()
	b.work += bytes
	b.held += bytes
	b.mu.Unlock()
	runtime.AddCleanup(p, func(bytes int64) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.work -= bytes
		b.held -= bytes
		b.tell()
	}, bytes)
}

// Evicts has a cache drop what it keeps when work finds no room, until the cache is
// collected: what it kept is there once it is, if it was counted by [Hold].
func Evicts[T any](b *Budget, cache *T, drop func(*T)) {
	if b == nil {
		return
	}
	w := weak.Make(cache)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.caches = append(b.caches, func() bool {
		c := w.Value()
		if c != nil {
			drop(c)
		}
		return c != nil
	})
}

// evict has all caches drop what they keep. It forgets those that are no more.
func (b *Budget) evict() {
	b.mu.Lock()
	all := b.caches
	b.caches = nil
	b.mu.Unlock()
	all = slices.DeleteFunc(all, func(drop func() bool) bool { return !drop() })
	b.mu.Lock()
	defer b.mu.Unlock()
	b.caches = append(b.caches, all...)
}

// take gives a share want more bytes, and waits for them for as long as it has patience.
func (b *Budget) take(ctx context.Context, s *Share, want int64) error {
	swept := false
	var until time.Time // what a collection has found is given back
	for {
		limit := b.ForWork()
		b.mu.Lock()
		if b.work+want <= limit {
			b.grant(s, want)
			b.mu.Unlock()
			return nil
		}
		others := b.holding
		if s.taken > 0 {
			others--
		}
		sweep := !b.sweeps && (b.loose > 0 || b.held > 0 && !swept)
		switch {
		case s.taken+want > limit:
			b.mu.Unlock()
			return &OverError{limit}
		case !sweep && b.loose == 0 && b.waiting >= others && time.Now().After(until) && s.patience < forever/2, s.patience <= 0:
			b.mu.Unlock()
			return ErrBusy
		}
		if s.taken > 0 {
			b.waiting++
		}
		if b.shrunk == nil {
			b.shrunk = make(chan struct{})
		}
		wait, patience := b.shrunk, s.patience
		if sweep {
			b.sweeps = true
			b.mu.Unlock()
			if !swept {
				b.evict()
			}
			runtime.GC() // returns before what it found is given back
			b.mu.Lock()
			b.sweeps, swept = false, true
			until = time.Now().Add(afterSweep)
		}
		b.mu.Unlock()
		if left := time.Until(until); left > 0 {
			patience = min(patience, left)
		}
		if err := b.wait(ctx, s, wait, patience); err != nil {
			return err
		}
	}
}

// afterSweep is how long a share waits at most for what a collection has found.
const afterSweep = 50 * time.Millisecond

// grant gives bytes to a share. The caller holds mu.
func (b *Budget) grant(s *Share, bytes int64) {
	if b.work += bytes; s.taken == 0 {
		b.holding++
	}
	s.taken += bytes
}

// wait returns when the budget has told of a change or some time is over, of which the
// share then has as much less.
func (b *Budget) wait(ctx context.Context, s *Share, told <-chan struct{}, most time.Duration) (err error) {
	from := time.Now()
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-told:
	case <-t.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.patience -= time.Since(from)
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.taken > 0 && told == b.shrunk { // nobody has told it
		b.waiting--
	}
	return err
}

// give takes bytes back from a share. If they are many, they are only let go: mark is
// collected with what they were.
func (b *Budget) give(s *Share, bytes int64, m *mark) {
	if bytes <= 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.taken -= bytes; s.taken == 0 {
		b.holding--
	}
	if m == nil || bytes < muchLoose {
		b.work -= bytes
	} else {
		b.loose += bytes
		runtime.AddCleanup(m, b.collected, bytes)
	}
	b.tell()
}

// collected gives back what was let go.
func (b *Budget) collected(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.work -= bytes
	b.loose -= bytes
	b.tell()
}

// mark is an object that is collected with others. It is too large for several to share
// a place in memory.
type mark [64]byte
