// Package lifetime guards something that can be closed while others use it:
// it refuses use after close, lets calls in flight end first, and counts the
// handles that must be closed before.
package lifetime

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// closed is added to a Lifetime's state by Close; the rest counts the calls
// in flight.
const closed = 1 << 62

// Lifetime counts the calls in flight. The zero value is open. It is safe for
// concurrent use and must not be copied.
type Lifetime struct {
	state   atomic.Int64
	mu      sync.Mutex
	drained chan struct{} // closed when Close may proceed; guarded by mu
}

// Enter begins a call and reports whether the owner is open. After true the
// caller must call Leave.
func (l *Lifetime) Enter() bool {
	if l.state.Add(1) >= closed {
		l.Leave()
		return false
	}
	return true
}

// Leave ends a call.
func (l *Lifetime) Leave() {
	if l.state.Add(-1) != closed {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drained != nil {
		close(l.drained)
		l.drained = nil
	}
}

// Close refuses further calls, waits for those in flight and reports whether
// this call closed the owner. It must not be called between Enter and Leave.
func (l *Lifetime) Close() bool {
	l.mu.Lock()
	if l.state.Load() >= closed {
		l.mu.Unlock()
		return false
	}
	drained := make(chan struct{})
	l.drained = drained
	if l.state.Add(closed) == closed {
		close(drained)
		l.drained = nil
	}
	l.mu.Unlock()
	<-drained
	return true
}

// Reopen undoes a Close that returned true.
func (l *Lifetime) Reopen() { l.state.Add(-closed) }

// Handles counts what must be closed before its owner is. The zero value is
// ready. It is safe for concurrent use.
type Handles struct {
	Snapshots, Iterators atomic.Int64
}

// Err returns an error that counts the open handles, or nil for none.
func (h *Handles) Err() error {
	s, i := h.Snapshots.Load(), h.Iterators.Load()
	if s == 0 && i == 0 {
		return nil
	}
	return fmt.Errorf("%d snapshots and %d iterators are still open", s, i)
}

// Shut closes l once no handle of h is open. It returns an error, and l stays
// open, if there are some; ok is false if l was closed before.
func Shut(l *Lifetime, h *Handles) (ok bool, err error) {
	if err := h.Err(); err != nil {
		return false, err
	}
	if !l.Close() {
		return false, nil
	}
	if err := h.Err(); err != nil {
		l.Reopen()
		return false, err
	}
	return true, nil
}
