package openai

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	api "github.com/sashabaranov/go-openai"

	"github.com/ragdb/ragdb/rag/llm"
)

// window is what is known of a model's context. It is safe for concurrent use.
type window struct {
	learn sync.Once

	// mu guards the fields below it.
	mu     sync.Mutex
	tokens int     // 0 if it is not known
	ratio  float64 // tokens as the server counts them for one as the client does
}

func (w *window) get() (tokens int, ratio float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tokens, max(w.ratio, 1)
}

// set notes the context's length; 0 does not change it.
func (w *window) set(tokens int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if tokens > 0 && (w.tokens == 0 || tokens < w.tokens) {
		w.tokens = tokens
	}
}

// maxRatio bounds how many tokens of a server one of the client is taken for.
const maxRatio = 3

// counted notes how many tokens a prompt had, as the client and the server count.
func (w *window) counted(own, servers int) {
	if own < 100 || servers <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ratio = max(w.ratio, min(float64(servers)/float64(own), maxRatio))
}

// What a reply needs at least: whole, for what lists all that it reads, and a quarter
// of the context for an answer of several paragraphs; else so many tokens are enough to
// say something.
const (
	leastReply = 256
	spare      = 16 // what servers put around messages
)

// fit lowers the limit of a request so that prompt and reply fit the context. The
// error is an [llm.TooLongError] if that leaves too little for the reply. in is
// the length of the prompt.
func (w *window) fit(t llm.Task, r *api.ChatCompletionRequest, in int) error {
	tokens, ratio := w.get()
	if tokens == 0 {
		return nil
	}
	in = int(math.Ceil(float64(in)*ratio)) + spare
	limit := &r.MaxTokens
	if r.MaxCompletionTokens > 0 {
		limit = &r.MaxCompletionTokens
	}
	need := min(leastReply, tokens/4)
	if answer, ok := t.Input.(llm.AnswerInput); ok && answer.Paragraphs {
		need = tokens / 4
	}
	switch k := t.Kind; {
	case *limit == 0:
	case k == llm.Extract, k == llm.Glean, k == llm.Decompose, k == llm.SummaryEntities:
		need = *limit / 2 // the limit is twice what is usual
	default:
		need = min(need, *limit)
	}
	if in+need > tokens {
		return &llm.TooLongError{Tokens: in + need, Context: tokens}
	}
	if *limit > tokens-in {
		*limit = tokens - in
	}
	return nil
}

// Fits returns the most tokens that the reply to a task may have, 0 if nothing bounds
// them. An [llm.TooLongError] says that the task's prompt leaves too little of the
// model's context for the reply. The task is not sent; if [Options.LearnContext] is
// set, the server is asked once for the length of the context.
func (c *Chat) Fits(ctx context.Context, t llm.Task) (reply int, err error) {
	c.learnContext(ctx)
	req, _, err := c.request(c.ability(), t, t.Prompt)
	if err != nil {
		return 0, phase.Errorf("%s: %w", t.Kind, err)
	}
	return max(req.MaxTokens, req.MaxCompletionTokens), nil
}

// contextWords are what servers say of a prompt that is too long.
var contextWords = []string{"context length", "context_length", "maximum context", "context size", "context_size", "context window", "too long"}

// contextNumber is how servers name their context when a prompt does not fit.
var contextNumber = regexp.MustCompile(`(?:context length (?:is|of)|context size \(?|context window (?:is|of)) ?(\d{2,9})`)

// tooLong returns the error for a request that a server refused for its length, nil
// if it was for something else. in is the length of the prompt.
func (c *Chat) tooLong(f *failure, in int) error {
	if !f.Refused || !has(f.detail, contextWords...) {
		return nil
	}
	e := &llm.TooLongError{Tokens: in, Err: f.ProviderError}
	if m := contextNumber.FindStringSubmatch(f.detail); m != nil {
		e.Context, _ = strconv.Atoi(m[1])
		c.window.set(e.Context)
		e.Tokens = max(in, e.Context+1)
	}
	return e
}

// silentHost is OpenAI's own, whose list of models tells no context.
const silentHost = "api.openai.com"

// learnPatience is how long a server may take to tell its context.
const learnPatience = 10 * time.Second

// learnContext asks the server once for the length of the model's context, if it is
// to be learnt. It does not wait for a server that does not answer: the request that
// follows tells what is wrong.
func (c *Chat) learnContext(ctx context.Context) {
	if !c.c.o.LearnContext || c.c.o.Context > 0 || c.c.host == silentHost {
		return
	}
	c.window.learn.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, min(learnPatience, c.c.o.Timeout))
		defer cancel()
		var found Capabilities
		if c.c.models(ctx, &found) == nil {
			c.window.set(found.ContextLength)
		}
	})
}

// serverContext asks a server in its own way for the length of the context that a
// request may have: llama.cpp, which divides it among its slots, and Ollama, which
// cuts longer prompts without a word. It returns 0 for other servers.
func (c *client) serverContext(ctx context.Context, owner string) int {
	switch owner {
	case "llamacpp":
		var props struct {
			Settings struct {
				Context amount `json:"n_ctx"`
			} `json:"default_generation_settings"`
		}
		if c.own(ctx, http.MethodGet, "/props", nil, &props) {
			return props.Settings.Context.count()
		}
	case "library":
		return c.ollamaContext(ctx)
	}
	return 0
}

// ollamaDefault is the context of Ollama for a model that names none.
const ollamaDefault = 4096

func (c *client) ollamaContext(ctx context.Context) int {
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Context amount `json:"context_length"`
		} `json:"models"`
	}
	if c.own(ctx, http.MethodGet, "/api/ps", nil, &running) {
		for _, m := range running.Models {
			if n := m.Context.count(); n > 0 && strings.TrimSuffix(m.Name, ":latest") == strings.TrimSuffix(c.model, ":latest") {
				return n
			}
		}
	}
	var show struct {
		Parameters string         `json:"parameters"`
		Info       map[string]any `json:"model_info"`
	}
	if !c.own(ctx, http.MethodPost, "/api/show", map[string]string{"model": c.model}, &show) {
		return 0
	}
	for line := range strings.Lines(show.Parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			n, _ := strconv.ParseFloat(f[1], 64)
			return amount(n).count()
		}
	}
	for name, v := range show.Info {
		if n, ok := v.(float64); ok && strings.HasSuffix(name, ".context_length") {
			return min(amount(n).count(), ollamaDefault)
		}
	}
	return 0
}

// own sends a request to a path of the server that is beside /v1, and reads the
// answer into out.
func (c *client) own(ctx context.Context, method, path string, body, out any) bool {
	u, err := url.Parse(c.base)
	if err != nil {
		return false
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1") + path
	x := &exchange{}
	ctx, cancel := within(ctx, x, c.o.Timeout)
	defer cancel()
	b, err := c.receive(ctx, x, method, u.String(), body)
	return err == nil && decode(b, out) == nil
}
