package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// TestContext: a prompt that does not fit the context is not sent, one that fits has
// its reply's limit lowered to what is left, and others are not touched by either.
func TestContext(t *testing.T) {
	long := extract(strings.Repeat("Ada met Bob. ", 400)) // 1,300 tokens
	long.MaxTokens = 600
	for name, o := range map[string]openai.Options{"given": {Context: 1000}, "learnt": {LearnContext: true}} {
		chat, server, _ := newChat(t, llmtest.Options{Models: []string{"m"}, ContextLength: 1000}, o)
		_, u, err := chat.Do(t.Context(), long)
		var e *llm.TooLongError
		if !errors.As(err, &e) || e.Context != 1000 || e.Tokens < 1300 || !errors.Is(err, llm.ErrRefused) || errors.Is(err, llm.ErrProvider) || u != (llm.Usage{}) {
			t.Errorf("%s: %v %+v", name, err, u)
		}
		if n := server.Counters().Chats; n != 0 {
			t.Errorf("%s: %d requests for a prompt that cannot fit", name, n)
		}
		if _, _, err := chat.Do(t.Context(), extract("Ada met Bob.")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	chat, _, _ := newChat(t, llmtest.Options{Models: []string{"m"}, ContextLength: 1000}, openai.Options{})
	if _, _, err := chat.Do(t.Context(), long); err != nil {
		t.Errorf("without a context: %v", err)
	}
}

// TestContextLeftToParagraphs: an answer of several paragraphs has a quarter of the
// context, where a few sentences are enough for a short one.
func TestContextLeftToParagraphs(t *testing.T) {
	chat, _, _ := newChat(t, llmtest.Options{}, openai.Options{Context: 4000})
	for _, c := range []struct {
		pairs int // of words, each a token
		long  bool
		fits  bool
	}{{700, false, true}, {700, true, true}, {1700, false, true}, {1700, true, false}} {
		task := llm.Task{
			Kind: llm.Answer, Input: llm.AnswerInput{Paragraphs: c.long}, MaxTokens: 3000,
			Prompt: []llm.Message{{Role: "user", Content: strings.Repeat("a b ", c.pairs) + "[1]"}},
		}
		_, _, err := chat.Do(t.Context(), task)
		var long *llm.TooLongError
		if got := err == nil; got != c.fits || !got && !errors.As(err, &long) {
			t.Errorf("%d pairs, paragraphs %v: %v", c.pairs, c.long, err)
		}
	}
}

// TestContextRefused: what a server says of a prompt that is too long is learnt, and
// many such prompts do not end the run.
func TestContextRefused(t *testing.T) {
	chat, server, _ := newChat(t, llmtest.Options{MaxWords: 300}, openai.Options{})
	for i := range 15 {
		_, _, err := chat.Do(t.Context(), extract(fmt.Sprint(i, strings.Repeat(" Ada met Bob.", 400))))
		var e *llm.TooLongError
		if !errors.As(err, &e) || e.Context != 300 || e.Tokens <= 300 || errors.Is(err, llm.ErrProvider) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if n := server.Counters().Chats; n != 1 {
		t.Errorf("%d requests, want one, which tells the context", n)
	}
	if _, _, err := chat.Do(t.Context(), extract("Ada met Bob.")); err != nil {
		t.Error(err)
	}
}

// TestContextOfServers asks servers for their context as each tells it.
func TestContextOfServers(t *testing.T) {
	answer := func(s string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
	}
	for name, c := range map[string]struct {
		paths map[string]string
		want  int
	}{
		"vLLM":                  {map[string]string{"/v1/models": `{"data":[{"id":"m","max_model_len":8192}]}`}, 8192},
		"llama.cpp, slots":      {map[string]string{"/v1/models": `{"data":[{"id":"x.gguf","owned_by":"llamacpp","meta":{"n_ctx":8192}}]}`, "/props": `{"default_generation_settings":{"n_ctx":2048}}`}, 2048},
		"llama.cpp, no props":   {map[string]string{"/v1/models": `{"data":[{"id":"x.gguf","owned_by":"llamacpp","meta":{"n_ctx":8192}}]}`}, 8192},
		"Ollama, running":       {map[string]string{"/v1/models": `{"data":[{"id":"m","owned_by":"library"}]}`, "/api/ps": `{"models":[{"name":"m:latest","context_length":16384}]}`}, 16384},
		"Ollama, set":           {map[string]string{"/v1/models": `{"data":[{"id":"m","owned_by":"library"}]}`, "/api/show": `{"parameters":"stop x\nnum_ctx 12000","model_info":{"a.context_length":131072}}`}, 12000},
		"Ollama, default":       {map[string]string{"/v1/models": `{"data":[{"id":"m","owned_by":"library"}]}`, "/api/show": `{"model_info":{"a.context_length":131072}}`}, 4096},
		"another model's":       {map[string]string{"/v1/models": `{"data":[{"id":"a","max_model_len":8192},{"id":"b","max_model_len":4096}]}`}, 0},
		"nonsense":              {map[string]string{"/v1/models": `{"data":[{"id":"m","max_model_len":-5,"context_length":1e300}]}`}, 0},
		"no list":               {map[string]string{}, 0},
		"no JSON":               {map[string]string{"/v1/models": `<html>`}, 0},
		"llama.cpp, props HTML": {map[string]string{"/v1/models": `{"data":[{"id":"x","owned_by":"llamacpp","meta":{"n_ctx":512}}]}`, "/props": `<html>`}, 512},
	} {
		mux := http.NewServeMux()
		for path, s := range c.paths {
			mux.HandleFunc(path, answer(s))
		}
		mux.HandleFunc("/v1/chat/completions", answer(`{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}]}`))
		mux.HandleFunc("/v1/embeddings", answer(`{"data":[{"index":0,"embedding":[1,2]}]}`))
		s := httptest.NewServer(mux)
		found, err := openai.Probe(t.Context(), openai.Config{BaseURL: s.URL + "/v1", Model: "m"}, openai.Options{})
		s.Close()
		if err != nil || found.ContextLength != c.want {
			t.Errorf("%s: %d, %v, want %d", name, found.ContextLength, err, c.want)
		}
	}
}

// TestCutIsNotQuoted: a reply that has no end and nothing complete is asked for again
// without being shown to the model, which would go on repeating itself, and with a
// temperature at which it does not say the same.
func TestCutIsNotQuoted(t *testing.T) {
	var asked []map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		asked = append(asked, body)
		text, finish := `{\"entities\":[{\"name\":\"loop loop loop`, "length"
		if len(asked) == 3 {
			text, finish = `{\"entities\":[{\"name\":\"Ada\"}],\"relations\":[]}`, "stop"
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"content":"%s"},"finish_reason":"%s"}],"usage":{"prompt_tokens":5,"completion_tokens":5}}`, text, finish)
	}))
	defer s.Close()
	chat, err := openai.NewChat(openai.Config{BaseURL: s.URL + "/v1", Model: "m"}, openai.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, u, err := chat.Do(t.Context(), extract("Ada met Bob."))
	if err != nil || !strings.Contains(r.Text, "Ada") || u.Calls != 3 {
		t.Fatalf("%q %+v %v", r.Text, u, err)
	}
	last := 0.0
	for i, body := range asked {
		if b, _ := json.Marshal(body["messages"]); strings.Contains(string(b), "loop") {
			t.Errorf("request %d quotes the reply: %s", i, b)
		}
		heat, _ := body["temperature"].(float64)
		if heat <= last || heat > 1 || i == 0 && heat > 1e-5 {
			t.Errorf("request %d has the temperature %g after %g", i, heat, last)
		}
		last = heat
	}
}

// TestCutReplies: what is complete of a reply that met its limit is used, however
// often it was cut: the model is asked once for the rest, and what is complete of that
// is used too.
func TestCutReplies(t *testing.T) {
	const one, two, three = `{"name":"Ada","type":"person","description":"a"}`, `{"name":"Bob","type":"person","description":"b"}`, `{"name":"Orsk","type":"place","description":"c"}`
	for name, c := range map[string]struct {
		replies []string // the last one is whole if it ends in a brace
		want    []string
		mending llm.Mending
	}{
		"once": {
			[]string{`{"entities":[` + one + `,` + two + `,{"na`, `{"entities":[` + three + `],"relations":[]}`},
			[]string{"Ada", "Bob", "Orsk"}, llm.Mending{Mended: 1, Again: 1},
		},
		"twice": {
			[]string{`{"entities":[` + one + `,{"name":"B`, `{"entities":[` + two + `,` + three + `,{"name"`},
			[]string{"Ada", "Bob", "Orsk"}, llm.Mending{Mended: 1, Salvaged: 1, Again: 1},
		},
		"three times": {
			[]string{`{"entities":[{"name":"A`, `{"enti`, `{"entities":[` + one + `,{"name":"Bo`, `{"entities":[{"name":"Bo`},
			[]string{"Ada"}, llm.Mending{Salvaged: 1, Again: 3},
		},
		"always before its first record": {[]string{`{"entities":[{"name":"A`, `{"enti`, `{"entities":[`}, nil, llm.Mending{}},
	} {
		asked := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if asked >= len(c.replies) {
				t.Errorf("%s: asked %d times", name, asked+1)
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			text, finish := c.replies[asked], "length"
			if strings.HasSuffix(text, "]}") {
				finish = "stop"
			}
			asked++
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Error(err)
			}
			fmt.Fprintf(w, `{"choices":[{"message":{"content":%s},"finish_reason":"%s"}],"usage":{"prompt_tokens":5,"completion_tokens":5}}`, quoted, finish)
		}))
		chat, err := openai.NewChat(openai.Config{BaseURL: s.URL + "/v1", Model: "m"}, openai.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, u, err := chat.Do(t.Context(), extract("Ada met Bob in Orsk."))
		s.Close()
		if len(c.want) == 0 {
			if !errors.Is(err, llm.ErrReply) || !strings.Contains(err.Error(), "limit of its length") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var got llm.Extraction
		if err == nil {
			err = json.Unmarshal([]byte(r.Text), &got)
		}
		var names []string
		for _, e := range got.Entities {
			names = append(names, e.Name)
		}
		if err != nil || strings.Join(names, " ") != strings.Join(c.want, " ") || u.Mending != c.mending || u.Calls != len(c.replies) || asked != len(c.replies) {
			t.Errorf("%s: %q, %+v, asked %d times, %v", name, r.Text, u, asked, err)
		}
	}
}
