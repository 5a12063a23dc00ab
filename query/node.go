package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// readAhead is how many of the items that are being packed are read together.
const readAhead = 64

// Node reads a node of a graph, once in a run: a caller that cites packed items
// gets their nodes without another read. While the items of a set are packed or weighed,
// the nodes of the items that follow are read along. A node that the query may
// not see is [engine.ErrNotFound]. The caller must not change the properties.
func (e *Env) Node(ctx context.Context, g *engine.Graph, id engine.NodeID) (engine.Node, error) {
	if err := e.check(); err != nil {
		return engine.Node{}, err
	}
	ref := Ref{Graph: g.ID(), ID: id}
	if n, ok := e.nodes[ref]; ok {
		return n, nil
	}
	l, err := e.lens(ctx, g)
	if err != nil {
		return engine.Node{}, err
	}
	if !l.may(id) {
		return engine.Node{}, fmt.Errorf("node %d: %w", id, engine.ErrNotFound)
	}
	if len(e.coming) > 0 && e.coming[0].Ref() == ref && e.nodes != nil {
		if err := l.readComing(); err != nil {
			return engine.Node{}, err
		}
		if n, ok := e.nodes[ref]; ok {
			return n, nil
		}
	}
	n, err := l.raw.Node(id)
	if err == nil && e.nodes != nil {
		e.nodes[ref] = n
	}
	return n, err
}

// Label returns the label of a node's [engine.Total]: the name that its sources give
// it. It is read once in a run. A node that the query may not see is
// [engine.ErrNotFound].
func (e *Env) Label(ctx context.Context, g *engine.Graph, id engine.NodeID) (string, error) {
	if err := e.check(); err != nil {
		return "", err
	}
	ref := Ref{Graph: g.ID(), ID: id}
	if label, ok := e.labels[ref]; ok {
		return label, nil
	}
	l, err := e.lens(ctx, g)
	if err != nil {
		return "", err
	}
	if !l.may(id) {
		return "", fmt.Errorf("node %d: %w", id, engine.ErrNotFound)
	}
	total, err := l.raw.Total(engine.NodeTarget(id))
	if err == nil {
		if e.labels == nil {
			e.labels = map[Ref]string{}
		}
		e.labels[ref] = total.Label
	}
	return total.Label, err
}

// Degree returns the number of the edges of some types at a node, all types if
// none is named, and counts once in a run. It counts edges that the query may not
// see, too.
func (e *Env) Degree(ctx context.Context, g *engine.Graph, id engine.NodeID, types ...string) (int, error) {
	if err := e.check(); err != nil {
		return 0, err
	}
	l, err := e.lens(ctx, g)
	if err != nil {
		return 0, err
	}
	filter, ok := l.edgeFilter(types, engine.Both)
	if !ok {
		return 0, nil
	}
	return l.degree(id, filter, typesKey(types))
}

// typesKey names a list of types.
func typesKey(types []string) string { return strings.Join(types, "\x00") }

// degree is Degree of the types of a filter, with their key.
func (l *lens) degree(id engine.NodeID, f engine.EdgeFilter, types string) (int, error) {
	key := degreeOf{l.graph().ID(), id, types}
	if n, ok := l.e.degrees[key]; ok {
		return n, nil
	}
	n, err := l.raw.Degree(id, f)
	if err == nil {
		if l.e.degrees == nil {
			l.e.degrees = map[degreeOf]int{}
		}
		l.e.degrees[key] = n
	}
	return n, err
}

// degreeOf names a degree.
type degreeOf struct {
	graph engine.GraphID
	id    engine.NodeID
	types string
}

// readComing reads the nodes of the graph among the items that come next.
func (l *lens) readComing() error {
	var ids []engine.NodeID
	e, g := l.e, l.graph().ID()
	for _, it := range e.coming[:min(len(e.coming), readAhead)] {
		if it.Graph == g && it.ID != 0 {
			ids = append(ids, it.ID)
		}
	}
	return l.raw.EachNode(ids, func(_ int, n engine.Node) error {
		e.nodes[Ref{Graph: g, ID: n.ID}] = n
		return nil
	})
}
