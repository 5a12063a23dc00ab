package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/service"
)

// TestRerankerThatFails asks with a reranker whose server does not answer, answers too late or
// fails: there is an answer, and a note says that the order stays. One that is not there,
// or refuses the key, is an error.
func TestRerankerThatFails(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "demo", "demo.ragdb")
	ragdb := func(args ...string) (code int, stdout, stderr string) {
		var out, err bytes.Buffer
		code = run(args, nil, nil, &out, &err)
		return code, out.String(), err.String()
	}
	if code, _, stderr := ragdb("demo", "-q", "--dir", filepath.Dir(db)); code != 0 {
		t.Fatal(stderr)
	}
	for _, c := range []struct {
		name     string
		method   string
		answer   http.HandlerFunc
		ms       string
		exit     int
		note     string
		requests int64
	}{
		{"hangs", "bridge", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "200", 0, "the reranker took more than 200ms", 1},
		{"hangs, with sections", "ketrag", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "200", 0, "the reranker took more than 200ms", 1},
		{"loads", "bridge", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, "", 0, "the server fails", 2},
		{"refuses the key", "bridge", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, "", exitProvider, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var n atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n.Add(1)
				io.Copy(io.Discard, r.Body)
				c.answer(w, r)
			}))
			defer s.Close()
			args := []string{"ask", db, "Who was Runa Quill?", "--method", c.method, "--rerank", s.URL}
			if c.ms != "" {
				args = append(args, "--rerank-ms", c.ms)
			}
			code, stdout, stderr := ragdb(args...)
			if code != c.exit || c.exit == 0 && stdout == "" || !strings.Contains(stderr, c.note) || n.Load() != c.requests {
				t.Errorf("exit %d after %d requests: %s\n%s", code, n.Load(), stdout, stderr)
			}
			if c.exit != 0 {
				return
			}
			var got service.Answer
			code, stdout, stderr = ragdb(append(args, "--json")...)
			if err := json.Unmarshal([]byte(stdout), &got); code != 0 || err != nil || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], c.note) {
				t.Errorf("exit %d: %v in %s\n%s", code, err, stdout, stderr)
			}
		})
	}
}

// TestRerankWithin bounds a server's time if the user does not.
func TestRerankWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f    rerankFlags
		want time.Duration
	}{
		{rerankFlags{model: "http://localhost:8080/v1:top=5"}, 10 * time.Second},
		{rerankFlags{model: "http://localhost:8080/v1", ms: 700}, 700 * time.Millisecond},
		{rerankFlags{model: "file:m"}, 0},
		{rerankFlags{model: "file:m", ms: 700}, 700 * time.Millisecond},
	} {
		if got := c.f.within(); got != c.want {
			t.Errorf("%+v: %s", c.f, got)
		}
	}
}
