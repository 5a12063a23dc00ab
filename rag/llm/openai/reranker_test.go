package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// rerankServer answers with what answer returns for the decoded body.
func rerankServer(t *testing.T, answer func(path string, body map[string]any) (int, string)) (string, *atomic.Int64) {
	t.Helper()
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		b, err := io.ReadAll(r.Body)
		var o map[string]any
		if err != nil || json.Unmarshal(b, &o) != nil || r.Header.Get("Authorization") != "Bearer sk-secret-key" {
			t.Errorf("request %s: %v", b, err)
		}
		status, text := answer(r.URL.Path, o)
		w.WriteHeader(status)
		io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL, &n
}

func newReranker(t *testing.T, url string) *openai.Reranker {
	t.Helper()
	r, err := openai.NewReranker(openai.Config{BaseURL: url, Key: "sk-secret-key"}, openai.Options{Clock: newClock()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// TestRerank speaks with servers of each form.
func TestRerank(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, at, path string
		answer         string
		texts          bool // the server takes texts only
		requests       int64
	}{
		{"Cohere", "/v2", "/v2/rerank", `{"id":"x","results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.25}]}`, false, 1},
		{"Jina and llama.cpp", "/v1/rerank", "/v1/rerank", `{"model":"m","usage":{"total_tokens":7},"results":[{"index":0,"relevance_score":0.25,"document":{"text":"a"}},{"index":1,"relevance_score":0.9}]}`, false, 1},
		{"Voyage", "/v1/", "/v1/rerank", `{"data":[{"index":0,"relevance_score":0.25},{"index":1,"relevance_score":0.9}]}`, false, 1},
		{"text-embeddings-inference", "", "/rerank", `[{"index":1,"score":0.9},{"index":0,"score":0.25}]`, true, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, n := rerankServer(t, func(path string, body map[string]any) (int, string) {
				list, _ := body["documents"].([]any)
				if c.texts {
					if list, _ = body["texts"].([]any); list == nil {
						return 422, "Failed to deserialize the JSON body into the target type: missing field `texts` at line 1 column 2"
					}
				}
				if path != c.path || body["query"] != "q" || len(list) != 2 || list[1] != "b" {
					t.Errorf("%s: %v", path, body)
				}
				return 200, c.answer
			})
			r := newReranker(t, url+c.at)
			scores, u, err := r.Rerank(t.Context(), "q", []string{"a", "b"})
			if err != nil || !slices.Equal(scores, []float64{.25, .9}) || u.Calls != 1 || u.InTokens == 0 {
				t.Fatalf("%v, %+v, %v", scores, u, err)
			}
			if c.name == "Jina and llama.cpp" && u.InTokens != 7 {
				t.Errorf("the server counted 7 tokens: %+v", u)
			}
			if _, _, err := r.Rerank(t.Context(), "q", []string{"a", "b"}); err != nil || n.Load() != c.requests+1 {
				t.Errorf("%d requests, %v", n.Load(), err)
			}
			if s, u, err := r.Rerank(t.Context(), "q", nil); s != nil || u.Calls != 0 || err != nil {
				t.Errorf("nothing to rank: %v %v", s, err)
			}
		})
	}
}

// TestRerankFailures looks at answers that are of no use.
func TestRerankFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status int
		answer string
		is     error
		want   string
	}{
		{"another address", 404, `{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}`, llm.ErrProvider, "File Not Found"},
		{"a model that cannot", 501, `{"error":{"code":501,"message":"This server does not support reranking."}}`, llm.ErrProvider, "does not support reranking"},
		{"too long", 400, `{"error":"input is too long"}`, llm.ErrRefused, "input is too long"},
		{"no JSON", 200, "<html>", llm.ErrProvider, "it is no JSON: a web page"},
		{"a score is missing", 200, `{"results":[{"index":0,"relevance_score":1}]}`, llm.ErrProvider, "passage 1 has no score"},
		{"no score in it", 200, `[{"index":0},{"index":1}]`, llm.ErrProvider, "passage 0 has no score"},
		{"a passage that was not sent", 200, `[{"index":2,"score":1}]`, llm.ErrProvider, "passage 2 of 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, _ := rerankServer(t, func(string, map[string]any) (int, string) { return c.status, c.answer })
			scores, _, err := newReranker(t, url).Rerank(t.Context(), "q", []string{"a", "b"})
			if scores != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %v", scores, err)
			}
		})
	}
	url, n := rerankServer(t, func(string, map[string]any) (int, string) { return 503, `{"error":"loading"}` })
	var failed *openai.ProviderError
	if _, _, err := newReranker(t, url).Rerank(t.Context(), "q", []string{"a"}); !errors.As(err, &failed) || !failed.Temporary() || n.Load() != 2 {
		t.Errorf("a server that fails: %d requests, %v", n.Load(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := newReranker(t, "http://127.0.0.1:1").Rerank(ctx, "q", []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	if _, err := openai.NewReranker(openai.Config{BaseURL: "ftp://x"}, openai.Options{}); !errors.Is(err, openai.ErrConfig) {
		t.Errorf("another scheme: %v", err)
	}
}

// TestRerankBatches: a server that takes fewer passages at once, as text-embeddings-inference
// does, gets them one batch after the other, and is asked for too many once.
func TestRerankBatches(t *testing.T) {
	t.Parallel()
	for _, says := range []string{"batch size 50 > maximum allowed batch size 32", "the batch size is too large"} {
		url, n := rerankServer(t, func(_ string, body map[string]any) (int, string) {
			list, _ := body["documents"].([]any)
			if len(list) > 32 {
				return 413, `{"error":"` + says + `","error_type":"Validation"}`
			}
			var out []map[string]any
			for i, text := range list {
				out = append(out, map[string]any{"index": i, "score": len(text.(string))})
			}
			b, _ := json.Marshal(out)
			return 200, string(b)
		})
		r := newReranker(t, url)
		var passages []string
		var want []float64
		for i := range 50 {
			passages, want = append(passages, strings.Repeat("x", i+1)), append(want, float64(i+1))
		}
		scores, u, err := r.Rerank(t.Context(), "q", passages)
		if err != nil || !slices.Equal(scores, want) || u.Calls != 2 || n.Load() != 3 {
			t.Errorf("%s: %v of %d requests, %+v, %v", says, scores, n.Load(), u, err)
		}
		if scores, _, err = r.Rerank(t.Context(), "q", passages[:25]); err != nil || len(scores) != 25 || n.Load() != 4 {
			t.Errorf("%s: %d scores after %d requests, %v", says, len(scores), n.Load(), err)
		}
	}
}
