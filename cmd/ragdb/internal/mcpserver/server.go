package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ragdb/ragdb/internal/service"
)

// Database is a database with its name.
type Database struct {
	Name string
	*service.Database
}

// Options say what a server gives.
type Options struct {
	// Databases are those of the server. If there are several, their namespaces are called
	// DATABASE/NAMESPACE.
	Databases []Database
	// Version is that of the program.
	Version string
	// QueryTime bounds a statement of the query language; 0 is 10 seconds.
	QueryTime time.Duration
	// AddTime bounds how long a call of add waits until its document is indexed; 0 is 60
	// seconds. Indexing goes on after it.
	AddTime time.Duration
}

// caller says what the client of a server may do.
type caller struct {
	// ns is the one namespace of the server; "" if there are several.
	ns string
	// allowed says which namespaces of several the caller may know of.
	allowed func(db, ns string) bool
	write   bool
	// ctx ends what the caller has begun.
	ctx context.Context
}

// callerKey is the key of the caller of a request, for a server of several callers.
type callerKey struct{}

// server is what callers speak to: one, or those whose contexts say who they are.
type server struct {
	Options
	caller
	tools []*tool
}

// of returns the caller of a request. A request of nobody may know of nothing.
func (s *server) of(ctx context.Context) caller {
	if s.ns != "" || s.allowed != nil {
		return s.caller
	}
	if c, ok := ctx.Value(callerKey{}).(caller); ok && c.allowed != nil {
		return c
	}
	return caller{allowed: func(_, _ string) bool { return false }}
}

// newServer returns a server of the protocol for a caller, or for the callers of contexts
// if it has no namespace and no rights.
func newServer(o Options, c caller) *mcp.Server {
	o.QueryTime = cmp.Or(o.QueryTime, 10*time.Second)
	o.AddTime = cmp.Or(o.AddTime, time.Minute)
	c.write = c.write && !slices.ContainsFunc(o.Databases, func(d Database) bool { return d.ReadOnly(c.ctx) })
	s := &server{Options: o, caller: c}
	s.tools = append(s.tools, s.askTool(), s.searchTool(), s.whyTool(), s.showTool(), s.documentsTool(), s.queryTool())
	if c.write {
		s.tools = append(s.tools, s.addTool(), s.removeTool())
	}
	out := mcp.NewServer(&mcp.Implementation{Name: "ragdb", Title: "ragdb", Version: o.Version}, &mcp.ServerOptions{
		// What there is does not change while the server runs.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
		// What one caller sees is not for another.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	})
	for _, t := range s.tools {
		if c.ns == "" {
			t.args = append(t.args, namespaceArg())
		}
		out.AddTool(t.described(), s.handler(t))
	}
	s.addResources(out)
	out.AddReceivingMiddleware(s.middleware)
	return out
}

// handler runs a tool. It has no error: what goes wrong is a result.
func (s *server) handler(t *tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		from := s.of(ctx)
		if from.ctx != nil {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(from.ctx, cancel)()
		}
		args, bad := t.read(req.Params.Arguments)
		if bad != nil {
			return refused(bad), nil
		}
		c, err := s.corpus(ctx, args.text("namespace"))
		if err != nil {
			return refused(s.explain(ctx, nil, err)), nil
		}
		if c.DB().ReadOnly(from.ctx) {
			ctx = c.DB().Reading(ctx)
		}
		res, err := t.run(ctx, req, c, args)
		if err != nil {
			return refused(s.explain(ctx, c, err)), nil
		}
		return res, nil
	}
}

// middleware does what the SDK has no place for.
func (s *server) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch r := req.(type) {
		case *mcp.CallToolRequest:
			if !slices.ContainsFunc(s.tools, func(t *tool) bool { return t.name == r.Params.Name }) {
				return refused(s.noTool(r.Params.Name)), nil
			}
		case *mcp.ListResourcesRequest:
			return s.listResources(ctx, r, func(r *mcp.ListResourcesRequest) (mcp.Result, error) { return next(ctx, method, r) })
		case *mcp.ReadResourceRequest:
			r.Params.URI = s.canonical(r.Params.URI)
		}
		res, err := next(ctx, method, req)
		if err != nil {
			return res, err
		}
		switch r := res.(type) {
		case *mcp.InitializeResult:
			r.Instructions, err = s.instructions(ctx)
		case *mcp.DiscoverResult:
			r.Instructions, err = s.instructions(ctx)
		}
		return res, err
	}
}

// noTool is the error of a tool that is not there.
func (s *server) noTool(name string) *service.Error {
	if !s.write && (name == "add" || name == "remove") {
		return service.Usage("tell the user that this server was set up for reading only", "%s is not available", name)
	}
	var names []string
	for _, t := range s.tools {
		names = append(names, t.name)
	}
	return service.Usage("use one of "+strings.Join(names, ", "), "there is no tool %s", quoted(name))
}

// usualNamespace is that of calls to one database that name none.
const usualNamespace = "main"

// corpus opens the namespace of a call. A namespace that the caller may not know of is
// like one that is not there.
func (s *server) corpus(ctx context.Context, ns string) (*corpus, error) {
	if s.ns != "" {
		return s.open(ctx, s.Databases[0], s.ns)
	}
	allowed := s.of(ctx).allowed
	if ns == "" && !s.several() && allowed(s.Databases[0].Name, usualNamespace) {
		// The others need not be listed for it.
		if c, err := s.open(ctx, s.Databases[0], usualNamespace); err == nil {
			return c, nil
		}
	}
	if ns == "" {
		names, err := s.visible(ctx)
		switch {
		case err != nil:
			return nil, err
		case len(names) == 1:
			ns = names[0]
		case len(names) == 0:
			return nil, service.NotFound("tell the user that no documents are there for them", "there is no namespace that you may use")
		default:
			return nil, service.Usage("give one of "+quotedList(names), "the call needs a namespace")
		}
	}
	if db, name, ok := s.named(ns); ok && allowed(db.Name, name) {
		c, err := s.open(ctx, db, name)
		var e *service.Error
		if !errors.As(err, &e) || e.Code != "not_found" {
			return c, err
		}
	}
	names, err := s.visible(ctx)
	if err != nil {
		return nil, err
	}
	hint := "give one of " + quotedList(names)
	if len(names) == 0 {
		hint = "no documents are there for you"
	}
	return nil, service.NotFound(hint, "there is no namespace %s", quoted(ns))
}

// corpus is a namespace of a call, with its database.
type corpus struct {
	*service.Corpus
	db Database
}

func (s *server) open(ctx context.Context, db Database, ns string) (*corpus, error) {
	c, err := db.Corpus(ctx, ns)
	if err != nil {
		return nil, err
	}
	return &corpus{c, db}, nil
}

// several reports whether the names of namespaces begin with that of their database.
func (s *server) several() bool { return len(s.Databases) > 1 }

// named finds the database of a namespace by the name that callers use.
func (s *server) named(name string) (db Database, ns string, ok bool) {
	if !s.several() {
		return s.Databases[0], name, true
	}
	of, ns, ok := strings.Cut(name, "/")
	i := slices.IndexFunc(s.Databases, func(d Database) bool { return d.Name == of })
	if !ok || i < 0 {
		return Database{}, "", false
	}
	return s.Databases[i], ns, true
}

// visible lists the namespaces that the caller may know of, in order of name.
func (s *server) visible(ctx context.Context) (names []string, err error) {
	if s.ns != "" {
		return []string{s.ns}, nil
	}
	allowed := s.of(ctx).allowed
	for _, db := range s.Databases {
		all, err := db.Namespaces(ctx)
		if err != nil {
			return nil, err
		}
		for _, n := range all {
			switch {
			case !allowed(db.Name, n.NS):
			case s.several():
				names = append(names, db.Name+"/"+n.NS)
			default:
				names = append(names, n.NS)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// instructions tell a model what the server is for.
func (s *server) instructions(ctx context.Context) (string, error) {
	var b strings.Builder
	b.WriteString(about)
	if s.ns != "" {
		return b.String(), nil
	}
	names, err := s.visible(ctx)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		b.WriteString("\n\nThere is no namespace that you may use yet.")
		return b.String(), nil
	}
	const most = 50
	fmt.Fprintf(&b, "\n\nThe documents are in namespaces that know nothing of each other. The argument namespace chooses one: %s", quotedList(names[:min(most, len(names))]))
	if more := len(names) - most; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	b.WriteString(".")
	return b.String(), nil
}
