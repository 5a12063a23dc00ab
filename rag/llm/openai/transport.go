package openai

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// maxBody bounds the body of an answer in bytes, and maxErrorBody that of an error.
const (
	maxBody      = 128 << 20
	maxErrorBody = 1 << 20
)

// exchange is one request, and what its answer said beside its body.
type exchange struct {
	sent    bool
	status  int // 0: no answer
	header  http.Header
	timeout time.Duration
	touch   func() // is called for each piece of the answer, and starts timeout again
	// begun says that part of the reply was given on: it is not asked for
	// again.
	begun bool
}

// answered reports whether the answer has a reply's status.
func (x *exchange) answered() bool { return x.status/100 == 2 }

// newHTTP returns the sender of requests.
func newHTTP(rt http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: rt,
		// A redirect would carry texts to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
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

// send sends a request, with a body in JSON unless it is nil, and returns the body of the
// answer, which the caller closes. An answer of another status than 2xx is a [*refusal].
func (c *client) send(ctx context.Context, x *exchange, method, address string, body any) (io.ReadCloser, error) {
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	c.authorise(req.Header)
	x.sent = true
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	x.status, x.header = resp.StatusCode, resp.Header
	answer := &answerBody{left: maxBody, Closer: resp.Body}
	if x.status >= 300 && x.status < 400 {
		return nil, errors.Join(errors.New("a redirect"), answer.Close())
	}
	if answer.Reader, err = unpacked(resp); err == nil && x.answered() {
		return answer, nil
	}
	var said []byte
	if err == nil {
		said, err = io.ReadAll(io.LimitReader(answer, maxErrorBody))
	}
	err = errors.Join(err, answer.Close())
	if !x.answered() {
		return nil, refusalOf(said) // as far as it came
	}
	return nil, err
}

// receive sends a request and returns the whole body of the answer.
func (c *client) receive(ctx context.Context, x *exchange, method, address string, body any) ([]byte, error) {
	answer, err := c.send(ctx, x, method, address, body)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(answer)
	return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), errors.Join(err, answer.Close())
}

// unpacked returns the body of an answer as it was before it was compressed. The
// transport unpacks what it asked for; some servers compress without being asked, and
// some do not say so.
func unpacked(resp *http.Response) (io.Reader, error) {
	r := bufio.NewReader(resp.Body)
	magic, _ := r.Peek(2)
	isZlib := len(magic) == 2 && magic[0] == 0x78 && (int(magic[0])<<8|int(magic[1]))%31 == 0
	switch coding := strings.ToLower(resp.Header.Get("Content-Encoding")); {
	case string(magic) == "\x1f\x8b":
		return gzip.NewReader(r)
	case coding == "deflate" && isZlib:
		return zlib.NewReader(r)
	case coding == "deflate":
		return flate.NewReader(r), nil
	case has(coding, "br", "zstd"):
		return nil, fmt.Errorf("the answer is compressed with %s, which was not asked for", coding)
	}
	return r, nil
}

// answerBody is the body of an answer, which fails beyond its limit.
type answerBody struct {
	io.Reader
	io.Closer
	left int64
}

func (b *answerBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", maxBody)
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// within returns a context for one request, that ends after a time that the exchange's
// touch starts again.
func within(ctx context.Context, x *exchange, timeout time.Duration) (_ context.Context, cancel func()) {
	ctx, end := context.WithCancelCause(ctx)
	t := time.AfterFunc(timeout, func() { end(errTimeout) })
	x.timeout, x.touch = timeout, func() { t.Reset(timeout) }
	return ctx, func() { t.Stop(); end(nil) }
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
