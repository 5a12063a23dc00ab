package archrag

import (
	"context"

	"github.com/ragdb/ragdb/graphops"
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
	j := newJoiner(weighed, s.p.Resolution, len(b.Names))
	for u := range lv.ids {
		if i := old[u]; i >= 0 && b.Cluster[i] >= 0 && j.k[u] > 0 {
			j.put(u, b.Cluster[i])
		} else if i >= 0 && b.Cluster[i] == noEdges {
			fresh = append(fresh, u) // it may have edges now
		}
	}
	j.join(fresh)
	part := graphops.Partition{Of: j.of, Count: len(j.total)}
	fine, err := s.divide(ctx, weighed, part, b.unchanged(part, old))
	if err != nil {
		return nil, err
	}
	out := &grown{graph: weighed, part: fine}
	sizes := part.Sizes()
	for _, members := range membersOf(fine) {
		name, c := lv.name(members), j.of[members[0]]
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

// joiner puts nodes into communities one by one, by gain of modularity.
type joiner struct {
	p          *graphops.Projection
	resolution float64
	k          []float64 // strength of each node
	twice      float64   // of the weight of all edges
	of         []uint32
	total      []float64 // strength of each community
	to         []uint32
	w          []float32
}

func newJoiner(p *graphops.Projection, resolution float64, communities int) *joiner {
	j := &joiner{
		p: p, resolution: resolution, k: make([]float64, p.Len()), of: make([]uint32, p.Len()),
		total: make([]float64, communities),
	}
	for u := range j.k {
		j.of[u] = graphops.None
		to, w := p.Row(uint32(u))
		for i := range to {
			j.k[u] += weightAt(w, i)
		}
		j.twice += j.k[u]
	}
	return j
}

func weightAt(w []float32, i int) float64 {
	if w == nil {
		return 1
	}
	return float64(w[i])
}

func (j *joiner) put(u, c int) {
	j.of[u] = uint32(c)
	j.total[c] += j.k[u]
}

// joins bounds how often the nodes are gone through.
const joins = 8

// join puts nodes where modularity gains most; one that gains nowhere is a
// community of its own, one without edges in none. A node that is there already
// may move.
func (j *joiner) join(nodes []int) {
	for range joins {
		changed := false
		for _, u := range nodes {
			if j.k[u] <= 0 {
				continue
			}
			from := j.of[u]
			if from != graphops.None {
				j.total[from] -= j.k[u]
				j.of[u] = graphops.None
			}
			to := j.best(u, from)
			j.put(u, int(to))
			changed = changed || to != from
		}
		if !changed {
			return
		}
	}
}

// best returns the community that a node gains most by, the lowest of equals;
// a new one where it gains by none. from is the one that it was in.
func (j *joiner) best(u int, from uint32) uint32 {
	links := map[uint32]float64{}
	var met []uint32
	to, w := j.p.Row(uint32(u))
	for i, x := range to {
		c := j.of[x]
		if c == graphops.None {
			continue
		}
		if _, ok := links[c]; !ok {
			met = append(met, c)
		}
		links[c] += weightAt(w, i)
	}
	best, most := graphops.None, 1e-12*j.twice
	for _, c := range met {
		gain := links[c] - j.resolution*j.k[u]*j.total[c]/j.twice
		if gain > most || gain == most && c < best {
			best, most = c, gain
		}
	}
	if best != graphops.None {
		return best
	}
	if from != graphops.None && j.total[from] <= 1e-12*j.twice {
		return from // it was alone, and stays so
	}
	j.total = append(j.total, 0)
	return uint32(len(j.total) - 1)
}
