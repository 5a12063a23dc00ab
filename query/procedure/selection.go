package procedure

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
)

// selection reads the options that choose a part of the graph. If both is set,
// edges lead in both directions, and other directions are refused.
func (c *config) selection(both, weighted bool) graphops.Spec {
	var s graphops.Spec
	if name := c.text("projection", ""); name != "" {
		p, ok := c.call.Projections.Get(name)
		switch {
		case !ok:
			c.failOption("projection", "there is no projection %q; graph.project makes one", name)
		case p.Graph != c.call.View.Graph().Name():
			c.failOption("projection", "projection %q is of graph %s, not of %s", name, p.Graph, c.call.View.Graph().Name())
		}
		s = p.Spec
	}
	if types := c.labels(); types != nil {
		s.Nodes = types
	}
	if types := c.types(); types != nil {
		s.Edges = types
	}
	if nodes, ok := c.get("nodes"); ok {
		s.Where = roaring.New()
		for _, n := range c.nodeList(nodes) {
			s.Where.Add(uint32(n))
		}
	}
	if both {
		s.Direction = c.direction("both")
	} else if _, given := c.get("direction"); given {
		s.Direction = c.direction("out", "in", "both")
	}
	s.Weighted = c.boolean("weighted", weighted || s.Weighted)
	return s
}

// labels returns the node types that the option labels means, nil if it is
// missing.
func (c *config) labels() (out []engine.TypeID) {
	for _, label := range c.texts("labels") {
		types := c.call.NodeTypes(label)
		if len(types) == 0 {
			c.failOption("labels", "there is no label %q in graph %s", label, c.call.View.Graph().Name())
		}
		out = append(out, types...)
	}
	return out
}

// types returns the edge types that the option types means, nil if it is
// missing.
func (c *config) types() (out []engine.EdgeType) {
	for _, name := range c.texts("types") {
		types := c.call.EdgeTypes(name)
		if len(types) == 0 {
			c.failOption("types", "there is no edge type %q in graph %s", name, c.call.View.Graph().Name())
		}
		out = append(out, types...)
	}
	return out
}

// direction returns the option direction, which is one of some words. If it is
// missing, it is the first word's.
func (c *config) direction(words ...string) engine.Direction {
	switch c.choice("direction", words...) {
	case "in":
		return engine.In
	case "both":
		return engine.Both
	}
	return engine.Out
}

// among returns the nodes that the options labels, nodes and filter leave of some
// nodes, nil for all. The filter is asked about no node that the call may not see.
func (c *config) among(ctx context.Context, set *roaring.Bitmap) (*roaring.Bitmap, error) {
	keep := func(nodes *roaring.Bitmap) {
		if set == nil {
			set = nodes
		} else {
			set = roaring.And(set, nodes)
		}
	}
	if types := c.labels(); types != nil {
		nodes, err := nodesOf(c.call.View, types)
		if err != nil {
			return nil, err
		}
		keep(nodes)
	}
	if nodes, ok := c.get("nodes"); ok {
		given := roaring.New()
		for _, n := range c.nodeList(nodes) {
			given.Add(uint32(n))
		}
		keep(given)
	}
	filter := c.text("filter", "")
	if err := c.done(); err != nil || filter == "" {
		return set, err
	}
	p, err := cypher.ParseWhere(filter)
	if err != nil {
		return nil, invalid("the filter is wrong: %s", err) // its place is not in the statement
	}
	may, err := seen(ctx, c.call)
	if err != nil {
		return nil, err
	}
	if may != nil {
		keep(may)
	}
	if set == nil {
		if set, err = c.call.View.Nodes(engine.AnyType); err != nil {
			return nil, err
		}
	}
	return query.Where(c.call.View.WithContext(ctx), set, p, map[string]string{"key": "", "format": "_format"})
}

// seen returns the nodes of the current graph that a call may see, nil for all.
func seen(ctx context.Context, call *cypher.ProcedureCall) (*roaring.Bitmap, error) {
	if call.Query == nil || call.Query.Allow == nil {
		return nil, nil
	}
	return call.Query.Allow(ctx, call.View)
}

// nodesOf returns the nodes of some types.
func nodesOf(v *engine.View, types []engine.TypeID) (*roaring.Bitmap, error) {
	out := roaring.New()
	for _, t := range types {
		nodes, err := v.Nodes(t)
		if err != nil {
			return nil, err
		}
		out.Or(nodes)
	}
	return out, nil
}

// nodeList reads the argument nodes: a list of nodes, or one node.
func (c *config) nodeList(v cypher.Value) []engine.NodeID {
	list := v.AsList()
	if v.Kind() == cypher.KindNode {
		list = []cypher.Value{v}
	} else if v.Kind() != cypher.KindList {
		c.fail("nodes is a list of nodes, not %s", v)
	}
	var out []engine.NodeID
	for _, n := range list {
		if n.Kind() != cypher.KindNode {
			c.fail("nodes is a list of nodes, and holds %s", n)
			return nil
		}
		c.here(n)
		out = append(out, n.AsNode())
	}
	return out
}

// here refuses a node of another graph than the call's.
func (c *config) here(n cypher.Value) {
	if home := c.call.Of(n); home != c.call {
		c.fail("a node of graph %s is not in graph %s", home.View.Graph().Name(), c.call.View.Graph().Name())
	}
}

// inGraphOf returns the call in the graph of the first node of a value: a node,
// or a list of nodes or of maps {node}.
func inGraphOf(call *cypher.ProcedureCall, v cypher.Value) *cypher.ProcedureCall {
	if list := v.AsList(); len(list) > 0 {
		v = list[0]
	}
	if n, ok := v.AsMap()["node"]; ok {
		v = n
	}
	return call.Of(v)
}

// seeds reads nodes with how much each counts: nodes, which count 1, or maps
// {node, score}.
func (c *config) seeds(v cypher.Value) (nodes []engine.NodeID, scores []float64) {
	list := v.AsList()
	if v.Kind() == cypher.KindNode {
		list = []cypher.Value{v}
	}
	for _, e := range list {
		n, score := e, 1.0
		if m := e.AsMap(); m != nil {
			n, score = m["node"], 1
			if s, ok := m["score"]; ok {
				score = s.AsFloat()
			}
		}
		if n.Kind() != cypher.KindNode || !(score >= 0) {
			c.fail("seeds are nodes, or maps {node, score} with a score from 0 on, and not %s", e)
			return nil, nil
		}
		c.here(n)
		nodes, scores = append(nodes, n.AsNode()), append(scores, score)
	}
	if len(nodes) == 0 && c.err == nil {
		c.fail("seeds are a list of at least one node, not %s", v)
	}
	return nodes, scores
}

// project builds a selection.
func project(ctx context.Context, call *cypher.ProcedureCall, s graphops.Spec) (*graphops.Projection, error) {
	if call.Graphs == nil || s.Where != nil {
		return graphops.Project(ctx, call.View, s)
	}
	return call.Graphs.Project(ctx, call.View, s)
}

// numbers translates nodes into those of a projection; nodes that it lacks are
// an error.
func numbers(p *graphops.Projection, nodes []engine.NodeID) ([]uint32, error) {
	out := make([]uint32, len(nodes))
	for i, n := range nodes {
		u, ok := p.Index(n)
		if !ok {
			return nil, phase.Mark(engine.ErrInvalid, "node %d is not in the chosen part of the graph", n)
		}
		out[i] = u
	}
	return out, nil
}
