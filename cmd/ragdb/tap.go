package main

import (
	"bytes"
	"context"
	"encoding/json"
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
	head    []byte // the beginning of all that was read, for greeting
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
	t.head = append(t.head, b[:min(len(b), mostHead-len(t.head))]...)
	if t.forgets {
		return
	}
	if t.kept = append(t.kept, b...); t.most > 0 && len(t.kept) > t.most {
		t.kept, t.forgets = nil, true
	}
}

// mostHead is how much of the beginning is kept, in which a model's program has greeted.
const mostHead = 64 << 10

// greeting has the lines read again by which a model's program began to speak to a server
// of tools, up to the one that says that it has begun, and nothing else that was read. It
// reports whether there were such lines.
func (t *tap) greeting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []byte
	for line := range bytes.Lines(t.head) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			return false
		}
		var m struct{ Method string }
		_ = json.Unmarshal(line, &m) // what is no message is none of these
		if m.Method == "initialize" || m.Method == "notifications/initialized" {
			lines = append(lines, line...)
		}
		if m.Method == "notifications/initialized" {
			t.rest = append(lines, t.rest...)
			t.kept, t.forgets, t.most, t.head = nil, true, 0, nil
			return true
		}
	}
	return false
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
