package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
)

// maxBody bounds the body of an answer in bytes.
const maxBody = 128 << 20

// exchange is what one request's answer said beside its body. The client of the
// API keeps it to itself, so that it is noted on the way.
type exchange struct {
	sent    bool
	status  int // 0: no answer
	header  http.Header
	timeout time.Duration
	// want asks for the body.
	want bool
	body []byte
	// begun says that part of the reply was given on: it is not asked for
	// again.
	begun bool
}

type exchangeKey struct{}

// exchangeOf returns the exchange of a request's context, nil for none.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// doer sends requests for the client of the API.
type doer struct{ http *http.Client }

func newDoer(rt http.RoundTripper) doer {
	return doer{&http.Client{
		Transport: rt,
		// A redirect would carry texts to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// newTransport returns a transport that keeps as many connections as there are
// calls at a time.
func newTransport(concurrency int) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   concurrency,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// Do implements the interface of the API's client.
func (d doer) Do(req *http.Request) (*http.Response, error) {
	x := exchangeOf(req.Context())
	if x != nil {
		x.sent = true
	}
	resp, err := d.http.Do(req)
	if err != nil {
		return nil, err
	}
	if x != nil {
		x.status, x.header = resp.StatusCode, resp.Header
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return nil, errors.Join(errors.New("a redirect"), resp.Body.Close())
	}
	resp.Body = &limitedBody{resp.Body, maxBody}
	if x != nil && x.want {
		x.body, err = io.ReadAll(resp.Body)
		err = errors.Join(err, resp.Body.Close())
		resp.Body = io.NopCloser(bytes.NewReader(x.body))
	}
	return resp, err
}

// limitedBody fails beyond its limit.
type limitedBody struct {
	io.ReadCloser
	left int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", maxBody)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// within returns a context for one request, that ends after a time that touch
// starts again.
func within(ctx context.Context, x *exchange, timeout time.Duration) (_ context.Context, touch, cancel func()) {
	x.timeout = timeout
	ctx, end := context.WithCancelCause(context.WithValue(ctx, exchangeKey{}, x))
	t := time.AfterFunc(timeout, func() { end(errTimeout) })
	return ctx, func() { t.Reset(timeout) }, func() { t.Stop(); end(nil) }
}

var errTimeout = errors.New("no answer in time")

// unreachable reports whether an error says that a server is not there.
func unreachable(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) && !dns.IsTimeout || errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &op) && op.Op == "dial" && !op.Timeout()
}

// unreachable says why there was no answer.
func (c *client) unreachable(err error, x *exchange) string {
	var dns *net.DNSError
	switch {
	case errors.Is(err, errTimeout):
		return fmt.Sprintf("no answer within %s", x.timeout)
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no such host"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection is refused; does the server run?"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the server closed the connection without an answer"
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err // without the address
	}
	return "no answer: " + c.oneLine(err.Error())
}
