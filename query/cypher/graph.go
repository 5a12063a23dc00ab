package cypher

import (
	"errors"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// graph is a graph as a statement sees it: a view of a snapshot, the part of
// one that the session's filter allows, or a transaction that shows its own
// writes.
type graph struct {
	g *engine.Graph
	r query.Reader
	// all is the whole graph, for computed, which is Options.Computed.
	all      engine.Reader
	computed func(r engine.Reader, n engine.Node, name string) (Value, bool, error)
	// filtered is set if r shows a part of the graph.
	filtered bool

	// writes is set if the statement writes: the properties that an edge value
	// carries may then be out of date.
	writes bool
	// shared caches what was read of the graph's version. It is nil if the
	// statement writes.
	shared *statistics
	// stamp changes with every write to the graph: data derived under another
	// stamp is out of date.
	stamp uint32

	// columns are for the steps of the statement alone.
	columns nodeColumns

	// mu guards the caches: the values of a statement's rows fill them again.
	mu     sync.Mutex
	recent [recentNodes]engine.Node
	labels map[engine.TypeID]string
	ofType map[engine.TypeID]*roaring.Bitmap
	// vectors are the vector indexes, nil until wanted.
	vectors []vectorIndex
	// ruleList are the rules with an index of values, if rulesKnown.
	ruleList   []engine.Rule
	rulesKnown bool
}

// recentNodes is how many records a graph remembers: those of the rows at hand.
const recentNodes = 16

// graphAt returns a graph at the statement's snapshot, as the session's filter shows
// it.
func (x *exec) graphAt(g *engine.Graph) (*graph, error) {
	v := x.result.snap.Graph(g)
	r, err := x.env.Reader(x.ctx, g)
	return &graph{g: g, r: r, all: v, computed: x.session.opts.Computed, filtered: x.env.Allow != nil}, err
}

// record returns a node's record.
func (g *graph) record(id engine.NodeID) (engine.Node, error) {
	place := &g.recent[id%recentNodes]
	g.mu.Lock()
	n := *place
	g.mu.Unlock()
	if n.ID == id && id != 0 {
		return n, nil
	}
	n, err := g.r.Node(id)
	if errors.Is(err, engine.ErrNotFound) {
		return n, evalError(0, codeDeleted, "DeletedEntityAccess", "the node was deleted")
	}
	if err != nil {
		return n, err
	}
	g.mu.Lock()
	*place = n
	g.mu.Unlock()
	return n, nil
}

// changed drops the caches after a write to the graph.
func (g *graph) changed() {
	g.mu.Lock()
	g.recent = [recentNodes]engine.Node{}
	g.ofType, g.vectors, g.labels = nil, nil, nil
	g.stamp++
	g.mu.Unlock()
}

// nodesOf returns the nodes of a type, which the caller must not change.
func (g *graph) nodesOf(t engine.TypeID) (*roaring.Bitmap, error) {
	g.mu.Lock()
	set := g.ofType[t]
	if set == nil && g.shared != nil {
		set = g.shared.sets[t]
	}
	g.mu.Unlock()
	if set != nil {
		return set, nil
	}
	set, err := g.r.Nodes(t)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	if g.ofType == nil {
		g.ofType = map[engine.TypeID]*roaring.Bitmap{}
	}
	g.ofType[t] = set
	if g.shared != nil {
		g.shared.sets[t] = set
	}
	g.mu.Unlock()
	return set, nil
}

// typeLabel returns the label of a type.
func (g *graph) typeLabel(t engine.TypeID) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	label, ok := g.labels[t]
	if !ok {
		label = labelOf(g.r.NodeTypeName(t))
		if g.labels == nil {
			g.labels = map[engine.TypeID]string{}
		}
		g.labels[t] = label
	}
	return label
}

// typeName names a node by its type in messages.
func (g *graph) typeName(t engine.TypeID) string {
	if t == engine.NoType {
		return "node without a label"
	}
	return g.typeLabel(t)
}

// edgeTypesOf returns the edge types that a name in a pattern stands for.
func (g *graph) edgeTypesOf(name string) []engine.EdgeType {
	if t, ok := g.r.EdgeType(name); ok {
		return []engine.EdgeType{t}
	}
	var out []engine.EdgeType
	for _, t := range g.r.EdgeTypes() {
		if labelOf(g.r.EdgeTypeName(t)) == name {
			out = append(out, t)
		}
	}
	return out
}

// labelsOf returns the labels of a node: that of its own type, then the others in the
// order in which the graph got them.
func (g *graph) labelsOf(id engine.NodeID) ([]string, error) {
	n, err := g.record(id)
	if err != nil {
		return nil, err
	}
	out := []string{}
	for _, t := range n.All() {
		out = append(out, g.typeLabel(t))
	}
	return out, nil
}

// key returns the caller's key of a node.
func (g *graph) key(id engine.NodeID) (string, error) {
	n, err := g.record(id)
	return n.Key, err
}

// edgeType returns the type of an edge, as a pattern names it.
func (g *graph) edgeType(e *Edge) string { return labelOf(g.r.EdgeTypeName(e.Type)) }
