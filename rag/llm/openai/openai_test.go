package openai_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// clock is time that passes by sleeping alone.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

func (c *clock) sleeps() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration(nil), c.slept...)
}

// extractSchema is that of an extraction, in the form that strict output wants.
const extractSchema = `{"type":"object","additionalProperties":false,"required":["entities","relations"],"properties":{
"entities":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["name"],"properties":{"name":{"type":"string"}}}},
"relations":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["source","target"],"properties":{"source":{"type":"string"},"target":{"type":"string"}}}}}}`

func extract(text string) llm.Task {
	return llm.Task{Kind: llm.Extract, Schema: []byte(extractSchema), Prompt: []llm.Message{
		{Role: "system", Content: "Find entities and relations."}, {Role: "user", Content: "The text:\n```\n" + text + "\n```"}}}
}

func ask(question string) llm.Task {
	return llm.Task{Kind: llm.Answer, Prompt: []llm.Message{{Role: "user", Content: question + "\n```\n[1] Rain falls on Paris in the spring of the year. It is wet.\n```"}}}
}

const wantAda = `{"entities":[{"name":"Ada","type":"thing","description":"Ada met Bob"},{"name":"Bob","type":"thing","description":"Ada met Bob"}],` +
	`"relations":[{"source":"Ada","target":"Bob","description":"Ada met Bob","strength":1}],"units":[{"text":"Ada met Bob."}]}`

// newChat returns a chat with a server, whose time passes by sleeping.
func newChat(t *testing.T, s llmtest.Options, o openai.Options) (*openai.Chat, *llmtest.Server, *clock) {
	t.Helper()
	server := llmtest.New(t, s)
	c := newClock()
	if o.Clock == nil {
		o.Clock = c
	}
	chat, err := openai.NewChat(openai.Config{BaseURL: server.URL, Key: s.Key, Model: "m"}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(chat.Close)
	return chat, server, c
}

func newEmbedder(t *testing.T, s llmtest.Options, dim int, o openai.Options) (*openai.Embedder, *llmtest.Server, *clock) {
	t.Helper()
	server := llmtest.New(t, s)
	c := newClock()
	if o.Clock == nil {
		o.Clock = c
	}
	e, err := openai.NewEmbedder(openai.Config{BaseURL: server.URL, Model: "m"}, dim, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e, server, c
}

// leaks fails the test when goroutines of this package or of net/http remain.
// Tests that use it do not run in parallel.
func leaks(t *testing.T) func() {
	t.Helper()
	before := runtime.NumGoroutine()
	return func() {
		t.Helper()
		for range 2000 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		b := make([]byte, 1<<16)
		t.Errorf("%d goroutines, before %d:\n%s", runtime.NumGoroutine(), before, b[:runtime.Stack(b, true)])
	}
}

// quick wants what f measures to be at most 250 milliseconds, and no goroutine to
// be left. A busy machine has ten tries.
func quick(t *testing.T, f func() time.Duration) {
	t.Helper()
	var took time.Duration
	for range 10 {
		done := leaks(t)
		took = f()
		done()
		if took <= 250*time.Millisecond {
			return
		}
	}
	t.Errorf("ended after %v", took)
}

func texts(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "text " + strings.Repeat("x", i%7+1) + " number " + string(rune('a'+i%26)) + strings.Repeat("y", i/26)
	}
	return out
}
