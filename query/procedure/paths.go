package procedure

import (
	"context"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query/cypher"
)

// paths are the procedures that look around nodes on the store.
func paths() []*cypher.Procedure {
	nodes := cypher.Arg{Name: "nodes", Type: "list of nodes"}
	options := cypher.Arg{Name: "options", Type: "map", Optional: true}
	return []*cypher.Procedure{
		{
			Name: "graph.shortest_path", Doc: "A shortest path between two nodes, or none; with weighted the weights are lengths, with max it has at most so many edges.",
			Args:    []cypher.Arg{{Name: "from", Type: "node"}, {Name: "to", Type: "node"}, options},
			Columns: []cypher.Column{column("path", "path"), column("cost", "float")}, Run: shortestPath,
			Elsewhere: []string{"dijkstra", "astar", "allsimplepaths"},
		},
		{
			Name: "graph.expand", Doc: "The nodes within some hops of nodes, nearest first.",
			Args:    []cypher.Arg{nodes, options},
			Columns: []cypher.Column{column("node", "node"), column("hop", "integer")}, Run: expand,
			Elsewhere: []string{"bfs", "subgraphnodes", "expandconfig", "spanningtree", "khop"},
		},
		{
			Name: "graph.subgraph", Doc: "The edges between nodes.",
			Args:    []cypher.Arg{nodes, options},
			Columns: []cypher.Column{column("edge", "edge"), column("source", "node"), column("target", "node")}, Run: subgraph,
			Elsewhere: []string{"subgraphall"},
		},
	}
}

// edges reads the options types and direction.
func (c *config) edges() engine.EdgeFilter {
	return engine.EdgeFilter{Types: c.types(), Direction: c.direction("out", "in", "both")}
}

func shortestPath(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	from, to := call.Args[0], call.Args[1]
	if from.Kind() != cypher.KindNode || to.Kind() != cypher.KindNode {
		return invalid("a path leads from a node to a node, not from %s to %s", from, to)
	}
	call = call.Of(from)
	c := newConfig(call, call.Args[2])
	c.here(to)
	f, most, weighted := c.edges(), c.count("max", 0), c.boolean("weighted", false)
	if weighted && most > 0 {
		c.failOption("max", "option max counts edges, and weighted makes weights lengths: leave one of them out")
	}
	if err := c.done(); err != nil {
		return err
	}
	v := call.View.WithContext(ctx)
	local := graphops.Local(v, f)
	if call.Graphs != nil {
		local = call.Graphs.Local(v, f)
	}
	var p *graphops.Path
	var err error
	a, b := uint32(from.AsNode()), uint32(to.AsNode())
	if weighted {
		p, err = graphops.WeightedPath(ctx, local, a, b, graphops.PathOptions{MaxVisits: math.MaxInt32})
	} else {
		p, err = graphops.ShortestPath(ctx, local, a, b, graphops.PathOptions{MaxDepth: most, MaxVisits: math.MaxInt32})
	}
	if err == nil {
		err = local.Err()
	}
	if err != nil {
		return weightError(call, "graph.shortest_path", "from 0 on", f.Types, err)
	}
	if p.Nodes == nil {
		return nil
	}
	nodes := make([]engine.NodeID, len(p.Nodes))
	edges := make([]engine.Edge, len(p.Edges))
	for i, u := range p.Nodes {
		nodes[i] = engine.NodeID(u)
	}
	for i := range edges {
		if edges[i], err = edgeBetween(v, nodes[i], nodes[i+1], f, weighted); err != nil {
			return err
		}
	}
	return yield([]cypher.Value{call.Path(nodes, edges), cypher.Float(p.Length)})
}

// edgeBetween returns the first edge by type that leads from a node to another, of the
// least weight if that is its length.
func edgeBetween(v *engine.View, from, to engine.NodeID, f engine.EdgeFilter, weighted bool) (best engine.Edge, err error) {
	err = engine.ErrNotFound
	types := f.Types
	if types == nil {
		types = v.EdgeTypes()
	}
	for _, t := range types {
		ends := [][2]engine.NodeID{{from, to}, {to, from}}
		if t.Directed() && f.Direction == engine.Out {
			ends = ends[:1]
		} else if t.Directed() && f.Direction == engine.In {
			ends = ends[1:]
		}
		for _, e := range ends {
			w, ok, failed := v.HasEdge(e[0], e[1], t)
			if failed != nil {
				return engine.Edge{}, failed
			}
			if ok && (err != nil || weighted && w < best.Weight) {
				best, err = engine.Edge{From: e[0], To: e[1], Type: t, Weight: w}, nil
				if !weighted {
					return best, nil
				}
			}
		}
	}
	return best, err
}

func expand(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	call = inGraphOf(call, call.Args[0])
	c := newConfig(call, call.Args[1])
	nodes, f := c.nodeList(call.Args[0]), c.edges()
	o := graphops.ExpandOptions{Hops: c.count("hops", 1), MaxNodes: c.count("max", 0), MaxNeighbors: c.count("neighbors", 0)}
	if err := c.done(); err != nil {
		return err
	}
	seeds := make([]uint32, len(nodes))
	for i, n := range nodes {
		seeds[i] = uint32(n)
	}
	local := graphops.Local(call.View.WithContext(ctx), f)
	r, err := graphops.Expand(ctx, local, seeds, o)
	if err == nil {
		err = local.Err()
	}
	if err != nil {
		return err
	}
	for hop := range len(r.Begin) - 1 {
		for _, u := range r.Nodes[r.Begin[hop]:r.Begin[hop+1]] {
			if err := yield([]cypher.Value{call.Node(engine.NodeID(u)), cypher.Int(int64(hop))}); err != nil {
				return err
			}
		}
	}
	return nil
}

func subgraph(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	call = inGraphOf(call, call.Args[0])
	c := newConfig(call, call.Args[1])
	nodes, f := c.nodeList(call.Args[0]), c.edges()
	if err := c.done(); err != nil {
		return err
	}
	set := roaring.New()
	for _, n := range nodes {
		set.Add(uint32(n))
	}
	for e, err := range call.View.WithContext(ctx).Within(set, f) {
		if err != nil {
			return err
		}
		if err := yield([]cypher.Value{call.Edge(e), call.Node(e.From), call.Node(e.To)}); err != nil {
			return err
		}
	}
	return nil
}
