package archrag

import (
	"context"

	"github.com/ragdb/ragdb/graphops"
)

// augmented is a graph as it is clustered.
type augmented struct {
	graph  *graphops.Projection
	limits graphops.AugmentLimits
}

// augment enriches a level's graph.
func (s *system) augment(ctx context.Context, lv *level, m graphops.Matrix, space string) (*augmented, error) {
	all := make([]int, len(lv.ids))
	for i := range all {
		all[i] = i
	}
	return s.enrich(ctx, len(lv.ids), Attributed{lv.edges, m, func(ctx context.Context, k int) ([]graphops.WeightedEdge, error) {
		return s.candidates(ctx, lv, m, space, all, k)
	}})
}

// enrich adds edges to near neighbours (spec A2.2) to a graph of n nodes.
func (s *system) enrich(ctx context.Context, n int, g Attributed) (*augmented, error) {
	p, err := graphops.FromEdges(n, g.Edges, graphops.EdgeOptions{Weighted: s.p.Augment != "off"})
	if err != nil || s.p.Augment == "off" || len(g.Vectors.Data) == 0 {
		return &augmented{graph: p}, err
	}
	near, err := g.Near(ctx, s.looked(graphops.AugmentDegree(p, s.p.Scale)))
	if err != nil {
		return nil, err
	}
	o := graphops.AugmentOptions{Vectors: g.Vectors, Percentile: s.p.Percentile, DegreeScale: s.p.Scale}
	r, limits, err := graphops.AugmentKNN(ctx, p, near, o)
	if err != nil {
		return nil, err
	}
	out := &augmented{r, limits}
	if s.p.Augment == "codicil" {
		c, err := graphops.CODICIL(ctx, p, near, graphops.CODICILOptions{Vectors: g.Vectors})
		if err != nil {
			return nil, err
		}
		out.graph = c
	}
	return out, nil
}

// looked is how many neighbours are looked at for a node that may add some.
func (s *system) looked(degree int) int { return int(s.p.Search*float64(degree)) + 1 }

// weighed returns the graph with the weights that are clustered by.
func (s *system) weighed(p *graphops.Projection) (*graphops.Projection, error) {
	if s.p.Weight == "cos" || !p.Weighted() {
		return p, nil
	}
	edges := edgesOf(p)
	for i := range edges {
		edges[i].Weight = max(0, 1-edges[i].Weight)
	}
	return graphops.FromEdges(p.Len(), edges, graphops.EdgeOptions{Weighted: true})
}

// cluster divides a graph; nodes without edges are in no cluster, and none has
// Cap nodes that can be divided further.
func (s *system) cluster(ctx context.Context, p *graphops.Projection) (graphops.Partition, error) {
	k := max(1, p.Len()/s.p.Cap)
	var part graphops.Partition
	switch s.p.Cluster {
	case "leiden":
		h, err := graphops.HierarchicalLeiden(ctx, p, s.leiden(true))
		if err != nil {
			return part, err
		}
		return h.Finest(), nil
	case "spectral":
		// The reference bounds the eigenvectors.
		r, err := graphops.Spectral(ctx, p, graphops.SpectralOptions{K: min(k, 200), Seed: uint64(s.p.Seed)})
		if err != nil {
			return part, err
		}
		part = r.Partition
	case "scan":
		r, err := graphops.SCAN(ctx, p, graphops.SCANOptions{})
		if err != nil {
			return part, err
		}
		part = r.Partition
	case "node2vec":
		r, err := graphops.Node2Vec(ctx, p, graphops.Node2VecOptions{Seed: uint64(s.p.Seed)})
		if err != nil {
			return part, err
		}
		c, err := graphops.KMeans(ctx, r, graphops.KMeansOptions{K: k, Seed: uint64(s.p.Seed)})
		if err != nil {
			return part, err
		}
		part = c.Partition
		for u := range part.Of {
			if p.Degree(uint32(u)) == 0 {
				part.Of[u] = graphops.None
			}
		}
	}
	return s.divide(ctx, p, part, nil)
}

func (s *system) leiden(drop bool) graphops.LeidenOptions {
	return graphops.LeidenOptions{
		Resolution: s.p.Resolution, Theta: s.p.Theta, Seed: uint64(s.p.Seed), DropIsolated: drop,
		MaxSize: s.p.Cap,
	}
}

// divide divides the clusters of Cap nodes and more, each as a graph of its
// own, and numbers all by their first node. Those in whole stay whole.
func (s *system) divide(ctx context.Context, p *graphops.Projection, part graphops.Partition, whole map[int]bool) (graphops.Partition, error) {
	out := graphops.Partition{Of: make([]uint32, len(part.Of)), Count: part.Count}
	copy(out.Of, part.Of)
	off, nodes := part.Members()
	for c := range part.Count {
		members := nodes[off[c]:off[c+1]]
		if len(members) < s.p.Cap || whole[c] {
			continue
		}
		o := s.leiden(false)
		o.Nodes = members
		h, err := graphops.HierarchicalLeiden(ctx, p, o)
		if err != nil {
			return out, err
		}
		fine := h.Finest()
		for _, u := range members {
			if fine.Of[u] > 0 { // the first part keeps the number
				out.Of[u] = uint32(out.Count) + fine.Of[u] - 1
			}
		}
		out.Count += max(0, fine.Count-1)
	}
	return renumbered(out), nil
}

// renumbered numbers clusters in order of their first node, without empty
// ones.
func renumbered(part graphops.Partition) graphops.Partition {
	number := map[uint32]uint32{}
	out := graphops.Partition{Of: make([]uint32, len(part.Of))}
	for u, c := range part.Of {
		out.Of[u] = graphops.None
		if c == graphops.None {
			continue
		}
		if _, ok := number[c]; !ok {
			number[c] = uint32(len(number))
		}
		out.Of[u] = number[c]
	}
	out.Count = len(number)
	return out
}
