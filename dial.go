package ragdb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/holder"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// DialOptions say how a database is used that another process holds. The zero value and
// nil work.
type DialOptions struct {
	// Namespace is as in [Options]. It must exist.
	Namespace string
	// Methods are as in [Options]: documents are indexed by them, and the first answers
	// questions that name none. The default are those of the namespace.
	Methods []string
	// Style is as in [Options].
	Style string
	// Token is what a server that wants one is shown.
	Token string
	// HTTP sends requests to a server; nil is [http.DefaultClient]. It is not used for a
	// directory.
	HTTP *http.Client
}

// Client uses a database that another process holds. Add, AddFiles, Remove, Ask and Search
// are those of [DB], with the models of the other process. It is safe for concurrent use.
type Client struct {
	o    DialOptions
	http *http.Client
	base string // of the namespace's operations
}

// Dial connects to a database that another process holds. The address is its directory, in
// which a ragdb command or a program with [Options.Share] holds it, or that of a server
// ([ragdb serve]): http://HOST:PORT, with /NAME behind it if the server has several
// databases. It asks once whether somebody answers. Errors are [ErrNobody] if no process
// holds the directory or none answers, [engine.ErrNotFound] for a database or a namespace
// that is not there, and a [*RemoteError].
func Dial(ctx context.Context, address string, o *DialOptions) (*Client, error) {
	c := &Client{}
	if o != nil {
		c.o = *o
	}
	if c.o.Namespace == "" {
		c.o.Namespace = "main"
	}
	server, name := "http://ragdb", ""
	if strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") {
		u, err := url.Parse(address)
		if err != nil {
			return nil, phase.Errorf("%w: %w", rag.ErrArgument, err)
		}
		server, name = u.Scheme+"://"+u.Host, strings.Trim(u.Path, "/")
		if c.http = c.o.HTTP; c.http == nil {
			c.http = http.DefaultClient
		}
	} else {
		c.http = &http.Client{Transport: holder.Transport(address)}
	}
	c.base = server + "/api/v1/"
	var list struct {
		Databases []struct {
			Name       string
			Namespaces []struct{ NS string }
		}
	}
	if err := c.call(ctx, http.MethodGet, "databases", nil, &list); err != nil {
		return nil, phase.Errorf("dial %s: %w", address, err)
	}
	for _, d := range list.Databases {
		if name != "" && d.Name != name || name == "" && len(list.Databases) > 1 {
			continue
		}
		for _, ns := range d.Namespaces {
			if ns.NS == c.o.Namespace {
				c.base += path.Join("corpora", url.PathEscape(d.Name), url.PathEscape(ns.NS)) + "/"
				return c, nil
			}
		}
		return nil, phase.Errorf("dial %s: namespace %s: %w", address, c.o.Namespace, engine.ErrNotFound)
	}
	if name == "" {
		return nil, phase.Errorf("dial %s: %w: the server has %d databases: put the name of one behind the address", address, rag.ErrArgument, len(list.Databases))
	}
	return nil, phase.Errorf("dial %s: database %s: %w", address, name, engine.ErrNotFound)
}

// Close ends the connections. The other process goes on.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// ErrNobody says that no process answers for a database.
var ErrNobody = holder.ErrNobody

// RemoteError is an error that the process told that holds a database. It is the sentinel
// that its code stands for: [engine.ErrNotFound], [rag.ErrArgument], [method.ErrMethod],
// [method.ErrNotIndexed], [engine.ErrReadOnly], [cost.ErrBudget], [llm.ErrProvider].
type RemoteError struct {
	// Code is as in the command's errors, Status that of HTTP.
	Code    string
	Status  int
	Message string
}

// Error returns the message.
func (e *RemoteError) Error() string { return e.Message }

// Is reports whether the code stands for a sentinel.
func (e *RemoteError) Is(target error) bool {
	switch e.Code {
	case "not_found":
		return target == engine.ErrNotFound
	case "usage", "syntax":
		return target == rag.ErrArgument || target == method.ErrMethod
	case "not_indexed":
		return target == method.ErrNotIndexed
	case "no_documents":
		return target == rag.ErrNoDocuments
	case "read_only":
		return target == engine.ErrReadOnly
	case "budget":
		return target == cost.ErrBudget
	case "model":
		return target == rag.ErrModel
	case "provider", "reply":
		return target == llm.ErrProvider
	}
	return false
}

// request sends a request. The caller closes the body of the answer, which is a good one.
func (c *Client) request(ctx context.Context, verb, name string, in any, accept string) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", rag.ErrArgument, err)
		}
		body = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, verb, c.base+name, body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", rag.ErrArgument, err)
	}
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Accept", accept)
	if c.o.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.o.Token)
	}
	resp, err := c.http.Do(r)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, ctx.Err()
	case errors.Is(err, ErrNobody):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNobody, err)
	case resp.StatusCode/100 == 2:
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, remoteError(resp)
}

// remoteError reads the error of an answer.
func remoteError(resp *http.Response) error {
	var p struct{ Code, Detail string }
	b, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20)) // what there is of it
	if json.Unmarshal(b, &p) != nil || p.Detail == "" {
		p.Detail = "the server answers " + resp.Status
	}
	return &RemoteError{Code: p.Code, Status: resp.StatusCode, Message: p.Detail}
}

// call sends a request and reads the answer.
func (c *Client) call(ctx context.Context, verb, name string, in, out any) error {
	resp, err := c.request(ctx, verb, name, in, "application/json")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return broken(ctx, err)
	}
	return nil
}

// broken is the error of an answer that does not come to its end.
func broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ErrNobody, err)
}
