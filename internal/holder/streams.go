package holder

import (
	"io"
	"net"
	"sync"
)

// Stream is standard input, output or error of the process that started a command.
type Stream struct {
	s       *Session
	kind    kind
	columns int
}

// Stdin is the standard input of the process that started the command.
func (s *Session) Stdin() *Stream { return &Stream{s, kindInput, s.Start.In} }

// Stdout is its standard output.
func (s *Session) Stdout() *Stream { return &Stream{s, kindOutput, s.Start.Out} }

// Stderr is its standard error.
func (s *Session) Stderr() *Stream { return &Stream{s, kindError, s.Start.Err} }

// Columns are those of the terminal that the stream is, 0 if it is none.
func (t *Stream) Columns() int { return t.columns }

// Read implements [io.Reader]. It has the other process read when it is called.
func (t *Stream) Read(b []byte) (int, error) {
	s := t.s
	if len(b) == 0 || t.kind != kindInput {
		return 0, nil
	}
	s.mu.Lock()
	if len(s.rest) > 0 {
		n := copy(b, s.rest)
		s.rest = s.rest[n:]
		s.mu.Unlock()
		return n, nil
	}
	if s.inputErr != nil {
		defer s.mu.Unlock()
		return 0, s.inputErr
	}
	ask := !s.wanted // else a Read that was given up has asked
	s.wanted = true
	s.mu.Unlock()
	if ask {
		if err := s.out.send(kindWant, nil); err != nil {
			return 0, err
		}
	}
	if t.columns > 0 {
		s.wait(true)
		defer s.wait(false)
	}
	select {
	case got := <-s.input:
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(got) == 0 {
			return 0, s.inputErr
		}
		n := copy(b, got)
		s.rest = got[n:]
		return n, nil
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

// Write implements [io.Writer].
func (t *Stream) Write(b []byte) (int, error) {
	if t.kind == kindOutput && len(b) > 0 {
		t.s.mu.Lock()
		t.s.printed = true
		t.s.mu.Unlock()
	}
	for n := 0; n < len(b); n += dataBytes {
		if err := t.s.out.send(t.kind, b[n:min(len(b), n+dataBytes)]); err != nil {
			return n, err
		}
	}
	return len(b), nil
}

// outbox sends frames in their order. A peer that does not read them holds up what writes
// to its standard output, and nothing else: standard error, which is written while others
// wait, is dropped then.
type outbox struct {
	conn net.Conn

	mu      sync.Mutex
	room    *sync.Cond // pending has shrunk, or the connection is gone
	filled  *sync.Cond // pending has grown, or ended
	pending []byte
	ended   bool
	gone    bool
}

// The bytes that wait to be sent.
const (
	mostPending = 1 << 20 // of standard output
	mostDropped = 4 << 20 // beyond which standard error is dropped
)

func newOutbox(conn net.Conn) *outbox {
	o := &outbox{conn: conn}
	o.room, o.filled = sync.NewCond(&o.mu), sync.NewCond(&o.mu)
	return o
}

// send puts a frame at the end of what is to be sent.
func (o *outbox) send(k kind, b []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for k == kindOutput && len(o.pending) > mostPending && !o.gone {
		o.room.Wait()
	}
	if o.gone || o.ended {
		return io.ErrClosedPipe
	}
	if k == kindError && len(o.pending) > mostDropped {
		return nil
	}
	o.pending = appendFrame(o.pending, k, b)
	o.filled.Signal()
	return nil
}

// end says that no more is sent.
func (o *outbox) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.filled.Signal()
}

// abandon gives up what is to be sent.
func (o *outbox) abandon() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gone = true
	o.filled.Signal()
	o.room.Broadcast()
}

// run sends until the end.
func (o *outbox) run() {
	for {
		o.mu.Lock()
		for len(o.pending) == 0 && !o.ended && !o.gone {
			o.filled.Wait()
		}
		b := o.pending
		o.pending = nil
		stop := o.gone || len(b) == 0
		o.room.Broadcast()
		o.mu.Unlock()
		if stop {
			return
		}
		if _, err := o.conn.Write(b); err != nil {
			o.abandon()
			o.conn.Close() // which ends the reading, and the command
			return
		}
	}
}
