package rag_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/prompts"
)

// chatName and embedName are the models that the server of the tests has.
const (
	chatName  = "chat-1"
	embedName = "embed-1"
)

// endpoint is where remote models are, and how patient one is with them.
type endpoint struct {
	URL string
	// Run is told to the server with each request.
	Run int
	// Patience bounds the wait for an answer; 0 is a minute.
	Patience time.Duration
	// Embed is the embedding model; "" is embedName.
	Embed string
	// Workers is how many work items are done at once; 0 is 256.
	Workers int
	// Context and LearnContext are those of [openai.Options].
	Context      int
	LearnContext bool
}

// The headers by which the server of the tests learns on whose behalf a request
// is.
const (
	runHeader  = "X-Run"
	taskHeader = "X-Task"
)

// remoteConcurrency is how many requests are made at once.
const remoteConcurrency = 8

// models returns the models over HTTP.
func (e endpoint) models(c *rag.Corpus) (*openai.Chat, *openai.Embedder, error) {
	name := e.Embed
	if name == "" {
		name = embedName
	}
	o := openai.Options{
		Concurrency: remoteConcurrency, Count: c.Tokens().Count, Clock: newHasty(), Timeout: e.Patience, Context: e.Context, LearnContext: e.LearnContext,
		Transport: tagging{http.DefaultTransport.(*http.Transport).Clone(), e.Run},
	}
	if e.Patience == 0 {
		o.Timeout = time.Minute
	}
	chat, err := openai.NewChat(openai.Config{BaseURL: e.URL, Model: chatName}, o)
	if err != nil {
		return nil, nil, err
	}
	embed, err := openai.NewEmbedder(openai.Config{BaseURL: e.URL, Model: name}, ragtest.Dim, o)
	return chat, embed, err
}

// open opens models over HTTP.
func (e endpoint) open(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
	chat, embed, err := e.models(c)
	if err != nil {
		return nil, err
	}
	set, err := prompts.Default()
	if err != nil {
		return nil, err
	}
	p := rag.Parts{Provider: tagged{chat}, Documents: embed, Questions: embed, Fill: set.Fill, Workers: e.Workers}
	if p.Workers == 0 {
		p.Workers = 256
	}
	return c.NewModels(p), nil
}

// corpus makes a corpus use the models.
func (e endpoint) corpus(c *rag.Corpus) *rag.Corpus {
	return c.With(rag.Options{Models: e.open, NoWords: true})
}

// tagged puts the digest of a task into the context of its requests.
type tagged struct{ *openai.Chat }

type taskKey struct{}

// Do implements [llm.Provider].
func (p tagged) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	d, err := t.Digest(p.Name())
	if err != nil {
		return llm.Reply{}, llm.Usage{}, err
	}
	return p.Chat.Do(context.WithValue(ctx, taskKey{}, hex.EncodeToString(d[:])), t)
}

// tagging sends with each request the run and the digest of the task.
type tagging struct {
	http.RoundTripper
	run int
}

// RoundTrip implements [http.RoundTripper].
func (t tagging) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(runHeader, fmt.Sprint(t.run))
	if d, ok := r.Context().Value(taskKey{}).(string); ok {
		r.Header.Set(taskHeader, d)
	}
	return t.RoundTripper.RoundTrip(r)
}

// hasty is a clock that goes faster than time, for whoever waits by it.
type hasty struct{ start time.Time }

const haste = 50

func newHasty() hasty { return hasty{time.Now()} }

// Now implements [openai.Clock].
func (h hasty) Now() time.Time { return h.start.Add(haste * time.Since(h.start)) }

// Sleep implements [openai.Clock].
func (h hasty) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d / haste):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// modelServer is a server of models that writes down what it is asked.
type modelServer struct {
	*llmtest.Server
	// URL is the address to use.
	URL string

	// mu guards the fields below it.
	mu    sync.Mutex
	asked []asked
	going int
	// watch is called before a request is served, with its number from 0.
	watch func(n int)
}

// asked is a request.
type asked struct {
	run    string
	task   string   // digest of the task, of a chat
	texts  []string // to embed
	prompt []string // messages of a chat
	schema string   // of its reply
	reply  *replyText
	digest [32]byte // of the request, as the server's log has it
}

func newModelServer(t testing.TB, o llmtest.Options) *modelServer {
	if o.Dim == 0 {
		o.Dim = ragtest.Dim
	}
	s := &modelServer{Server: llmtest.New(t, o)}
	h := httptest.NewServer(s)
	s.URL = h.URL + "/v1"
	t.Cleanup(h.Close)
	return s
}

// ServeHTTP implements [http.Handler].
func (s *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	a := asked{run: r.Header.Get(runHeader), task: r.Header.Get(taskHeader), digest: sha256.Sum256(append([]byte(r.URL.Path), body...)), reply: &replyText{}}
	var in struct {
		Input    []string
		Messages []llm.Message
		Format   struct {
			Schema struct{ Schema json.RawMessage } `json:"json_schema"`
		} `json:"response_format"`
	}
	if json.Unmarshal(body, &in) == nil {
		a.texts = in.Input
		for _, m := range in.Messages {
			a.prompt = append(a.prompt, m.Content)
		}
		a.schema = string(in.Format.Schema.Schema)
	}
	s.mu.Lock()
	n, watch := len(s.asked), s.watch
	s.asked = append(s.asked, a)
	s.going++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.going--
		s.mu.Unlock()
	}()
	if watch != nil {
		watch(n)
	}
	a.reply.ResponseWriter = w
	s.Server.ServeHTTP(a.reply, r)
}

// replyText keeps the body of an answer.
type replyText struct {
	http.ResponseWriter
	mu   sync.Mutex
	body bytes.Buffer
}

// Write implements [http.ResponseWriter].
func (r *replyText) Write(b []byte) (int, error) {
	r.mu.Lock()
	r.body.Write(b)
	r.mu.Unlock()
	return r.ResponseWriter.Write(b)
}

// Unwrap is for [http.ResponseController].
func (r *replyText) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// bill is what was asked for, and what that comes to by a tokenizer.
type bill struct{ calls, in, out, embedded int }

// counted counts what was asked for since the last clear: every text that is
// read, with four tokens for each message, and every text that is written.
func (s *modelServer) counted(t testing.TB, count func(string) int) (n bill) {
	t.Helper()
	s.settle(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.asked {
		n.calls++
		for _, m := range a.prompt {
			n.in += count(m) + 4
		}
		n.in += count(a.schema)
		for _, x := range a.texts {
			n.embedded += count(x)
		}
		var out struct {
			Choices []struct{ Message struct{ Content string } }
		}
		if json.Unmarshal(a.reply.body.Bytes(), &out) == nil && len(out.Choices) > 0 {
			n.out += count(out.Choices[0].Message.Content)
		}
	}
	n.in += n.embedded
	return n
}

// usage sums up what the server said that requests used since the last clear.
func (s *modelServer) usage(t testing.TB) (n used) {
	t.Helper()
	s.settle(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.asked {
		var out struct {
			Usage struct {
				In  int `json:"prompt_tokens"`
				Out int `json:"completion_tokens"`
			}
		}
		if json.Unmarshal(a.reply.body.Bytes(), &out) != nil {
			continue
		}
		if a.texts != nil {
			n.embedded += out.Usage.In
		} else {
			n.chatIn, n.chatOut = n.chatIn+out.Usage.In, n.chatOut+out.Usage.Out
		}
	}
	return n
}

// clear forgets what was asked so far.
func (s *modelServer) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = nil
	s.Reset()
}

// onRequest calls fn before each request from now on is served.
func (s *modelServer) onRequest(fn func(n int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = fn
}

// settle waits until the server has nothing left to do for clients that are
// gone.
func (s *modelServer) settle(t testing.TB) {
	t.Helper()
	still := 0
	for range 12_000 {
		s.mu.Lock()
		going := s.going
		s.mu.Unlock()
		if still++; going > 0 {
			still = 0
		}
		if still == 5 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("the server does not come to an end")
}

// served is a request with what became of it.
type served struct {
	asked
	llmtest.Request
	// useful says that a whole and right answer went out.
	useful bool
}

// log returns all requests in their order. The n-th entry of a body in the
// server's log is its n-th request.
func (s *modelServer) log(t testing.TB) []served {
	t.Helper()
	byBody := map[[32]byte][]llmtest.Request{}
	for _, r := range s.Requests() {
		byBody[r.Digest] = append(byBody[r.Digest], r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []served
	for _, a := range s.asked {
		of := byBody[a.digest]
		if len(of) == 0 {
			t.Fatal("a request is not in the server's log")
		}
		byBody[a.digest] = of[1:]
		useful := of[0].Delivered && of[0].Status == http.StatusOK && !spoilt(of[0].Failure)
		out = append(out, served{a, of[0], useful})
	}
	return out
}

// spoilt reports whether a failure makes an answer useless that is delivered.
func spoilt(f llmtest.Failure) bool {
	switch f {
	case llmtest.NotJSON, llmtest.BadJSON, llmtest.Empty, llmtest.NoChoice, llmtest.OnlyThink,
		llmtest.WrongDim, llmtest.ZeroVector, llmtest.NaNVector, llmtest.NoVector:
		return true
	}
	return false
}

// openSystems opens methods by their specs.
func openSystems(ctx context.Context, c *rag.Corpus, all method.Methods, specs ...string) ([]*method.System, error) {
	var out []*method.System
	for _, s := range specs {
		spec, err := method.ParseSpec(s)
		if err != nil {
			return nil, err
		}
		sys, err := all.Open(ctx, c.Docs(), spec)
		if err != nil {
			return nil, err
		}
		out = append(out, sys)
	}
	return out, nil
}

// indexRemote indexes documents; those that failed are the result's.
func indexRemote(t testing.TB, c *rag.Corpus, all method.Methods, specs []string, docs ...ragtest.Doc) *rag.IndexResult {
	t.Helper()
	systems, err := openSystems(t.Context(), c, all, specs...)
	if err != nil {
		t.Fatal(err)
	}
	x := rag.Indexer{Corpus: c, Methods: all, Systems: systems}
	var in []rag.Input
	if docs != nil {
		in = []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}
	}
	r, err := x.Run(t.Context(), in)
	if err != nil && !errors.Is(err, rag.ErrPartial) {
		t.Fatal(err)
	}
	return r
}
