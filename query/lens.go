package query

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// A lens is what a query may see of a graph. Operators read graphs by lenses
// alone (TestGraphsAreReadByLenses), so that none can forget what is hidden.
// A lens serves one run of one operator.
type lens struct {
	figures
	ctx   context.Context
	e     *Env
	raw   *engine.View
	allow *roaring.Bitmap // nil: all nodes
	page  []engine.Edge
}

// figures are the reads of a graph that lead to no node. Their numbers count
// what the query may not see, too.
type figures interface {
	NodeType(name string) (engine.TypeID, bool)
	EdgeType(name string) (engine.EdgeType, bool)
	FieldInfo(field string) (engine.FieldOptions, error)
	FieldStats(field string) (engine.TermStats, error)
	TermStats(field, term string) (engine.TermStats, error)
}

// looked counts what lenses have read.
type looked struct {
	edges, vectors int
	sources        int // sets of them
}

// lens opens a graph.
func (e *Env) lens(ctx context.Context, g *engine.Graph) (*lens, error) {
	allow, err := e.allow(ctx, g)
	if err != nil {
		return nil, err
	}
	v := e.view(ctx, g)
	return &lens{figures: v, ctx: ctx, e: e, raw: v, allow: allow}, nil
}

// graph returns the graph that is read.
func (l *lens) graph() *engine.Graph { return l.raw.Graph() }

// allow returns the nodes of a graph that the query may see, nil for all.
func (e *Env) allow(ctx context.Context, g *engine.Graph) (*roaring.Bitmap, error) {
	if e.Allow == nil {
		return nil, nil
	}
	if rb, ok := e.allowed[g.ID()]; ok {
		return rb, nil
	}
	rb, err := e.Allow(ctx, e.view(ctx, g))
	if err == nil {
		if e.allowed == nil {
			e.allowed = map[engine.GraphID]*roaring.Bitmap{}
		}
		e.allowed[g.ID()] = rb
	}
	return rb, err
}

// may reports whether the query may see a node.
func (l *lens) may(id engine.NodeID) bool {
	return l.allow == nil || id <= math.MaxUint32 && l.allow.Contains(uint32(id))
}

// mayEdge reports whether the query may see an edge: its ends, and all its
// sources, or any of them with AllowAny.
func (l *lens) mayEdge(edge engine.Edge) (bool, error) {
	if l.allow == nil {
		return true, nil
	}
	if !l.may(edge.From) || !l.may(edge.To) {
		return false, nil
	}
	ref := Ref{Graph: l.graph().ID(), Edge: engine.Edge{From: edge.From, To: edge.To, Type: edge.Type}}
	if may, ok := l.e.edges[ref]; ok {
		return may, nil
	}
	sources, err := l.raw.Sources(engine.EdgeTarget(edge.From, edge.To, edge.Type))
	if err != nil {
		return false, err
	}
	all, passing := sources.GetCardinality(), sources.AndCardinality(l.allow)
	may := passing == all || l.e.AllowAny && passing > 0
	if l.e.edges == nil {
		l.e.edges = map[Ref]bool{}
	}
	l.e.edges[ref] = may
	return may, nil
}

// seen returns those items that the query may see; items of a graph that no
// operator of the plan names are not among them.
func (e *Env) seen(ctx context.Context, items []Item) ([]Item, error) {
	if e.Allow == nil {
		return items, nil
	}
	lenses := map[engine.GraphID]*lens{}
	out, hidden := items, false
	for i := range items {
		it := &items[i]
		l, ok := lenses[it.Graph]
		if g := e.graphs[it.Graph]; !ok && g != nil {
			var err error
			if l, err = e.lens(ctx, g); err != nil {
				return nil, err
			}
			lenses[it.Graph] = l
		}
		may := false
		switch {
		case l == nil:
		case it.ID != 0:
			may = l.may(it.ID)
		default:
			var err error
			if may, err = l.mayEdge(it.Edge); err != nil {
				return nil, err
			}
		}
		switch {
		case !may && !hidden: // the items may be those of another set, too
			out, hidden = slices.Clone(items[:i]), true
		case may && hidden:
			out = append(out, *it)
		}
	}
	return out, nil
}

// visible returns those of some nodes that may be seen.
func (l *lens) visible(set *roaring.Bitmap, err error) (*roaring.Bitmap, error) {
	if err == nil && l.allow != nil {
		set = roaring.And(set, l.allow)
	}
	return set, err
}

// nodes returns the nodes of a type.
func (l *lens) nodes(t engine.TypeID) (*roaring.Bitmap, error) { return l.visible(l.raw.Nodes(t)) }

// where returns the nodes for which a predicate holds. No others are tested: an
// error of a test tells nothing of what is hidden.
func (l *lens) where(p engine.Predicate) (*roaring.Bitmap, error) {
	if l.allow != nil {
		p = engine.And{engine.OneOf{Nodes: l.allow}, p}
	}
	return l.raw.Where(p)
}

// sources returns the nodes that contributed to a node or an edge.
func (l *lens) sources(t engine.Target) (*roaring.Bitmap, error) {
	l.e.looked.sources++
	return l.visible(l.raw.Sources(t))
}

// phrase returns the nodes in whose field some words stand one after the other.
func (l *lens) phrase(field string, words []string) (*roaring.Bitmap, error) {
	return l.visible(l.raw.Phrase(field, words))
}

// neighborSet returns the neighbours of a node.
func (l *lens) neighborSet(id engine.NodeID, f engine.EdgeFilter) (*roaring.Bitmap, error) {
	if l.allow == nil {
		return l.raw.NeighborSet(id, f)
	}
	out := roaring.New()
	err := l.edges(id, f, func(edge engine.Edge) error {
		out.Add(uint32(edge.Other(id)))
		return nil
	})
	return out, err
}

// neighborsAmong returns those neighbours of a node that are in a set, nil if most is
// positive and the node has so many neighbours at most.
func (l *lens) neighborsAmong(id engine.NodeID, f engine.EdgeFilter, most int, among func() (*roaring.Bitmap, error)) (*roaring.Bitmap, error) {
	set, err := l.raw.NeighborSet(id, f)
	if err == nil && most > 0 && l.allow != nil && set.GetCardinality() > uint64(most) {
		set, err = l.neighborSet(id, f)
	}
	if err != nil || most > 0 && set.GetCardinality() <= uint64(most) {
		return nil, err
	}
	some, err := among()
	if err != nil {
		return nil, err
	}
	set = roaring.And(set, some)
	if l.allow == nil {
		return set, nil
	}
	set.And(l.allow)
	out := roaring.New()
	for ids := set.Iterator(); ids.HasNext(); {
		other := engine.NodeID(ids.Next())
		found, err := l.between(id, other, f)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			out.Add(uint32(other))
		}
	}
	return out, nil
}

// between returns the edges that join two nodes, in order of type and direction.
func (l *lens) between(id, other engine.NodeID, f engine.EdgeFilter) (out []engine.Edge, err error) {
	page, err := l.raw.Neighbors(id, f, other-1, make([]engine.Edge, 0, 1))
	for _, edge := range page {
		if edge.Other(id) != other {
			break
		}
		may, err := l.mayEdge(edge)
		if err != nil {
			return nil, err
		}
		if may {
			out = append(out, edge)
		}
	}
	return out, err
}

// lookup returns the node of a type with a key; ok is false if there is none.
func (l *lens) lookup(t engine.TypeID, key string) (id engine.NodeID, ok bool, err error) {
	id, err = l.raw.Lookup(t, key)
	if isMissing(err) {
		return 0, false, nil
	}
	return id, err == nil && l.may(id), err
}

// typeOf returns the type of a node; ok is false if there is no such node.
func (l *lens) typeOf(id engine.NodeID) (t engine.TypeID, ok bool, err error) {
	n, err := l.raw.Node(id)
	if isMissing(err) {
		return 0, false, nil
	}
	return n.Type, err == nil && l.may(id), err
}

// edges calls fn with the edges of a node, in order of neighbour, type and
// direction, reading them a page at a time. fn calls no other method of the lens
// that reads edges of nodes.
func (l *lens) edges(id engine.NodeID, f engine.EdgeFilter, fn func(engine.Edge) error) error {
	l.page = slices.Grow(l.page[:0], 256)
	for after := engine.NodeID(0); ; {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		room := cap(l.page)
		page, err := l.raw.Neighbors(id, f, after, l.page[:0])
		if err != nil {
			return err
		}
		l.e.looked.edges += len(page)
		l.page = page[:0]
		for _, edge := range page {
			may, err := l.mayEdge(edge)
			if err == nil && may {
				err = fn(edge)
			}
			if err != nil {
				return err
			}
		}
		if len(page) < room {
			return nil
		}
		after = page[len(page)-1].Other(id)
	}
}

// within returns the edges between nodes of a set.
func (l *lens) within(set *roaring.Bitmap, f engine.EdgeFilter) iter.Seq2[engine.Edge, error] {
	return func(yield func(engine.Edge, error) bool) {
		for edge, err := range l.raw.Within(set, f) {
			may := err != nil
			if err == nil {
				may, err = l.mayEdge(edge)
			}
			if (may || err != nil) && !yield(edge, err) {
				return
			}
		}
	}
}

// postings returns the nodes that have a term in a field.
func (l *lens) postings(field, term string) iter.Seq2[engine.Posting, error] {
	return func(yield func(engine.Posting, error) bool) {
		for p, err := range l.raw.Postings(field, term) {
			if (err != nil || l.may(p.ID)) && !yield(p, err) {
				return
			}
		}
	}
}

// termsOf returns the terms of a node in a field, none of a node that is hidden.
func (l *lens) termsOf(field string, id engine.NodeID) ([]engine.TermFreq, error) {
	if !l.may(id) {
		return nil, nil
	}
	return l.raw.TermsOf(field, id)
}

// terms searches a field, and those beside it, by BM25.
func (l *lens) terms(field string, terms []string, o engine.TermsOptions) ([]engine.Scored, error) {
	o.Allow = l.allow
	return l.raw.Terms(field, terms, o)
}

// search searches a vector space. There is nothing in a space that the graph
// lacks.
func (l *lens) search(space string, q vecindex.Search) ([]vecindex.Hit, error) {
	q.Allow = l.allow
	v, err := l.raw.Vectors(space)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if l.e.Trace != nil && !q.Exact {
		lists, err := v.ByLists(l.ctx)
		if err != nil {
			return nil, err
		}
		if lists {
			looked := 0
			q.Distances = &looked
			defer func() { l.e.note("by lists: %d codes compared, among %d vectors", looked, v.Len()) }()
		}
	}
	return v.Search(l.ctx, q, nil)
}

// scores returns the scores of the vectors of nodes in a space against one, -Inf
// for a node without a vector; ok is false if the graph has no such space.
func (l *lens) scores(space string, q []float32, ids []uint64, dst []float32) (out []float32, ok bool, err error) {
	v, err := l.raw.Vectors(space)
	if isMissing(err) {
		return dst, false, nil
	}
	if err != nil {
		return dst, false, err
	}
	l.e.looked.vectors += len(ids)
	out, err = v.Score(l.ctx, q, ids, dst)
	return out, err == nil, err
}

// edgeFilter returns the filter for some edge types, nil for all; ok is false if
// the graph has none of them.
func (l *lens) edgeFilter(types []string, d engine.Direction) (f engine.EdgeFilter, ok bool) {
	f.Direction = d
	if types == nil {
		return f, true
	}
	f.Types = []engine.EdgeType{}
	for _, name := range types {
		if t, ok := l.EdgeType(name); ok {
			f.Types = append(f.Types, t)
		}
	}
	return f, len(f.Types) > 0
}
