package holder

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// attached is a command that runs in another process.
type attached struct {
	conn  net.Conn
	local Local
	ctx   context.Context
	stop  context.CancelFunc

	sending sync.Mutex

	// spool is what was received and is not written yet.
	mu      sync.Mutex
	changed *sync.Cond
	spool   []piece
	bytes   int
	ended   bool
	failed  error // of writing

	reading atomic.Bool // a line
	asked   atomic.Bool // an interrupt was sent, and the command does not go on
	stopped atomic.Bool // by the user, here
	words   chan words
	typing  sync.Mutex
	id      int
}

// piece is output, of one of the two streams.
type piece struct {
	stderr bool
	b      []byte
}

// mostSpooled is how much output this process takes from the holder before it is written.
const mostSpooled = 16 << 20

func newAttached(ctx context.Context, conn net.Conn, l Local) *attached {
	a := &attached{conn: conn, local: l, words: make(chan words, 1)}
	a.changed = sync.NewCond(&a.mu)
	a.ctx, a.stop = context.WithCancel(ctx)
	return a
}

// run serves the command until it ends.
func (a *attached) run(in io.Reader) (int, error) {
	defer a.stop()
	var writing, signals sync.WaitGroup
	writing.Go(a.write)
	signals.Go(a.interrupt)
	code, err := a.read(in)
	a.stop()
	a.mu.Lock()
	a.ended = true
	a.changed.Broadcast()
	a.mu.Unlock()
	if a.stopped.Load() {
		return 0, ErrStopped // what is not written yet may never be
	}
	writing.Wait()
	signals.Wait()
	if a.stopped.Load() {
		return 0, ErrStopped
	}
	if a.failed != nil {
		return 0, &WriteError{a.failed}
	}
	return code, err
}

// read takes the holder's frames to the last.
func (a *attached) read(in io.Reader) (int, error) {
	for {
		k, b, err := readFrame(in)
		if err != nil {
			return 0, ErrGone
		}
		switch k {
		case kindOutput, kindError:
			if !a.put(piece{k == kindError, b}) {
				return 0, ErrGone // not written: that is the error told
			}
		case kindWant:
			go a.input()
		case kindPrompt:
			var p prompt
			if json.Unmarshal(b, &p) != nil || a.local.Line == nil {
				return 0, ErrGone
			}
			a.drain() // what was printed stands before the prompt
			if a.reading.CompareAndSwap(false, true) {
				go a.line(p)
			} else { // the line that is being typed is the answer
				a.put(piece{false, []byte(p.Prompt)})
			}
		case kindRemember:
			if a.local.Remember != nil {
				a.local.Remember(string(b))
			}
		case kindWords:
			var w words
			if json.Unmarshal(b, &w) == nil {
				select {
				case a.words <- w:
				default: // it came too late
				}
			}
		case kindTaken:
			if len(b) == 1 && b[0] == 1 {
				a.asked.Store(false)
			}
		case kindExit:
			return exitCode(b)
		case kindAgain:
			return Again, nil
		default:
			return 0, ErrGone
		}
	}
}

// put takes output to be written, and reports whether writing goes on.
func (a *attached) put(p piece) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.bytes > mostSpooled && a.failed == nil && !a.stopped.Load() {
		a.changed.Wait()
	}
	a.spool = append(a.spool, p)
	a.bytes += len(p.b)
	a.changed.Broadcast()
	return a.failed == nil && !a.stopped.Load()
}

// drain waits until all that was received is written.
func (a *attached) drain() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.bytes > 0 && a.failed == nil && !a.stopped.Load() {
		a.changed.Wait()
	}
}

// write writes what was received.
func (a *attached) write() {
	for {
		a.mu.Lock()
		for len(a.spool) == 0 && !a.ended {
			a.changed.Wait()
		}
		out := a.spool
		a.spool = nil
		a.mu.Unlock()
		if len(out) == 0 {
			return
		}
		for _, p := range out {
			w := a.local.Stdout
			if p.stderr {
				w = a.local.Stderr
			}
			_, err := w.Write(p.b)
			if p.stderr {
				err = nil // there is nowhere to tell it
			}
			a.mu.Lock()
			a.bytes -= len(p.b)
			if err != nil {
				a.failed = err
			}
			a.changed.Broadcast()
			a.mu.Unlock()
			if err != nil {
				a.conn.Close() // which ends the command
				return
			}
		}
	}
}

// send sends a frame. That the holder is gone is known by its reading.
func (a *attached) send(k kind, b []byte) {
	a.sending.Lock()
	defer a.sending.Unlock()
	_, _ = a.conn.Write(appendFrame(nil, k, b))
}

func (a *attached) sendJSON(k kind, v any) {
	if b, err := json.Marshal(v); err == nil && len(b) <= k.most() {
		a.send(k, b)
	} else {
		a.conn.Close() // a line of megabytes
	}
}

// interrupt passes interrupts on. One that comes before the holder has answered the last,
// or after the answer that the command is ending, ends this process's part at once.
func (a *attached) interrupt() {
	for {
		select {
		case end := <-a.local.Interrupts:
			if a.asked.Swap(true) {
				a.mu.Lock()
				a.stopped.Store(true)
				a.changed.Broadcast()
				a.mu.Unlock()
				a.conn.Close()
				return
			}
			if end {
				a.send(kindInterrupt, []byte{1})
			} else {
				a.send(kindInterrupt, []byte{0})
			}
		case <-a.ctx.Done():
			return
		}
	}
}

// input reads some of standard input, once.
func (a *attached) input() {
	b := make([]byte, dataBytes)
	n, err := a.local.Read(a.ctx, b)
	switch {
	case a.ctx.Err() != nil:
	case n > 0:
		a.send(kindInput, b[:n])
	case errors.Is(err, io.EOF):
		a.send(kindInputEnd, nil)
	case err != nil:
		text := err.Error()
		a.send(kindInputEnd, []byte(text[:min(len(text), kindInputEnd.most())]))
	default:
		a.send(kindInputEnd, []byte("nothing was read"))
	}
}

// line reads a line at the terminal.
func (a *attached) line(p prompt) {
	text, err := a.local.Line(a.ctx, p.Prompt, p.Answer, a.complete)
	a.reading.Store(false)
	l := line{Line: text}
	switch {
	case a.ctx.Err() != nil:
		return
	case errors.Is(err, ErrAborted):
		l.Aborted = true
	case errors.Is(err, io.EOF):
		l.Ended = true
	case err != nil:
		l.Error = err.Error()
	}
	a.sendJSON(kindLine, l)
}

// completeWithin is how long a key may wait for words from the holder.
const completeWithin = 600 * time.Millisecond

// complete asks the holder to complete a line.
func (a *attached) complete(text string, pos int) (head string, found []string, tail string) {
	a.typing.Lock()
	defer a.typing.Unlock()
	a.id++
	a.sendJSON(kindTyped, typed{a.id, text, pos})
	late := time.After(completeWithin)
	for {
		select {
		case w := <-a.words:
			if w.ID == a.id {
				return w.Head, w.Words, w.Tail
			}
		case <-late:
			return text, nil, ""
		case <-a.ctx.Done():
			return text, nil, ""
		}
	}
}
