package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Patience is how long a share waits in all for others to end.
const Patience = 10 * time.Second

// leastWork is the part of a budget, one in so many, that work may take whatever stands.
const leastWork = 8

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
	work    int64         // of all shares
	holding int           // shares that have something
	waiting int           // those of them that wait
	shrunk  chan struct{} // closed when work gets less or something no longer stands
}

// standing is a part that stays.
type standing struct{ held func() int64 }

// New returns a budget of so many bytes.
func New(bytes int64) *Budget { return &Budget{bytes: bytes, shrunk: make(chan struct{})} }

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

// tell wakes those who wait. The caller holds mu.
func (b *Budget) tell() {
	close(b.shrunk)
	b.shrunk = make(chan struct{})
}

// take gives a share want more bytes, and waits for them for as long as it has patience.
func (b *Budget) take(ctx context.Context, s *Share, want int64) error {
	for {
		limit := b.ForWork()
		wait, err := b.try(s, want, limit)
		if err != nil || wait == nil {
			return err
		}
		from := time.Now()
		t := time.NewTimer(s.patience)
		select {
		case <-wait:
		case <-t.C:
			err = ErrBusy
		case <-ctx.Done():
			err = ctx.Err()
		}
		t.Stop()
		s.patience -= time.Since(from)
		b.mu.Lock()
		if s.taken > 0 {
			b.waiting--
		}
		b.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// try gives the bytes at once, or returns what to wait for: the caller counts as
// waiting then.
func (b *Budget) try(s *Share, want, limit int64) (wait <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.work+want <= limit {
		if b.work += want; s.taken == 0 {
			b.holding++
		}
		s.taken += want
		return nil, nil
	}
	others := b.holding
	if s.taken > 0 {
		others--
	}
	switch {
	case s.taken+want > limit:
		return nil, &OverError{limit}
	case b.waiting >= others, s.patience <= 0:
		return nil, ErrBusy
	}
	if s.taken > 0 {
		b.waiting++
	}
	return b.shrunk, nil
}

// give takes bytes back from a share.
func (b *Budget) give(s *Share, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bytes <= 0 {
		return
	}
	b.work -= bytes
	if s.taken -= bytes; s.taken == 0 {
		b.holding--
	}
	b.tell()
}
