package mcpserver

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// one is a server of one database.
var one = &server{Options: Options{Databases: []Database{{}}}}

// TestResources lists and reads documents and chunks, whatever their keys are.
func TestResources(t *testing.T) {
	t.Parallel()
	docs := lighthouse()
	for _, key := range []string{"a b.txt", "100%.txt", "%41.txt", "a+b&c=d?.txt", "käse/日本.txt", "{key}.txt", "a#b.txt", "..", "a/../b.txt", "a//b.txt", "document/x.txt", `back\slash.txt`, "\"quoted\".txt", "~-._.txt", "a:b@c.txt"} {
		docs[key] = "The text of " + key
	}
	for i := range 230 {
		docs[fmt.Sprintf("many/%03d.txt", i)] = fmt.Sprintf("Number %d is a number of many.", i)
	}
	cs := connect(t, Options{Databases: dbs(open(t, docs))}, caller{ns: "main"})
	seen, pages := map[string]bool{}, 0
	for cursor := ""; ; pages++ {
		r, err := cs.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, res := range r.Resources {
			if seen[res.Name] || res.MIMEType != "text/plain" || docs[res.Name] == "" {
				t.Errorf("%+v", res)
			}
			seen[res.Name] = true
			if u, err := url.Parse(res.URI); err != nil || u.Scheme != "ragdb" || u.Host != "main" {
				t.Errorf("%s: %v", res.URI, err)
			}
			got, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: res.URI})
			if err != nil || len(got.Contents) != 1 || got.Contents[0].URI != res.URI || got.Contents[0].Text == "" || got.Contents[0].MIMEType != "text/plain" {
				t.Errorf("%s: %v %v", res.URI, got, err)
			} else if want := "The text of " + res.Name; docs[res.Name] == want && strings.TrimSpace(got.Contents[0].Text) != want {
				t.Errorf("%s is %q", res.URI, got.Contents[0].Text)
			}
			if got, err = cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: one.uriOf("main", ofChunk, res.Name+"#0")}); err != nil || got.Contents[0].Text == "" {
				t.Errorf("the chunk of %s: %v", res.URI, err)
			}
		}
		if cursor = r.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != len(docs) || pages < 2 {
		t.Errorf("%d of %d documents in %d pages", len(seen), len(docs), pages)
	}
	templates, err := cs.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 2 || templates.ResourceTemplates[0].MIMEType != "text/plain" {
		t.Errorf("%v %v", templates, err)
	}
	// A key that was not encoded is found too.
	if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ragdb://main/chunk/docs/ferry.md#0"}); err != nil {
		t.Error(err)
	}
	for _, uri := range []string{"ragdb://main/document/none", "ragdb://main/chunk/none%230", "ragdb://main/chunk/docs%2Fferry.md", "ragdb://other/document/docs%2Fferry.md", "ragdb://main/entity/x", "ragdb://main/document/", "ragdb://", "file:///etc/passwd", "", "ragdb://main/document/%00", "ragdb://main/document/" + strings.Repeat("x", 5000)} {
		_, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != mcp.CodeResourceNotFound {
			t.Errorf("%.60q: %v", uri, err)
		}
	}
	for _, cursor := range []string{"x", "!!!", writeCursor("main", "x"), writeCursor("", ""), "bm9uZQ"} {
		_, err := cs.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: cursor})
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("the cursor %q: %v", cursor, err)
		}
	}
}

// TestResourcesOfNamespaces lists the documents of namespaces one after the other. The first
// takes more than one page.
func TestResourcesOfNamespaces(t *testing.T) {
	t.Parallel()
	main, more := map[string]string{}, map[string]string{}
	for i := range 110 {
		main[fmt.Sprintf("%03d.txt", i)] = "The sea."
		if i < 5 {
			more[fmt.Sprintf("more/%d.txt", i)] = "The lamp."
		}
	}
	db := open(t, main)
	fill(t, db, "more", more)
	cs := connect(t, Options{Databases: dbs(db)}, caller{allowed: func(_, _ string) bool { return true }})
	seen := map[string]bool{}
	for r, err := range cs.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		seen[r.URI] = true
	}
	if len(seen) != 115 || !seen["ragdb://more/document/more%2F0.txt"] {
		t.Errorf("%d of 115 documents", len(seen))
	}
}

// TestLongResource cuts a resource that is too long to send.
func TestLongResource(t *testing.T) {
	t.Parallel()
	r := contents("ragdb://main/document/x", strings.Repeat("x", mostBytes-1)+"ää")
	if r.Text != strings.Repeat("x", mostBytes-1)+cutMark || r.Meta["ragdb/bytes"] != mostBytes+3 || r.Meta["ragdb/note"] == nil {
		t.Error(len(r.Text), r.Meta)
	}
	if r = contents("ragdb://main/document/x", strings.Repeat("x", mostBytes)); len(r.Text) != mostBytes || r.Meta != nil {
		t.Error(len(r.Text), r.Meta)
	}
}

// TestURI reads what it wrote.
func TestURI(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"a", "a/b", "%", "%%41", "a?b#c", "ä ö", "+", "\x00\n", `\`} {
		ns, kind, back, ok := one.parseURI(one.uriOf("m/n", ofChunk, key))
		if !ok || ns != "m/n" || kind != ofChunk || back != key {
			t.Errorf("%q is read as %q %q %q", key, ns, kind, back)
		}
		if uri := one.uriOf("x", ofChunk, key); one.canonical(uri) != uri {
			t.Errorf("%s is written as %s", uri, one.canonical(uri))
		}
		two := &server{Options: Options{Databases: []Database{{}, {}}}}
		if ns, kind, back, ok := two.parseURI(two.uriOf("d b/m/n", ofChunk, key)); !ok || ns != "d b/m/n" || kind != ofChunk || back != key {
			t.Errorf("%q of two is read as %q %q %q", key, ns, kind, back)
		}
	}
}
