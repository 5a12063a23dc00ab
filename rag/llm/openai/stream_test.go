package openai_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// streamed asks for a reply that fn receives piece by piece.
func streamed(ctx context.Context, c *openai.Chat, t llm.Task, fn func(string) error) (llm.Reply, llm.Usage, error) {
	t.Stream = fn
	return c.Do(ctx, t)
}

const wantRain = "Rain falls on Paris in the spring of the year [1]."

func TestStream(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		plan     []llmtest.Fault
		requests int
		calls    int
		begun    bool // an error after pieces
	}{
		{"plain", nil, 1, 1, false},
		{"reasoning", []llmtest.Fault{{Failure: llmtest.Think, First: 1}}, 1, 1, false},
		{"429", []llmtest.Fault{{Failure: llmtest.TooMany, First: 1}}, 2, 1, false},
		{"500", []llmtest.Fault{{Failure: llmtest.ServerError, First: 2}}, 3, 1, false},
		{"empty", []llmtest.Fault{{Failure: llmtest.Empty, First: 1}}, 2, 2, false},
		{"only reasoning", []llmtest.Fault{{Failure: llmtest.OnlyThink, First: 1}}, 2, 2, false},
		{"not JSON", []llmtest.Fault{{Failure: llmtest.NotJSON, First: 1}}, 2, 2, false},
		{"cut", []llmtest.Fault{{Failure: llmtest.Cut, First: 1}}, 1, 1, true},
		{"slow, longer than the time-out in all", []llmtest.Fault{{Failure: llmtest.Slow, First: 1, Delay: 120 * time.Millisecond}}, 1, 1, false},
		{"short", []llmtest.Fault{{Failure: llmtest.Short, First: 1}}, 1, 1, true},
		{"stall", []llmtest.Fault{{Failure: llmtest.Stall, First: 1}}, 1, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := openai.Options{}
			if c.name[0] == 's' {
				o.Timeout = time.Second
			}
			chat, server, _ := newChat(t, llmtest.Options{Plan: c.plan}, o)
			got, pieces := "", 0
			reply, u, err := streamed(t.Context(), chat, ask("Rain?"), func(s string) error {
				got += s
				pieces++
				return nil
			})
			if n := server.Counters().Requests; n != c.requests || u.Calls != c.calls || u.InTokens == 0 {
				t.Errorf("%d requests, usage %+v", n, u)
			}
			if c.begun {
				var pe *openai.ProviderError
				if !errors.As(err, &pe) || !pe.Retryable || !errors.Is(err, llm.ErrProvider) || u.OutTokens == 0 ||
					got == "" || got == wantRain || !strings.HasPrefix(wantRain, got) {
					t.Errorf("%v, got %q, %+v", err, got, u)
				}
				return
			}
			if err != nil || reply.Text != wantRain || got != wantRain || pieces < 5 {
				t.Errorf("%v: reply %q, in %d pieces %q", err, reply.Text, pieces, got)
			}
		})
	}
}

// TestStreamJSON gives JSON in one piece, checked.
func TestStreamJSON(t *testing.T) {
	t.Parallel()
	chat, _, _ := newChat(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.BadJSON, First: 1}}}, openai.Options{})
	var pieces []string
	reply, u, err := streamed(t.Context(), chat, extract("Ada met Bob."), func(s string) error {
		pieces = append(pieces, s)
		return nil
	})
	if err != nil || reply.Text != wantAda || len(pieces) != 1 || pieces[0] != wantAda || u.Calls != 2 {
		t.Errorf("%v, %q, %+v", err, pieces, u)
	}
}

func TestStreamEndsByItsReader(t *testing.T) {
	t.Parallel()
	chat, server, _ := newChat(t, llmtest.Options{}, openai.Options{})
	enough := errors.New("enough")
	n := 0
	_, u, err := streamed(t.Context(), chat, ask("Rain?"), func(string) error {
		if n++; n == 3 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || n != 3 || u.Calls != 1 || server.Counters().Requests != 1 {
		t.Errorf("%v after %d pieces, %+v", err, n, u)
	}
	// The connection is free for the next call.
	if _, _, err := chat.Do(t.Context(), ask("Rain?")); err != nil {
		t.Error(err)
	}
}

// TestStreamRefusedMidway: a request is not sent in another way if a part of its reply
// was given on.
func TestStreamRefusedMidway(t *testing.T) {
	t.Parallel()
	s := &server{reply: reply{body: stream(delta("The mill"), `{"error":{"code":400,"message":"temperature is not supported"}}`)}}
	_, u, err := use(t, "stream", s, 3)
	if !errors.Is(err, llm.ErrRefused) || !strings.Contains(err.Error(), "temperature is not supported") || s.asked != 1 || u.Calls != 1 || u.OutTokens == 0 {
		t.Errorf("asked %d times, %+v, %v", s.asked, u, err)
	}
}
