package graphops

import (
	"context"
	"fmt"
)

// PathLeg is the path between two consecutive keys of a chain.
type PathLeg struct {
	From, To uint32
	Path
}

// Chain is what [PathChain] returns.
type Chain struct {
	// Legs has one path for each two consecutive keys, found or not.
	Legs []PathLeg
	// Nodes are the nodes of all legs in the order of walking, each where it
	// comes first. Every key is among them, also where no path leads to it.
	Nodes []uint32
	// Edges are the edges of all legs in the order of walking, each once, in
	// the direction in which it was first walked.
	Edges []WeightedEdge
	// Found is how many legs were found.
	Found int
}

// PathChain returns the chain of shortest paths through key nodes: from the
// first to the second, from there to the third, and so on. Each leg is what
// [ShortestPath] returns, with the limits of o each for itself. A leg that is
// not found is reported with its status; the chain goes on from the next key.
// One key is a chain of that node without legs; no keys make an empty one. A
// key that is given twice is visited twice, by a leg without edges where it
// comes twice in a row.
//
// Source: HiRAG (Huang et al. 2025), section 4.2, the bridge between the key
// entities of communities. Its code loses the start of a chain of two keys,
// and the one key of a chain of one.
func PathChain(ctx context.Context, a Adjacency, keys []uint32, o PathOptions) (*Chain, error) {
	c, err := pathChain(ctx, a, keys, &o)
	if err != nil {
		return nil, phase.Errorf("path chain: %w", err)
	}
	return c, nil
}

func pathChain(ctx context.Context, a Adjacency, keys []uint32, o *PathOptions) (*Chain, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	c := &Chain{}
	if len(keys) == 0 {
		return c, ctx.Err()
	}
	s, release := borrow(a)
	defer release()
	f := newPathFinder(a, o.Reverse, s)
	if err := f.begin(ctx, keys[0], keys[0], o.MaxVisits); err != nil {
		return nil, err
	}
	u := chainUnion{
		c:      c,
		nodes:  map[uint32]bool{},
		edges:  map[[2]uint32]bool{},
		either: symmetric(a),
	}
	u.node(keys[0])
	for i := 1; i < len(keys); i++ {
		from, to := keys[i-1], keys[i]
		p, err := f.shortest(ctx, from, to, o)
		if err != nil {
			return nil, fmt.Errorf("leg %d, %d-%d: %w", i-1, from, to, err)
		}
		c.Legs = append(c.Legs, PathLeg{From: from, To: to, Path: *p})
		if p.Status == PathFound {
			c.Found++
		}
		for _, v := range p.Nodes {
			u.node(v)
		}
		u.node(to)
		for _, e := range p.Edges {
			u.edge(e)
		}
	}
	return c, nil
}

// chainUnion collects what the legs of a chain have together.
type chainUnion struct {
	c      *Chain
	nodes  map[uint32]bool
	edges  map[[2]uint32]bool
	either bool // an edge is the same in both directions
}

func (u *chainUnion) node(v uint32) {
	if !u.nodes[v] {
		u.nodes[v] = true
		u.c.Nodes = append(u.c.Nodes, v)
	}
}

func (u *chainUnion) edge(e WeightedEdge) {
	key := [2]uint32{e.From, e.To}
	if u.either && e.From > e.To {
		key = [2]uint32{e.To, e.From}
	}
	if !u.edges[key] {
		u.edges[key] = true
		u.c.Edges = append(u.c.Edges, e)
	}
}
