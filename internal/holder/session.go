package holder

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"sync"
)

// Session is a command of another process that runs here.
type Session struct {
	Start Start

	conn net.Conn
	in   io.Reader
	out  *outbox
	wake func() // is called when the session begins to wait

	ctx    context.Context
	cancel context.CancelCauseFunc

	interrupts chan bool
	input      chan []byte // nil is the end
	lines      chan line
	completing sync.Mutex

	mu        sync.Mutex
	resumable bool
	rereads   bool // it is resumable though it has read standard input
	waiting   bool // for the user
	consumed  bool // some of standard input
	printed   bool // some of standard output
	inputErr  error
	rest      []byte // of the input that came last
	wanted    bool   // input is under way
	prompted  bool   // a line is under way
	complete  func(line string, pos int) (head string, words []string, tail string)
}

// newSession begins a session by reading the first frame.
func newSession(conn net.Conn, in io.Reader, wake func()) (*Session, error) {
	k, b, err := readFrame(in)
	if err != nil {
		return nil, err
	}
	s := &Session{conn: conn, in: in, wake: wake, out: newOutbox(conn), interrupts: make(chan bool, 4), input: make(chan []byte, 1), lines: make(chan line, 1)}
	if k != kindStart || json.Unmarshal(b, &s.Start) != nil {
		return nil, errFrame
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s, nil
}

// run runs the command and tells how it ended.
func (s *Session) run(command func(context.Context, *Session) int) {
	defer s.cancel(nil)
	var reading, writing sync.WaitGroup
	reading.Go(s.read)
	writing.Go(s.out.run)
	code := s.guarded(command)
	s.finish(code)
	writing.Wait()
	s.conn.Close()
	reading.Wait()
}

// guarded runs the command. A fault in it ends it alone: the process that holds the
// database goes on.
func (s *Session) guarded(command func(context.Context, *Session) int) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(s.Stderr(), "ragdb: a fault in the program: %v\n%s", p, debug.Stack())
			code = 2
		}
	}()
	return command(s.ctx, s)
}

// finish sends the last frame.
func (s *Session) finish(code int) {
	if code == Again {
		s.out.send(kindAgain, nil)
	} else {
		s.out.send(kindExit, binary.BigEndian.AppendUint32(nil, uint32(code)))
	}
	s.out.end()
}

// read takes the frames of the other process.
func (s *Session) read() {
	for {
		k, b, err := readFrame(s.in)
		if err == nil {
			err = s.take(k, b)
		}
		if err != nil {
			s.cancel(ErrLeft)
			s.out.abandon()
			return
		}
	}
}

// take does what a frame asks for.
func (s *Session) take(k kind, b []byte) error {
	switch k {
	case kindInterrupt:
		select {
		case s.interrupts <- len(b) == 1 && b[0] == 1:
		default: // there are enough of them
		}
	case kindInput, kindInputEnd:
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.wanted {
			return errFrame
		}
		s.wanted = false
		if k == kindInputEnd {
			if len(b) > 0 {
				s.inputErr = errors.New(string(b))
			} else {
				s.inputErr = io.EOF
			}
			b = nil
		} else {
			s.consumed = true
		}
		s.input <- b // it has room: one piece is wanted at a time
	case kindLine:
		var l line
		if err := json.Unmarshal(b, &l); err != nil {
			return errFrame
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.prompted {
			return errFrame
		}
		s.prompted = false
		s.lines <- l // it has room: one line is asked for at a time
	case kindTyped:
		var t typed
		if err := json.Unmarshal(b, &t); err != nil {
			return errFrame
		}
		go s.answer(t)
	default:
		return errFrame
	}
	return nil
}

// answer completes what was typed.
func (s *Session) answer(t typed) {
	w := words{ID: t.ID, Head: t.Line}
	s.mu.Lock()
	complete := s.complete
	s.mu.Unlock()
	if complete != nil && t.Pos >= 0 && t.Pos <= len([]rune(t.Line)) && s.completing.TryLock() {
		defer s.completing.Unlock()
		w.Head, w.Words, w.Tail = complete(t.Line, t.Pos)
	}
	if b, err := json.Marshal(w); err == nil && len(b) <= kindWords.most() {
		s.out.send(kindWords, b)
	}
}

// Interrupts are the interrupts that the user sent, and true for the wish to end.
func (s *Session) Interrupts() <-chan bool { return s.interrupts }

// Cancel ends the context of the command, with a cause. A context that is made of it ends
// a moment later than what waits for the session, so the command's is the one to ask why.
func (s *Session) Cancel(cause error) { s.cancel(cause) }

// Answer tells the user's process what an interrupt did: it ended what the command was
// doing, and the command goes on, or it ends the command, so that another one ends the
// user's process at once. Each interrupt is answered.
func (s *Session) Answer(goesOn bool) {
	b := []byte{0}
	if goesOn {
		b[0] = 1
	}
	s.out.send(kindTaken, b)
}

// SetResumable says whether the command goes on where it was if it is started again, and
// whether it does so too if it has read standard input.
func (s *Session) SetResumable(yes, read bool) {
	s.mu.Lock()
	s.resumable, s.rereads = yes, read
	s.mu.Unlock()
	s.wake()
}

// SetComplete sets the function that completes what is typed at a prompt.
func (s *Session) SetComplete(fn func(line string, pos int) (head string, words []string, tail string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.complete = fn
}

// mayMove reports whether the command can be started again in another process: it can if
// it goes on where it was, or waits for its user at a terminal.
func (s *Session) mayMove() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting || s.resumable && (s.rereads || !s.consumed)
}

// why is the cause with which a command is ended: it is started again unless it has printed
// or read something already.
func (s *Session) why() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.consumed || s.printed {
		return ErrGone
	}
	return ErrAgain
}

// wait marks the session as one that waits for its user, or not.
func (s *Session) wait(yes bool) {
	s.mu.Lock()
	s.waiting = yes
	s.mu.Unlock()
	if yes {
		s.wake()
	}
}

// Line asks the user for a line at the terminal, whose editor the other process has. If
// answer is set a running command asks. The error is [ErrAborted] after Ctrl-C, and
// [io.EOF] after Ctrl-D.
func (s *Session) Line(ctx context.Context, text string, answer bool) (string, error) {
	b, err := json.Marshal(prompt{text, answer})
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	s.prompted = true // it may be already: the line of a call that was given up is this one's
	s.mu.Unlock()
	if err := s.out.send(kindPrompt, b); err != nil {
		return "", err
	}
	s.wait(true)
	defer s.wait(false)
	select {
	case l := <-s.lines:
		switch {
		case l.Aborted:
			return "", ErrAborted
		case l.Ended:
			return "", io.EOF
		case l.Error != "":
			return "", errors.New(l.Error)
		}
		return l.Line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	case <-s.ctx.Done():
		return "", s.ctx.Err()
	}
}

// Remember adds a line to the history of the other process's editor.
func (s *Session) Remember(text string) {
	if len(text) <= kindRemember.most() {
		s.out.send(kindRemember, []byte(text))
	}
}
