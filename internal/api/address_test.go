package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/api"
)

// TestNearestAddress holds that an address at which there is nothing names the one that is
// meant, and that the page gets the others.
func TestNearestAddress(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("the page")) })
	srv := newServer(t, api.Options{Page: page})
	for _, tt := range []struct{ method, path, has string }{
		{"GET", "/health", "GET /healthz"},
		{"GET", "/healthz/", "GET /healthz"},
		{"POST", "/api/v1/ask", "POST /api/v1/corpora/DATABASE/NAMESPACE/ask"},
		{"GET", "/api/v1/ask", "POST /api/v1/corpora/DATABASE/NAMESPACE/ask"},
		{"POST", "/query", "POST /api/v1/corpora/DATABASE/NAMESPACE/query"},
		{"POST", "/api/v1/corpora/acme/search", "POST /api/v1/corpora/DATABASE/NAMESPACE/search"},
		{"GET", "/api/v1/documents", "GET /api/v1/corpora/DATABASE/NAMESPACE/documents"},
		{"POST", "/v1/completions", "POST /v1/chat/completions"},
		{"GET", "/openapi.json", "GET /api/v1/openapi.json"},
		{"GET", "/api/v1/nothing", "/api/v1/openapi.json lists"},
		{"POST", "/", "/api/v1/openapi.json lists"},
	} {
		status, body := request(t, srv, tt.method, tt.path, "")
		if status != 404 || !strings.Contains(body, tt.has) {
			t.Errorf("%s %s: %d %s, without %q", tt.method, tt.path, status, body, tt.has)
		}
	}
	for _, path := range []string{"/", "/app.js", "/favicon.ico"} {
		if status, body := request(t, srv, "GET", path, ""); status != 200 || body != "the page" {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}
