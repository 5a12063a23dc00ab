package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
)

// mostLine bounds a message of a client.
const mostLine = 64 << 20

// requests reads messages, one a line, and gives them on if they are JSON. A line that is
// not is answered at once, and the session goes on.
type requests struct {
	ctx  context.Context
	in   *bufio.Reader
	out  *lines
	rest []byte
}

// endTime is how long the end of the input waits for the answers to what came before it.
const endTime = 2 * time.Minute

// Read implements [io.Reader].
func (r *requests) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.line()
		trimmed := bytes.TrimSpace(line)
		switch {
		case len(trimmed) > 0 && json.Valid(trimmed):
			r.rest = append(trimmed, '\n')
			r.out.count(trimmed)
		case len(trimmed) > 0:
			if werr := r.out.refuse("a message is one line of JSON, and this is none"); werr != nil {
				return 0, werr
			}
		}
		if err == nil || len(r.rest) > 0 {
			continue
		}
		if errors.Is(err, errLong) {
			if werr := r.out.refuse(err.Error()); werr != nil {
				return 0, werr
			}
			continue
		}
		r.out.wait(r.ctx)
		return 0, err
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close implements [io.Closer]. The stream is not ours to close.
func (r *requests) Close() error { return nil }

var errLong = errors.New("the message is longer than 64 MiB")

// line reads a line; one that is too long is skipped.
func (r *requests) line() ([]byte, error) {
	var out []byte
	long := false
	for {
		part, err := r.in.ReadSlice('\n')
		if long = long || len(out)+len(part) > mostLine; !long {
			out = append(out, part...)
		} else {
			out = nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && err == nil:
			return nil, errLong
		default:
			return out, err
		}
	}
}

// lines writes messages, and knows which requests wait for an answer. It is safe for
// concurrent use, and keeps its first error.
type lines struct {
	mu      sync.Mutex
	out     io.Writer
	err     error
	waiting map[string]bool // requests without an answer, by id
	// idle is closed once none waits; nil until somebody waits for it.
	idle chan struct{}
}

// message is what tells requests and answers apart.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

func messages(b []byte) (out []message) {
	var one message
	if json.Unmarshal(b, &out) != nil && json.Unmarshal(b, &one) == nil {
		out = []message{one}
	}
	return out
}

// count notes the requests of a message that came.
func (l *lines) count(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range messages(b) {
		if m.Method != "" && len(m.ID) > 0 {
			if l.waiting == nil {
				l.waiting = map[string]bool{}
			}
			l.waiting[string(m.ID)] = true
		}
	}
}

// wait returns once every request that came has an answer, or ctx or the time is over.
func (l *lines) wait(ctx context.Context) {
	l.mu.Lock()
	idle := make(chan struct{})
	if l.idle = idle; len(l.waiting) == 0 {
		close(idle)
		l.idle = nil
	}
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// Write implements [io.Writer].
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.out.Write(b)
	l.err = err
	for _, m := range messages(b) {
		if m.Method == "" {
			delete(l.waiting, string(m.ID))
		}
	}
	if l.idle != nil && len(l.waiting) == 0 {
		close(l.idle)
		l.idle = nil
	}
	return n, err
}

// Close implements [io.Closer]. The stream is not ours to close.
func (l *lines) Close() error { return nil }

// failed returns the first error of writing.
func (l *lines) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// refuse answers a message that cannot be read.
func (l *lines) refuse(why string) error {
	text, err := json.Marshal(why)
	if err != nil {
		return err
	}
	_, err = l.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":` + string(text) + "}}\n"))
	return err
}
