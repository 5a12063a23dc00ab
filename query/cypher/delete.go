package cypher

import (
	"errors"

	"github.com/ragdb/ragdb/engine"
)

// deleteStep removes nodes and edges: edges as rows come, nodes when all have
// come, so that a clause may delete a node with its edges in any order.
type deleteStep struct {
	planned
	at     []Pos
	values []evaluator
	detach bool
}

func (pl *planner) delete(c *deleteClause) error {
	s := &deleteStep{detach: c.Detach}
	for _, e := range c.Exprs {
		ev, err := pl.expr(e)
		if err != nil {
			return err
		}
		s.values = append(s.values, ev)
		s.at = append(s.at, e.At())
	}
	s.describe("Delete")
	if c.Detach {
		s.describe("DetachDelete")
	}
	pl.add(s)
	return nil
}

// doomed is a node to be deleted.
type doomed struct {
	id engine.NodeID
	at Pos
}

func (s *deleteStep) open(x *exec, next sink) sink {
	var nodes []doomed
	seen := map[engine.NodeID]bool{}
	var gather func(v Value, at Pos) error
	gather = func(v Value, at Pos) error {
		switch v.Kind() {
		case KindNull:
		case KindNode:
			if id := v.AsNode(); !seen[id] {
				seen[id] = true
				nodes = append(nodes, doomed{id, at})
				return x.hold(32)
			}
		case KindEdge:
			return deleteEdge(x, v.AsEdge())
		case KindPath:
			p := v.AsPath()
			for _, e := range p.Edges {
				if err := deleteEdge(x, e); err != nil {
					return err
				}
			}
			for _, id := range p.Nodes {
				if err := gather(node(x.graph, id), at); err != nil {
					return err
				}
			}
		default:
			return typeError(at, "DELETE removes nodes, edges and paths, not %s", aKind(v))
		}
		return nil
	}
	push := func(r row) error {
		if err := x.tick(); err != nil {
			return err
		}
		for i, value := range s.values {
			v, err := value(x, r)
			if err != nil {
				return err
			}
			if err := gather(v, s.at[i]); err != nil {
				return err
			}
		}
		return next.push(r)
	}
	done := func() error {
		for _, d := range nodes {
			if err := s.deleteNode(x, d); err != nil {
				return err
			}
		}
		return next.done()
	}
	return sink{push, done}
}

// deleteNode removes a node. It removes its edges only if the clause is DETACH
// DELETE.
func (s *deleteStep) deleteNode(x *exec, d doomed) error {
	if err := x.tick(); err != nil {
		return err
	}
	if !s.detach {
		edges, err := x.tx.Neighbors(d.id, engine.EdgeFilter{Direction: engine.Both}, 0, make([]engine.Edge, 0, 1))
		if err != nil {
			return err
		}
		if len(edges) > 0 {
			n, err := x.graph.record(d.id)
			if err != nil {
				return err
			}
			return evalError(d.at, codeConstraint, "DeleteConnectedNode", "the %s with the key %q still has edges: delete them too, or write DETACH DELETE",
				x.graph.typeName(n.Type), n.Key)
		}
	}
	removed, err := x.tx.DeleteNode(d.id)
	if errors.Is(err, engine.ErrNotFound) {
		return nil // another clause has deleted it
	}
	if err != nil {
		return err
	}
	x.result.Counts.NodesDeleted += len(removed.Nodes)
	x.result.Counts.EdgesDeleted += removed.Edges
	x.graph.changed()
	return nil
}

// deleteEdge removes an edge, if it is still there.
func deleteEdge(x *exec, e *Edge) error {
	_, ok, err := x.tx.EdgeWeight(e.Edge)
	if err != nil || !ok {
		return err
	}
	if err := x.tx.RemoveEdge(e.Edge); err != nil {
		return err
	}
	x.result.Counts.EdgesDeleted++
	x.graph.changed()
	return nil
}
