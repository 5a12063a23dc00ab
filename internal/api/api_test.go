package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/api"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/methods"
)

// newServer serves a database in memory with two namespaces, main and other, that have a
// document each.
func newServer(t *testing.T, o api.Options) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(handler(t, o))
	t.Cleanup(srv.Close)
	return srv
}

// handler is newServer without a network.
func handler(t testing.TB, o api.Options) http.Handler {
	t.Helper()
	d := newDatabase(t)
	for ns, doc := range map[string]service.Document{
		"main":  {ID: "lamp.md", Text: "# The lamp\n\nThe lamp of Brae is green. It was made by Ada Kestrel in 1901.\n"},
		"other": {ID: "secret.md", Text: "# The vault\n\nThe vault of Sark opens with the word zephyrine.\n"},
	} {
		if _, err := d.CreateNamespace(t.Context(), ns); err != nil {
			t.Fatal(err)
		}
		in, err := doc.Input()
		if err != nil {
			t.Fatal(err)
		}
		job, err := d.Start(t.Context(), ns, service.JobRequest{Documents: []rag.Input{in}, Methods: []string{"bridge"}})
		if err != nil {
			t.Fatal(err)
		}
		for now, err := range d.Watch(t.Context(), ns, job.ID) {
			if err != nil || now.Error != nil {
				t.Fatal(err, now.Error)
			}
		}
	}
	o.Databases = []api.Database{{Name: "acme", Database: d}}
	s, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newDatabase makes an empty database in memory.
func newDatabase(t testing.TB) *service.Database {
	t.Helper()
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{Encodings: methods.Encodings()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	d := service.NewDatabase(service.DatabaseOptions{
		DB: db, Methods: methods.All(),
		Questions: func(ctx context.Context, c *rag.Corpus, _ bool) (*rag.Models, error) {
			return c.OpenLocal(ctx, false, rag.Parts{})
		},
		Indexing: func(_ context.Context, c *rag.Corpus) (*rag.Corpus, error) { return c, nil },
	})
	t.Cleanup(func() { d.Close(context.Background()) })
	return d
}

// request sends a request and returns the status and the body.
func request(t *testing.T, srv *httptest.Server, method, path, body string, header ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, srv.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

const corpus = "/api/v1/corpora/acme/main"

func TestAnswers(t *testing.T) {
	srv := newServer(t, api.Options{})
	for _, tt := range []struct {
		method, path, body string
		status             int
		has                string // in the body
	}{
		{"GET", "/healthz", "", 200, `"status":"ok"`},
		{"GET", "/metrics", "", 200, "ragdb_requests_total"},
		{"GET", "/api/v1/databases", "", 200, `"namespaces":[{"ns":"main","docs":1,"graphs":`},
		{"GET", corpus + "/documents", "", 200, `"total":1,"documents":[{"id":"lamp.md"`},
		{"GET", corpus + "/documents?limit=0", "", 400, "limit"},
		{"GET", corpus + "/documents?limit=x", "", 400, "limit"},
		{"GET", corpus + "/documents?after=zz", "", 422, "after"},
		{"GET", corpus + "/documents?wrong=1", "", 400, `there is no parameter \"wrong\"`},
		{"GET", corpus + "/document?id=lamp.md", "", 200, "Ada Kestrel"},
		{"GET", corpus + "/document?id=none", "", 404, "not_found"},
		{"GET", corpus + "/document", "", 400, "missing"},
		{"GET", corpus + "/show?id=c:lamp.md%230", "", 200, `"kind":"chunk"`},
		{"GET", corpus + "/methods", "", 200, `"indexed":["bridge"],"default":true`},
		{"GET", corpus + "/status", "", 200, `"docs":1`},
		{"GET", corpus + "/stats", "", 200, `"graphs":[`},
		{"GET", corpus + "/traces", "", 200, `"traces":[`},
		{"GET", corpus + "/traces/t:00000000", "", 404, "not_found"},
		{"GET", corpus + "/jobs", "", 200, `"state":"done"`},
		{"GET", corpus + "/jobs/j99", "", 404, "not_found"},
		{"POST", corpus + "/ask", `{"question":"Who made the lamp of Brae?"}`, 200, "Ada Kestrel"},
		{"POST", corpus + "/ask", `{"question":"Who made the lamp of Brae?","method":"bm25","top":1}`, 200, `"method":"bm25"`},
		{"POST", corpus + "/ask", `{"question":" "}`, 422, "empty"},
		{"POST", corpus + "/ask", `{"question":7}`, 400, "a number is no string"},
		{"POST", corpus + "/ask", `{"question":null}`, 400, "null is no string"},
		{"POST", corpus + "/ask", `{"Question":"x"}`, 400, "question is missing"},
		{"POST", corpus + "/ask", `{"question":"x","top":-1}`, 400, "less than 0"},
		{"POST", corpus + "/ask", `{"question":"x","method":"magic"}`, 422, "there is no method"},
		{"POST", corpus + "/ask", `{"question":"x","method":"hirag"}`, 404, "not_indexed"},
		{"POST", corpus + "/ask", `{"question":"x","where":"a = "}`, 422, `"at":`},
		{"POST", corpus + "/ask", `{"question":"x"} {}`, 400, "more than one value"},
		{"POST", corpus + "/ask", `{`, 400, "not JSON"},
		{"POST", corpus + "/ask", "{\"question\":\"\xff\"}", 400, "not UTF-8"},
		{"POST", corpus + "/search", `{"question":"lamp"}`, 200, `"items":[{"rank":1`},
		{"POST", corpus + "/compare", `{"question":"lamp","methods":["bm25","bridge"]}`, 200, `"only":[`},
		{"POST", corpus + "/compare", `{"question":"lamp","methods":["bm25"]}`, 400, "methods"},
		{"POST", corpus + "/why", `{"question":"lamp","id":"lamp.md"}`, 200, `"kept":true`},
		{"POST", corpus + "/query", `{"statement":"MATCH (d:document) RETURN d.key AS k"}`, 200, `"columns":["k"],"rows":[{"k":"lamp.md"}]`},
		{"POST", corpus + "/query", `{"statement":"RETURN $a + 1 AS n","params":{"a":41}}`, 200, `{"n":42}`},
		{"POST", corpus + "/query", `{"statement":"UNWIND range(1,9) AS n RETURN n","rows":2}`, 200, `"more":true`},
		{"POST", corpus + "/query", `{"statement":"MATCH (d RETURN d"}`, 422, "syntax"},
		{"POST", corpus + "/query", `{"statement":"RETURN 1/0"}`, 422, "evaluation"},
		{"POST", corpus + "/query", `{"statement":"CREATE (n:x {key:'1'})"}`, 403, "read_only"},
		{"POST", corpus + "/query", `{"statement":"RETURN 1","graph":"none"}`, 404, "not_found"},
		{"PUT", corpus + "/ask", "", 405, "method"},
		{"GET", "/api/v1/corpora/acme/none/status", "", 404, "namespace"},
		{"GET", "/api/v1/corpora/none/main/status", "", 404, "database"},
		{"GET", "/elsewhere", "", 404, "not_found"},
	} {
		status, body := request(t, srv, tt.method, tt.path, tt.body)
		if status != tt.status || !strings.Contains(body, tt.has) {
			t.Errorf("%s %s %s: %d %s; want %d with %s", tt.method, tt.path, tt.body, status, body, tt.status, tt.has)
		}
	}
	if status, body := request(t, srv, "POST", corpus+"/ask", "question=x", "Content-Type", "application/x-www-form-urlencoded"); status != 415 {
		t.Errorf("a form: %d %s", status, body)
	}
}

func TestStreams(t *testing.T) {
	srv := newServer(t, api.Options{})
	_, body := request(t, srv, "POST", corpus+"/ask", `{"question":"Who made the lamp of Brae?"}`, "Accept", "text/event-stream")
	if !strings.HasPrefix(body, "event: text\ndata: {\"text\":") || !strings.Contains(body, "\n\nevent: answer\ndata: {\"v\":1,") {
		t.Errorf("events: %s", body)
	}
	_, body = request(t, srv, "POST", corpus+"/query", `{"statement":"UNWIND [2,1,0] AS n RETURN 2/n AS q"}`, "Accept", "application/x-ndjson")
	lines := strings.Split(strings.TrimSpace(body), "\n")
	if len(lines) != 3 || lines[0] != `{"q":1}` || lines[1] != `{"q":2}` || !strings.Contains(lines[2], `"code":"evaluation"`) {
		t.Errorf("lines: %s", body)
	}
	srv = newServer(t, api.Options{Limits: api.Limits{Rows: 3}})
	for asked, want := range map[string]string{
		"":           `{"n":1} {"n":2} {"n":3} error`, // the server's bound is told
		`,"rows":2`:  `{"n":1} {"n":2}`,
		`,"rows":3`:  `{"n":1} {"n":2} {"n":3}`,
		`,"rows":90`: `{"n":1} {"n":2} {"n":3} error`,
	} {
		_, body = request(t, srv, "POST", corpus+"/query", `{"statement":"UNWIND range(1,4) AS n RETURN n"`+asked+`}`, "Accept", "application/x-ndjson")
		var got []string
		for line := range strings.Lines(body) {
			if strings.HasPrefix(line, `{"error":`) && strings.Contains(line, `"code":"limit"`) {
				line = "error"
			}
			got = append(got, strings.TrimSpace(line))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("rows asked for with %q: %s, want %s", asked, got, want)
		}
	}
}

func TestDocuments(t *testing.T) {
	srv := newServer(t, api.Options{})
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, text := range map[string]string{"folder/a.md": "The mast of Foula is white.", "rows.jsonl": `{"id":"r1","text":"The oar of Unst is blue."}`} {
		part, err := w.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(part, text)
	}
	w.Close()
	status, body := request(t, srv, "POST", corpus+"/documents/upload?wait=true", form.String(), "Content-Type", w.FormDataContentType())
	if status != 202 || !strings.Contains(body, `"state":"done"`) || !strings.Contains(body, `"added":2`) {
		t.Fatalf("upload: %d %s", status, body)
	}
	form.Reset()
	w = multipart.NewWriter(&form)
	for _, name := range []string{"whole.txt", "broken.pdf"} {
		part, err := w.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(part, "no PDF")
	}
	w.Close()
	_, body = request(t, srv, "POST", corpus+"/documents/upload?wait=true", form.String(), "Content-Type", w.FormDataContentType())
	if want := `"documents":2,"stored":false,"stored_documents":1,"set_aside_documents":1,"set_aside":[{"index":1,"id":"broken.pdf","reason":"is not a PDF file"}]`; !strings.Contains(body, want) {
		t.Errorf("an upload that is stored in part: %s, without %s", body, want)
	}
	request(t, srv, "DELETE", corpus+"/documents?id=whole.txt", "")
	status, body = request(t, srv, "POST", corpus+"/documents", `{"documents":[{"id":"b.txt","text":"The rope of Yell is red.","meta":{"team":"sea","year":1911}}],"wait":true}`)
	if status != 202 || !strings.Contains(body, `"added":1`) {
		t.Fatalf("add: %d %s", status, body)
	}
	var page service.DocumentPage
	var ids []string
	for after := "0"; after != ""; after = page.Next {
		page = service.DocumentPage{}
		_, body := request(t, srv, "GET", corpus+"/documents?limit=2&after="+after, "")
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		for _, d := range page.Documents {
			ids = append(ids, d.ID)
		}
	}
	if len(ids) != 4 {
		t.Errorf("documents are %v", ids)
	}
	_, body = request(t, srv, "POST", corpus+"/ask", `{"question":"What colour is the rope of Yell?","where":"team = 'sea'"}`)
	if !strings.Contains(body, "red") {
		t.Errorf("answer: %s", body)
	}
	status, body = request(t, srv, "DELETE", corpus+"/documents?id=b.txt&dry_run=true", "")
	if status != 200 || !strings.Contains(body, `"dry_run":true`) {
		t.Errorf("dry run: %d %s", status, body)
	}
	for _, want := range []int{200, 404} {
		if status, body = request(t, srv, "DELETE", corpus+"/documents?id=b.txt", ""); status != want {
			t.Errorf("remove: %d %s, want %d", status, body, want)
		}
	}
}

// TestTokens says what each role may do, and that namespaces beyond a token's do not
// exist for it.
func TestTokens(t *testing.T) {
	tokens, err := api.ReadTokens(strings.NewReader(`# for tests
reads-everything-1 read
reads-other-only-1 read acme/other
writes-other-only-1 write acme/other
administers-all-1 admin
`))
	if err != nil {
		t.Fatal(err)
	}
	srv := newServer(t, api.Options{Tokens: tokens})
	other := "/api/v1/corpora/acme/other"
	add := `{"documents":[{"id":"x.md","text":"A text."}],"wait":true}`
	for _, tt := range []struct {
		token, method, path, body string
		status                    int
	}{
		{"", "GET", corpus + "/status", "", 401},
		{"", "GET", "/healthz", "", 200},
		{"nobody-knows-this-1", "GET", corpus + "/status", "", 401},
		{"reads-everything-1", "GET", corpus + "/status", "", 200},
		{"reads-everything-1", "POST", corpus + "/documents", add, 403},
		{"reads-everything-1", "POST", corpus + "/query", `{"statement":"CREATE (n:x {key:'1'})","write":true}`, 403},
		{"reads-everything-1", "POST", "/api/v1/databases/acme/namespaces", `{"name":"new"}`, 403},
		{"reads-other-only-1", "GET", corpus + "/status", "", 404},
		{"reads-other-only-1", "POST", corpus + "/ask", `{"question":"lamp"}`, 404},
		{"reads-other-only-1", "GET", other + "/status", "", 200},
		{"reads-other-only-1", "POST", other + "/query", `{"statement":"CALL db.check() YIELD finding RETURN count(*)"}`, 422},
		{"reads-everything-1", "POST", other + "/query", `{"statement":"CALL db.check() YIELD finding RETURN count(*)"}`, 200},
		{"writes-other-only-1", "POST", other + "/documents", add, 202},
		{"writes-other-only-1", "POST", corpus + "/documents", add, 404},
		{"writes-other-only-1", "DELETE", "/api/v1/databases/acme/namespaces/main", "", 403},
		{"administers-all-1", "POST", "/api/v1/databases/acme/namespaces", `{"name":"new"}`, 200},
		{"administers-all-1", "DELETE", "/api/v1/databases/acme/namespaces/new", "", 200},
		{"administers-all-1", "DELETE", "/api/v1/databases/acme/namespaces/new", "", 404},
	} {
		status, body := request(t, srv, tt.method, tt.path, tt.body, "Authorization", "Bearer "+tt.token)
		if status != tt.status {
			t.Errorf("%s %s %s: %d %s, want %d", tt.token, tt.method, tt.path, status, body, tt.status)
		}
		if tt.token != "" && strings.Contains(body, tt.token) {
			t.Errorf("an answer holds a token: %s", body)
		}
	}
	for _, path := range []string{"/api/v1/databases", other + "/status", other + "/stats", corpus + "/status", "/api/v1/corpora/acme/none/status"} {
		if _, body := request(t, srv, "GET", path, "", "Authorization", "Bearer reads-other-only-1"); strings.Contains(body, `"main"`) && !strings.Contains(path, "main") {
			t.Errorf("%s tells of another namespace: %s", path, body)
		}
	}
	for _, bad := range []string{"", "short read", "long-enough-token-1", "long-enough-token-1 king", "long-enough-token-1 read main", "long-enough-token-1 admin acme/main"} {
		if _, err := api.ReadTokens(strings.NewReader(bad)); err == nil || strings.Contains(err.Error(), "long-enough") {
			t.Errorf("tokens %q: %v", bad, err)
		}
	}
}

// TestCrossSite holds that a page of another site sends nothing, also if its browser tells
// no origin. Links to the server work.
func TestCrossSite(t *testing.T) {
	srv := newServer(t, api.Options{})
	for _, tt := range []struct {
		method, path, site string
		status             int
	}{
		{"POST", corpus + "/ask", "cross-site", 403},
		{"DELETE", corpus + "/documents?id=lamp.md", "cross-site", 403},
		{"POST", corpus + "/ask", "same-origin", 200},
		{"POST", corpus + "/ask", "none", 200},
		{"GET", corpus + "/documents", "cross-site", 200},
		{"HEAD", "/healthz", "cross-site", 200},
	} {
		body := ""
		if tt.method == "POST" {
			body = `{"question":"What colour is the lamp?"}`
		}
		if status, said := request(t, srv, tt.method, tt.path, body, "Sec-Fetch-Site", tt.site); status != tt.status {
			t.Errorf("%s %s from %s: %d %s, want %d", tt.method, tt.path, tt.site, status, said, tt.status)
		}
	}
	if _, body := request(t, srv, "GET", corpus+"/documents", ""); !strings.Contains(body, "lamp.md") {
		t.Errorf("the document is gone: %s", body)
	}
}

func TestHosts(t *testing.T) {
	srv := newServer(t, api.Options{Hosts: append(api.LoopbackHosts(), "ragdb.example"), Origins: []string{"https://app.example"}})
	for _, tt := range []struct {
		host, origin string
		status       int
	}{
		{"127.0.0.1:8080", "", 200}, {"LOCALHOST", "", 200}, {"[::1]:80", "", 200}, {"ragdb.example.", "", 200},
		{"evil.example", "", 421}, {"127.0.0.1.evil.example", "", 421},
		{"localhost", "http://localhost", 200}, {"localhost", "https://app.example", 200},
		{"localhost", "https://evil.example", 403}, {"localhost", "null", 403},
	} {
		header := []string{"Host", tt.host}
		if tt.origin != "" {
			header = append(header, "Origin", tt.origin)
		}
		if status, body := request(t, srv, "GET", "/healthz", "", header...); status != tt.status {
			t.Errorf("host %q, origin %q: %d %s, want %d", tt.host, tt.origin, status, body, tt.status)
		}
	}
}

func TestLimits(t *testing.T) {
	srv := newServer(t, api.Options{Limits: api.Limits{Body: 100, Idle: 200 * time.Millisecond}})
	if status, body := request(t, srv, "POST", corpus+"/ask", `{"question":"`+strings.Repeat("x", 200)+`"}`); status != 413 {
		t.Errorf("a large body: %d %s", status, body)
	}
	r, w := io.Pipe()
	defer w.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL+corpus+"/ask", r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	go func() { _, _ = w.Write([]byte(`{"question":`)) }()
	resp, err := srv.Client().Do(req)
	if err == nil { // or the connection has ended
		defer resp.Body.Close()
		if resp.StatusCode != 408 {
			t.Errorf("a body without an end: %d", resp.StatusCode)
		}
	}
}

// TestOpenAPI follows every reference of the document and compares its operations with
// what the server answers.
func TestOpenAPI(t *testing.T) {
	srv := newServer(t, api.Options{})
	_, body := request(t, srv, "GET", "/api/v1/openapi.json", "")
	var doc struct {
		Paths      map[string]map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Paths) < 20 {
		t.Errorf("there are %d paths", len(doc.Paths))
	}
	for part := range strings.SplitSeq(body, `"$ref":"#/components/schemas/`) {
		if name, _, ok := strings.Cut(part, `"`); ok && !strings.HasPrefix(part, "{") && doc.Components.Schemas[name] == nil {
			t.Errorf("there is no schema %s", name)
		}
	}
	ids := map[string]bool{}
	for path, ops := range doc.Paths {
		for method, op := range ops {
			id := op.(map[string]any)["operationId"].(string)
			if ids[id] {
				t.Errorf("two operations are called %s", id)
			}
			ids[id] = true
			at := strings.NewReplacer("{db}", "acme", "{ns}", "main", "{id}", "x").Replace(path)
			if status, body := request(t, srv, strings.ToUpper(method), at, ""); status == 404 && strings.Contains(body, "at this address") || status == 405 || status >= 500 {
				t.Errorf("%s %s: %d %s", method, at, status, body)
			}
			if strings.Contains(path, "/namespaces/") { // main is gone
				_, _ = request(t, srv, "POST", "/api/v1/databases/acme/namespaces", `{"name":"main"}`)
			}
		}
	}
}

// TestInnerErrors says that the reason of an error of the server itself is for its log.
func TestInnerErrors(t *testing.T) {
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{Encodings: methods.Encodings()})
	if err != nil {
		t.Fatal(err)
	}
	d := service.NewDatabase(service.DatabaseOptions{DB: db, Methods: methods.All()})
	if _, err := d.CreateNamespace(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	h, err := api.New(api.Options{Databases: []api.Database{{Name: "acme", Database: d}}, Log: slog.New(slog.NewJSONHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", corpus+"/status", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "closed") || !strings.Contains(w.Body.String(), "its log says why") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), `"why":"`) || !strings.Contains(log.String(), "closed") {
		t.Errorf("log: %s", &log)
	}
}
