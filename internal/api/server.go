package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/internal/memory"
	"github.com/ragdb/ragdb/internal/service"
)

// Options say what a server serves, and to whom.
type Options struct {
	// Databases are served in this order. The names are theirs in addresses.
	Databases []Database
	// Version is the program's, for clients.
	Version string
	// Tokens are those that requests show; nil lets every request do everything.
	Tokens *Tokens
	// Hosts are the names that requests may be for, in lower case and without ports; none
	// allow every name.
	Hosts []string
	// Origins are those whose pages may use the server beside its own.
	Origins []string
	Limits  Limits
	// Log gets a record of each request, without what was asked or answered. Content adds
	// questions and statements. Nil logs nothing.
	Log     *slog.Logger
	Content bool
	// Page is what / and paths below it show that are no operations; nil is nothing.
	Page http.Handler
	// Tools serves /mcp; nil is nothing.
	Tools http.Handler
	// Spans gets the spans of requests; nil makes none.
	Spans *Tracer
}

// Database is a database with its name.
type Database struct {
	Name string
	*service.Database
}

// Server is the handler of all operations. It is safe for concurrent use.
type Server struct {
	o          Options
	operations []*operation
	document   []byte // OpenAPI
	heavy      *gate
	streams    *gate
	metrics    metrics
	began      int64 // in seconds, as clients of models want it
}

// New makes a server. The databases are the caller's, who closes them after the last
// request has ended.
func New(o Options) (*Server, error) {
	o.Limits.settle()
	s := &Server{o: o, operations: operations(), began: time.Now().Unix(),
		heavy:   newGate(o.Limits.Asks, o.Limits.Wait, "questions"),
		streams: newGate(o.Limits.Streams, 0, "streams")}
	var err error
	s.document, err = s.openAPI()
	return s, err
}

// memory returns the budget that requests draw from: that of the first database, which
// the others share.
func (s *Server) memory() *memory.Budget {
	if len(s.o.Databases) == 0 {
		return nil
	}
	return s.o.Databases[0].Memory()
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(rw)
	w := &patientWriter{ResponseWriter: rw, control: control, idle: s.o.Limits.Idle}
	rec := &entry{start: time.Now(), memory: s.memory().Begin()}
	defer rec.memory.Close()
	ctx, span := s.o.Spans.start(context.WithValue(r.Context(), entryKey{}, rec), r)
	r = r.WithContext(ctx)
	if r.Body != nil {
		r.Body = &patientBody{ReadCloser: http.MaxBytesReader(rw, r.Body, s.o.Limits.Body), control: control, end: time.Now().Add(s.o.Limits.Idle), grow: func(n int) error { return rec.memory.Grow(ctx, bodyShare*int64(n)) }}
	}
	s.metrics.begin()
	defer func() {
		// What is left of a body is awaited so long before the answer is sent. The next
		// request of the connection is not bound.
		_ = control.SetReadDeadline(time.Now().Add(s.o.Limits.Idle))
		_ = control.SetWriteDeadline(time.Time{})
		s.metrics.end(rec, w.status)
		span.end(rec, w.status)
		s.log(r, rec, w)
	}()
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if err := s.o.checkHost(r); err != nil {
		s.fail(w, r, err)
		return
	}
	if err := s.o.checkOrigin(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	if r.ContentLength > s.o.Limits.Body {
		h.Set("Connection", "close") // so that the body is not waited for
		s.fail(w, r, tooLarge())
		return
	}
	if err := s.route(w, r, rec); err != nil && !errors.Is(err, errStreamed) {
		s.fail(w, r, err)
	}
}

// route finds the operation of a request and runs it.
func (s *Server) route(w *patientWriter, r *http.Request, rec *entry) error {
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if s.o.Tools != nil && r.URL.Path == "/mcp" {
		rec.op = "mcp"
		b, err := io.ReadAll(r.Body) // before it takes a place among those that run at once
		if err != nil {
			return bodyError(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(b))
		return s.bounded(r, r.Method == http.MethodPost, func(r *http.Request, _ *place) error {
			s.o.Tools.ServeHTTP(w, r)
			return nil
		})
	}
	parts, err := segments(r.URL)
	if err != nil {
		return err
	}
	var allow []string
	for _, op := range s.operations {
		path, ok := match(op.segments, parts)
		if !ok {
			continue
		}
		if op.method != r.Method && (op.method != http.MethodGet || r.Method != http.MethodHead) {
			allow = append(allow, op.method)
			continue
		}
		rec.op, rec.forOpenAI = op.id, op.tag == modelsTag
		return s.perform(&call{s: s, op: op, w: w, r: r, path: path})
	}
	if allow != nil {
		w.Header().Set("Allow", strings.Join(allow, ", "))
		return refuse("method", "", "the address has no "+fault.Cut(r.Method))
	}
	near := s.nearest(r.Method, parts)
	if near == "" && s.o.Page != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead) && !strings.HasPrefix(r.URL.Path, "/api/") && !strings.HasPrefix(r.URL.Path, "/v1/") {
		rec.op = "page"
		s.o.Page.ServeHTTP(w, r)
		return nil
	}
	rec.forOpenAI = strings.HasPrefix(r.URL.Path, "/v1/")
	return service.NotFound(near+"/api/v1/openapi.json lists what there is", "there is nothing at this address")
}

// nearest names the operation that the sender of an unknown path may mean: the one whose
// last part is that of the path, or begins or ends it.
func (s *Server) nearest(method string, path []string) string {
	for len(path) > 1 && path[len(path)-1] == "" {
		path = path[:len(path)-1]
	}
	last := strings.ToLower(path[len(path)-1])
	best, most := "", 0
	for _, op := range s.operations {
		name := op.segments[len(op.segments)-1]
		alike := strings.HasPrefix(name, last) || strings.HasPrefix(last, name)
		if len(last) < 3 || !alike || strings.HasPrefix(name, "{") {
			continue
		}
		likeness := 4 * min(len(name), len(last))
		if name == last {
			likeness += 2
		}
		if op.method == method {
			likeness++
		}
		if likeness > most {
			best, most = op.method+" "+strings.NewReplacer("{db}", "DATABASE", "{ns}", "NAMESPACE", "{id}", "ID").Replace(op.path), likeness
		}
	}
	if best == "" {
		return ""
	}
	return "it may be " + best + "; "
}

// perform runs an operation for a request that may.
func (s *Server) perform(c *call) error {
	var err error
	if c.op.role > 0 {
		if c.grant, err = s.o.Tokens.Grant(c.r); err != nil {
			return err
		}
		if c.grant.Role < c.op.role {
			return refuse("forbidden", "", "the token may "+c.grant.Role.String()+", and this wants "+c.op.role.String())
		}
	}
	return c.op.serve(s, c)
}

// bounded runs what a request wants: if it is heavy, only so many at once, each for so
// long.
func (s *Server) bounded(r *http.Request, heavy bool, fn func(r *http.Request, p *place) error) error {
	if !heavy {
		return fn(r, nil)
	}
	p, err := s.heavy.take(r.Context())
	if err != nil {
		return err
	}
	defer p.leave()
	ctx, cancel := context.WithTimeout(r.Context(), s.o.Limits.Time)
	defer cancel()
	return fn(r.WithContext(ctx), p)
}

// segments divides the path of an address, and decodes its parts.
func segments(u *url.URL) ([]string, error) {
	parts := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, p := range parts {
		var err error
		if parts[i], err = url.PathUnescape(p); err != nil {
			return nil, refuse("usage", "", "the address is not encoded as it should be")
		}
	}
	return parts, nil
}

// match compares a path with that of an operation, whose parts in braces take any text.
func match(pattern, parts []string) (map[string]string, bool) {
	if len(pattern) != len(parts) {
		return nil, false
	}
	var out map[string]string
	for i, p := range pattern {
		if strings.HasPrefix(p, "{") {
			if out == nil {
				out = map[string]string{}
			}
			out[p[1:len(p)-1]] = parts[i]
		} else if p != parts[i] {
			return nil, false
		}
	}
	return out, true
}
