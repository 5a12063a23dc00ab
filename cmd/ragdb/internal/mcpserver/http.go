package mcpserver

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ragdb/ragdb/internal/service"
)

// Access says what the sender of a request may do: allowed which namespaces of which
// databases they may know of, write whether they may add and remove documents. It is called once for each request.
// An error refuses the request with status 401 and the error's text.
type Access func(r *http.Request) (allowed func(db, ns string) bool, write bool, err error)

// bodyBytes bounds the body of a request.
const bodyBytes = 64 << 20

// Handler serves the protocol's streamable HTTP transport, at whatever path it is mounted.
// The server has several namespaces, of which a sender sees those that access allows. There
// are no sessions: each request stands for itself, and is checked for itself. The caller of
// Handler checks the headers Host and Origin.
func Handler(o Options, access Access) http.Handler {
	reads, writes := newServer(o, caller{}), newServer(o, caller{write: true})
	h := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		if c, ok := r.Context().Value(callerKey{}).(caller); ok && c.write {
			return writes
		}
		return reads
	}, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: bodyBytes, DisableLocalhostProtection: true, PropagateRequestCancellation: true,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		allowed, write, err := access(r)
		if err != nil {
			unauthorized(w, err)
			return
		}
		c := caller{allowed: allowed, write: write, ctx: r.Context()}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	})
}

// unauthorized refuses a request, as the HTTP interface does.
func unauthorized(w http.ResponseWriter, err error) {
	e := service.Explain(err)
	b, jerr := service.Encode(map[string]any{
		"type": "about:blank", "title": http.StatusText(http.StatusUnauthorized), "status": http.StatusUnauthorized,
		"code": e.Code, "detail": e.Message, "hint": e.Hint,
	})
	if jerr != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("WWW-Authenticate", "Bearer")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write(b) // the client is gone if it fails
}
