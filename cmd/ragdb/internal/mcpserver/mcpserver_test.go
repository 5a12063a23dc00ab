package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/methods"
)

// lighthouse are documents that most tests are about.
func lighthouse() map[string]string {
	docs := map[string]string{
		"docs/lantern.md": "# The lighthouse\n\nThe lighthouse on Lantern Point was built in 1874 by the engineer Ottilie Brandt.\n\nIt warns ships of Gannet Rock.",
		"docs/ferry.md":   "# The ferry\n\nThe ferry to Skarholm leaves Karrow at six in the morning. It carries forty people and the mail.",
		"pump 100%.txt":   "Model B has a warranty of two years from delivery. The pump was designed by Ada Kestrel.",
	}
	for i := range 40 {
		docs[fmt.Sprintf("log/%02d.md", i)] = fmt.Sprintf("# Day %d\n\nOn day %d of the winter the keeper Tomas Quill wrote that the sea was %d feet high and the wind came from the north. He counted %d ships and lit the lamp before dusk.", i, i, i, 3*i)
	}
	return docs
}

// fill adds documents to a namespace of a database.
func fill(t testing.TB, db *service.Database, ns string, docs map[string]string) {
	t.Helper()
	if _, err := db.CreateNamespace(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	var inputs []rag.Input
	for _, id := range sortedKeys(docs) {
		doc := service.Document{ID: id, Text: docs[id], Meta: map[string]any{"team": "keepers", "year": 1881}}
		in, err := doc.Input()
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, in)
	}
	job, err := db.Start(t.Context(), ns, service.JobRequest{Documents: inputs, Methods: []string{"ketrag"}})
	if err != nil {
		t.Fatal(err)
	}
	for j, err := range db.Watch(t.Context(), ns, job.ID) {
		if err != nil || j.Error != nil {
			t.Fatal(err, j.Error, j.Result)
		}
	}
}

// open returns a database in memory with documents in the namespace main.
func open(t testing.TB, docs map[string]string) *service.Database {
	t.Helper()
	store, err := engine.Open(t.Context(), engine.Memory, &engine.Options{Encodings: methods.Encodings()})
	if err != nil {
		t.Fatal(err)
	}
	db := service.NewDatabase(service.DatabaseOptions{
		DB: store, Methods: methods.All(),
		Questions: func(ctx context.Context, c *rag.Corpus, _ bool) (*rag.Models, error) {
			return c.OpenLocal(ctx, false, rag.Parts{})
		},
		Indexing: func(_ context.Context, c *rag.Corpus) (*rag.Corpus, error) { return c, nil },
	})
	t.Cleanup(func() {
		db.Close(context.Background())
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	fill(t, db, "main", docs)
	return db
}

func dbs(db *service.Database) []Database { return []Database{{Name: "acme", Database: db}} }

// connect returns a client of a server for a caller.
func connect(t testing.TB, o Options, c caller) *mcp.ClientSession {
	t.Helper()
	there, here := mcp.NewInMemoryTransports()
	ss, err := newServer(o, c).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cs.Close()
		_ = ss.Wait()
	})
	return cs
}

// call calls a tool, and returns its text and JSON.
func call(t testing.TB, cs *mcp.ClientSession, name string, args any) (text string, structured map[string]any, failed bool) {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s(%v): a protocol error: %v", name, args, err)
	}
	if len(r.Content) != 1 {
		t.Fatalf("%s(%v): %d contents", name, args, len(r.Content))
	}
	structured, ok := r.StructuredContent.(map[string]any)
	if !ok {
		t.Fatalf("%s(%v): the JSON is %T", name, args, r.StructuredContent)
	}
	return r.Content[0].(*mcp.TextContent).Text, structured, r.IsError
}

type m = map[string]any

// get reads a value of JSON by its path.
func get(v any, path ...any) any {
	for _, p := range path {
		switch x := v.(type) {
		case m:
			v = x[fmt.Sprint(p)]
		case []any:
			i, ok := p.(int)
			if !ok || i >= len(x) {
				return nil
			}
			v = x[i]
		}
	}
	return v
}

// TestTools calls every tool, and holds what models read to what programs read.
func TestTools(t *testing.T) {
	t.Parallel()
	cs := connect(t, Options{Databases: dbs(open(t, lighthouse()))}, caller{ns: "main", write: true})
	for _, c := range []struct {
		tool string
		args m
		want []string // in the text
		path []any    // of a value in the JSON
		is   any
	}{
		{"ask", m{"question": "Who built the lighthouse on Lantern Point?"}, []string{"answered: true", "Ottilie Brandt", `[1] id "c:docs/lantern.md#0"`}, []any{"sources", 0, "chunk"}, "c:docs/lantern.md#0"},
		{"ask", m{"question": "What is the capital of Peru?"}, []string{"answered: false", "No sentence was found that says it"}, []any{"answered"}, false},
		{"ask", m{"question": "Who designed the pump?", "where": "key STARTS WITH 'docs/'"}, []string{"answered: false"}, []any{"ns"}, "main"},
		{"ask", m{"question": "Who designed the pump?", "method": "bm25"}, []string{"Ada Kestrel"}, []any{"method"}, "bm25"},
		{"search", m{"question": "ferry to Skarholm", "top": 1}, []string{`id "c:docs/ferry.md#0"`, "six in the morning"}, []any{"items", 0, "id"}, "c:docs/ferry.md#0"},
		{"search", m{"question": "ferry to Skarholm", "top": 3, "offset": 2}, []string{"[1 of 3 shown. This is the end.]"}, []any{"items", 0, "rank"}, 3.0},
		{"search", m{"query": "ferry to Skarholm", "top": 1}, []string{"six in the morning"}, []any{"items", 0, "id"}, "c:docs/ferry.md#0"},
		{"query", m{"query": "MATCH (d:document) RETURN count(*) AS n"}, []string{`{"n":43}`}, []any{"rows", 0, "n"}, 43.0},
		{"search", m{"question": "ferry", "top": "2", "where": nil}, []string{"six in the morning"}, []any{"items", 1, "rank"}, 2.0},
		{"why", m{"question": "ferry to Skarholm", "id": "c:docs/ferry.md#0"}, []string{"is evidence 1 of", "Steps of the search"}, []any{"kept"}, true},
		{"why", m{"question": "ferry to Skarholm", "id": "docs/ferry.md"}, []string{"is evidence 1 of"}, []any{"id"}, "c:docs/ferry.md#0"},
		{"show", m{"id": "docs/ferry.md"}, []string{`document "docs/ferry.md", title "The ferry"`, `metadata "team": "keepers"`, "forty people"}, []any{"document", "key"}, "docs/ferry.md"},
		{"show", m{"id": "c:docs/ferry.md#0"}, []string{"forty people"}, []any{"chunk", "id"}, "c:docs/ferry.md#0"},
		{"show", m{"id": "e:Ottilie Brandt"}, []string{"The documents say of", "Lantern Point", `"relation" to`}, []any{"kind"}, "entity"},
		{"documents", m{"prefix": "docs/"}, []string{"43 documents in all", `"docs/lantern.md"`}, []any{"documents", 0, "id"}, "docs/ferry.md"},
		{"documents", m{"limit": 2}, []string{"[2 of 43 shown. For the next ones call documents with after"}, []any{"total"}, 43.0},
		{"query", m{"statement": "MATCH (d:document) RETURN count(*) AS n;"}, []string{`{"n":43}`, "1 row"}, []any{"rows", 0, "n"}, 43.0},
		{"query", m{"statement": "MATCH (d:document) RETURN d.key ORDER BY d.key", "max_rows": 2}, []string{"docs/ferry.md", "SKIP 2 LIMIT 50"}, []any{"left_out", "shown"}, 2.0},
		{"query", m{"statement": "MATCH (d:document) WHERE d.key = 'none' RETURN d.key"}, []string{"No rows."}, []any{"v"}, 1.0},
		{"query", m{"statement": "EXPLAIN MATCH (d:document) RETURN d.key"}, []string{"Scan"}, []any{"plan", 0, "step"}, "Scan"},
		{"add", m{"id": "notes/new.md", "text": "# Cables\n\nThe telegraph cable was laid by the ship Petrel.", "meta": m{"team": "post", "tags": []any{"sea", "wire"}}}, []string{`"notes/new.md" was added`}, []any{"result", "added"}, 1.0},
		{"add", m{"id": "notes/new.md", "text": "# Cables\n\nThe telegraph cable was laid by the ship Petrel.", "meta": m{"team": "post", "tags": []any{"sea", "wire"}}}, []string{"is there already"}, []any{"result", "unchanged"}, 1.0},
		{"add", m{"id": "notes/new.md", "text": "# Cables\n\nThe telegraph cable was laid by the ship Heron."}, []string{"was replaced"}, []any{"result", "replaced"}, 1.0},
		{"ask", m{"question": "Which ship laid the telegraph cable?"}, []string{"Heron"}, []any{"answered"}, true},
		{"remove", m{"ids": "notes/new.md", "dry_run": true}, []string{"would be removed"}, []any{"dry_run"}, true},
		{"remove", m{"ids": []any{"notes/new.md"}}, []string{`"notes/new.md" removed`}, []any{"removed", 0, "doc"}, "notes/new.md"},
		{"ask", m{"question": "Which ship laid the telegraph cable?"}, []string{"answered: false"}, []any{"answered"}, false},
	} {
		text, js, failed := call(t, cs, c.tool, c.args)
		if failed {
			t.Errorf("%s(%v) failed: %s", c.tool, c.args, text)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s(%v) does not say %q:\n%s", c.tool, c.args, w, text)
			}
		}
		if got := get(js, c.path...); got != c.is {
			t.Errorf("%s(%v): %v is %v, not %v: %v", c.tool, c.args, c.path, got, c.is, js)
		}
	}
	// The record of an answer is shown by its id.
	_, js, _ := call(t, cs, "ask", m{"question": "Who built the lighthouse on Lantern Point?"})
	text, _, failed := call(t, cs, "show", m{"id": get(js, "trace")})
	if failed || !strings.Contains(text, "Ottilie Brandt") || !strings.Contains(text, "question:") {
		t.Errorf("the record is %s", text)
	}
}

// TestErrors says that what goes wrong is told in one sentence that says what to do.
func TestErrors(t *testing.T) {
	t.Parallel()
	cs := connect(t, Options{Databases: dbs(open(t, lighthouse())), QueryTime: 300 * time.Millisecond}, caller{ns: "main", write: true})
	for _, c := range []struct {
		tool string
		args any
		want string
	}{
		{"ask", m{"prompt": "Who?"}, `ask has no argument "prompt"; it has question (needed), method, where, max_tokens; call it like {"question": "Who designed the lighthouse?"}`},
		{"search", m{"question": "Who?", "query": "Who?"}, `search has no argument "query"; it has question (needed)`},
		{"search", m{"query": m{}}, `the argument query of search must be a text`},
		{"search", m{"query": " "}, `search needs the argument question`},
		{"ask", m{}, `ask needs the argument question; call it like {"question": "Who designed the lighthouse?"}`},
		{"ask", m{"question": "  "}, `ask needs the argument question`},
		{"ask", m{"question": m{"text": "Who?"}}, `the argument question of ask must be a text such as "Who designed the lighthouse?", and is {"text":"Who?"}`},
		{"ask", []any{"Who?"}, `the arguments of ask are not a JSON object; call it like {"question": `},
		{"ask", m{"question": "Who?", "max_tokens": 5}, `the argument max_tokens of ask must be a whole number from 300 to 20000, and is 5`},
		{"ask", m{"question": "Who?", "max_tokens": true}, `must be a whole number from 300 to 20000, and is true`},
		{"search", m{"question": "Who?", "top": 2.5}, `must be a whole number from 1 to 100, and is 2.5`},
		{"search", m{"question": "Who?", "top": "NaN"}, `must be a whole number from 1 to 100, and is "NaN"`},
		{"search", m{"question": "Who?", "top": 2, "offset": 7}, `the offset 7 is beyond the 2 passages that were found; give a smaller one`},
		{"ask", m{"question": "Who?", "method": "magic"}, `there is no method "magic"; there are archrag, bm25`},
		{"ask", m{"question": "Who?", "method": "noderag"}, `the database is not indexed by noderag; leave method out, or take bridge`},
		{"ask", m{"question": "Who?", "method": "bridge:starts=x"}, `starts`},
		{"ask", m{"question": "Who?", "where": "key STRTS 'a'"}, "the filter is wrong: line 1, column 5"},
		{"ask", m{"question": "Who?", "where": "colour = 'red'"}, `the documents have no "colour" to filter by; they have`},
		{"why", m{"question": "Who?"}, `why needs the argument id; call it like {"question": "Who designed the lighthouse?", "id": "c:handbook.md#3"}`},
		{"why", m{"question": "Who?", "id": "c:none#1"}, `the database has no "c:none#1"; take an id as another tool printed it`},
		{"why", m{"question": "Who?", "id": "e:Ottilie Brandt", "method": "bridge"}, `bridge has no "e:Ottilie Brandt"; call why again with the method ketrag`},
		{"show", m{"id": "none"}, `the database has no "none"; take an id as another tool printed it`},
		{"show", m{"id": "t:00000000"}, "has no trace t:00000000; the newest traces are kept"},
		{"show", m{"id": "docs/ferry.md", "offset": 9}, `the offset 9 is beyond the 1 entries of "docs/ferry.md"; give a smaller one`},
		{"documents", m{"after": "x"}, `after is "x"; give what next was on the page before`},
		{"documents", m{"limit": 0}, `must be a whole number from 1 to 1000, and is 0`},
		{"query", m{"statement": "MATCH (d RETURN 1"}, "line 1, column 10: expected"},
		{"query", m{"statement": "CREATE (a:x)"}, "this only reads, and the call writes; leave out what writes"},
		{"query", m{"statement": "CALL db.createGraph('x')"}, "this only reads, and the call writes"},
		{"query", m{"statement": "MATCH (d:document) SET d.x = 1"}, "this only reads, and the call writes"},
		{"query", m{"statement": "CALL db.check()"}, "there is no procedure db.check"},
		{"query", m{"statement": "COPY x FROM 'a.csv'"}, "COPY has no files"},
		{"query", m{"statement": "USE none MATCH (n) RETURN n"}, "none"},
		{"query", m{"statement": "RETURN 1/0"}, "zero"},
		{"query", m{"statement": "UNWIND range(1,10000) AS a UNWIND range(1,10000) AS b UNWIND range(1,1000) AS c WITH a WHERE a<0 RETURN a"}, "took longer than 300ms; make the statement smaller"},
		{"add", m{"id": "x.md"}, `add needs the argument text; call it like {"id": "notes/pump.md", "text": `},
		{"add", m{"id": "x.md", "text": "y", "meta": []any{1}}, `the argument meta of add must be an object such as {"team": "support", "year": 2026}, and is [1]`},
		{"add", m{"id": "x.pdf", "text": "no PDF"}, "the document was not stored"},
		{"remove", m{"ids": []any{}}, `the argument ids of remove must be a list of 1 to 100 texts such as ["notes/pump.md"], and is []`},
		{"remove", m{"ids": []any{"docs/ferry.md", "none.md"}}, `there is no document "none.md"; nothing was removed; documents lists the keys`},
		{"answer", m{}, `there is no tool "answer"; use one of ask, search, why, show, documents, query, add, remove`},
	} {
		text, js, failed := call(t, cs, c.tool, c.args)
		if !failed || !strings.Contains(text, c.want) {
			t.Errorf("%s(%v) says (failed: %t)\n  %s\nand not\n  %s", c.tool, c.args, failed, text, c.want)
		}
		first, _, _ := strings.Cut(text, "\n")
		if strings.Contains(text, "--") || strings.Contains(text, "ragdb ") || len(first) > 500 {
			t.Errorf("%s(%v) speaks to a user of the command: %s", c.tool, c.args, text)
		}
		if get(js, "error", "code") == "" || get(js, "error", "message") == "" {
			t.Errorf("%s(%v): the JSON is %v", c.tool, c.args, js)
		}
	}
	if text, _, failed := call(t, cs, "show", m{"id": "docs/ferry.md"}); failed {
		t.Error("a removal that was refused removed:", text)
	}
}

// TestReadOnly says that a server without write has no tool that writes.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	db := open(t, lighthouse())
	for _, write := range []bool{false, true} {
		cs := connect(t, Options{Databases: dbs(db)}, caller{ns: "main", write: write})
		r, err := cs.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range r.Tools {
			names = append(names, tool.Name)
			writes := tool.Name == "add" || tool.Name == "remove"
			if a := tool.Annotations; a.ReadOnlyHint == writes || *a.DestructiveHint != writes || !a.IdempotentHint || *a.OpenWorldHint {
				t.Errorf("%s is annotated %+v", tool.Name, a)
			}
			if tool.Description == "" || tool.Title == "" {
				t.Errorf("%s is not described", tool.Name)
			}
			schema, _ := tool.InputSchema.(map[string]any)
			for name, p := range schema["properties"].(map[string]any) {
				if about, _ := p.(map[string]any)["description"].(string); len(about) < 10 {
					t.Errorf("%s of %s is not described", name, tool.Name)
				}
			}
		}
		if want := 6 + 2*map[bool]int{true: 1}[write]; len(names) != want {
			t.Errorf("write %t: the tools are %v", write, names)
		}
	}
	text, _, failed := call(t, connect(t, Options{Databases: dbs(db)}, caller{ns: "main"}), "add", m{"id": "a.md", "text": "b"})
	if !failed || text != "add is not available; tell the user that this server was set up for reading only" {
		t.Error(text)
	}
}

// TestExamples says that what the descriptions show works.
func TestExamples(t *testing.T) {
	t.Parallel()
	cs := connect(t, Options{Databases: dbs(open(t, lighthouse()))}, caller{ns: "main"})
	for _, statement := range examples() {
		if text, _, failed := call(t, cs, "query", m{"statement": statement}); failed {
			t.Errorf("%s: %s", statement, text)
		}
	}
	_, list, ok := strings.Cut(whereArg().about, "Examples: ")
	if !ok {
		t.Fatal("no examples")
	}
	for where := range strings.SplitSeq(list, " ; ") {
		if text, _, failed := call(t, cs, "ask", m{"question": "Who wrote it?", "where": where}); failed {
			t.Errorf("%s: %s", where, text)
		}
	}
	all := methods.All()
	for _, name := range []string{"bm25", "dense", "naive", "bridge", "ketrag", "noderag", "archrag", "hirag", "erarag"} {
		if all[name] == nil || !strings.Contains(methodArg().about, name) {
			t.Errorf("the method %s", name)
		}
	}
	for _, name := range []string{"bm25", "dense", "naive", "bridge"} {
		if text, _, failed := call(t, cs, "ask", m{"question": "Who built the lighthouse?", "method": name}); failed {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestBounds says that no result is longer than asked for, as text and as JSON, and that
// all of it can be had in parts.
func TestBounds(t *testing.T) {
	t.Parallel()
	docs := lighthouse()
	docs["long.txt"] = strings.Repeat("The harbour of Norrby has a long pier and many lanterns. ", 600)
	docs["long title.md"] = "# " + strings.Repeat("A title without end ", 400) + "\n\nText."
	docs["wide.txt"] = strings.Repeat("wörd日本語 ", 1500)
	db := open(t, docs)
	cs := connect(t, Options{Databases: dbs(db)}, caller{ns: "main"})
	c, err := db.Corpus(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{fewestTokens, 1000, usualTokens, mostTokens} {
		for _, x := range []struct {
			tool string
			args m
		}{
			{"ask", m{"question": "What has the harbour of Norrby?"}},
			{"ask", m{"question": "What is the capital of Peru?"}},
			{"ask", m{"question": strings.Repeat("What has the harbour of Norrby? ", 300)}},
			{"search", m{"question": strings.Repeat("What has the harbour of Norrby? ", 300)}},
			{"why", m{"question": strings.Repeat("What has the harbour? ", 300), "id": "c:long.txt#0"}},
			{"show", m{"id": "long title.md"}},
			{"search", m{"question": "harbour lanterns", "top": 100}},
			{"search", m{"question": "wörd日本語", "top": 100}},
			{"why", m{"question": "harbour lanterns", "id": "long.txt"}},
			{"why", m{"question": "harbour lanterns", "id": "c:long.txt#0"}},
			{"show", m{"id": "long.txt"}},
			{"show", m{"id": "c:wide.txt#1"}},
			{"show", m{"id": "e:Tomas Quill"}},
			{"documents", m{"limit": 1000}},
			{"query", m{"statement": "MATCH (c:chunk) RETURN c.key, left(c.text, 300)", "max_rows": 1000}},
			{"query", m{"statement": "MATCH (n) RETURN n", "max_rows": 1000}},
		} {
			x.args["max_tokens"] = most
			text, js, failed := call(t, cs, x.tool, x.args)
			b, err := service.Encode(js)
			if err != nil {
				t.Fatal(err)
			}
			n, nj := c.Tokens().Count(text), c.Tokens().Count(string(b))
			if failed || n > most || nj > most {
				t.Errorf("%s(%v): failed %t, %d tokens of text and %d of JSON\n%.300s", x.tool, x.args, failed, n, nj, text)
			}
			if nj > most*9/10 && js["left_out"] == nil && x.tool != "show" {
				t.Logf("%s(%v) is just below the bound: %d", x.tool, x.args, nj)
			}
		}
	}
	// The parts of a document are the document.
	var whole, parts []string
	shown, err := c.Show(t.Context(), "long.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, ch := range shown.Document.Chunks {
		whole = append(whole, ch.Text)
	}
	for offset := 0; offset < len(whole); {
		_, js, failed := call(t, cs, "show", m{"id": "long.txt", "offset": offset, "max_tokens": 1000})
		chunks, _ := get(js, "document", "chunks").([]any)
		if failed || len(chunks) == 0 || len(chunks) == len(whole) {
			t.Fatalf("offset %d: %v", offset, js)
		}
		for _, ch := range chunks {
			parts = append(parts, get(ch, "text").(string))
		}
		offset += len(chunks)
	}
	if strings.Join(parts, "\x00") != strings.Join(whole, "\x00") {
		t.Errorf("%d parts of %d chunks", len(parts), len(whole))
	}
	// The pages of documents are all of them, each once.
	seen, after := map[string]bool{}, ""
	for page := 0; ; page++ {
		args := m{"limit": 30, "max_tokens": 500}
		if after != "" {
			args["after"] = after
		}
		_, js, failed := call(t, cs, "documents", args)
		rows, _ := js["documents"].([]any)
		if failed || page > 100 {
			t.Fatal(js)
		}
		for _, row := range rows {
			id := get(row, "id").(string)
			if seen[id] {
				t.Errorf("%s comes twice", id)
			}
			seen[id] = true
		}
		if after, _ = js["next"].(string); after == "" {
			break
		}
	}
	if len(seen) != len(docs) {
		t.Errorf("%d of %d documents are listed", len(seen), len(docs))
	}
}

// TestAddGoesOn says that add does not wait for ever, and that nothing is lost then.
func TestAddGoesOn(t *testing.T) {
	t.Parallel()
	db := open(t, lighthouse())
	cs := connect(t, Options{Databases: dbs(db), AddTime: time.Nanosecond}, caller{ns: "main", write: true})
	args := m{"id": "notes/a.md", "text": "The bell was cast in Karrow."}
	text, js, failed := call(t, cs, "add", args)
	if failed || js["state"] != service.JobQueued && js["state"] != service.JobRunning && js["state"] != service.JobDone {
		t.Fatal(text)
	}
	for _, j := range db.Jobs("main") {
		for _, err := range db.Watch(t.Context(), "main", j.ID) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if text, _, failed = call(t, cs, "show", m{"id": "notes/a.md"}); failed {
		t.Error(text)
	}
}

// TestServe speaks over streams: what is no message is answered, what came before the end
// of the input is, and nothing else is written.
func TestServe(t *testing.T) {
	t.Parallel()
	db := open(t, lighthouse())
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
no message
{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"ask","arguments":{"question":"Who built the lighthouse on Lantern Point?"}}}

{"jsonrpc":"2.0","id":3,"method":"nothing/known"}
` + strings.Repeat("x", 70<<20) + `
{"jsonrpc":"2.0","id":4,"method":"tools/list"}` // without a line feed
	var out bytes.Buffer
	if err := Serve(t.Context(), Options{Databases: dbs(db)}, "main", false, strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for line := range strings.Lines(out.String()) {
		var r struct {
			ID    json.RawMessage
			Error *struct{ Code int }
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %.200s", err, line)
		}
		code := 0
		if r.Error != nil {
			code = r.Error.Code
		}
		got[fmt.Sprintf("%s %d", r.ID, code)]++
	}
	for want, n := range map[string]int{"1 0": 1, `"two" 0`: 1, "3 -32601": 1, "4 0": 1, "null -32700": 2} {
		if got[want] != n {
			t.Errorf("%s comes %d times: %v", want, got[want], got)
		}
	}
}

// stuck is an input that never comes.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { select {} }

// broken is an output that is gone.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

// TestServeEnds ends a server by its context, and by an output that is gone.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	db := open(t, lighthouse())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := Serve(ctx, Options{Databases: dbs(db)}, "main", false, stuck{}, &bytes.Buffer{}); err != nil {
		t.Error(err)
	}
	in := strings.NewReader("no message\n")
	if err := Serve(t.Context(), Options{Databases: dbs(db)}, "main", false, in, broken{}); err == nil || err.Error() != "gone" {
		t.Error(err)
	}
}
