package holder

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
)

// Transport sends requests to the process that holds the database in a directory, whose
// [Options.Handler] answers them. Each has a connection of its own. The errors are those
// of [Look].
func Transport(dir string) http.RoundTripper { return transport(dir) }

type transport string

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c, err := dial(string(t))
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Close = true
	nonce := ""
	if c.secret != nil {
		b := make([]byte, 16)
		_, _ = rand.Read(b) // it does not fail
		nonce = hex.EncodeToString(b)
		r.Header.Set(headerNonce, nonce)
		r.Header.Set(headerProof, proof(c.secret, "client", nonce))
	}
	stop := context.AfterFunc(r.Context(), func() { c.Close() })
	fail := func(err error) (*http.Response, error) {
		stop()
		c.Close()
		if r.Context().Err() != nil {
			return nil, r.Context().Err()
		}
		return nil, fmt.Errorf("%w: %w", ErrNobody, err)
	}
	if err := r.Write(c); err != nil {
		return fail(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), r)
	if err != nil {
		return fail(err)
	}
	if c.secret != nil && !proves(answer.Header.Get(headerProof), c.secret, "holder", nonce) {
		return fail(fmt.Errorf("another program has the port"))
	}
	answer.Body = &body{answer.Body, func() error { stop(); return c.Close() }}
	return answer, nil
}

// body is the body of an answer, whose connection ends with it.
type body struct {
	io.ReadCloser
	end func() error
}

// Close implements [io.Closer].
func (b *body) Close() error {
	_ = b.ReadCloser.Close() // the connection's end is what counts
	return b.end()
}
