package api

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// checkHost refuses a request for another host's name, as a page sends whose name was
// pointed at this machine. No hosts allow every name.
func (o *Options) checkHost(r *http.Request) error {
	if len(o.Hosts) == 0 {
		return nil
	}
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if slices.Contains(o.Hosts, name) {
		return nil
	}
	return refuse("host", "name it with --host if it is one of this server's", "the request is for another host")
}

// checkOrigin refuses a request of a page of another origin that is not allowed, and
// tells browsers of those that are.
func (o *Options) checkOrigin(w http.ResponseWriter, r *http.Request) error {
	origin := r.Header.Get("Origin")
	if len(o.Origins) > 0 {
		w.Header().Add("Vary", "Origin")
	}
	switch {
	case origin == "":
		site := r.Header.Get("Sec-Fetch-Site")
		if site == "cross-site" && r.Method != http.MethodGet && r.Method != http.MethodHead {
			return refuse("forbidden", "", "the request is from a page of another origin")
		}
		return nil
	case slices.Contains(o.Origins, origin):
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "Retry-After")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
			h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-ID")
			h.Set("Access-Control-Max-Age", "600")
		}
		return nil
	}
	if u, err := url.Parse(origin); err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) {
		return nil
	}
	return refuse("forbidden", "allow it with --cors ORIGIN", "the request is from a page of another origin")
}

// LoopbackHosts are the names that reach a server on this machine alone.
func LoopbackHosts() []string { return []string{"localhost", "127.0.0.1", "::1"} }
