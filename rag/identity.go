package rag

import (
	"context"
	"fmt"
	"maps"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/text"
)

// Identity says of a [System] what it is called, what its parameters are and
// which graph it builds. A system embeds it and so has the methods Name,
// Instance, Params, ChunkSet and Graph. It is safe for concurrent use.
type Identity struct {
	name     string
	instance string
	params   map[string]string
	chunks   text.ChunkSet
	graph    *engine.Graph
}

// NewIdentity returns the identity of a system whose parameters were read by r,
// with the graph of the instance's name, which is made where it is new. The
// name is that of [ParamReader.Instance]; it begins with another method's where
// the system reads that one's graph. Parameters that r has refused are the
// error.
func NewIdentity(ctx context.Context, c *Corpus, r *ParamReader, instance string) (Identity, error) {
	if r == nil {
		return Identity{}, fmt.Errorf("rag: %w: no parameters", ErrArgument)
	}
	id, err := identify(r, instance)
	if err != nil {
		return Identity{}, err
	}
	if id.graph, err = c.Graph(ctx, instance); err != nil {
		return Identity{}, fmt.Errorf("rag: %s: %w", r.method, err)
	}
	return id, nil
}

// identify returns an identity without a graph.
func identify(r *ParamReader, instance string) (Identity, error) {
	if err := r.Err(); err != nil {
		return Identity{}, err
	}
	return Identity{name: r.method, instance: instance, params: maps.Clone(r.All), chunks: r.chunks}, nil
}

// Name implements [System].
func (id *Identity) Name() string { return id.name }

// Instance implements [System].
func (id *Identity) Instance() string { return id.instance }

// Params implements [System].
func (id *Identity) Params() map[string]string { return maps.Clone(id.params) }

// ChunkSet implements [System].
func (id *Identity) ChunkSet() text.ChunkSet { return id.chunks }

// Graph implements [System].
func (id *Identity) Graph() *engine.Graph { return id.graph }

// Item names a work item among those of all instances, as [Models.Do] wants it.
func (id *Identity) Item(w WorkItem) string { return id.instance + "/" + w.Key }
