package modelhub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/internal/service"
)

// DefaultHub is the address of the hub that is asked if no other is named.
const DefaultHub = "https://huggingface.co"

// Hub is a hub of models. It is asked over HTTPS, or on this machine's loopback address over
// HTTP, through the proxy that the environment names. It is safe for concurrent use.
type Hub struct {
	address string
	client  *http.Client
	// pause waits before something is tried again.
	pause func(ctx context.Context, d time.Duration) error
	// idle is how long a server may say nothing.
	idle time.Duration
}

// NewHub returns the hub at an address, such as https://huggingface.co.
func NewHub(address string) (*Hub, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || !safe(u) {
		return nil, service.Usage("give one such as "+DefaultHub+"; http is for this machine alone", "RAGDB_HUB is %q, which is no address of a hub", address)
	}
	return &Hub{
		address: strings.TrimRight(address, "/"), idle: time.Minute,
		pause: func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
			case <-ctx.Done():
			}
			return ctx.Err()
		},
		client: &http.Client{
			Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DialContext: (&net.Dialer{Timeout: 30 * time.Second}).DialContext},
			CheckRedirect: func(r *http.Request, before []*http.Request) error {
				if len(before) < 10 && safe(r.URL) && (r.URL.Scheme == "https" || u.Scheme == "http") {
					return nil
				}
				return fmt.Errorf("it redirects too often, or off https: to %s", fault.Cut(r.URL.String()))
			},
		},
	}, nil
}

// safe reports whether nobody on the way can read or change what comes from an address.
func safe(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// failed is the error of a hub that does not do what it should.
func failed(hint, format string, args ...any) error {
	return &service.Error{Code: "provider", Message: fault.Text(format, args...), Hint: hint}
}

// temporary is an error that may be gone if the same is tried again, at the earliest after
// some time.
type temporary struct {
	error
	after time.Duration
}

// Unwrap returns the error.
func (t *temporary) Unwrap() error { return t.error }

// How often something is tried that gets no further, and the longest pause between two tries.
const (
	tries    = 6
	maxPause = 5 * time.Minute
)

// again calls try until it succeeds or fails for good. try reports whether it got further.
func (h *Hub) again(ctx context.Context, try func(ctx context.Context) (further bool, err error)) error {
	for n := 1; ; n++ {
		further, err := try(ctx)
		var t *temporary
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if further {
			n = 1
		}
		if err == nil || !errors.As(err, &t) || n == tries || t.after > maxPause {
			return err
		}
		if err := h.pause(ctx, max(t.after, time.Second<<(n-1))); err != nil {
			return err
		}
	}
}

// get asks for an address, from a byte on if that is not 0, and reads the reply, which has
// the status 200, 206 or 416. what says what is asked for.
func (h *Hub) get(ctx context.Context, address, what string, from int64, read func(r *http.Response) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silent := time.AfterFunc(h.idle, cancel) // which the caller does not do: it tries again
	defer silent.Stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	r.Header.Set("User-Agent", "ragdb")
	r.Header.Set("Accept-Encoding", "identity") // bytes count as they are stored
	if from > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	reply, err := h.client.Do(r)
	if err != nil {
		return h.unreached(err)
	}
	defer reply.Body.Close()
	switch reply.StatusCode {
	case http.StatusOK, http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
		reply.Body = io.NopCloser(io.TeeReader(reply.Body, counter(func(int) { silent.Reset(h.idle) })))
		return read(reply)
	}
	return h.refusal(reply, what)
}

// goOn is the hint of what may go better later.
const goOn = "run the same command again: it goes on where it stopped"

// unreached is the error of a request without a reply.
func (h *Hub) unreached(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the address
	}
	var op *net.OpError
	switch isOp := errors.As(err, &op); {
	case errors.Is(err, context.Canceled):
		return &temporary{failed(goOn, "%s says nothing for %s", h.address, h.idle), 0}
	case errors.Is(err, syscall.ECONNREFUSED):
		err = errors.New("the connection is refused")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), isOp && op.Op != "dial":
		return &temporary{failed(goOn, "%s does not answer: %v", h.address, err), 0}
	}
	return failed("check the network, the proxy in HTTPS_PROXY, and the hub's address in RAGDB_HUB", "%s: %v", h.address, err)
}

// refusal is the error of a reply that is not what was asked for.
func (h *Hub) refusal(r *http.Response, what string) error {
	status := r.StatusCode
	switch {
	case r.Header.Get("X-Error-Code") == "GatedRepo" || status == http.StatusForbidden:
		return failed("fetch it with the hub's own tool, and name its folder with file:DIR", "%s gives %s only to people who have accepted its terms", h.address, what)
	case status == http.StatusUnauthorized, status == http.StatusNotFound: // of a missing model, too
		return service.NotFound("check its name and revision on the hub's page", "%s has no %s, or keeps it private", h.address, what)
	case status == http.StatusTooManyRequests, status >= 500:
		s, _ := strconv.Atoi(r.Header.Get("Retry-After"))
		return &temporary{failed(goOn, "%s answers %s for %s", h.address, r.Status, what), time.Duration(max(s, 0)) * time.Second}
	}
	return failed("check the hub's address in RAGDB_HUB", "%s answers %s for %s", h.address, r.Status, what)
}

// mostListing bounds the list of a revision's files in bytes.
const mostListing = 16 << 20

// revision asks for the commit of a revision and its files by their names.
func (h *Hub) revision(ctx context.Context, name, revision string) (commit string, files map[string]file, err error) {
	what := name
	if revision != "main" {
		what += " at " + revision
	}
	var list struct {
		SHA      string
		Siblings []struct {
			RFilename string
			Size      int64
			BlobID    string
			LFS       *struct {
				SHA256 string
				Size   int64
			}
		}
	}
	err = h.again(ctx, func(ctx context.Context) (bool, error) {
		return false, h.get(ctx, h.address+"/api/models/"+name+"/revision/"+url.PathEscape(revision)+"?blobs=true", what, 0, func(r *http.Response) error {
			b, err := io.ReadAll(io.LimitReader(r.Body, mostListing+1))
			if err != nil {
				return &temporary{failed(goOn, "%s broke off the list of files of %s", h.address, what), 0}
			}
			if len(b) > mostListing || json.Unmarshal(b, &list) != nil || !isCommit(list.SHA) {
				return failed("check the hub's address in RAGDB_HUB", "%s lists no files of %s as a hub of models does", h.address, what)
			}
			return nil
		})
	})
	files = map[string]file{}
	for _, s := range list.Siblings {
		f := file{name: s.RFilename, size: s.Size, blob: s.BlobID}
		if s.LFS != nil {
			f.size, f.sha256 = s.LFS.Size, s.LFS.SHA256
		}
		files[f.name] = f
	}
	return list.SHA, files, err
}

// isCommit reports whether a revision is a commit's whole hash.
func isCommit(s string) bool {
	return len(s) == 40 && strings.Trim(s, "0123456789abcdef") == ""
}
