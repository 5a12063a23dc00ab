package openai_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// reply is what a server answers, in the form that its users report, and what comes
// of it.
type reply struct {
	server, report string // the report is an issue or pull request at GitHub, or a document
	form           string
	status         int    // 0 is 200
	coding         string // Content-Encoding
	body           string
	broken         bool // the connection breaks after the body

	want string // the text, vectors of "a" and "b", or scores of both
	// If the reply is of no use, the error has the text err and is of the kind is. named is
	// its status if that differs from the answer's. again says that the request may work
	// later.
	err   string
	is    error
	named int
	again bool
}

// stream returns an event stream of values.
func stream(values ...string) string {
	return "data: " + strings.Join(values, "\n\ndata: ") + "\n\n"
}

// delta is a piece of a text as most servers give it, last the end of a stream.
func delta(text string) string {
	return `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":null}]}`
}

const last = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

// server is a transport that answers all requests in the same way.
type server struct {
	reply
	pieces func(io.Reader) io.Reader
	asked  int
}

// RoundTrip implements [http.RoundTripper].
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked++
	var body io.Reader = strings.NewReader(s.body)
	if s.broken {
		body = io.MultiReader(body, iotest.ErrReader(io.ErrUnexpectedEOF))
	}
	if s.pieces != nil {
		body = s.pieces(body)
	}
	h := http.Header{}
	if s.coding != "" {
		h.Set("Content-Encoding", s.coding)
	}
	return &http.Response{StatusCode: max(s.status, 200), Header: h, Body: io.NopCloser(body)}, nil
}

// borders gives a body in two pieces.
func borders(at int) func(io.Reader) io.Reader {
	return func(r io.Reader) io.Reader {
		b, err := io.ReadAll(r)
		if err != nil {
			return io.MultiReader(bytes.NewReader(b[:min(at, len(b))]), bytes.NewReader(b[min(at, len(b)):]), iotest.ErrReader(err))
		}
		return io.MultiReader(bytes.NewReader(b[:at]), bytes.NewReader(b[at:]))
	}
}

// use asks a server for a reply in a way, and returns what comes of it. What a stream
// gave on must be the whole text, unless the reply is any one: it may close reasoning
// that it did not open.
func use(t *testing.T, way string, s *server, retries int) (got string, u llm.Usage, err error) {
	t.Helper()
	way, any := strings.CutSuffix(way, " of any reply")
	cfg := openai.Config{BaseURL: "http://localhost/v1", Model: "m"}
	o := openai.Options{Transport: s, Retries: retries, ReAsks: -1, Clock: newClock()}
	switch way {
	case "plain", "stream":
		chat, err := openai.NewChat(cfg, o)
		if err != nil {
			t.Fatal(err)
		}
		task := ask("Rain?")
		live := ""
		if way == "stream" {
			task.Stream = func(s string) error { live += s; return nil }
		}
		reply, u, err := chat.Do(t.Context(), task)
		if err == nil && way == "stream" && live != reply.Text && !any {
			t.Errorf("streamed %q, and %q at the end", live, reply.Text)
		}
		return reply.Text, u, err
	case "embed":
		e, err := openai.NewEmbedder(cfg, 2, o)
		if err != nil {
			t.Fatal(err)
		}
		v, u, err := e.Embed(t.Context(), []string{"a", "b"})
		return fmt.Sprint(v), u, err
	default:
		r, err := openai.NewReranker(cfg, o)
		if err != nil {
			t.Fatal(err)
		}
		scores, u, err := r.Rerank(t.Context(), "q", []string{"a", "b"})
		return fmt.Sprint(scores), u, err
	}
}

// check says what is wrong with what came of a reply.
func (r *reply) check(got string, err error) error {
	if r.err == "" {
		if err != nil || got != r.want {
			return fmt.Errorf("got %q, %v\nwant %q", got, err, r.want)
		}
		return nil
	}
	if err == nil || !strings.Contains(err.Error(), r.err) || !errors.Is(err, r.is) {
		return fmt.Errorf("got %q, %v\nwant %v: %q", got, err, r.is, r.err)
	}
	if len(err.Error()) > 400 || strings.Contains(err.Error(), "\n") {
		return fmt.Errorf("the error is too long: %v", err)
	}
	var pe *openai.ProviderError
	if !errors.As(err, &pe) {
		if r.is == llm.ErrReply {
			return nil
		}
		return fmt.Errorf("no ProviderError: %v", err)
	}
	status := r.named
	if status == 0 {
		status = max(r.status, 200)
	}
	if pe.Status != status || pe.Retryable != r.again {
		return fmt.Errorf("status %d, retryable %v, want %d, %v: %v", pe.Status, pe.Retryable, status, r.again, err)
	}
	return nil
}

// TestReplies: what is needed of a reply is used, in whatever form the rest is, whether
// it was asked for as a stream or not, and wherever the pieces end that it comes in. What
// a server says in place of a reply is told, with its status, which decides if it is asked
// again.
func TestReplies(t *testing.T) {
	t.Parallel()
	rows := 0
	for _, group := range []struct {
		ways    []string
		replies []reply
	}{
		{[]string{"plain", "stream"}, wholeReplies()},
		{[]string{"plain", "stream"}, partReplies()},
		{[]string{"stream", "plain"}, streamReplies()},
		{[]string{"stream", "plain"}, formReplies()},
		{[]string{"plain", "stream", "embed", "rerank"}, errorReplies()},
		{[]string{"embed"}, vectorReplies()},
		{[]string{"rerank"}, scoreReplies()},
	} {
		for _, r := range group.replies {
			rows++
			t.Run(r.server+" "+r.form, func(t *testing.T) {
				for i, way := range group.ways {
					s := &server{reply: r}
					got, u, err := use(t, way, s, 1)
					if err := r.check(got, err); err != nil {
						t.Errorf("%s: %v", way, err)
						continue
					}
					tries := 1
					if r.again || way == "embed" && r.is == llm.ErrRefused { // a batch is halved
						tries = 2
					}
					if s.asked != tries {
						t.Errorf("%s: asked %d times, want %d", way, s.asked, tries)
					}
					if r.err == "" && (u.Calls != 1 || u.InTokens == 0) || r.named != 0 && u.Calls != 0 {
						t.Errorf("%s: usage %+v", way, u)
					}
					// The rest is read as a whole before it is looked at.
					for at := 0; i == 0 && r.status == 0 && way != "embed" && way != "rerank" && at < len(r.body); at++ {
						got, _, err := use(t, way, &server{reply: r, pieces: borders(at)}, -1)
						if err := r.check(got, err); err != nil {
							t.Errorf("%s, in two pieces, the first of %d bytes: %v", way, at, err)
							break
						}
					}
					got, _, err = use(t, way, &server{reply: r, pieces: iotest.OneByteReader}, -1)
					if err := r.check(got, err); err != nil {
						t.Errorf("%s, byte by byte: %v", way, err)
					}
				}
			})
		}
	}
	if rows < 60 {
		t.Errorf("%d replies", rows)
	}
}

// TestRepliesInDocs looks for the servers of all replies in the document's table.
func TestRepliesInDocs(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(b), "\n## What servers reply\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, list := range [][]reply{wholeReplies(), partReplies(), streamReplies(), formReplies(), errorReplies(), vectorReplies(), scoreReplies()} {
		for _, r := range list {
			if !strings.Contains(section, r.server) {
				t.Errorf("docs/models.md does not name %s: %s", r.server, r.form)
			}
		}
	}
}

// packed returns a body as compressed by a writer.
func packed(w func(io.Writer) io.WriteCloser, body string) string {
	var b bytes.Buffer
	c := w(&b)
	io.WriteString(c, body)
	c.Close()
	return b.String()
}

func gzipped(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
func zlibbed(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
func deflated(w io.Writer) io.WriteCloser {
	c, _ := flate.NewWriter(w, flate.BestSpeed)
	return c
}

// TestHostileReplies: the bounds of replies hold, and time grows with their length.
func TestHostileReplies(t *testing.T) {
	t.Parallel()
	const big = 17 << 20
	deep := strings.Repeat(`[`, 9000) + strings.Repeat(`]`, 9000)
	for _, c := range []struct {
		name, body, err string
		is              error
	}{
		{"a line without an end", "data: " + strings.Repeat("x", big), "longer than 16777216 bytes", llm.ErrProvider},
		{"a value without an end", strings.Repeat("data: "+strings.Repeat("{", 1<<10)+"\n", big/1000), "longer than 16777216 bytes", llm.ErrProvider},
		{"a text without an end", strings.Repeat(stream(delta(strings.Repeat("x", 1<<20))), 17), "the answer has no end", llm.ErrProvider},
		{"refusals without an end", strings.Repeat(stream(`{"choices":[{"delta":{"refusal":"`+strings.Repeat("x", 1<<20)+`"}}]}`), 17), "the answer has no end", llm.ErrProvider},
		{"a bomb", packed(gzipped, strings.Repeat(" ", 40<<20)), "longer than 16777216 bytes", llm.ErrProvider},
		{"keep-alives without an answer", strings.Repeat(": wait\n\ndata:\n\n", 1<<20), "it is empty", llm.ErrProvider},
		{"deep parts", `{"choices":[{"message":{"content":` + deep + `}}]}`, "it is empty", llm.ErrReply},
		{"deep parts of parts", `{"choices":[{"message":{"content":` + strings.Repeat(`{"text":`, 4000) + `"x"` + strings.Repeat(`}`, 4000) + `}}]}`, "it is empty", llm.ErrReply},
		{"many parts", `{"choices":[{"message":{"content":[` + strings.Repeat(`"",`, 1<<18) + `""]}}]}`, "it is empty", llm.ErrReply},
		{"a deep error", `{"error":` + strings.Repeat(`{"error":`, 4000) + `"x"` + strings.Repeat(`}`, 4001), "no choice", llm.ErrProvider},
		{"a long error", `{"error":"` + strings.Repeat("words ", 1<<16) + `"}`, "words wo...", llm.ErrProvider},
		{"an error of more than a mebibyte", `{"error":"` + strings.Repeat("words ", 1<<18) + `"}`, "no choice", llm.ErrProvider},
		{"a long page", "<html>" + strings.Repeat("<p>x</p>\n", 1<<20), "it is no JSON: a web page", llm.ErrProvider},
		{"many values on a line", strings.Repeat(`{"choices":[]}`, 1<<16), "there is no choice in it", llm.ErrProvider},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			_, _, err := use(t, "stream", &server{reply: reply{body: c.body}}, -1)
			if err == nil || !strings.Contains(err.Error(), c.err) || !errors.Is(err, c.is) || len(err.Error()) > 400 {
				t.Errorf("%.500v\nwant %s", err, c.err)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
}
