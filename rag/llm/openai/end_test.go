package openai_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

func TestEndOfAllCalls(t *testing.T) {
	t.Parallel()
	for _, f := range []llmtest.Failure{llmtest.Unauthorized, llmtest.Forbidden, llmtest.NotFound} {
		chat, server, _ := newChat(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: f, At: []int{1, 3, 4, 5, 6}}}}, openai.Options{})
		for i := range 2 { // the second fails once and succeeds
			if _, _, err := chat.Do(t.Context(), extract("Ada met Bob.")); err != nil {
				t.Fatalf("%s: call %d: %v", f, i, err)
			}
		}
		var first error
		for range 3 {
			_, _, err := chat.Do(t.Context(), extract("Ada met Bob."))
			if !errors.Is(err, llm.ErrProvider) || first != nil && err.Error() != first.Error() {
				t.Fatalf("%s: %v, before %v", f, err, first)
			}
			first = err
		}
		if n := server.Counters().Requests; n != 6 {
			t.Errorf("%s: %d requests, want 6", f, n)
		}
	}
}

func TestWrongKeyCostsOneRequest(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Key: "right"})
	chat, err := openai.NewChat(openai.Config{BaseURL: server.URL, Key: "wrong", Model: "m"}, openai.Options{Concurrency: 20})
	if err != nil {
		t.Fatal(err)
	}
	defer chat.Close()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, _, err := chat.Do(t.Context(), extract("Ada met Bob.")); !errors.Is(err, llm.ErrProvider) {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	if n := server.Counters().Requests; n != 1 {
		t.Errorf("%d requests", n)
	}
}

type blocked struct{ asleep chan struct{} }

func (b blocked) Sleep(ctx context.Context, _ time.Duration) error {
	close(b.asleep)
	<-ctx.Done()
	return ctx.Err()
}

func TestTheEndWakes(t *testing.T) {
	t.Parallel()
	c := blocked{make(chan struct{})}
	chat, server, _ := newChat(t, llmtest.Options{Plan: []llmtest.Fault{
		{Failure: llmtest.ServerError, Share: 1, Text: "wait"}, {Failure: llmtest.NoQuota, Share: 1, Text: "end"}}}, openai.Options{Clock: c})
	if _, _, err := chat.Do(t.Context(), ask("Rain?")); err != nil {
		t.Fatal(err)
	}
	woken := make(chan error, 1)
	go func() {
		_, _, err := chat.Do(t.Context(), ask("wait"))
		woken <- err
	}()
	<-c.asleep
	_, _, err := chat.Do(t.Context(), ask("end"))
	select {
	case got := <-woken:
		if !errors.Is(err, llm.ErrProvider) || got == nil || got.Error() != err.Error() || server.Counters().Requests != 3 {
			t.Errorf("%v and %v", err, got)
		}
	case <-time.After(time.Minute):
		t.Error("it waits on")
	}
}

func TestRefusedFromTheStart(t *testing.T) {
	t.Parallel()
	chat, server, _ := newChat(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.Invalid, Share: 1}}}, openai.Options{})
	for i := range 15 {
		want := llm.ErrRefused
		if i >= 9 {
			want = llm.ErrProvider
		}
		if _, _, err := chat.Do(t.Context(), ask("Rain?")); !errors.Is(err, want) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if n := server.Counters().Requests; n != 10 {
		t.Errorf("%d requests", n)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{})
	server.Close()
	for _, url := range []string{server.URL, "http://no-such-host.invalid/v1"} {
		chat, err := openai.NewChat(openai.Config{BaseURL: url, Key: "k", Model: "m"}, openai.Options{})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, u, err := chat.Do(t.Context(), ask("Rain?"))
		var pe *openai.ProviderError
		if !errors.Is(err, llm.ErrProvider) || !errors.As(err, &pe) || pe.Status != 0 || pe.Retryable || u.Calls != 0 {
			t.Errorf("%v, %#v", err, pe)
		}
		if url == server.URL && (!strings.Contains(err.Error(), "refused") || time.Since(start) > time.Minute) {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	}
}

type endless struct{ read int }

func (e *endless) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(e)}, nil
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	p[0] = '\n'
	e.read += len(p)
	return len(p), nil
}

func TestAnswerWithoutEnd(t *testing.T) {
	t.Parallel()
	e := &endless{}
	chat, err := openai.NewChat(openai.Config{BaseURL: "http://localhost/v1", Model: "m"}, openai.Options{Transport: e, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = chat.Do(t.Context(), ask("Rain?"))
	if !errors.Is(err, llm.ErrProvider) || !strings.Contains(err.Error(), "longer than") || e.read > 200<<20 {
		t.Errorf("%v after %d bytes", err, e.read)
	}
}

// TestEndByProxy: LiteLLM refuses a wrong key and an unknown model with the status 400,
// which ends all calls like the others' 401 and 404; a prompt that is too long for the
// model behind it is one.
func TestEndByProxy(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}`, "the key is refused"},
		{`{"error":{"message":"/chat/completions: Invalid model name passed in model=m. Call ` + "`/v1/models`" + ` to view available models for your key.","type":"invalid_request_error","param":null,"code":"400"}}`, "no such model"},
		{`{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - request (1531 tokens) exceeds the available context size (512 tokens), try increasing it\nmodel=m. context_window_fallbacks=None.","type":"invalid_request_error","param":null,"code":"400"}}`, "context of 512"},
	} {
		asked := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, c.body)
		}))
		chat, err := openai.NewChat(openai.Config{BaseURL: s.URL + "/v1", Key: "wrong", Model: "m"}, openai.Options{Clock: newClock()})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			_, _, err = chat.Do(t.Context(), extract(strings.Repeat("Ada met Bob. ", 200)))
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, llm.ErrProvider) == errors.As(err, new(*llm.TooLongError)) {
				t.Errorf("%v, want %s", err, c.want)
			}
		}
		if asked != 1 {
			t.Errorf("%s: %d requests", c.want, asked)
		}
		s.Close()
	}
}
