package api_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/internal/api"
)

var long = flag.Bool("long", false, "run the random tests for long")

// TestIsolation sends requests of all kinds with tokens that are bound to one namespace
// each, and looks for what the other has.
func TestIsolation(t *testing.T) {
	tokens, err := api.ReadTokens(strings.NewReader("sees-main-alone-1 write acme/main\nsees-other-alone-1 write acme/other\n"))
	if err != nil {
		t.Fatal(err)
	}
	srv := newServer(t, api.Options{Tokens: tokens})
	type side struct{ token, ns, foreign, sentinel string }
	sides := []side{
		{"sees-main-alone-1", "main", "other", "zephyrine"},
		{"sees-other-alone-1", "other", "main", "Kestrel"},
	}
	requests := []struct{ method, path, body string }{
		{"POST", "/ask", `{"question":"Which word opens the vault of Sark, and who made the lamp?"}`},
		{"POST", "/search", `{"question":"vault lamp word zephyr Ada"}`},
		{"POST", "/why", `{"question":"vault lamp","id":"secret.md"}`},
		{"POST", "/why", `{"question":"vault lamp","id":"lamp.md"}`},
		{"POST", "/compare", `{"question":"vault lamp","methods":["bm25","naive"]}`},
		{"POST", "/query", `{"statement":"MATCH (n) RETURN n LIMIT 100"}`},
		{"POST", "/query", `{"statement":"MATCH (d:document) RETURN d.text"}`},
		{"POST", "/query", `{"statement":"CALL db.graphs() YIELD name RETURN name"}`},
		{"POST", "/query", `{"statement":"CALL db.stats() YIELD graph RETURN graph"}`},
		{"POST", "/query", `{"statement":"CALL text.search('zephyrine Kestrel', 5) YIELD node RETURN node.text"}`},
		{"POST", "/query", `{"statement":"CALL rag.retrieve(null, 'vault lamp') YIELD text RETURN text"}`},
		{"POST", "/query", `{"statement":"COPY (MATCH (n) RETURN n) TO 'x.csv'"}`},
		{"GET", "/documents", ""}, {"GET", "/document?id=secret.md", ""}, {"GET", "/document?id=lamp.md", ""},
		{"GET", "/show?id=c:secret.md%230", ""}, {"GET", "/show?id=c:lamp.md%230", ""},
		{"GET", "/traces", ""}, {"GET", "/jobs", ""}, {"GET", "/jobs/j1", ""}, {"GET", "/jobs/j2", ""},
		{"GET", "/methods", ""}, {"GET", "/status", ""}, {"GET", "/stats", ""},
		{"DELETE", "/documents?id=none.md", ""},
	}
	global := []struct{ method, path, body string }{
		{"GET", "/api/v1/databases", ""}, {"GET", "/v1/models", ""}, {"GET", "/metrics", ""},
		{"POST", "/v1/chat/completions", `{"model":"NS","messages":[{"role":"user","content":"Which word opens the vault, and who made the lamp?"}]}`},
		{"POST", "/v1/embeddings", `{"model":"NS","input":"zephyr"}`},
	}
	n := 3000
	if *long {
		n = 100_000
	}
	var all sync.WaitGroup
	const workers = 4
	for w := range workers {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 7))
			for range n / workers {
				s := sides[rng.IntN(2)]
				ns := s.ns
				if rng.IntN(3) == 0 {
					ns = s.foreign // the request may not
				}
				var method, path, body string
				if rng.IntN(6) == 0 {
					r := global[rng.IntN(len(global))]
					method, path, body = r.method, r.path, strings.ReplaceAll(r.body, "NS", ns)
				} else {
					r := requests[rng.IntN(len(requests))]
					method, path, body = r.method, "/api/v1/corpora/acme/"+ns+r.path, r.body
				}
				status, said := request(t, srv, method, path, body, "Authorization", "Bearer "+s.token)
				if status >= 500 || strings.Contains(said, s.sentinel) || strings.Contains(said, fmt.Sprintf("%q", "acme/"+s.foreign)) {
					t.Errorf("%s asks %s %s %s: %d %s", s.token, method, path, body, status, said)
					return
				}
				if ns != s.ns && strings.Contains(path, "/corpora/") && status != 404 {
					t.Errorf("%s asks %s %s: %d %s, want 404", s.token, method, path, status, said)
					return
				}
			}
		})
	}
	all.Wait()
}
