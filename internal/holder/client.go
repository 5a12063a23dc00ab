package holder

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// request sends a request about attaching. The caller closes the connection. The error is
// [ErrNobody] if no holder answers, and [ErrUser] if it belongs to another user.
func request(ctx context.Context, dir, method string) (*dialed, *bufio.Reader, *http.Response, error) {
	c, err := dial(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	fail := func(err error) (*dialed, *bufio.Reader, *http.Response, error) {
		c.Close()
		return nil, nil, nil, err
	}
	if err := c.SetDeadline(time.Now().Add(dialTime)); err != nil {
		return fail(err)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://ragdb"+attachPath, http.NoBody)
	if err != nil {
		return fail(err)
	}
	nonce := ""
	if c.secret != nil {
		b := make([]byte, 16)
		if _, err := rand.Read(b); err != nil {
			return fail(err)
		}
		nonce = hex.EncodeToString(b)
		r.Header.Set(headerNonce, nonce)
		r.Header.Set(headerProof, proof(c.secret, "client", nonce))
	}
	if method == http.MethodPost {
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", upgradeTo)
	}
	in := bufio.NewReader(c)
	if err := r.Write(c); err != nil {
		return fail(fmt.Errorf("%w: %w", ErrNobody, err))
	}
	answer, err := http.ReadResponse(in, r)
	switch {
	case err != nil:
		return fail(fmt.Errorf("%w: %w", ErrNobody, err))
	case answer.StatusCode == http.StatusForbidden:
		return fail(ErrUser)
	case answer.StatusCode == http.StatusServiceUnavailable:
		return fail(ErrEnding)
	case c.secret != nil && !proves(answer.Header.Get(headerProof), c.secret, "holder", nonce):
		return fail(ErrNobody) // another program has the port of a holder that died
	}
	return c, in, answer, nil
}

// Look asks who holds the database in a directory. The error is [ErrNobody] if no process
// answers, [ErrUser] if it belongs to another user, and [ErrProtocol] if it is of another
// version, beside which it is returned.
func Look(ctx context.Context, dir string) (*About, error) {
	c, _, answer, err := request(ctx, dir, http.MethodGet)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var a About
	if answer.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(answer.Body, 64<<10)).Decode(&a) != nil {
		return nil, ErrNobody
	}
	if a.Protocol != Protocol {
		return &a, ErrProtocol
	}
	return &a, nil
}

// Completer completes a line at a place, in characters.
type Completer func(line string, pos int) (head string, words []string, tail string)

// Local is what an attached command uses of the process that was started. Everything but
// Line and Remember is wanted.
type Local struct {
	// Read reads some of standard input. It gives up when ctx ends, and what it waited
	// for is that of the next call.
	Read           func(ctx context.Context, b []byte) (int, error)
	Stdout, Stderr io.Writer
	// Interrupts are those of the user, true is the wish to end.
	Interrupts <-chan bool
	// Line reads a line at the terminal; its errors are [ErrAborted] and [io.EOF], of
	// Ctrl-C and Ctrl-D, and others. Remember adds one to the history.
	Line     func(ctx context.Context, prompt string, answer bool, complete Completer) (string, error)
	Remember func(text string)
}

// WriteError is an error of writing what an attached command printed.
type WriteError struct{ Err error }

// Error implements error.
func (e *WriteError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *WriteError) Unwrap() error { return e.Err }

// Attach runs a command line in the process that holds the database in a directory. It
// returns the exit code, or [Again] if the command is to be started again. The error is
// [ErrEnding] if the holder takes no more commands, [ErrGone] if it ended before the
// command, a [*WriteError], and else one of [Look].
func Attach(ctx context.Context, dir string, start Start, l Local) (int, error) {
	b, err := json.Marshal(start)
	if err != nil {
		return 0, err
	}
	if len(b) > kindStart.most() {
		return 0, errors.New("the arguments and the environment are too long")
	}
	c, in, answer, err := request(ctx, dir, http.MethodPost)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if answer.StatusCode != http.StatusSwitchingProtocols {
		return 0, ErrProtocol
	}
	if _, err := c.Write(appendFrame(nil, kindStart, b)); err != nil {
		return 0, ErrGone
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		return 0, err
	}
	a := newAttached(ctx, c, l)
	return a.run(in)
}

// exitCode reads the last frame.
func exitCode(b []byte) (int, error) {
	if len(b) != 4 {
		return 0, errFrame
	}
	return int(int32(binary.BigEndian.Uint32(b))), nil
}
