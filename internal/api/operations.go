package api

import (
	"context"
	"net/http"

	"github.com/ragdb/ragdb/internal/service"
)

// The addresses begin so.
const (
	apiRoot    = "/api/v1"
	corpusRoot = apiRoot + "/corpora/{db}/{ns}"
)

// operations are what the server does.
func operations() []*operation {
	ops := []*operation{
		define(operation{method: http.MethodGet, path: "/healthz", id: "health", tag: "server", summary: "Tell whether the server works"}, (*call).health),
		define(operation{method: http.MethodGet, path: "/metrics", id: "metrics", tag: "server", role: Read, summary: "Figures of requests, in the text format of Prometheus", streams: "text/plain"}, (*call).figures),
		define(operation{method: http.MethodGet, path: apiRoot + "/openapi.json", id: "openapi", tag: "server", summary: "This document"}, (*call).openAPI),
		define(operation{method: http.MethodGet, path: apiRoot + "/databases", id: "listDatabases", tag: "namespaces", role: Read, summary: "List the databases with their namespaces"}, (*call).listDatabases),
		define(operation{method: http.MethodPost, path: apiRoot + "/databases/{db}/namespaces", id: "createNamespace", tag: "namespaces", role: Admin, summary: "Make an empty namespace"}, (*call).createNamespace),
		define(operation{method: http.MethodDelete, path: apiRoot + "/databases/{db}/namespaces/{ns}", id: "dropNamespace", tag: "namespaces", role: Admin, summary: "Remove a namespace with all that is in it"}, (*call).dropNamespace),
	}
	ops = append(ops, documentOperations()...)
	ops = append(ops, questionOperations()...)
	ops = append(ops, jobOperations()...)
	return append(ops, modelOperations()...)
}

// corpusPath is a namespace in an address.
type corpusPath struct {
	// The name of a database.
	DB string `path:"db" schema:"maxlen=200"`
	// The name of a namespace.
	NS string `path:"ns" schema:"maxlen=200"`
}

type nothing struct{}

// Health tells that the server works.
type Health struct {
	Status  string `json:"status" schema:"enum=ok"`
	Version string `json:"version"`
}

func (c *call) health(_ context.Context, _ *nothing) (*Health, error) {
	return &Health{Status: "ok", Version: c.s.o.Version}, nil
}

func (c *call) figures(_ context.Context, _ *nothing) (*nothing, error) {
	c.w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	c.s.metrics.write(c.w)
	return nil, errStreamed
}

func (c *call) openAPI(_ context.Context, _ *nothing) (map[string]any, error) {
	c.w.Header().Set("Content-Type", "application/json")
	_, err := c.w.Write(c.s.document)
	return nil, streamed(err)
}

// DatabaseRow is a database in a list.
type DatabaseRow struct {
	Name       string              `json:"name"`
	ReadOnly   bool                `json:"read_only"`
	Namespaces []service.Namespace `json:"namespaces"`
}

// DatabaseList lists databases.
type DatabaseList struct {
	V         int           `json:"v"`
	Databases []DatabaseRow `json:"databases"`
	// Role is what the request may do: read, write or admin.
	Role string `json:"role"`
}

func (c *call) listDatabases(ctx context.Context, _ *nothing) (*DatabaseList, error) {
	out := &DatabaseList{V: 1, Databases: []DatabaseRow{}, Role: c.grant.Role.String()}
	for _, d := range c.s.o.Databases {
		if !c.grant.seesAll() && !c.grant.seesSome(d.Name) {
			continue
		}
		all, err := d.Namespaces(ctx)
		if err != nil {
			return nil, err
		}
		row := DatabaseRow{Name: d.Name, ReadOnly: d.ReadOnly(ctx), Namespaces: []service.Namespace{}}
		for _, ns := range all {
			if c.grant.Sees(d.Name, ns.NS) {
				row.Namespaces = append(row.Namespaces, ns)
			}
		}
		out.Databases = append(out.Databases, row)
	}
	return out, nil
}

type namespaceIn struct {
	// The name of a database.
	DB string `path:"db" schema:"maxlen=200"`
	// The name of the new namespace.
	Name string `json:"name" schema:"minlen=1,maxlen=200"`
}

func (c *call) createNamespace(ctx context.Context, in *namespaceIn) (*service.NamespaceChange, error) {
	d, err := c.database(in.DB)
	if err != nil {
		return nil, err
	}
	return d.CreateNamespace(ctx, in.Name)
}

func (c *call) dropNamespace(ctx context.Context, in *corpusPath) (*service.NamespaceChange, error) {
	d, _, err := c.corpus(ctx, *in)
	if err != nil {
		return nil, err
	}
	return d.DropNamespace(ctx, in.NS)
}
