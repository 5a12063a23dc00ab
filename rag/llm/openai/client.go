package openai

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// client sends requests for a chat or an embedder: so many at a time, within
// the limits, again if it helps, and none if it cannot. It holds no key
// that fmt would find.
type client struct {
	http        *http.Client
	host, model string
	base        string // URL
	authorise   func(http.Header)
	redact      func(string) string
	secrets     secrets
	o           Options
	transport   http.RoundTripper
	slots       chan struct{}

	// proven says that a call has succeeded. Until then one call is made at a
	// time, behind gate, so that a wrong key costs one request.
	proven atomic.Bool
	gate   chan struct{}

	// over ends with finish, when broken is set.
	over   context.Context
	finish context.CancelFunc

	// mu guards the fields below it.
	mu     sync.Mutex
	denied int // answers in a row that deny
	refuse int // refused requests before any succeeded
	broken *ProviderError
}

// How many answers in a row, and how many refused requests before any has
// succeeded, are the end of all calls.
const (
	maxDenied  = 3
	maxRefused = 10
)

func newClient(cfg Config, o Options) (*client, error) {
	u, err := cfg.check()
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	c := &client{
		host: u.Host, model: cfg.Model, base: u.String(), redact: redactor(cfg.Key), secrets: newSecrets(append(o.Secrets, cfg.Key)...), o: o, transport: o.Transport,
		slots: make(chan struct{}, o.Concurrency), gate: make(chan struct{}, 1),
	}
	c.authorise = func(h http.Header) {
		if cfg.Key != "" {
			h.Set("Authorization", "Bearer "+cfg.Key)
		}
	}
	c.over, c.finish = context.WithCancel(context.Background())
	if c.transport == nil {
		c.transport = newTransport(o.Concurrency)
	}
	c.http = newHTTP(c.transport)
	return c, nil
}

// close closes the connections that are not in use.
func (c *client) close() { c.http.CloseIdleConnections() }

// call sends requests until one succeeds or none will. tokens is what one is
// thought to use. attempt sends one and returns the tokens that it used. A
// [finalError] of it is returned.
//
// Errors are the context's, what attempt returned as final, a [*failure], and
// the [*ProviderError] that ended all calls.
func (c *client) call(ctx context.Context, tokens int, attempt func(context.Context, *exchange) (used int, err error)) error {
	leave, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	for try := 0; ; try++ {
		if err := c.waitToSend(ctx, tokens); err != nil {
			return err
		}
		x := &exchange{}
		rctx, cancel := within(ctx, x, c.o.Timeout)
		start := c.o.Clock.Now()
		used, err := attempt(rctx, x)
		if err != nil && errors.Is(context.Cause(rctx), errTimeout) {
			err = errors.Join(errTimeout, err)
		}
		cancel()
		c.o.Limiter.Settle(tokens, used)
		if x.header != nil {
			c.o.Limiter.Learn(x.header, c.o.MaxWait)
		}
		c.o.Log.LogAttrs(ctx, slog.LevelDebug, "model request", slog.String("model", c.model), slog.String("host", c.host),
			slog.Int("status", x.status), slog.Int("tokens", used), slog.Duration("took", c.o.Clock.Now().Sub(start)))
		var fin finalError
		switch {
		case err == nil:
			c.succeeded()
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &fin):
			return fin.error
		case !x.sent:
			return err // the request cannot be made
		}
		f := c.classify(err, x, c.proven.Load())
		if err := c.after(ctx, f, x, try); err != nil {
			return err
		}
	}
}

// finalError is an error that another attempt would not mend.
type finalError struct{ error }

// enter waits for a slot, and while no call has succeeded for the calls before.
func (c *client) enter(ctx context.Context) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	gated := false
	if !c.proven.Load() {
		select {
		case c.gate <- struct{}{}:
			gated = true
			if c.proven.Load() {
				<-c.gate
				gated = false
			}
		case <-c.over.Done():
			return nil, c.end()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	select {
	case c.slots <- struct{}{}:
		return func() {
			<-c.slots
			if gated {
				<-c.gate
			}
		}, nil
	case <-c.over.Done():
		err = c.end()
	case <-ctx.Done():
		err = ctx.Err()
	}
	if gated {
		<-c.gate
	}
	return nil, err
}

// waitToSend waits for the limiter, unless all calls end before.
func (c *client) waitToSend(ctx context.Context, tokens int) error {
	return c.untilOver(ctx, func(ctx context.Context) error { return c.o.Limiter.Wait(ctx, tokens) })
}

// untilOver calls wait with a context that ends when all calls do.
func (c *client) untilOver(ctx context.Context, wait func(context.Context) error) error {
	if e := c.end(); e != nil {
		return e
	}
	wctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.over, cancel)()
	err := wait(wctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e := c.end(); e != nil {
		return e
	}
	return err
}

// after waits after a failed request until it may be sent again, or returns why
// it is not.
func (c *client) after(ctx context.Context, f *failure, x *exchange, try int) error {
	c.note(f)
	if e := c.end(); e != nil {
		return e
	}
	if f.action != tryAgain && f.action != deny || try >= c.o.Retries || x.begun {
		return f
	}
	wait := c.backoff(try)
	if asked := retryAfter(x.header, c.o.Clock.Now()); asked > 0 {
		if asked > c.o.MaxWait {
			f.Message += fmt.Sprintf("; the server asks to wait for %s", asked.Round(time.Second))
			return f
		}
		c.o.Limiter.Pause(c.o.Clock.Now().Add(asked))
		wait = 0 // the limiter waits
	}
	c.o.Log.LogAttrs(ctx, slog.LevelWarn, "model request failed, trying again", slog.String("model", c.model),
		slog.String("host", c.host), slog.Int("status", x.status), slog.Int("try", try+1), slog.Duration("wait", wait))
	c.o.Log.LogAttrs(ctx, slog.LevelDebug, "model request failed", slog.String("message", f.Message))
	if wait == 0 {
		return nil
	}
	return c.untilOver(ctx, func(ctx context.Context) error { return c.o.Clock.Sleep(ctx, wait) })
}

// The bounds of waits between tries.
const (
	firstBackoff = 500 * time.Millisecond
	lastBackoff  = 30 * time.Second
)

// backoff returns how long to wait after a try: twice as long each time, and
// between half and all of that.
func (c *client) backoff(try int) time.Duration {
	d := lastBackoff
	if try < 10 {
		d = min(firstBackoff<<try, lastBackoff)
	}
	r := 0.0
	if c.o.Rand == nil {
		r = rand.Float64()
	} else {
		c.mu.Lock()
		r = c.o.Rand.Float64()
		c.mu.Unlock()
	}
	return d/2 + time.Duration(r*float64(d/2))
}

// succeeded notes that a call succeeded.
func (c *client) succeeded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.denied, c.refuse = 0, 0
	c.proven.Store(true)
}

// note counts a failure towards the end of all calls.
func (c *client) note(f *failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	proven := c.proven.Load()
	stopped := f.action == stop
	switch f.action {
	case deny:
		c.denied++
		stopped = !proven || c.denied >= maxDenied
	case refuse:
		c.denied = 0
		if !proven && !has(f.detail, contextWords...) {
			c.refuse++
			stopped = c.refuse >= maxRefused
		}
	}
	if stopped && c.broken == nil {
		e := *f.ProviderError
		e.Retryable, e.Refused = false, false
		c.broken = &e
		c.finish()
	}
}

// end returns what ended all calls, nil while nothing has.
func (c *client) end() *ProviderError {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}

// providerError returns what callers get of an error of call.
func providerError(err error) error {
	var f *failure
	if errors.As(err, &f) {
		return f.ProviderError
	}
	return err
}
