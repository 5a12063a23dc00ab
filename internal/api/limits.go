package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"
)

// Limits bound what requests take. Zero values are the defaults.
type Limits struct {
	// Body bounds the bytes of a body: 64 MiB.
	Body int64
	// Rows bounds the rows of a statement: 100,000.
	Rows int
	// Time bounds the time of an answer: 5 minutes. Streams of a job's progress have
	// none.
	Time time.Duration
	// Asks bounds the questions and statements that run at once: 4 for each processor.
	// Others wait, up to Wait, which is 10 seconds.
	Asks int
	Wait time.Duration
	// Streams bounds the answers that are streamed at once: 1,024.
	Streams int
	// Idle is how long a client may leave a write unread, or a body unfinished before it
	// sends 1 KiB a second: 30 seconds.
	Idle time.Duration
}

func (l *Limits) settle() {
	def := func(p *int, n int) {
		if *p <= 0 {
			*p = n
		}
	}
	long := func(p *time.Duration, d time.Duration) {
		if *p <= 0 {
			*p = d
		}
	}
	if l.Body <= 0 {
		l.Body = 64 << 20
	}
	def(&l.Rows, 100_000)
	def(&l.Asks, 4*runtime.GOMAXPROCS(0))
	def(&l.Streams, 1024)
	long(&l.Time, 5*time.Minute)
	long(&l.Wait, 10*time.Second)
	long(&l.Idle, 30*time.Second)
}

// gate lets so many requests through at once.
type gate struct {
	free chan struct{}
	wait time.Duration
	what string
}

func newGate(n int, wait time.Duration, what string) *gate {
	return &gate{make(chan struct{}, n), wait, what}
}

// enter waits for a place. The caller calls leave when it is done.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	select {
	case g.free <- struct{}{}:
		return func() { <-g.free }, nil
	default:
	}
	t := time.NewTimer(g.wait)
	defer t.Stop()
	select {
	case g.free <- struct{}{}:
		return func() { <-g.free }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-t.C:
		return nil, refuse("busy", "try again later", "too many "+g.what+" at once")
	}
}

// place is a request's place at a gate.
type place struct {
	g    *gate
	free func() // nil while it is left
}

// take is enter for a place that can be left for a while.
func (g *gate) take(ctx context.Context) (*place, error) {
	free, err := g.enter(ctx)
	if err != nil {
		return nil, err
	}
	return &place{g, free}, nil
}

func (p *place) leave() {
	if p.free != nil {
		p.free()
		p.free = nil
	}
}

// outside runs fn, which may wait for the client, without the place, and waits for one
// again. A nil place is none.
func (p *place) outside(ctx context.Context, fn func() error) error {
	if p == nil {
		return fn()
	}
	p.leave()
	if err := fn(); err != nil {
		return err
	}
	select {
	case p.g.free <- struct{}{}:
		p.free = func() { <-p.g.free }
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// patientWriter gives a client so long to take each write, and then ends the connection.
type patientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	idle    time.Duration
	status  int
	bytes   int64
}

// Unwrap serves [http.NewResponseController].
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (w *patientWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [io.Writer].
func (w *patientWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	// A writer without deadlines, as tests have, waits for as long as it takes.
	_ = w.control.SetWriteDeadline(time.Now().Add(w.idle))
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// flush sends what was written.
func (w *patientWriter) flush() error {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.idle))
	if err := w.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// slowest is the rate in bytes a second below which a body takes too long.
const slowest = 1 << 10

// bodyShare is how many bytes of memory a byte of a body takes while it is read: as it
// came, and as what it says.
const bodyShare = 2

// patientBody reads a body that arrives at some pace.
type patientBody struct {
	io.ReadCloser
	control *http.ResponseController
	end     time.Time
	grow    func(n int) error // draws memory for n bytes
}

// Read implements [io.Reader].
func (b *patientBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(b.end)
	n, err := b.ReadCloser.Read(p)
	b.end = b.end.Add(time.Duration(n) * time.Second / slowest)
	if from := time.Now(); err == nil || errors.Is(err, io.EOF) {
		if gerr := b.grow(n); gerr != nil {
			return 0, gerr
		}
		b.end = b.end.Add(time.Since(from)) // it is not the client who was slow
	}
	return n, bodyError(err)
}

func tooLarge() error {
	return refuse("too_large", "send it in parts", "the body is larger than the server takes")
}

// bodyError says what keeps a body from being read.
func bodyError(err error) error {
	var large *http.MaxBytesError
	var timeout net.Error
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return err
	case errors.As(err, &large):
		return tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return refuse("slow", "", "the body came too slowly")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refuse("usage", "", "the body ends too early")
	}
	return err
}
