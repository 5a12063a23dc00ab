package main

import (
	"context"
	"io"
	"sync"
)

// tap is standard input. Until a database is open it keeps what was read, so that another
// process that runs the command can read it again. A read that is given up is not lost: the
// next one gets what it waited for.
type tap struct {
	in io.Reader

	mu      sync.Mutex
	kept    []byte // what was read since the start
	forgets bool   // nothing more is kept
	most    int    // bytes that are kept, 0 for any number
	rest    []byte // what is to be read before in
	pending chan gulp
}

// gulp is what one read got.
type gulp struct {
	b   []byte
	err error
}

// Read implements [io.Reader].
func (t *tap) Read(b []byte) (int, error) { return t.next(context.Background(), b) }

// next reads some bytes, and gives up when ctx ends.
func (t *tap) next(ctx context.Context, b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.rest) == 0 {
		if t.pending == nil && ctx.Done() == nil {
			n, err := t.in.Read(b)
			t.keep(b[:n])
			return n, err
		}
		if t.pending == nil {
			t.pending = make(chan gulp, 1)
			go func(to chan<- gulp, b []byte) {
				n, err := t.in.Read(b)
				to <- gulp{b[:n], err}
			}(t.pending, make([]byte, max(len(b), 1)))
		}
		select {
		case g := <-t.pending:
			t.pending = nil
			if len(g.b) == 0 {
				return 0, g.err
			}
			t.rest = g.b // an error comes again
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	n := copy(b, t.rest)
	t.rest = t.rest[n:]
	t.keep(b[:n])
	return n, nil
}

func (t *tap) keep(b []byte) {
	if t.forgets {
		return
	}
	if t.kept = append(t.kept, b...); t.most > 0 && len(t.kept) > t.most {
		t.kept, t.forgets = nil, true
	}
}

// forget keeps nothing of what was read and will be.
func (t *tap) forget() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept, t.forgets = nil, true
}

// mostSent is how much of what was sent to another process is kept, in case that it did
// nothing with it: one that has read more does not have the command started again.
const mostSent = 1 << 20

// attach has what was kept read again, by another process.
func (t *tap) attach() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest = append(t.kept, t.rest...)
	t.kept, t.forgets, t.most = nil, false, mostSent
}

// again has what another process read read again, as the command is started again, and
// reports whether it can. What was typed at a terminal has been answered.
func (t *tap) again() bool {
	if t == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	lost := t.forgets
	if !isTerminal(t.in) {
		t.rest = append(t.kept, t.rest...)
	} else {
		lost = false
	}
	t.kept, t.forgets, t.most = nil, false, 0
	return !lost
}
