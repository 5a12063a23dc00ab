package openai_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// TestFailuresOfChats has the first request fail in each way, and says how many
// requests the right end takes.
func TestFailuresOfChats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		fault    llmtest.Fault
		requests int
		calls    int   // of the usage
		err      error // nil: the right reply
		status   int   // of the ProviderError
	}{
		{"429", llmtest.Fault{Failure: llmtest.TooMany, First: 1}, 2, 1, nil, 0},
		{"500", llmtest.Fault{Failure: llmtest.ServerError, First: 1}, 2, 1, nil, 0},
		{"503", llmtest.Fault{Failure: llmtest.Unavailable, First: 1}, 2, 1, nil, 0},
		{"hang-up", llmtest.Fault{Failure: llmtest.Hangup, First: 1}, 2, 1, nil, 0},
		{"stall", llmtest.Fault{Failure: llmtest.Stall, First: 1}, 2, 1, nil, 0},
		{"cut", llmtest.Fault{Failure: llmtest.Cut, First: 1}, 2, 2, nil, 0},
		{"not JSON", llmtest.Fault{Failure: llmtest.NotJSON, First: 1}, 2, 2, nil, 0},
		{"no choice", llmtest.Fault{Failure: llmtest.NoChoice, First: 1}, 2, 2, nil, 0},
		{"slow", llmtest.Fault{Failure: llmtest.Slow, First: 1, Delay: 20 * time.Millisecond}, 1, 1, nil, 0},
		{"broken JSON", llmtest.Fault{Failure: llmtest.BadJSON, First: 2}, 3, 3, nil, 0},
		{"empty", llmtest.Fault{Failure: llmtest.Empty, First: 1}, 2, 2, nil, 0},
		{"prose", llmtest.Fault{Failure: llmtest.Prose, First: 1}, 1, 1, nil, 0},
		{"reasoning", llmtest.Fault{Failure: llmtest.Think, First: 1}, 1, 1, nil, 0},
		{"only reasoning", llmtest.Fault{Failure: llmtest.OnlyThink, First: 1}, 2, 2, nil, 0},
		{"cut at its limit", llmtest.Fault{Failure: llmtest.AtLimit, First: 1}, 2, 2, nil, 0},
		{"broken JSON for ever", llmtest.Fault{Failure: llmtest.BadJSON, Share: 1}, 3, 3, llm.ErrReply, 0},
		{"429 for ever", llmtest.Fault{Failure: llmtest.TooMany, Share: 1}, 7, 0, llm.ErrProvider, 429},
		{"500 for ever", llmtest.Fault{Failure: llmtest.ServerError, Share: 1}, 7, 0, llm.ErrProvider, 500},
		{"cut for ever", llmtest.Fault{Failure: llmtest.Cut, Share: 1}, 7, 7, llm.ErrProvider, 200},
		{"429 that asks for an hour", llmtest.Fault{Failure: llmtest.TooMany, Share: 1, RetryAfter: time.Hour}, 1, 0, llm.ErrProvider, 429},
		{"no quota", llmtest.Fault{Failure: llmtest.NoQuota, Share: 1}, 1, 0, llm.ErrProvider, 429},
		{"401", llmtest.Fault{Failure: llmtest.Unauthorized, First: 1}, 1, 0, llm.ErrProvider, 401},
		{"403", llmtest.Fault{Failure: llmtest.Forbidden, First: 1}, 1, 0, llm.ErrProvider, 403},
		{"404", llmtest.Fault{Failure: llmtest.NotFound, First: 1}, 1, 0, llm.ErrProvider, 404},
		{"redirect", llmtest.Fault{Failure: llmtest.Redirect, First: 1}, 1, 0, llm.ErrProvider, 307},
		{"too long", llmtest.Fault{Failure: llmtest.Refused, First: 1}, 1, 0, llm.ErrRefused, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := openai.Options{}
			if c.name == "stall" {
				o.Timeout = time.Second
			}
			chat, server, _ := newChat(t, llmtest.Options{Plan: []llmtest.Fault{c.fault}}, o)
			reply, u, err := chat.Do(t.Context(), extract("Ada met Bob."))
			if !errors.Is(err, c.err) || c.err == nil && reply.Text != wantAda {
				t.Fatalf("got %q, %v\nwant %v", reply.Text, err, c.err)
			}
			if c.err != nil {
				for _, other := range []error{llm.ErrProvider, llm.ErrRefused, llm.ErrReply} {
					if other != c.err && errors.Is(err, other) {
						t.Errorf("%v is %v too", err, other)
					}
				}
			}
			if n := server.Counters(); n.Requests != c.requests {
				t.Errorf("%d requests, want %d", n.Requests, c.requests)
			}
			if u.Calls != c.calls || c.calls > 0 && u.InTokens == 0 {
				t.Errorf("usage %+v, want %d calls", u, c.calls)
			}
			var pe *openai.ProviderError
			if errors.As(err, &pe) != (c.status != 0) || pe != nil && (pe.Status != c.status || pe.Model != "m" || !strings.Contains(server.URL, pe.Host)) {
				t.Errorf("%#v", pe)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %v", err)
			}
		})
	}
}

// TestReplyErrorHoldsTheLastReply looks at what is kept of a reply that cannot
// be used, and at how it is asked for again.
func TestReplyErrorHoldsTheLastReply(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked [][]llm.Message
	chat, _, _ := newChat(t, llmtest.Options{Answer: func(c llmtest.Chat) (string, bool) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, c.Messages)
		return `{"entities":[{"name":"","type":"try ` + string(rune('0'+len(asked))) + `"}]}`, true
	}}, openai.Options{})
	_, u, err := chat.Do(t.Context(), extract("Ada met Bob."))
	var re *llm.ReplyError
	if !errors.As(err, &re) || !strings.Contains(re.Raw, "try 3") || re.Kind != llm.Extract || u.Calls != 3 || u.Again != 2 {
		t.Fatalf("%v, %+v, %+v", err, re, u)
	}
	if len(asked) != 3 || len(asked[0]) != 2 {
		t.Fatalf("asked %q", asked)
	}
	for i, m := range asked[1:] {
		if len(m) != 4 || m[2].Role != "assistant" || !strings.Contains(m[2].Content, "try "+string(rune('1'+i))) ||
			m[3].Role != "user" || !strings.Contains(m[3].Content, "entity 1: it has no name") {
			t.Errorf("ask %d: %q", i+2, m)
		}
	}
}

// TestEchoIsDropped: a name that a model takes from the prompt is not among what it
// found, and a reply of nothing else is asked for again.
func TestEchoIsDropped(t *testing.T) {
	t.Parallel()
	var replies []string
	chat, _, _ := newChat(t, llmtest.Options{Answer: func(llmtest.Chat) (string, bool) {
		r := replies[0]
		replies = replies[1:]
		return r, true
	}}, openai.Options{})
	task := extract("Ada met Bob.")
	task.Input = llm.ExtractInput{Text: "Ada met Bob."}
	task.Prompt = append([]llm.Message{{Role: "system", Content: "For example Mira Voss."}}, task.Prompt...)
	replies = []string{`{"entities":[{"name":"Mira Voss"}]}`, `{"entities":[{"name":"Mira Voss"},{"name":"Ada"}]}`}
	r, u, err := chat.Do(t.Context(), task)
	if err != nil || strings.Contains(r.Text, "Voss") || !strings.Contains(r.Text, "Ada") {
		t.Fatalf("%s, %v", r.Text, err)
	}
	if u.Calls != 2 || u.Again != 1 || u.Dropped != 1 || u.Mended != 1 {
		t.Errorf("usage %+v", u)
	}
}

// TestFinalReplyIsNotAskedAgain takes a model's word for it.
func TestFinalReplyIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	chat, server, _ := newChat(t, llmtest.Options{Answer: func(llmtest.Chat) (string, bool) {
		return `{"source":"","target":"","description":"","strength":1}`, true
	}}, openai.Options{})
	task := extract("Ada met Bob.")
	task.Kind = llm.RepairRelation
	_, u, err := chat.Do(t.Context(), task)
	if !errors.Is(err, llm.ErrReply) || u.Calls != 1 || server.Counters().Requests != 1 {
		t.Errorf("%v, %+v", err, u)
	}
}

func TestJSONModes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		refuse          []string
		set             openai.JSONMode
		mode            openai.JSONMode
		requests, again int
		err             error
	}{
		{"schema", nil, 0, openai.JSONSchema, 1, 1, nil},
		{"object", []string{"json_schema"}, 0, openai.JSONObject, 2, 1, nil},
		{"none", []string{"json_schema", "json_object"}, 0, openai.JSONNone, 3, 1, nil},
		{"object given", []string{"json_schema"}, openai.JSONObject, openai.JSONObject, 1, 1, nil},
		{"schema given", []string{"json_schema"}, openai.JSONSchema, openai.JSONSchema, 1, 1, llm.ErrRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chat, server, _ := newChat(t, llmtest.Options{RefuseFormats: c.refuse}, openai.Options{JSON: c.set})
			for i, want := range []int{c.requests, c.again} {
				server.Reset()
				reply, u, err := chat.Do(t.Context(), extract("Ada met Bob."))
				if !errors.Is(err, c.err) || err == nil && (reply.Text != wantAda || u.Calls != 1) {
					t.Fatalf("%q, %+v, %v", reply.Text, u, err)
				}
				if n := server.Counters().Requests; n != want || chat.JSON() != c.mode {
					t.Errorf("call %d: %d requests, mode %v; want %d, %v", i, n, chat.JSON(), want, c.mode)
				}
			}
		})
	}
}

// TestParameters has servers refuse what some do.
func TestParameters(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"max_tokens", "temperature", "stream_options"} {
		chat, server, _ := newChat(t, llmtest.Options{RefuseParameters: []string{p}}, openai.Options{})
		task := ask("Rain?")
		task.MaxTokens = 50
		for i, want := range []int{2, 1} {
			server.Reset()
			_, u, err := streamed(t.Context(), chat, task, func(string) error { return nil })
			if n := server.Counters().Requests; err != nil || n != want || u.Calls != 1 || u.OutTokens == 0 {
				t.Errorf("%s, call %d: %v, %d requests, %+v", p, i, err, n, u)
			}
		}
	}
}

// TestEndOfAllCalls has a server refuse the key after a success.
// TestWrongKeyCostsOneRequest begins with many calls at once.
// blocked is a clock whose Sleep never returns by itself.
func (blocked) Now() time.Time { return time.Now() }

// TestTheEndWakes ends a call that waits to try again by another that ends all.
// TestRefusedFromTheStart ends all calls when everything is refused.
// endless is a server whose answer has no end.
// TestBackoff looks at the waits, which double between their bounds.
func TestBackoff(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) []time.Duration {
		chat, _, c := newChat(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.ServerError, Share: 1}}},
			openai.Options{Rand: rand.New(rand.NewPCG(seed, 0)), Retries: 9})
		if _, _, err := chat.Do(t.Context(), ask("Rain?")); err == nil {
			t.Fatal("it succeeded")
		}
		return c.sleeps()
	}
	got := run(1)
	if len(got) != 9 {
		t.Fatalf("%v", got)
	}
	for i, d := range got {
		top := min(500*time.Millisecond<<i, 30*time.Second)
		if d < top/2 || d > top {
			t.Errorf("wait %d: %v, want %v to %v", i, d, top/2, top)
		}
	}
	if !slices.Equal(got, run(1)) || slices.Equal(got, run(2)) {
		t.Error("the waits are not those of the seed")
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, f := range []llmtest.Fault{
		{Failure: llmtest.TooMany, First: 1, RetryAfter: 17 * time.Second},
		{Failure: llmtest.Unavailable, First: 1, RetryAfter: 17 * time.Second},
	} {
		chat, _, c := newChat(t, llmtest.Options{Plan: []llmtest.Fault{f}}, openai.Options{})
		if _, _, err := chat.Do(t.Context(), ask("Rain?")); err != nil {
			t.Fatal(err)
		}
		if got := c.sleeps(); len(got) != 1 || got[0] != 17*time.Second {
			t.Errorf("%s: slept %v", f.Failure, got)
		}
	}
	// A date is compared with the clock's time.
	c := newClock()
	c.now = time.Now()
	chat, _, _ := newChat(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.TooMany, First: 1, RetryAfter: 90 * time.Second, Date: true}}},
		openai.Options{Clock: c})
	if _, _, err := chat.Do(t.Context(), ask("Rain?")); err != nil {
		t.Fatal(err)
	}
	if got := c.sleeps(); len(got) != 1 || got[0] < 85*time.Second || got[0] > 91*time.Second {
		t.Errorf("date: slept %v", got)
	}
}

// TestNothingIsLost asks many things of a server that fails in all ways, and
// wants every reply, each paid once.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	chat, server, _ := newChat(t, llmtest.Options{Seed: 3, Plan: []llmtest.Fault{
		{Failure: llmtest.TooMany, Share: .1, RetryAfter: time.Second}, {Failure: llmtest.ServerError, Share: .05},
		{Failure: llmtest.Hangup, Share: .05}, {Failure: llmtest.Cut, Share: .05}, {Failure: llmtest.BadJSON, Share: .05},
		{Failure: llmtest.Think, Share: .1}, {Failure: llmtest.Prose, Share: .1}, {Failure: llmtest.NotJSON, Share: .05},
	}}, openai.Options{Concurrency: 16, Retries: 20, ReAsks: 10})
	var wg sync.WaitGroup
	var mu sync.Mutex
	calls := 0
	for i := range 400 {
		wg.Go(func() {
			name := "Zed" + strings.Repeat("a", i)
			reply, u, err := chat.Do(t.Context(), extract(name+" slept."))
			if err != nil || !strings.Contains(reply.Text, `"`+name+`"`) {
				t.Errorf("%d: %q, %v", i, reply.Text, err)
			}
			mu.Lock()
			calls += u.Calls
			mu.Unlock()
		})
	}
	wg.Wait()
	n := server.Counters()
	answered := 0
	for _, r := range server.Requests() {
		if r.Status == 200 {
			answered++
		}
	}
	if n.Delivered < 400 || n.Repeated != 0 || calls != answered || n.Most > 16 || len(n.Failures) != 8 {
		t.Errorf("%+v, %d calls counted, %d answered", n, calls, answered)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	words := func(s string) int { return len(strings.Fields(s)) * 100 }
	task := ask("Rain?")
	for _, stream := range []bool{false, true} {
		for _, told := range []bool{true, false} {
			chat, _, _ := newChat(t, llmtest.Options{NoUsage: !told}, openai.Options{Count: words})
			var u llm.Usage
			var reply llm.Reply
			var err error
			if stream {
				reply, u, err = streamed(t.Context(), chat, task, func(string) error { return nil })
			} else {
				reply, u, err = chat.Do(t.Context(), task)
			}
			in, out := len(strings.Fields(task.Prompt[0].Content)), len(strings.Fields(reply.Text))
			if !told {
				in, out = in*100+4, out*100
			}
			if want := (llm.Usage{Calls: 1, InTokens: in, OutTokens: out}); err != nil || u != want {
				t.Errorf("stream %v, told %v: %+v, want %+v (%v)", stream, told, u, want, err)
			}
		}
	}
}

func TestRefusesTasks(t *testing.T) {
	t.Parallel()
	chat, server, _ := newChat(t, llmtest.Options{}, openai.Options{})
	if _, _, err := chat.Do(t.Context(), llm.Task{Kind: "poem", Prompt: ask("").Prompt}); !errors.Is(err, llm.ErrKind) || chat.Can("poem") || !chat.Can(llm.Judge) {
		t.Error(err)
	}
	if _, _, err := chat.Do(t.Context(), llm.Task{Kind: llm.Answer}); err == nil {
		t.Error("a task without a prompt")
	}
	if _, _, err := chat.Do(t.Context(), llm.Task{Kind: llm.Extract, Schema: []byte("{"), Prompt: ask("").Prompt}); err == nil || errors.Is(err, llm.ErrProvider) {
		t.Errorf("a schema that is no JSON: %v", err)
	}
	if n := server.Counters().Requests; n != 0 || chat.Name() != "m" {
		t.Errorf("%d requests, name %q", n, chat.Name())
	}
}

// TestCancel ends calls while they wait for an answer, for the limiter, for a
// slot, and for another try.
func TestCancel(t *testing.T) {
	for _, c := range []struct {
		name string
		plan []llmtest.Fault
		o    openai.Options
	}{
		{"answer", []llmtest.Fault{{Failure: llmtest.Stall, Share: 1}}, openai.Options{}},
		{"another try", []llmtest.Fault{{Failure: llmtest.TooMany, Share: 1, RetryAfter: time.Minute}}, openai.Options{}},
		{"backoff", []llmtest.Fault{{Failure: llmtest.ServerError, Share: 1}}, openai.Options{}},
		{"limiter", nil, openai.Options{RPM: 1}},
		{"slot", []llmtest.Fault{{Failure: llmtest.Stall, At: []int{1}}}, openai.Options{Concurrency: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			quick(t, func() time.Duration {
				server := llmtest.New(nil, llmtest.Options{Plan: c.plan})
				defer server.Close()
				chat, err := openai.NewChat(openai.Config{BaseURL: server.URL, Model: "m"}, c.o)
				if err != nil {
					t.Fatal(err)
				}
				defer chat.Close()
				ctx, cancel := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				for i := range 3 {
					wg.Go(func() {
						for range 3 {
							if _, _, err := chat.Do(ctx, ask("Rain?"+strings.Repeat("!", i))); err != nil {
								if !errors.Is(err, context.Canceled) || errors.Is(err, llm.ErrProvider) {
									t.Errorf("%v", err)
								}
								return
							}
						}
						t.Error("nothing held the calls")
					})
				}
				time.Sleep(60 * time.Millisecond)
				cancel()
				start := time.Now()
				wg.Wait()
				return time.Since(start)
			})
		})
	}
}
