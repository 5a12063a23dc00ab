package openai_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// sent is a request that a limiter let through.
type sent struct {
	at     time.Time
	tokens int
}

// most returns the largest sums of requests and tokens in any minute.
func most(log []sent) (requests, tokens int) {
	for i := range log {
		n, sum := 0, 0
		for _, s := range log[i:] {
			if s.at.Sub(log[i].at) >= time.Minute {
				break
			}
			n++
			sum += s.tokens
		}
		requests, tokens = max(requests, n), max(tokens, sum)
	}
	return requests, tokens
}

// TestLimiter has many workers send for some minutes, in time that only the
// test moves.
func TestLimiter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		rpm, tpm int
		size     int // of the largest request
		atLeast  int // requests in ten minutes
		plus     int // the most tokens of a minute are tpm+plus
	}{
		{"one a minute", 1, 0, 10, 10, 0},
		{"seven a minute", 7, 0, 10, 65, 0},
		{"many a minute", 600, 0, 10, 5500, 0},
		{"tokens", 0, 1200, 100, 200, 0},
		{"large requests", 0, 1200, 2000, 8, 1900},
		{"both", 100, 10000, 150, 900, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := openai.NewLimiter(c.rpm, c.tpm, nil)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				var mu sync.Mutex
				var log []sent
				var wg sync.WaitGroup
				for i := range 8 {
					wg.Go(func() {
						r := rand.New(rand.NewPCG(uint64(i), 1))
						for {
							n := 1 + r.IntN(c.size)
							if err := l.Wait(ctx, n); err != nil {
								if !errors.Is(err, context.DeadlineExceeded) {
									t.Error(err)
								}
								return
							}
							mu.Lock()
							log = append(log, sent{time.Now(), n})
							mu.Unlock()
						}
					})
				}
				wg.Wait()
				requests, tokens := most(log)
				if c.rpm > 0 && requests > c.rpm || c.tpm > 0 && tokens > c.tpm+c.plus {
					t.Errorf("%d requests and %d tokens in a minute", requests, tokens)
				}
				if len(log) < c.atLeast {
					t.Errorf("only %d requests in ten minutes", len(log))
				}
			})
		})
	}
}

// TestLimiterPauses lets nothing through in a pause, and no more than the limit
// after it.
func TestLimiterPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := openai.NewLimiter(60, 0, nil)
		start := time.Now()
		var mu sync.Mutex
		var log []sent
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if err := l.Wait(t.Context(), 1); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				log = append(log, sent{time.Now(), 1})
			})
		}
		time.Sleep(3500 * time.Millisecond)
		l.Pause(start.Add(30 * time.Second))
		l.Pause(start.Add(20 * time.Second)) // a shorter one changes nothing
		wg.Wait()
		early := 0
		for _, s := range log {
			switch d := s.at.Sub(start); {
			case d <= 3500*time.Millisecond:
				early++
			case d < 30*time.Second:
				t.Errorf("sent after %v", d)
			}
		}
		if early < 5 || early > 9 {
			t.Errorf("%d before the pause", early)
		}
		if n, _ := most(log); n > 20 || len(log) != 20 {
			t.Errorf("%d in a minute, %d in all", n, len(log))
		}
	})
}

func TestLimiterLearns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		header := func(pairs ...string) http.Header {
			h := http.Header{}
			for i := 0; i < len(pairs); i += 2 {
				h.Set(pairs[i], pairs[i+1])
			}
			return h
		}
		count := func(l *openai.Limiter, tokens int) int {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute-time.Millisecond)
			defer cancel()
			n := 0
			for l.Wait(ctx, tokens) == nil {
				n++
				if n > 1000 {
					break
				}
			}
			return n
		}
		l := openai.NewLimiter(0, 0, nil)
		if n := count(l, 10); n < 1000 {
			t.Fatalf("without a limit: %d", n)
		}
		l.Learn(header("x-ratelimit-limit-requests", "30", "x-ratelimit-limit-tokens", "1000000"), time.Minute)
		if n := count(l, 10); n != 30 {
			t.Errorf("learnt 30, sent %d", n)
		}
		l.Learn(header("x-ratelimit-limit-requests", "300"), time.Minute) // more than before is not believed
		if n := count(l, 10); n > 31 {
			t.Errorf("after a higher limit: %d", n)
		}
		l.Learn(header("x-ratelimit-limit-tokens", "600"), time.Minute)
		time.Sleep(time.Minute)
		if n := count(l, 60); n > 10 || n < 8 {
			t.Errorf("learnt 600 tokens, sent %d of 60", n)
		}
		l.Learn(header("x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "12s"), time.Minute)
		start := time.Now()
		if err := l.Wait(t.Context(), 1); err != nil || time.Since(start) < 12*time.Second {
			t.Errorf("nothing left: waited %v, %v", time.Since(start), err)
		}
		time.Sleep(time.Minute)
		l.Learn(header("x-ratelimit-remaining-requests", "1"), time.Minute)
		start = time.Now()
		for range 2 { // two could go at once
			if err := l.Wait(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("one left: two took %v", took)
		}
		for _, bad := range []string{"x", "-1", "NaN", "1e400", ""} {
			l.Learn(header("x-ratelimit-limit-requests", bad, "x-ratelimit-remaining-requests", bad, "x-ratelimit-reset-requests", bad), time.Minute)
		}
		start = time.Now()
		if err := l.Wait(t.Context(), 1); err != nil || time.Since(start) > 10*time.Second {
			t.Errorf("after odd headers: waited %v, %v", time.Since(start), err)
		}
	})
}

// TestLimiterForgetsWhoLeaves gives back what was promised to calls that were
// cancelled.
func TestLimiterForgetsWhoLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := openai.NewLimiter(60, 6000, nil)
		for range 5 {
			if err := l.Wait(t.Context(), 100); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				if err := l.Wait(ctx, 100); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		cancel()
		wg.Wait()
		start := time.Now()
		if err := l.Wait(t.Context(), 100); err != nil || time.Since(start) > 2*time.Second {
			t.Errorf("waited %v, %v", time.Since(start), err)
		}
	})
}

// TestSharedLimiter has a chat and an embedder share one.
func TestSharedLimiter(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := openai.NewLimiter(6, 0, c)
	chat, server, _ := newChat(t, llmtest.Options{}, openai.Options{Limiter: l, Clock: c})
	e, err := openai.NewEmbedder(openai.Config{BaseURL: server.URL, Model: "m"}, 64, openai.Options{Limiter: l, Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	start := c.Now()
	for range 6 {
		if _, _, err := chat.Do(t.Context(), ask("Rain?")); err != nil {
			t.Fatal(err)
		}
		if _, _, err := e.Embed(t.Context(), []string{"a"}); err != nil {
			t.Fatal(err)
		}
	}
	if took := c.Now().Sub(start); took < 110*time.Second || took > 2*time.Minute {
		t.Errorf("12 requests at 6 a minute took %v", took)
	}
}

// TestLimitHeadersOfAnswers learns from what comes over HTTP.
func TestLimitHeadersOfAnswers(t *testing.T) {
	t.Parallel()
	chat, _, c := newChat(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.LimitHeaders, First: 1}}}, openai.Options{})
	for range 2 {
		if _, _, err := chat.Do(t.Context(), ask("Rain?")); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.sleeps(); len(got) == 0 || got[0] != 3*time.Second {
		t.Errorf("slept %v", got)
	}
}

// TestTokensAreSettled gives back what was estimated too high: a task that may
// take 10,000 tokens and takes few does not fill the minute.
func TestTokensAreSettled(t *testing.T) {
	t.Parallel()
	chat, _, c := newChat(t, llmtest.Options{}, openai.Options{TPM: 120000, MaxTokens: 9000})
	start := c.Now()
	for range 100 {
		if _, _, err := chat.Do(t.Context(), ask("Rain?")); err != nil {
			t.Fatal(err)
		}
	}
	if took := c.Now().Sub(start); took > time.Second {
		t.Errorf("took %v", took)
	}
}
