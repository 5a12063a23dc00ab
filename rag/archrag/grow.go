package archrag

import (
	"context"

	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/community"
)

// grown is a level's clustering brought up to date.
type grown struct {
	graph *graphops.Projection
	part  graphops.Partition
	names []string
	moved int
	whole bool // it is a whole clustering
}

// grow brings a clustering up to date: nodes that are as they were stay where
// they were; one that is new, or whose text changed, gets edges to its nearest
// by the limits of the whole clustering, and joins the neighbouring community
// by which modularity gains most, or a new one. A community of Cap members is
// divided, unless the whole clustering has it too: that one could not divide it.
func (s *system) grow(ctx context.Context, lv *level, m graphops.Matrix, space string, b *base) (*grown, error) {
	was := map[uint64]int{}
	for i, h := range b.Nodes {
		was[h] = i
	}
	place := make([]int, len(b.Nodes)) // of a base's node in the level, -1 for gone or changed
	for i := range place {
		place[i] = -1
	}
	old := make([]int, len(lv.ids)) // of a level's node in the base, -1 for new or changed
	var fresh []int
	for u, h := range lv.hashes {
		old[u] = -1
		if i, ok := was[h]; ok && b.Digests[i] == lv.digests[u] {
			old[u], place[i] = i, u
			continue
		}
		fresh = append(fresh, u)
	}
	p, err := s.grownGraph(ctx, lv, m, space, b, place, old, fresh)
	if err != nil {
		return nil, err
	}
	weighed, err := s.weighed(p)
	if err != nil {
		return nil, err
	}
	part := graphops.Partition{Of: make([]uint32, len(lv.ids)), Count: len(b.Names)}
	var joining []uint32
	for _, u := range fresh {
		joining = append(joining, uint32(u))
	}
	for u := range lv.ids {
		part.Of[u] = graphops.None
		if i := old[u]; i >= 0 && b.Cluster[i] >= 0 && weighed.Degree(uint32(u)) > 0 {
			part.Of[u] = uint32(b.Cluster[i])
		} else if i >= 0 && b.Cluster[i] == noEdges {
			joining = append(joining, uint32(u)) // it may have edges now
		}
	}
	if err := community.Join(ctx, weighed, &part, joining, community.Options{Resolution: s.p.Resolution}); err != nil {
		return nil, err
	}
	fine, err := s.divide(ctx, weighed, part, b.unchanged(part, old))
	if err != nil {
		return nil, err
	}
	out := &grown{graph: weighed, part: fine}
	sizes := part.Sizes()
	for _, members := range membersOf(fine) {
		name, c := lv.name(members), part.Of[members[0]]
		if int(c) < len(b.Names) && sizes[c] == len(members) {
			name = b.Names[c]
		}
		out.names = append(out.names, name)
	}
	for u, c := range fine.Of {
		if i := old[u]; i >= 0 {
			before, now := "", ""
			if b.Cluster[i] >= 0 {
				before = b.Names[b.Cluster[i]]
			}
			if c != graphops.None {
				now = out.names[c]
			}
			if before == now {
				continue
			}
		}
		out.moved++
	}
	return out, nil
}

// grownGraph is the level's graph with the added edges of the nodes that are as
// they were, and new ones at the others.
func (s *system) grownGraph(ctx context.Context, lv *level, m graphops.Matrix, space string, b *base, place, old, fresh []int) (*graphops.Projection, error) {
	edges := lv.edges
	if s.p.Augment == "codicil" {
		// Between nodes that are as they were those count that were kept.
		edges = nil
		for _, e := range lv.edges {
			if old[e.From] < 0 || old[e.To] < 0 {
				edges = append(edges, e)
			}
		}
	}
	edges = append([]graphops.WeightedEdge{}, edges...)
	for _, e := range b.Near {
		x, y := place[e[0]], place[e[1]]
		if x < 0 || y < 0 {
			continue
		}
		n := graphops.WeightedEdge{From: uint32(min(x, y)), To: uint32(max(x, y)), Weight: 1}
		if s.p.Augment == "codicil" || !hasEdge(lv.edges, n) {
			edges = append(edges, n)
		}
	}
	sortEdges(edges)
	p, err := graphops.FromEdges(len(lv.ids), edges, graphops.EdgeOptions{Weighted: s.p.Augment != "off"})
	if err != nil || s.p.Augment == "off" || len(m.Data) == 0 {
		return p, err
	}
	limits := b.limits()
	near, err := s.candidates(ctx, lv, m, space, fresh, s.looked(limits.Degree))
	if err != nil {
		return nil, err
	}
	r, _, err := graphops.AugmentKNN(ctx, p, near, graphops.AugmentOptions{Vectors: m, Frozen: &limits})
	if err != nil {
		return nil, err
	}
	return r, nil
}
