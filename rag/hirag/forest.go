package hirag

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// branch is a community in a forest: of a level, and a part of another but on level
// 0. Members are ascending.
type branch struct {
	level, parent int // parent is a place in the forest, -1 on level 0
	members       []uint32
	// base is the community of the last whole clustering that it goes on
	// from, -1 for a new one.
	base int
}

// clustering is what the last whole clustering found. Nodes are named by
// digests, so that it holds no texts and does not depend on ids.
type clustering struct {
	Nodes []uint64 `json:"nodes"`
	// Deepest has for each node the deepest community that has it, Adjacent a
	// digest of its edges.
	Deepest  []int32  `json:"deepest"`
	Adjacent []uint64 `json:"adjacent"`
	// Parent has for each community the one that it is a part of, -1 for none.
	Parent []int32 `json:"parent"`
	// Modularity is that of level 0.
	Modularity float64 `json:"modularity"`
}

// communitySeed is the reference's.
const communitySeed = 0xDEADBEEF

// divide clusters some nodes of a graph, nil for all, into communities of less
// than size nodes each (spec B.2.8). level and parent are those of the first
// ones. A clustering into one community is none.
func divide(ctx context.Context, p *graphops.Projection, nodes []uint32, size, level, parent int, out []branch) ([]branch, error) {
	h, err := graphops.HierarchicalLeiden(ctx, p, graphops.LeidenOptions{
		Seed: communitySeed, DropIsolated: parent < 0, Nodes: nodes, MaxSize: size,
	})
	if err != nil {
		return nil, err
	}
	if parent >= 0 && (len(h.Levels) == 0 || h.Levels[0].Count < 2) {
		return out, nil
	}
	before := 0 // where the communities of the level before begin
	for i, l := range h.Levels {
		at := len(out)
		off, members := l.Members()
		for c := range l.Count {
			x := branch{level: level + i, parent: parent, base: -1}
			if i > 0 {
				x.parent = before + int(l.Parent[c])
			}
			x.members = slices.Sorted(slices.Values(members[off[c]:off[c+1]]))
			out = append(out, x)
		}
		before = at
	}
	return out, nil
}

// remembered returns a forest as the whole clustering that later ones go on
// from.
func remembered(p *graphops.Projection, forest []branch, keys, adjacent []uint64) (*clustering, error) {
	out := &clustering{Parent: make([]int32, len(forest))}
	deepest := make([]int32, p.Len())
	for i := range deepest {
		deepest[i] = -1
	}
	for i, c := range forest {
		out.Parent[i] = int32(c.parent)
		for _, u := range c.members {
			if d := deepest[u]; d < 0 || forest[d].level < c.level {
				deepest[u] = int32(i)
			}
		}
	}
	for u, d := range deepest {
		if d >= 0 {
			out.Nodes = append(out.Nodes, keys[u])
			out.Deepest = append(out.Deepest, d)
			out.Adjacent = append(out.Adjacent, adjacent[u])
		}
	}
	var err error
	out.Modularity, err = modularity(p, forest)
	return out, err
}

// modularity is that of level 0.
func modularity(p *graphops.Projection, forest []branch) (float64, error) {
	part := graphops.Partition{Of: make([]uint32, p.Len())}
	for i := range part.Of {
		part.Of[i] = graphops.None
	}
	for _, c := range forest {
		if c.level == 0 {
			for _, u := range c.members {
				part.Of[u] = uint32(part.Count)
			}
			part.Count++
		}
	}
	return graphops.Modularity(p, &part, 1)
}

// communityNodes are the nodes that communities are made of, with their edges.
type communityNodes struct {
	nodes []node
	p     *graphops.Projection
	edges []engine.Edge
	// at has the places of each node's edges.
	at [][]int
}

// readGraph reads the entities and summaries with their relations, numbered in
// their own order.
func (s *system) readGraph(v engine.Reader) (*communityNodes, error) {
	g := &communityNodes{}
	for _, typ := range []string{typeEntity, typeSummary} {
		n, err := nodesOf(v, typ)
		if err != nil {
			return nil, err
		}
		g.nodes = append(g.nodes, n...)
	}
	number := make(map[engine.NodeID]uint32, len(g.nodes))
	for i, n := range g.nodes {
		number[n.id] = uint32(i)
	}
	g.at = make([][]int, len(g.nodes))
	var list []graphops.WeightedEdge
	if t, ok := v.EdgeType(edgeRelation); ok {
		for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{t}}) {
			if err != nil {
				return nil, err
			}
			from, to := number[e.From], number[e.To]
			if from > to {
				from, to = to, from
				e.From, e.To = e.To, e.From
			}
			list = append(list, graphops.WeightedEdge{From: from, To: to, Weight: e.Weight})
			g.edges = append(g.edges, e)
		}
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if d := int(list[a].From) - int(list[b].From); d != 0 {
			return d
		}
		return int(list[a].To) - int(list[b].To)
	})
	edges := make([]engine.Edge, len(order))
	for i, o := range order {
		edges[i] = g.edges[o]
		for _, u := range []uint32{list[o].From, list[o].To} {
			g.at[u] = append(g.at[u], i)
		}
	}
	g.edges = edges
	var err error
	g.p, err = graphops.FromEdges(len(g.nodes), list, graphops.EdgeOptions{Weighted: true})
	return g, err
}
