package llmtest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ragdb/ragdb/rag/llm"
)

// Options are the options of a server. The zero value works.
type Options struct {
	// Dim is the dimension of vectors if a request asks for none; 0 is 64.
	Dim int
	// Seed is that of failures.
	Seed uint64
	// Models are the models that there are; nil: any, and the list has "test".
	Models []string
	// ContextLength is told in the list of models if it is not 0.
	ContextLength int
	// MaxWords refuses chats whose prompt has more words, as a server refuses a prompt
	// that does not fit the model's context. 0 is no limit.
	MaxWords int
	// Key is wanted of each request; "" wants none.
	Key string
	// RefuseFormats are the types of response_format that are answered by 400.
	RefuseFormats []string
	// RefuseParameters are parameters of a chat that are answered by 400.
	RefuseParameters []string
	// MaxTexts is the most texts of a request for vectors; 0 means no limit.
	MaxTexts int
	// NoUsage leaves the usage out.
	NoUsage bool
	// Header is sent with each answer.
	Header http.Header
	// Plan are the failures.
	Plan []Fault
	// Answer answers a chat; false leaves it to the rules.
	Answer func(c Chat) (string, bool)
}

// TB is what New wants of a test.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Request is a request that was served.
type Request struct {
	// N is its number, from 0.
	N    int
	Path string
	// Digest is that of its body.
	Digest [32]byte
	// Kind is what a chat asked for.
	Kind llm.Kind
	// Texts is the number of texts to embed.
	Texts   int
	Stream  bool
	Failure Failure // "" for none
	Status  int     // 0 if there was no answer
	// Delivered says that all of the answer was written, and the client was
	// still there.
	Delivered bool
	At        time.Time
}

// Counters sum up the log.
type Counters struct {
	Requests, Chats, Embeddings, Texts int
	// Delivered are the answers of status 200 that were delivered whole, and
	// without a failure that makes them useless.
	Delivered int
	// Repeated are requests for what had been delivered before: paid twice.
	Repeated int
	Failures map[Failure]int
	// Most is the largest number of requests at one time.
	Most int
}

// Server is a server of the OpenAI API. It is safe for concurrent use.
type Server struct {
	// URL is the base URL for clients, with /v1.
	URL string

	o    Options
	http *http.Server
	over chan struct{} // closed by Close
	done sync.WaitGroup

	// answering is held for reading from before the end of an answer is written
	// until the answer is in the log, and for writing by the reader of the log: what
	// a client has got is in it.
	answering sync.RWMutex

	// mu guards the fields below it; it is locked after answering.
	mu     sync.Mutex
	log    []Request
	times  map[[32]byte]int
	paid   map[[32]byte]bool
	seen   []int // requests that each fault of the plan might have hit
	count  Counters
	now    int
	closed bool
}

// New starts a server on a free port of this machine. Where t is not nil it is
// closed with the test, and a failure to start is the test's; without, New
// panics.
func New(t TB, o Options) *Server {
	s, err := Listen("127.0.0.1:0", o)
	switch {
	case t == nil && err != nil:
		panic(err)
	case t == nil:
		return s
	}
	t.Helper()
	if err != nil {
		t.Fatalf("llmtest: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Listen starts a server at an address.
func Listen(addr string, o Options) (*Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	o.Dim = cmp.Or(o.Dim, 64)
	s := &Server{
		URL: "http://" + l.Addr().String() + "/v1", o: o, over: make(chan struct{}),
		times: map[[32]byte]int{}, paid: map[[32]byte]bool{}, seen: make([]int, len(o.Plan)),
	}
	s.count.Failures = map[Failure]int{}
	s.http = &http.Server{Handler: s}
	s.done.Go(func() { s.http.Serve(l) })
	return s, nil
}

// Close ends the server and the requests that it serves.
func (s *Server) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	close(s.over)
	err := s.http.Close()
	s.done.Wait()
	return err
}

// Requests returns the log, in the order in which requests came.
func (s *Server) Requests() []Request {
	s.answering.Lock()
	defer s.answering.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Counters returns what was served so far.
func (s *Server) Counters() Counters {
	s.answering.Lock()
	defer s.answering.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.count
	c.Failures = maps.Clone(c.Failures)
	return c
}

// Reset empties the log and the counters; the plan begins again.
func (s *Server) Reset() {
	s.answering.Lock()
	defer s.answering.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.count = nil, Counters{Failures: map[Failure]int{}}
	clear(s.times)
	clear(s.paid)
	clear(s.seen)
}

// maxRequest bounds the body of a request in bytes.
const maxRequest = 64 << 20

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		return
	}
	for k, v := range s.o.Header {
		w.Header()[k] = v
	}
	if r.URL.Path == "/v1/models" {
		s.serveModels(w, r)
		return
	}
	var c call
	if err := json.Unmarshal(body, &c.request); err != nil {
		c.malformed = err
	}
	c.Request = Request{Path: r.URL.Path, Digest: sha256.Sum256(append([]byte(r.URL.Path), body...)), At: time.Now(), Stream: c.request.Stream}
	switch r.URL.Path {
	case "/v1/chat/completions":
		c.on = "chat"
		c.chat = readChat(&c.request)
		c.Kind = c.chat.Kind
	case "/v1/embeddings":
		c.on = "embeddings"
		c.texts = c.request.texts()
		c.Texts = len(c.texts)
	}
	fault := s.begin(&c, string(body))
	w = &recorder{ResponseWriter: w, s: s, c: &c}
	defer s.end(&c) // also if a panic cuts the connection
	whole := s.serve(w, r, &c, fault)
	c.Delivered = whole && r.Context().Err() == nil
}

// recorder notes the status of an answer.
type recorder struct {
	http.ResponseWriter
	s *Server
	c *call
}

func (r *recorder) WriteHeader(status int) {
	r.c.Status = status
	if !r.c.Stream || status != http.StatusOK {
		r.s.finish(r.c)
	}
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// call is a request while it is served.
type call struct {
	Request
	on        string // "chat" or "embeddings", "" for another path
	request   wireRequest
	malformed error
	chat      Chat
	texts     []string
	place     int // in the log
	finishing bool
}

// finish is called before the end of an answer is written.
func (s *Server) finish(c *call) {
	if !c.finishing {
		c.finishing = true
		s.answering.RLock()
	}
}

// begin logs a request and chooses its fault, nil for none.
func (s *Server) begin(c *call, body string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.N = s.count.Requests
	c.place = len(s.log)
	times := s.times[c.Digest]
	s.times[c.Digest]++
	s.count.Requests++
	s.count.Texts += c.Texts
	switch c.on {
	case "chat":
		s.count.Chats++
	case "embeddings":
		s.count.Embeddings++
	}
	if s.paid[c.Digest] {
		s.count.Repeated++
	}
	s.now++
	s.count.Most = max(s.count.Most, s.now)
	var hit *Fault
	for i := range s.o.Plan {
		f := &s.o.Plan[i]
		if f.On != "" && f.On != c.on || f.Text != "" && !strings.Contains(body, f.Text) {
			continue
		}
		n := s.seen[i]
		s.seen[i]++
		if hit == nil && f.hits(s.o.Seed, i, n, times, c.Digest) {
			hit = f
			c.Failure = f.Failure
			s.count.Failures[f.Failure]++
		}
	}
	s.log = append(s.log, c.Request)
	return hit
}

// end completes the log.
func (s *Server) end(c *call) {
	if c.finishing {
		defer s.answering.RUnlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now--
	if c.place >= len(s.log) || s.log[c.place].Digest != c.Digest {
		return // the log was emptied meanwhile
	}
	s.log[c.place] = c.Request
	if c.Delivered && c.Status == http.StatusOK && !useless(c.Failure) {
		s.paid[c.Digest] = true
		s.count.Delivered++
	}
}

// useless reports whether a failure's answer of status 200 is of no use to any
// client.
func useless(f Failure) bool {
	switch f {
	case Short, NotJSON, BadJSON, Empty, NoChoice, OnlyThink, WrongDim, ZeroVector, NaNVector, NoVector:
		return true
	}
	return false
}

// fail answers with an error of the API's form.
func fail(w http.ResponseWriter, status int, code, message string) bool {
	b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "error", "code": code}})
	return write(w, status, b)
}

// write answers with JSON, and reports whether all of it was written.
func write(w http.ResponseWriter, status int, b []byte) bool {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	_, err := w.Write(b)
	return errors.Join(err, http.NewResponseController(w).Flush()) == nil
}

// wait waits for d, or until the client goes or the server ends.
func (s *Server) wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-s.over:
	}
	return false
}
