package api_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/api"
)

// FuzzServer sends requests of any form: none panics, and none is the server's fault.
func FuzzServer(f *testing.F) {
	for _, seed := range [][4]string{
		{"GET", "/api/v1/corpora/acme/main/documents", "limit=3&after=1", ""},
		{"POST", "/api/v1/corpora/acme/main/ask", "", `{"question":"Who made the lamp?","top":1,"explain":true}`},
		{"POST", "/api/v1/corpora/acme/main/search", "", `{"question":"lamp","where":"key STARTS WITH 'l'","method":"bm25"}`},
		{"POST", "/api/v1/corpora/acme/main/query", "", `{"statement":"MATCH (n) WHERE n.key = $k RETURN n.key, [1.5, null, {a: true}] AS x","params":{"k":"lamp.md"}}`},
		{"POST", "/api/v1/corpora/acme/main/why", "", `{"question":"lamp","id":"c:lamp.md#0"}`},
		{"POST", "/api/v1/corpora/acme/main/compare", "", `{"question":"lamp","methods":["bm25","naive:k=3"]}`},
		{"POST", "/api/v1/corpora/acme/main/documents", "", `{"documents":[{"id":"x.md","text":"A mast.","meta":{"a":[1,"b"]}}]}`},
		{"POST", "/api/v1/corpora/acme/main/documents/remove", "", `{"ids":["x.md"],"dry_run":true}`},
		{"POST", "/v1/chat/completions", "", `{"model":"main","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"And it?"}]}]}`},
		{"POST", "/v1/embeddings", "", `{"model":"main/bm25","input":["a"],"encoding_format":"base64"}`},
		{"GET", "/api/v1/corpora/acme/main/show", "id=c:lamp.md%230", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	h := handler(f, api.Options{})
	f.Fuzz(func(t *testing.T, method, path, query, body string) {
		if method != "GET" && method != "POST" && method != "DELETE" || strings.Contains(path, "/events") || strings.Contains(body, `"wait"`) {
			t.Skip()
		}
		r := httptest.NewRequest(method, "http://localhost/", strings.NewReader(body))
		r.URL = &url.URL{Path: path, RawQuery: query}
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%s %q?%q %q: %d %s", method, path, query, body, w.Code, w.Body)
		}
	})
}
