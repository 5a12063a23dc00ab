package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cfg openai.Config
		why string // "" if it is good
	}{
		{openai.Config{Key: "k", Model: "m"}, ""},
		{openai.Config{BaseURL: "http://localhost:11434/v1/", Model: "m"}, ""},
		{openai.Config{BaseURL: "http://LOCALHOST/v1", Model: "m"}, ""},
		{openai.Config{BaseURL: "http://127.3.2.1:80", Model: "m"}, ""},
		{openai.Config{BaseURL: "http://[::1]:8080/v1", Model: "m"}, ""},
		{openai.Config{BaseURL: "https://example.com/v1", Key: "k", Model: "m"}, ""},
		{openai.Config{Model: "m"}, "api.openai.com needs an API key"},
		{openai.Config{BaseURL: "http://localhost.example.com/v1", Model: "m"}, "needs an API key"},
		{openai.Config{BaseURL: "http://128.0.0.1/v1", Model: "m"}, "needs an API key"},
		{openai.Config{BaseURL: "http://localhost/v1"}, "no model"},
		{openai.Config{BaseURL: "localhost:11434", Model: "m"}, "must look like"},
		{openai.Config{BaseURL: "ftp://localhost/", Model: "m"}, "must look like"},
		{openai.Config{BaseURL: "http://u:p@localhost/v1", Model: "m"}, "no user"},
		{openai.Config{BaseURL: "http://localhost/v1?key=k", Model: "m"}, "no user"},
		{openai.Config{Key: "k\n", Model: "m"}, "line break"},
	} {
		chat, err := openai.NewChat(c.cfg, openai.Options{})
		_, eerr := openai.NewEmbedder(c.cfg, 3, openai.Options{})
		if (err == nil) != (c.why == "") || (eerr == nil) != (err == nil) || (chat == nil) != (err != nil) {
			t.Errorf("%v: %v, %v", c.cfg, err, eerr)
		}
		if err != nil && (!errors.Is(err, openai.ErrConfig) || !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%v: %v, want %q", c.cfg, err, c.why)
		}
	}
}

// TestKeyIsSecret looks for the key in everything that can be printed, with a
// server that says it back.
func TestKeyIsSecret(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"sk-verysecret-0123456789abcdef", "verysecret/0123 456"} {
		testKeyIsSecret(t, key)
	}
}

func testKeyIsSecret(t *testing.T, key string) {
	var log bytes.Buffer
	o := openai.Options{Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), Clock: newClock()}
	var seen strings.Builder
	print := func(v any) {
		for _, f := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
			fmt.Fprintf(&seen, f+"\n", v)
		}
		b, _ := json.Marshal(v)
		seen.Write(b)
		o.Log.Info("value", "v", v)
	}
	for _, f := range []llmtest.Failure{llmtest.Unauthorized, llmtest.TooMany, llmtest.ServerError, llmtest.Hangup, llmtest.Refused, llmtest.NotJSON, llmtest.NoQuota} {
		server := llmtest.New(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: f, Share: 1}}})
		cfg := openai.Config{BaseURL: server.URL, Key: key, Model: "m"}
		chat, err := openai.NewChat(cfg, o)
		if err != nil {
			t.Fatal(err)
		}
		e, err := openai.NewEmbedder(cfg, 64, o)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = chat.Do(t.Context(), ask("Rain?"))
		_, _, eerr := e.Embed(t.Context(), []string{"a"})
		_, perr := openai.Probe(t.Context(), cfg, o)
		if err == nil || eerr == nil {
			t.Fatalf("%s: no error", f)
		}
		var pe *openai.ProviderError
		errors.As(err, &pe)
		for _, v := range []any{cfg, &cfg, struct{ C openai.Config }{cfg}, chat, e, struct{ C *openai.Chat }{chat}, err, eerr, perr, pe, o} {
			print(v)
		}
		chat.Close()
		e.Close()
	}
	wrong := openai.Config{BaseURL: "x", Key: key, Model: "m"}
	_, err := openai.NewChat(wrong, o)
	print(err)
	all := seen.String() + log.String()
	for _, part := range []string{key, "verysecret", "sk-other", fmt.Sprintf("%x", key)} {
		if i := strings.Index(all, part); i >= 0 {
			t.Errorf("%q in %.200s", part, all[max(0, i-100):])
		}
	}
	if !strings.Contains(log.String(), "trying again") || !strings.Contains(seen.String(), "[key]") {
		t.Error("nothing was logged, or the server did not say the key back")
	}
}

// TestLogHasNoText wants texts of documents below the info level only.
func TestLogHasNoText(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	chat, _, _ := newChat(t, llmtest.Options{RefuseFormats: []string{"json_schema"}, Plan: []llmtest.Fault{
		{Failure: llmtest.ServerError, At: []int{2}}, {Failure: llmtest.BadJSON, At: []int{3}},
	}}, openai.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	for range 3 {
		if _, _, err := chat.Do(t.Context(), extract("Ada met Bob.")); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"does not take", "trying again", "asking again"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in %s", want, log.String())
		}
	}
	if strings.Contains(log.String(), "Ada") {
		t.Errorf("%s", log.String())
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Options{Key: "k", Models: []string{"n", "m"}, ContextLength: 8192, Dim: 48, RefuseFormats: []string{"json_schema"},
		Plan: []llmtest.Fault{{Failure: llmtest.Slow, Share: 1, Text: `"max_tokens":500`, Delay: time.Millisecond}}})
	cfg := openai.Config{BaseURL: server.URL, Key: "k", Model: "m"}
	got, err := openai.Probe(t.Context(), cfg, openai.Options{})
	if err != nil || !got.Reachable || strings.Join(got.Models, " ") != "m n" || !got.Listed || got.ContextLength != 8192 ||
		!got.Chat || got.JSON != openai.JSONObject || got.Dim != 48 || got.Usage.Calls != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if n := server.Counters(); n.Requests != 3 || n.Failures[llmtest.Slow] == 0 {
		t.Errorf("%d requests, %d with a limit", n.Requests, n.Failures[llmtest.Slow])
	}

	cfg.Model = "other"
	if got, err := openai.Probe(t.Context(), cfg, openai.Options{}); !errors.Is(err, llm.ErrProvider) || !got.Reachable || got.Listed || got.Chat {
		t.Errorf("a model that is not there: %+v, %v", got, err)
	}
	cfg.Key = "wrong"
	if got, err := openai.Probe(t.Context(), cfg, openai.Options{}); !errors.Is(err, llm.ErrProvider) || !got.Reachable || len(got.Models) != 0 {
		t.Errorf("a wrong key: %+v, %v", got, err)
	}
	server.Close()
	if got, err := openai.Probe(t.Context(), cfg, openai.Options{}); !errors.Is(err, llm.ErrProvider) || got.Reachable {
		t.Errorf("no server: %+v, %v", got, err)
	}
	embeds := llmtest.New(t, llmtest.Options{Plan: []llmtest.Fault{{Failure: llmtest.NotFound, Share: 1, On: "chat"}}})
	if got, err := openai.Probe(t.Context(), openai.Config{BaseURL: embeds.URL, Model: "m"}, openai.Options{}); err != nil || got.Chat || got.Dim != 64 {
		t.Errorf("an embedding model: %+v, %v", got, err)
	}
}
