package query

import (
	"context"

	"github.com/ragdb/ragdb/engine"
)

// readAhead is how many of the items that are being packed are read together.
const readAhead = 64

// Node reads a node of a graph as the run sees it, once: whoever cites what was
// packed gets it without another read. While a set is packed, the nodes of the
// items that follow are read along. The caller must not change the properties.
func (e *Env) Node(ctx context.Context, g *engine.Graph, id engine.NodeID) (engine.Node, error) {
	if err := e.check(); err != nil {
		return engine.Node{}, err
	}
	ref := Ref{Graph: g.ID(), ID: id}
	if n, ok := e.nodes[ref]; ok {
		return n, nil
	}
	v := e.view(ctx, g)
	if len(e.coming) > 0 && e.coming[0].Ref() == ref && e.nodes != nil {
		if err := e.readComing(v); err != nil {
			return engine.Node{}, err
		}
		if n, ok := e.nodes[ref]; ok {
			return n, nil
		}
	}
	n, err := v.Node(id)
	if err == nil && e.nodes != nil {
		e.nodes[ref] = n
	}
	return n, err
}

// EachNode calls fn with those nodes of a graph that there are, in any order, in
// one reading; [Env.Node] then has them.
func (e *Env) EachNode(ctx context.Context, g *engine.Graph, ids []engine.NodeID, fn func(n engine.Node) error) error {
	if err := e.check(); err != nil {
		return err
	}
	if fn == nil {
		return invalid("there is no function to call")
	}
	return e.view(ctx, g).EachNode(ids, func(_ int, n engine.Node) error {
		if e.nodes != nil {
			e.nodes[Ref{Graph: g.ID(), ID: n.ID}] = n
		}
		return fn(n)
	})
}

// readComing reads the nodes of the view's graph among the items that come
// next.
func (e *Env) readComing(v *engine.View) error {
	var ids []engine.NodeID
	g := v.Graph().ID()
	for _, it := range e.coming[:min(len(e.coming), readAhead)] {
		if it.Graph == g && it.ID != 0 {
			ids = append(ids, it.ID)
		}
	}
	return v.EachNode(ids, func(_ int, n engine.Node) error {
		e.nodes[Ref{Graph: g, ID: n.ID}] = n
		return nil
	})
}
