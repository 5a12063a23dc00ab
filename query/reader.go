package query

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// Reader is what a query may read of a graph ([Env].Allow), for code that is no
// operator, such as the statements of a query language. Nodes and edges that the
// query may not see are missing from it; names of types and properties are not.
// The methods are those of [engine.Reader], which describes them.
// [engine.View] and [engine.TxView] are Readers that show everything.
type Reader interface {
	names
	Lookup(t engine.TypeID, key string) (engine.NodeID, error)
	Keyed(t engine.TypeID, key string) ([]engine.NodeID, error)
	Node(id engine.NodeID) (engine.Node, error)
	// NodeColumns reads properties of many nodes: of those in only, or of all if it is
	// nil. It is not safe for concurrent use.
	NodeColumns(only *roaring.Bitmap) *engine.NodeColumns
	Text(id engine.NodeID, property string) (string, error)
	Nodes(t engine.TypeID) (*roaring.Bitmap, error)
	Degree(id engine.NodeID, f engine.EdgeFilter) (int, error)
	Neighbors(id engine.NodeID, f engine.EdgeFilter, after engine.NodeID, dst []engine.Edge) ([]engine.Edge, error)
	HasEdge(from, to engine.NodeID, t engine.EdgeType) (weight float32, ok bool, err error)
	// Parallel and EdgeWeight are given edges that the query may see.
	Parallel(id engine.NodeID, edges []engine.Edge) ([]engine.Edge, error)
	EdgeWeight(e engine.Edge) (weight float32, ok bool, err error)
	EdgeProps(e engine.Edge) (engine.Props, error)
	Total(t engine.Target) (engine.Total, error)
	Where(p engine.Predicate) (*roaring.Bitmap, error)
	IndexedNodes(rule string, w engine.Span) (*roaring.Bitmap, error)
	IndexedEdges(rule string, w engine.Span) iter.Seq2[engine.Edge, error]
}

var (
	_ Reader = (*engine.View)(nil)
	_ Reader = (*engine.TxView)(nil)
)

// shown is the Reader of an Env with an Allow. What names no node or edge is
// that of the view.
type shown struct {
	names
	raw *engine.View
	mu  sync.Mutex // guards l, which remembers the edges that it looked at
	l   *lens
}

// names are the reads that lead to no node or edge.
type names interface {
	Version() (uint64, error)
	NodeType(name string) (engine.TypeID, bool)
	EdgeType(name string) (engine.EdgeType, bool)
	NodeTypeName(t engine.TypeID) string
	EdgeTypeName(t engine.EdgeType) string
	NodeTypes() []engine.TypeID
	EdgeTypes() []engine.EdgeType
	PropertyNames() []string
	Indexes() []string
	Rules() ([]engine.Rule, error)
	// IndexedCount and IndexedShare are figures for plans, of all nodes or edges.
	IndexedCount(rule string, w engine.Span, limit int) (int, error)
	IndexedShare(rule string, properties int) (float64, error)
	// Vectors returns a space with the vectors of all nodes: the caller reads those
	// of nodes that it found.
	Vectors(space string) (*vecindex.View, error)
	Bucket(name string) engine.Bucket
}

// Reader returns a reader of a graph at the snapshot of the Env. ctx bounds the
// call of Allow and not the reads.
func (e *Env) Reader(ctx context.Context, g *engine.Graph) (Reader, error) {
	if err := e.check(); err != nil {
		return nil, phase.At("", err)
	}
	if e.Allow == nil {
		return e.Snap.Graph(g), nil
	}
	own := &Env{Snap: e.Snap, Allow: e.Allow, AllowAny: e.AllowAny}
	l, err := own.lens(ctx, g)
	if err != nil {
		return nil, phase.At("", err)
	}
	l.raw, l.ctx = e.Snap.Graph(g), context.WithoutCancel(ctx)
	return &shown{names: l.raw, raw: l.raw, l: l}, nil
}

// mayTarget reports whether the query may see what a target names.
func (r *shown) mayTarget(t engine.Target) (bool, error) {
	if t.Type != 0 {
		return r.mayEdge(engine.Edge{From: t.From, To: t.To, Type: t.Type})
	}
	return r.l.may(t.Node), nil
}

func (r *shown) mayEdge(edge engine.Edge) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.l.mayEdge(edge)
}

func (r *shown) Node(id engine.NodeID) (engine.Node, error) {
	if !r.l.may(id) {
		return engine.Node{}, fmt.Errorf("node %d: %w", id, engine.ErrNotFound)
	}
	return r.raw.Node(id)
}

func (r *shown) Lookup(t engine.TypeID, key string) (engine.NodeID, error) {
	id, err := r.raw.Lookup(t, key)
	if err == nil && !r.l.may(id) {
		return 0, fmt.Errorf("node %q: %w", key, engine.ErrNotFound)
	}
	return id, err
}

func (r *shown) Keyed(t engine.TypeID, key string) ([]engine.NodeID, error) {
	ids, err := r.raw.Keyed(t, key)
	return slices.DeleteFunc(ids, func(id engine.NodeID) bool { return !r.l.may(id) }), err
}

func (r *shown) Text(id engine.NodeID, property string) (string, error) {
	if !r.l.may(id) {
		return "", fmt.Errorf("node %d: %w", id, engine.ErrNotFound)
	}
	return r.raw.Text(id, property)
}

func (r *shown) NodeColumns(only *roaring.Bitmap) *engine.NodeColumns {
	if only == nil {
		return r.raw.NodeColumns(r.l.allow)
	}
	return r.raw.NodeColumns(roaring.And(only, r.l.allow))
}

func (r *shown) Nodes(t engine.TypeID) (*roaring.Bitmap, error) { return r.l.nodes(t) }

func (r *shown) Where(p engine.Predicate) (*roaring.Bitmap, error) { return r.l.where(p) }

func (r *shown) IndexedNodes(rule string, w engine.Span) (*roaring.Bitmap, error) {
	return r.l.visible(r.raw.IndexedNodes(rule, w))
}

func (r *shown) IndexedEdges(rule string, w engine.Span) iter.Seq2[engine.Edge, error] {
	return func(yield func(engine.Edge, error) bool) {
		for e, err := range r.raw.IndexedEdges(rule, w) {
			may := err != nil
			if !may {
				may, err = r.mayEdge(e)
			}
			if (may || err != nil) && !yield(e, err) {
				return
			}
		}
	}
}

func (r *shown) Degree(id engine.NodeID, f engine.EdgeFilter) (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err = r.l.edges(id, f, func(engine.Edge) error { n++; return nil })
	return n, err
}

func (r *shown) Neighbors(id engine.NodeID, f engine.EdgeFilter, after engine.NodeID, dst []engine.Edge) ([]engine.Edge, error) {
	room, had := cap(dst)-len(dst), len(dst)
	if room == 0 {
		room = 256
	}
	page := make([]engine.Edge, 0, max(room, 64))
	for {
		size := cap(page)
		var err error
		if page, err = r.raw.Neighbors(id, f, after, page[:0]); err != nil {
			return dst, err
		}
		for _, edge := range page {
			may, err := r.mayEdge(edge)
			if err != nil {
				return dst, err
			}
			if may {
				dst = append(dst, edge)
			}
		}
		if len(page) < size || len(dst)-had >= room {
			return dst, nil
		}
		after = page[len(page)-1].Other(id)
	}
}

func (r *shown) HasEdge(from, to engine.NodeID, t engine.EdgeType) (weight float32, ok bool, err error) {
	weight, ok, err = r.raw.HasEdge(from, to, t)
	if err != nil || !ok {
		return 0, false, err
	}
	if ok, err = r.mayEdge(engine.Edge{From: from, To: to, Type: t}); !ok {
		weight = 0
	}
	return weight, ok, err
}

func (r *shown) Parallel(id engine.NodeID, edges []engine.Edge) ([]engine.Edge, error) {
	return r.raw.Parallel(id, edges)
}

func (r *shown) EdgeWeight(e engine.Edge) (weight float32, ok bool, err error) {
	if may, err := r.mayEdge(e); err != nil || !may {
		return 0, false, err
	}
	return r.raw.EdgeWeight(e)
}

func (r *shown) EdgeProps(e engine.Edge) (engine.Props, error) {
	if may, err := r.mayEdge(e); err != nil || !may {
		return nil, err
	}
	return r.raw.EdgeProps(e)
}

func (r *shown) Total(t engine.Target) (engine.Total, error) {
	if may, err := r.mayTarget(t); err != nil || !may {
		return engine.Total{}, err
	}
	return r.raw.Total(t)
}
