package openai

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ErrConfig says that a configuration cannot be used: the base URL, the model,
// or the lack of a key.
var ErrConfig = errors.New("unusable configuration of a model")

// DefaultBaseURL is the base URL if none is given.
const DefaultBaseURL = "https://api.openai.com/v1"

// Config says which model is asked, and where.
type Config struct {
	// BaseURL is what "/chat/completions" and "/embeddings" are appended to;
	// it usually ends in /v1. "" is [DefaultBaseURL].
	BaseURL string
	// Key is sent as a bearer token. It may be empty for a loopback host. It
	// never stands in errors, logs or in what Config prints.
	Key string `json:"-"`
	// Model is the model's name, as the server has it.
	Model string
}

// String returns the configuration without its key.
func (c Config) String() string {
	key := "none"
	if c.Key != "" {
		key = "set"
	}
	host := "no host"
	if u, err := c.url(); err == nil {
		host = u.Host
	}
	return fmt.Sprintf("%s at %s (key: %s)", c.Model, host, key)
}

// Format implements [fmt.Formatter]: every verb prints String.
func (c Config) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// LogValue implements [slog.LogValuer].
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// url returns the base URL, which has a host.
func (c Config) url() (*url.URL, error) {
	s := c.BaseURL
	if s == "" {
		s = DefaultBaseURL
	}
	u, err := url.Parse(strings.TrimRight(s, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("the base URL must look like https://host/v1")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the base URL must have no user, query or fragment")
	}
	return u, nil
}

// check returns the base URL, or an [ErrConfig].
func (c Config) check() (*url.URL, error) {
	u, err := c.url()
	switch {
	case err != nil:
	case strings.TrimSpace(c.Model) == "":
		err = errors.New("no model is named")
	case c.Key == "" && !loopback(u.Hostname()):
		err = fmt.Errorf("%s needs an API key; only loopback hosts do without", u.Host)
	case strings.ContainsFunc(c.Key, func(r rune) bool { return r < ' ' || r > '~' }):
		err = errors.New("the API key holds characters that keys do not have, such as a line break")
	default:
		return u, nil
	}
	return nil, phase.Errorf("%w: %w", ErrConfig, err)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// JSONMode is how a server is asked for JSON.
type JSONMode int

// The ways to ask for JSON.
const (
	// JSONAuto tries them in the order below and keeps to the first that the
	// server does not refuse.
	JSONAuto   JSONMode = iota
	JSONSchema          // response_format json_schema: the reply is of the task's schema
	JSONObject          // response_format json_object, and the schema in the prompt
	JSONNone            // the schema in the prompt
)

// String returns the mode's name.
func (m JSONMode) String() string {
	return [...]string{"auto", "schema", "object", "none"}[min(max(m, 0), JSONNone)]
}

// Options are the options of chats and embedders. The zero value works.
type Options struct {
	// Concurrency is the number of calls at a time. 0 is 8.
	Concurrency int
	// RPM and TPM bound the requests and tokens a minute; 0 leaves it to what
	// the server's headers tell. They are not read if Limiter is set.
	RPM, TPM int
	// Limiter is shared by all objects that are given it. nil: one of its own.
	Limiter *Limiter
	// Timeout bounds one request; of a stream, the time between two pieces. 0
	// is two minutes.
	Timeout time.Duration
	// Retries is how often a request that failed is sent again. 0 is 6, less
	// than 0 is never.
	Retries int
	// MaxWait is the longest time that a server may ask to wait for; one that
	// asks for more has failed. 0 is five minutes.
	MaxWait time.Duration
	// ReAsks is how often a model is told what is wrong with its reply and
	// asked again. 0 is 2, less than 0 is never.
	ReAsks int
	// JSON is how JSON is asked for.
	JSON JSONMode
	// MaxTokens bounds replies of tasks that have no bound; 0 leaves it to the
	// server.
	MaxTokens int
	// Context is the length of a chat model's context in tokens. A reply's limit is
	// lowered to what the prompt leaves of it, and a prompt that leaves too little is
	// an [llm.TooLongError]. 0 does not bound prompts.
	Context int
	// LearnContext has a chat ask the server once for the length of the context, if
	// Context is 0: llama.cpp, vLLM, Ollama and others tell it.
	LearnContext bool
	// Temperature of replies. 0 is the most repeatable one.
	Temperature float32
	// BatchTexts and BatchTokens bound the texts and tokens of one request of
	// an embedder. 0 is 64 and 16,000. A text of more tokens goes alone.
	BatchTexts, BatchTokens int
	// AskDimension sends an embedder's dimension with each request, for models
	// that have several. It is implied for models named text-embedding-3.
	AskDimension bool
	// Secrets are keys, beside that of the server, that are taken out of replies
	// as it is: "[key]" takes their place. Words of less than eight bytes do not
	// count as keys, unless they begin with "sk-".
	Secrets []string
	// Count counts tokens, for limits and for usage that the server does not tell.
	// nil: a token for every four bytes.
	Count func(string) int
	// Rand is the source of jitter, which nothing else may use. nil: the system's.
	Rand *rand.Rand
	// Clock is what retries and limits wait by. nil: the system's. Timeout is
	// by the system's clock always.
	Clock Clock
	// Transport sends requests. nil: one of its own, with the proxy of the
	// environment.
	Transport http.RoundTripper
	// Log gets what goes on: requests at debug level, fallbacks at info, what
	// is tried again at warn. Texts of documents stand in debug lines at most,
	// keys in none. nil: nothing.
	Log *slog.Logger
}

// or returns x, or the default if it is 0, or 0 if it is negative.
func or(x, def int) int {
	if x == 0 {
		return def
	}
	return max(x, 0)
}

func (o Options) withDefaults() Options {
	o.Concurrency = max(or(o.Concurrency, 8), 1)
	o.Retries = or(o.Retries, 6)
	o.ReAsks = or(o.ReAsks, 2)
	o.BatchTexts = max(or(o.BatchTexts, 64), 1)
	o.BatchTokens = max(or(o.BatchTokens, 16000), 1)
	if o.Timeout <= 0 {
		o.Timeout = 2 * time.Minute
	}
	if o.MaxWait <= 0 {
		o.MaxWait = 5 * time.Minute
	}
	if o.Count == nil {
		o.Count = func(s string) int { return (len(s) + 3) / 4 }
	}
	if o.Clock == nil {
		o.Clock = systemClock{}
	}
	if o.Limiter == nil {
		o.Limiter = NewLimiter(o.RPM, o.TPM, o.Clock)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}
