package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// tokens is the access of a test: who may use which namespaces.
func tokens(r *http.Request) (func(_, _ string) bool, bool, error) {
	who := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch who {
	case "red", "blue":
		return func(_, ns string) bool { return ns == who }, false, nil
	case "writer":
		return func(_, ns string) bool { return ns == "red" }, true, nil
	case "all":
		return func(_, _ string) bool { return true }, true, nil
	case "none":
		return func(_, _ string) bool { return false }, false, nil
	}
	return nil, false, errors.New("the token is not known")
}

func overHTTP(t testing.TB, url, token string) *mcp.ClientSession {
	t.Helper()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	return cs
}

// several returns a server with namespaces red and blue, whose documents name their own.
func several(t testing.TB) string {
	t.Helper()
	db := open(t, lighthouse())
	for _, ns := range []string{"red", "blue"} {
		fill(t, db, ns, map[string]string{
			ns + "/secret.md": "# The secret of " + ns + "\n\nThe password of " + ns + " is sentinel-" + ns + ". It was chosen by Ada " + ns + ".",
			ns + "/other.md":  "# More of " + ns + "\n\nThe colour " + ns + " is a colour of the harbour.",
		})
	}
	srv := httptest.NewServer(Handler(Options{Databases: dbs(db)}, tokens))
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestHTTP asks over HTTP.
func TestHTTP(t *testing.T) {
	t.Parallel()
	url := several(t)
	cs := overHTTP(t, url, "all")
	about := cs.InitializeResult().Instructions
	if !strings.Contains(about, `chooses one: "blue", "main", "red"`) {
		t.Error(about)
	}
	text, js, failed := call(t, cs, "ask", m{"question": "Who built the lighthouse on Lantern Point?"})
	if failed || !strings.Contains(text, "Ottilie Brandt") || js["ns"] != "main" {
		t.Error(text)
	}
	if text, _, failed = call(t, cs, "ask", m{"question": "What is the password of red?", "namespace": "red"}); failed || !strings.Contains(text, "sentinel-red") {
		t.Error(text)
	}
	if text, _, failed = call(t, cs, "add", m{"namespace": "blue", "id": "n.md", "text": "The tug Otter is blue."}); failed {
		t.Error(text)
	}
	if text, _, failed = call(t, cs, "ask", m{"namespace": "blue", "question": "Which tug is blue?"}); failed || !strings.Contains(text, "Otter") {
		t.Error(text)
	}
	n := 0
	for r, err := range cs.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI}); err != nil {
			t.Error(r.URI, err)
		}
		n++
	}
	if n != len(lighthouse())+5 {
		t.Errorf("%d resources", n)
	}
	// Many at once.
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			if text, _, failed := call(t, cs, "search", m{"question": "ferry", "top": 2}); failed || !strings.Contains(text, "Skarholm") {
				t.Error(text)
			}
		})
	}
	wg.Wait()
}

// TestDatabases asks several databases of one server.
func TestDatabases(t *testing.T) {
	t.Parallel()
	acme := open(t, lighthouse())
	legal := open(t, map[string]string{"law.md": "The tithe was abolished by Judge Harrow."})
	fill(t, legal, "old/files", map[string]string{"a/b.md": "The ledger was kept by Ada Wren."})
	o := Options{Databases: []Database{{"acme", acme}, {"legal", legal}}}
	srv := httptest.NewServer(Handler(o, func(r *http.Request) (func(db, ns string) bool, bool, error) {
		return func(db, ns string) bool { return db == "legal" || r.Header.Get("Authorization") == "Bearer all" }, false, nil
	}))
	defer srv.Close()
	cs := overHTTP(t, srv.URL, "all")
	if about := cs.InitializeResult().Instructions; !strings.Contains(about, `chooses one: "acme/main", "legal/main", "legal/old/files"`) {
		t.Error(about)
	}
	for ns, want := range map[string]string{"legal/main": "Harrow", "legal/old/files": "Wren"} {
		question := map[string]string{"Harrow": "Who abolished the tithe?", "Wren": "Who kept the ledger?"}[want]
		if text, _, failed := call(t, cs, "ask", m{"namespace": ns, "question": question}); failed || !strings.Contains(text, want) {
			t.Error(text)
		}
	}
	for ns, want := range map[string]string{"": "the call needs a namespace; give one of", "main": `there is no namespace "main"; give one of "acme/main"`, "none/main": `there is no namespace "none/main"`} {
		if text, _, failed := call(t, cs, "documents", m{"namespace": ns}); !failed || !strings.Contains(text, want) {
			t.Errorf("%q: %s", ns, text)
		}
	}
	legalOnly := overHTTP(t, srv.URL, "legal")
	text, _, failed := call(t, legalOnly, "documents", m{"namespace": "acme/main"})
	if !failed || text != `there is no namespace "acme/main"; give one of "legal/main", "legal/old/files"` {
		t.Error(text)
	}
	n := 0
	for r, err := range legalOnly.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if got, err := legalOnly.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI}); err != nil || !strings.Contains(got.Contents[0].Text, "by") {
			t.Error(r.URI, err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d resources", n)
	}
}

// TestIsolation says that a caller learns nothing of namespaces that are not theirs, not
// by errors either.
func TestIsolation(t *testing.T) {
	t.Parallel()
	url := several(t)
	red, none := overHTTP(t, url, "red"), overHTTP(t, url, "none")
	var said []string
	say := func(text string, js map[string]any, _ bool) {
		b, err := json.Marshal(js)
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, text, string(b))
	}
	say(red.InitializeResult().Instructions, nil, false)
	say(none.InitializeResult().Instructions, nil, false)
	there, _, failed := call(t, red, "ask", m{"question": "What is the password?", "namespace": "blue"})
	not, _, _ := call(t, red, "ask", m{"question": "What is the password?", "namespace": "grey"})
	if !failed || strings.ReplaceAll(there, "blue", "grey") != not || not != `there is no namespace "grey"; give one of "red"` {
		t.Errorf("what is there and what is not differ:\n%s\n%s", there, not)
	}
	for _, cs := range []*mcp.ClientSession{red, none} {
		for _, tool := range []string{"ask", "search", "why", "show", "documents", "query", "add", "remove"} {
			for _, ns := range []any{"blue ", "BLUE", "", nil, "red"} {
				args := m{"namespace": ns}
				for k, v := range map[string]any{"question": "What is the password?", "id": "b" + "lue/secret.md", "statement": "MATCH (d) RETURN d, d.text", "text": "x", "ids": []any{"b" + "lue/secret.md"}} {
					if tool == "add" || tool == "remove" || k == "question" && (tool == "ask" || tool == "search" || tool == "why") || k == "id" && (tool == "show" || tool == "why") || k == "statement" && tool == "query" {
						args[k] = v
					}
				}
				text, js, failed := call(t, cs, tool, args)
				if cs == none && !failed {
					t.Errorf("%s(%v) does not fail: %s", tool, args, text)
				}
				// What the caller said themselves is not learnt.
				text = strings.ReplaceAll(strings.ReplaceAll(text, `"blue/secret.md"`, ""), `"blue "`, "")
				b, _ := json.Marshal(js)
				js = m{"": strings.ReplaceAll(strings.ReplaceAll(string(b), `\"blue/secret.md\"`, ""), `\"blue \"`, "")}
				say(text, js, failed)
			}
		}
		for _, statement := range []string{"CALL db.check()", "CALL db.stats()", "CALL db.graphs()", "CALL db.procedures()", "USE blue MATCH (n) RETURN n", "USE 'blue/base' MATCH (n) RETURN n", "CALL rag.ask(null, 'What is the password?')", "CALL rag.retrieve(null, 'password', {top: 100})"} {
			text, js, failed := call(t, cs, "query", m{"statement": statement})
			text = strings.ReplaceAll(text, statement, "") // shown with a caret
			if strings.HasPrefix(statement, "USE") {
				continue // the name is the caller's own
			}
			say(text, js, failed)
		}
		for r, err := range cs.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			say(r.URI, nil, false)
		}
		for _, uri := range []string{"ragdb://blue/document/blue%2Fsecret.md", "ragdb://main/document/docs%2Fferry.md", "ragdb://blue/chunk/blue%2Fsecret.md%230"} {
			if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "not found") {
				t.Errorf("%s: %v", uri, err)
			}
		}
		if _, err := cs.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: writeCursor("blue", "0")}); err != nil {
			t.Error(err)
		}
	}
	for _, s := range said {
		if strings.Contains(s, "sentinel-blue") || strings.Contains(s, "blue/") || strings.Contains(s, `"blue"`) || strings.Contains(s, "ferry") {
			t.Errorf("it leaks: %s", s)
		}
	}
	if len(said) < 100 {
		t.Errorf("%d texts", len(said))
	}
}

// TestAccess says that each request is checked for itself.
func TestAccess(t *testing.T) {
	t.Parallel()
	url := several(t)
	post := func(token, body string) (int, string, http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Mcp-Session-Id", "another's")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b), resp.Header
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	status, body, header := post("wrong", list)
	if status != 401 || header.Get("Content-Type") != "application/problem+json" || header.Get("WWW-Authenticate") == "" || !strings.Contains(body, "the token is not known") || strings.Contains(body, "wrong") {
		t.Error(status, body, header)
	}
	if status, body, _ = post("red", list); status != 200 || strings.Contains(body, `"remove"`) || !strings.Contains(body, `"namespace"`) {
		t.Error(status, body)
	}
	if status, body, _ = post("writer", list); status != 200 || !strings.Contains(body, `"remove"`) {
		t.Error(status, body)
	}
	for _, bad := range []string{"", "{", "null", "[]", `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"method":"resources/read"}`, `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":null}`, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":null}`} {
		if status, body, _ = post("red", bad); status >= 500 {
			t.Errorf("%s: %d %s", bad, status, body)
		}
	}
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 401 {
		t.Error(resp.Status)
	}
}

// TestGone says that the work for a client who left ends.
func TestGone(t *testing.T) {
	t.Parallel()
	db := open(t, lighthouse())
	srv := httptest.NewServer(Handler(Options{Databases: dbs(db)}, func(*http.Request) (func(_, _ string) bool, bool, error) {
		return func(_, _ string) bool { return true }, false, nil
	}))
	ctx, cancel := context.WithCancel(t.Context())
	cs := overHTTP(t, srv.URL, "")
	cancelled := make(chan error)
	go func() {
		_, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "query", Arguments: m{"statement": "UNWIND range(1,10000) AS a UNWIND range(1,10000) AS b UNWIND range(1,1000) AS c WITH a WHERE a<0 RETURN a"}})
		cancelled <- err
	}()
	time.Sleep(200 * time.Millisecond) // the statement takes hours
	start := time.Now()
	cancel()
	if err := <-cancelled; err == nil {
		t.Error("it ended in time")
	}
	srv.Close() // waits for what runs
	if took := time.Since(start); took > time.Minute {
		t.Errorf("the statement ran on for %v", took)
	}
}
