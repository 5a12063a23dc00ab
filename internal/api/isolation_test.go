package api_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
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

// TestNamesAlike holds that a token which is bound to one database sees no other whose name
// begins as that one's, or is its beginning, and no namespace whose name does.
func TestNamesAlike(t *testing.T) {
	tokens, err := api.ReadTokens(strings.NewReader("sees-acme-main-1 write acme/main\n"))
	if err != nil {
		t.Fatal(err)
	}
	o := api.Options{Tokens: tokens}
	names := []string{"acm", "acmex", "acme", "a", "acme-main"}
	namespaces := []string{"main", "mai", "mainx"}
	for _, name := range names {
		d := newDatabase(t)
		for _, ns := range namespaces {
			if _, err := d.CreateNamespace(t.Context(), ns); err != nil {
				t.Fatal(err)
			}
		}
		o.Databases = append(o.Databases, api.Database{Name: name, Database: d})
	}
	s, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	token := []string{"Authorization", "Bearer sees-acme-main-1"}
	for _, path := range []string{"/api/v1/databases", "/v1/models"} {
		_, body := request(t, srv, "GET", path, "", token...)
		if strings.Count(body, `"name":`)+strings.Count(body, `"id":"acme/main/bridge"`) != 1 || strings.Contains(body, "mai\"") || strings.Contains(body, "mainx") ||
			strings.Contains(body, "acm\"") || strings.Contains(body, "acmex") {
			t.Errorf("%s shows others: %s", path, body)
		}
	}
	for _, name := range names {
		for _, ns := range namespaces {
			want := 404
			if name == "acme" && ns == "main" {
				want = 200
			}
			at := "/api/v1/corpora/" + name + "/" + ns
			if status, body := request(t, srv, "GET", at+"/status", "", token...); status != want {
				t.Errorf("%s: %d %s, want %d", at, status, body, want)
			}
			_, body := request(t, srv, "POST", "/v1/chat/completions", `{"model":"`+name+"/"+ns+`","messages":[{"role":"user","content":"x"}]}`, token...)
			if unknown := strings.Contains(body, "there is no model"); unknown == (want == 200) || strings.Contains(body, "acmex/main/") {
				t.Errorf("the model %s/%s: %s", name, ns, body)
			}
		}
		// A namespace that is there and one that is not look alike from outside.
		if _, body := request(t, srv, "DELETE", "/api/v1/databases/"+name+"/namespaces/none", "", token...); !strings.Contains(body, "forbidden") {
			t.Errorf("%s: %s", name, body)
		}
	}
}

// TestJobsOfOthers holds that a namespace tells of its own jobs alone, that a token is taken
// in its own scheme alone, and that a namespace which is not there names no other.
func TestJobsOfOthers(t *testing.T) {
	tokens, err := api.ReadTokens(strings.NewReader("reads-everything-1 read\nreads-gone-only-1 read acme/gone\n"))
	if err != nil {
		t.Fatal(err)
	}
	srv := newServer(t, api.Options{Tokens: tokens})
	seen := 0
	for _, id := range []string{"j1", "j2"} { // of main and of other
		if status, _ := request(t, srv, "GET", corpus+"/jobs/"+id, "", "Authorization", "Bearer reads-everything-1"); status == 200 {
			seen++
		}
	}
	if seen != 1 {
		t.Errorf("a namespace shows %d jobs of 1", seen)
	}
	if status, body := request(t, srv, "GET", corpus+"/status", "", "Authorization", "Basic reads-everything-1"); status != 401 {
		t.Errorf("another scheme: %d %s", status, body)
	}
	status, body := request(t, srv, "GET", "/api/v1/corpora/acme/gone/status", "", "Authorization", "Bearer reads-gone-only-1")
	if status != 404 || strings.Contains(body, "main") || strings.Contains(body, "other") {
		t.Errorf("a namespace that is not there: %d %s", status, body)
	}
}
