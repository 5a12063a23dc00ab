package method

import (
	"context"
	"maps"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// Identity says what a [System] is called, what its parameters are and which graph
// it builds. It is safe for concurrent use.
type Identity struct {
	name     string
	instance string
	params   map[string]string
	chunks   text.ChunkSet
	graph    *engine.Graph
}

// NewIdentity returns the identity of a system whose parameters were read by r,
// with the graph that [ParamReader.Instance] names, which is made if it is new. owner
// is the method whose graph it is: another one if the system reads that one's graph.
// Parameters that r has refused are the error.
func NewIdentity(ctx context.Context, c *corpus.Corpus, r *ParamReader, owner string) (Identity, error) {
	if r == nil {
		return Identity{}, phase.Errorf("%w: no parameters", corpus.ErrArgument)
	}
	id, err := identify(r, owner)
	if err != nil {
		return Identity{}, err
	}
	if id.graph, err = c.Graph(ctx, id.instance); err != nil {
		return Identity{}, phase.Errorf("%s: %w", r.method, err)
	}
	return id, nil
}

// NewGraphless returns the identity of a system that builds nothing: it retrieves
// chunks by what every index has, their words, vectors and names. The chunk set is
// all that its instance depends on. Parameters that r has refused are the error.
func NewGraphless(r *ParamReader) (Identity, error) {
	if r == nil {
		return Identity{}, phase.Errorf("%w: no parameters", corpus.ErrArgument)
	}
	return identify(r, r.method)
}

// As returns the identity of a method that reads the same graph under another name
// and with other parameters. It owns the map.
func (id Identity) As(name string, params map[string]string) Identity {
	id.name, id.params = name, params
	return id
}

// identify returns an identity without a graph.
func identify(r *ParamReader, owner string) (Identity, error) {
	if err := r.Err(); err != nil {
		return Identity{}, err
	}
	return Identity{name: r.method, instance: r.Instance(owner), params: maps.Clone(r.All), chunks: r.chunks}, nil
}

// Name returns the method's name, such as ketrag.
func (id *Identity) Name() string { return id.name }

// Instance names the method with those of its parameters that indexing depends on
// and that are not the defaults. It is the name of the graph that the method
// builds, or the method's name if it builds none. Methods that read the same graph
// have one instance, that of the method whose graph it is.
func (id *Identity) Instance() string { return id.instance }

// Params returns the method's parameters with the defaults filled in, for people
// and manifests. The caller owns the map.
func (id *Identity) Params() map[string]string { return maps.Clone(id.params) }

// ChunkSet returns the chunk set that the method retrieves.
func (id *Identity) ChunkSet() text.ChunkSet { return id.chunks }

// Graph returns the graph that the method builds, nil if it builds none.
func (id *Identity) Graph() *engine.Graph { return id.graph }

// Item names a work item among those of all instances, as [models.Models.Do] wants it.
func (id *Identity) Item(w queue.WorkItem) string { return id.instance + "/" + w.Key }
