package mcpserver

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
)

// Documents and chunks are resources: ragdb://NS/document/KEY and ragdb://NS/chunk/KEY,
// with percent-encoded names. If the server has several databases NS is DATABASE/NS.
const (
	scheme     = "ragdb://"
	ofDocument = "document"
	ofChunk    = "chunk"
	// mostBytes bounds the text of a resource.
	mostBytes = 1 << 20
)

func (s *server) uriOf(ns, kind, key string) string {
	of := escaped(ns)
	if db, name, ok := strings.Cut(ns, "/"); ok && s.several() {
		of = escaped(db) + "/" + escaped(name)
	}
	return scheme + of + "/" + kind + "/" + escaped(key)
}

// escaped percent-encodes all that a URI template would.
func escaped(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// parseURI reads the URI of a resource. It takes keys that were not encoded too.
func (s *server) parseURI(uri string) (ns, kind, key string, ok bool) {
	rest, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return "", "", "", false
	}
	db := ""
	if s.several() {
		if db, rest, ok = strings.Cut(rest, "/"); !ok {
			return "", "", "", false
		}
		name, err := url.PathUnescape(db)
		if err != nil {
			return "", "", "", false
		}
		db = name + "/"
	}
	parts := strings.SplitN(rest, "/", 3)
	if len(parts) != 3 || parts[1] != ofDocument && parts[1] != ofChunk {
		return "", "", "", false
	}
	var err error
	if ns, err = url.PathUnescape(parts[0]); err != nil {
		return "", "", "", false
	}
	if key, err = url.PathUnescape(parts[2]); err != nil {
		key = parts[2] // a percent sign that was not encoded
	}
	return db + ns, parts[1], key, ns != "" && key != ""
}

// canonical is the URI of a resource as the server writes it.
func (s *server) canonical(uri string) string {
	if ns, kind, key, ok := s.parseURI(uri); ok {
		return s.uriOf(ns, kind, key)
	}
	return uri
}

func (s *server) addResources(out *mcp.Server) {
	ns := "{namespace}"
	switch {
	case s.ns != "":
		ns = escaped(s.ns)
	case s.several():
		ns = "{database}/{namespace}"
	}
	out.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: ofDocument, Title: "A document", MIMEType: "text/plain", URITemplate: scheme + ns + "/" + ofDocument + "/{key}",
		Description: "The text of a document, by its key as the tool documents lists it.",
	}, s.readResource)
	out.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: ofChunk, Title: "A passage of a document", MIMEType: "text/plain", URITemplate: scheme + ns + "/" + ofChunk + "/{key}",
		Description: "The text of a passage. Its key is its id without c:, such as handbook.md#3.",
	}, s.readResource)
}

// readResource reads a document or a chunk.
func (s *server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	ns, kind, key, ok := s.parseURI(uri)
	if !ok || s.ns != "" && ns != s.ns {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	c, err := s.corpus(ctx, ns)
	var text string
	switch {
	case err != nil:
	case kind == ofDocument:
		text, err = c.Text(ctx, key)
	default:
		text, err = chunkText(ctx, c, key)
	}
	if err != nil {
		if e := service.Explain(err); e.Code != "not_found" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: s.explain(ctx, c, err).Message}
		}
		return nil, mcp.ResourceNotFoundError(uri)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{contents(uri, text)}}, nil
}

// contents is a text as a resource.
func contents(uri, text string) *mcp.ResourceContents {
	res := &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: text}
	if len(text) > mostBytes {
		res.Text = cutAt(text, mostBytes)
		res.Meta = mcp.Meta{"ragdb/bytes": len(text), "ragdb/note": "the text is cut after 1 MiB; the tool show reads the rest by offset"}
	}
	return res
}

// chunkText returns the text of a chunk, [engine.ErrNotFound] if there is none of the key.
func chunkText(ctx context.Context, c *corpus, key string) (text string, err error) {
	err = c.DB().View(ctx, func(snap *engine.Snapshot) error {
		ch, err := service.ChunkOf(c.Corpus.Corpus, snap.Graph(c.Base()).WithContext(ctx), key)
		switch {
		case errors.Is(err, engine.ErrInvalid), err == nil && ch.Key == "":
			return engine.ErrNotFound
		case err != nil:
			return err
		}
		text = ch.Text
		return nil
	})
	return text, err
}

// listResources lists the documents of the namespaces, one after the other. rest lists
// what the SDK knows, which is nothing, in the form that the client's version wants.
func (s *server) listResources(ctx context.Context, req *mcp.ListResourcesRequest, rest func(*mcp.ListResourcesRequest) (mcp.Result, error)) (mcp.Result, error) {
	cursor := ""
	if req.Params != nil {
		cursor, req.Params.Cursor = req.Params.Cursor, ""
	}
	res, err := rest(req)
	if err != nil {
		return res, err
	}
	out, ok := res.(*mcp.ListResourcesResult)
	if !ok {
		return res, nil
	}
	names, err := s.visible(ctx)
	if err != nil {
		return nil, err
	}
	ns, after, ok := readCursor(cursor)
	if !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is not one of this list; begin without one"}
	}
	for i, name := range names {
		if name < ns {
			continue
		}
		if name > ns {
			after = ""
		}
		c, err := s.corpus(ctx, name)
		if err != nil {
			return nil, s.explain(ctx, c, err)
		}
		page, err := c.Page(ctx, service.PageOptions{After: after, Limit: 100 - len(out.Resources)})
		if err != nil {
			return nil, s.explain(ctx, c, err)
		}
		for _, d := range page.Documents {
			out.Resources = append(out.Resources, &mcp.Resource{URI: s.uriOf(name, ofDocument, d.ID), Name: d.ID, Title: d.Title, MIMEType: "text/plain", Size: int64(d.Bytes)})
		}
		switch {
		case page.Next != "":
			out.NextCursor = writeCursor(name, page.Next)
			return out, nil
		case len(out.Resources) == 100 && i+1 < len(names):
			out.NextCursor = writeCursor(names[i+1], "0")
			return out, nil
		}
	}
	return out, nil
}

// A cursor is a namespace and where its list goes on.
func writeCursor(ns, after string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(after + " " + ns))
}

func readCursor(cursor string) (ns, after string, ok bool) {
	if cursor == "" {
		return "", "", true
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return "", "", false
	}
	after, ns, ok = strings.Cut(string(b), " ")
	digits := after != "" && strings.Trim(after, "0123456789") == ""
	return ns, after, ok && digits
}
