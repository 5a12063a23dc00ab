package openai

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limiter holds requests back so that a server's limits are not exceeded. In
// any minute it lets through at most the requests a minute; and at most the
// tokens a minute, as far as they were estimated well, plus what one request
// has beyond a twelfth of them. Requests go in the order in which they came.
//
// It learns from what servers say: limits that are lower than its own or that
// it has not, what is left of them, and pauses. It is safe for concurrent use,
// and made to be shared by what uses one key.
type Limiter struct {
	clock Clock

	// mu guards the fields below it.
	mu               sync.Mutex
	requests, tokens bucket
	paused           time.Time
}

// NewLimiter returns a limiter of rpm requests and tpm tokens a minute; 0 is no
// limit until a server tells one. A nil clock is the system's.
func NewLimiter(rpm, tpm int, clock Clock) *Limiter {
	if clock == nil {
		clock = systemClock{}
	}
	l := &Limiter{clock: clock}
	l.requests.setLimit(float64(rpm), 1)
	l.tokens.setLimit(float64(tpm), 0)
	return l
}

// bucket holds what may be spent at once. It is filled at a steady rate.
type bucket struct {
	limit    float64 // a minute; 0 is none
	capacity float64
	rate     float64 // a second
	level    float64 // below 0 if it is promised to a caller that waits
	at       time.Time
}

// setLimit sets the limit a minute of what is spent in pieces of unit. Capacity
// and rate are such that a full bucket and what flows in within a minute are
// the limit.
func (b *bucket) setLimit(limit, unit float64) {
	spent := b.capacity - b.level
	b.limit = max(limit, 0)
	b.capacity = max(b.limit/12, unit)
	if unit > 0 {
		b.capacity = math.Floor(b.capacity)
	}
	b.rate = max((b.limit-b.capacity+unit)/60, 1e-6)
	b.level = b.capacity - spent
}

// fill adds what has flowed in until now.
func (b *bucket) fill(now time.Time) {
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.level = min(b.level+passed*b.rate, b.capacity)
		b.at = now
	}
}

// reserve takes n and returns how long to wait until it may be spent.
func (b *bucket) reserve(now time.Time, n float64) time.Duration {
	if b.limit == 0 {
		return 0
	}
	b.fill(now)
	b.level -= n
	short := min(0, b.capacity-n) - b.level
	if short <= 0 {
		return 0
	}
	return time.Duration(math.Ceil(short / b.rate * 1e9))
}

// giveBack returns what was reserved and not spent; less than 0 takes more.
func (b *bucket) giveBack(n float64) {
	if b.limit > 0 {
		b.level = min(b.level+n, b.capacity)
	}
}

// Wait returns when a request of so many tokens may be sent, or with the
// context's error.
func (l *Limiter) Wait(ctx context.Context, tokens int) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.mu.Lock()
		now := l.clock.Now()
		if pause := l.paused.Sub(now); pause > 0 {
			l.mu.Unlock()
			if err := l.clock.Sleep(ctx, pause); err != nil {
				return err
			}
			continue
		}
		wait := max(l.requests.reserve(now, 1), l.tokens.reserve(now, float64(tokens)))
		l.mu.Unlock()
		if wait <= 0 {
			return nil
		}
		err := l.clock.Sleep(ctx, wait)
		l.mu.Lock()
		paused := l.paused.After(l.clock.Now())
		if err != nil || paused {
			l.requests.giveBack(1)
			l.tokens.giveBack(float64(tokens))
		}
		l.mu.Unlock()
		if err != nil || !paused {
			return err
		}
	}
}

// Settle says that a request for which tokens were estimated had used ones.
func (l *Limiter) Settle(tokens, used int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens.giveBack(float64(tokens - used))
}

// Pause lets nothing through until a time.
func (l *Limiter) Pause(until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until.After(l.paused) {
		l.paused = until
	}
}

// Learn reads what a server says of its limits. A pause is no longer than
// maxWait.
func (l *Limiter) Learn(h http.Header, maxWait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	for _, x := range []struct {
		b    *bucket
		name string
		unit float64
	}{{&l.requests, "requests", 1}, {&l.tokens, "tokens", 0}} {
		x.b.fill(now)
		if limit, ok := number(h, "X-Ratelimit-Limit-"+x.name); ok && limit >= 1 && (x.b.limit == 0 || limit < x.b.limit) {
			if x.b.limit == 0 {
				x.b.level, x.b.capacity = 0, 0
			}
			x.b.setLimit(limit, x.unit)
		}
		left, ok := number(h, "X-Ratelimit-Remaining-"+x.name)
		if !ok || x.b.limit == 0 {
			continue
		}
		x.b.level = min(x.b.level, max(left, 0))
		reset := duration(h.Get("X-Ratelimit-Reset-" + x.name))
		if until := now.Add(reset); left < 1 && reset > 0 && reset <= maxWait && until.After(l.paused) {
			l.paused = until
		}
	}
}

func number(h http.Header, name string) (float64, bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(h.Get(name)), 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}

// duration reads "6m0s", "20ms" or a number of seconds; 0 for anything else.
func duration(s string) time.Duration {
	s = strings.TrimSpace(s)
	if x, err := strconv.ParseFloat(s, 64); err == nil {
		if x > 0 && x < 1e9 {
			return time.Duration(x * 1e9)
		}
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0
	}
	return max(d, 0)
}

// retryAfter reads how long a server asks to wait: Retry-After in seconds or as
// a date, or retry-after-ms. 0 if it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, ok := number(h, "Retry-After-Ms"); ok && ms > 0 && ms < 1e12 {
		return time.Duration(ms * 1e6)
	}
	s := strings.TrimSpace(h.Get("Retry-After"))
	if d := duration(s); d > 0 {
		return d
	}
	if t, err := http.ParseTime(s); err == nil {
		return max(t.Sub(now), 0)
	}
	return 0
}
