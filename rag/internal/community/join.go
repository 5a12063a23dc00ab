package community

import (
	"context"
	"iter"
	"slices"

	"github.com/ragdb/ragdb/graphops"
)

// Options say how nodes join communities. The zero value has all nodes and a
// resolution of 1.
type Options struct {
	// Resolution is that of the modularity; 0 is 1.
	Resolution float64
	// Within are the nodes that count, with the edges between them; nil is all. The
	// nodes of the division and those that join are then places in Within.
	Within []uint32
}

// maxPasses bounds how often the nodes are gone through: one may want to follow
// another.
const maxPasses = 20

// least is the gain, as a part of the weight of all edges, below which a node does
// not move: what rounding makes of equal gains moves nothing.
const least = 1e-12

// Join moves nodes, one after the other in their order, to the neighbouring
// community by which modularity gains most, the lowest of equals, until none moves. A
// node that gains by none has a new community of its own, with the next number. A
// node without edges is in none. Nodes that do not move stay where part has them.
//
// The gain of node u by community C, which does not hold u, is
// e(u,C) - resolution k(u) k(C) / 2m.
func Join(ctx context.Context, p *graphops.Projection, part *graphops.Partition, nodes []uint32, o Options) error {
	if len(nodes) == 0 {
		return nil
	}
	j := newJoiner(p, part, o)
	for range maxPasses {
		moved := false
		for i, u := range nodes {
			if i%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			moved = j.move(u) || moved
		}
		if !moved {
			return nil
		}
	}
	return nil
}

// joiner knows the strengths of nodes and communities.
type joiner struct {
	p          *graphops.Projection
	part       *graphops.Partition
	resolution float64
	within     []uint32
	place      map[uint32]uint32 // of a node in within; nil if all count
	node       []float64         // strength of each node
	sum        []float64         // strength of each community
	twice      float64           // of the weight of all edges

	links map[uint32]float64
	near  []uint32
}

func newJoiner(p *graphops.Projection, part *graphops.Partition, o Options) *joiner {
	j := &joiner{
		p: p, part: part, resolution: o.Resolution, within: o.Within, node: make([]float64, len(part.Of)),
		sum: make([]float64, part.Count), links: map[uint32]float64{},
	}
	if j.resolution == 0 {
		j.resolution = 1
	}
	if o.Within != nil {
		j.place = make(map[uint32]uint32, len(o.Within))
		for i, u := range o.Within {
			j.place[u] = uint32(i)
		}
	}
	for u := range part.Of {
		for _, w := range j.neighbors(uint32(u)) {
			j.node[u] += w
		}
		j.twice += j.node[u]
		if c := part.Of[u]; c != graphops.None {
			j.sum[c] += j.node[u]
		}
	}
	return j
}

// neighbors yields the other nodes that an edge joins to one, and its weight.
func (j *joiner) neighbors(u uint32) iter.Seq2[uint32, float64] {
	id := u
	if j.within != nil {
		id = j.within[u]
	}
	to, w := j.p.Row(id)
	return func(yield func(uint32, float64) bool) {
		for i, x := range to {
			if j.place != nil {
				at, ok := j.place[x]
				if !ok {
					continue
				}
				x = at
			}
			weight := 1.0
			if w != nil {
				weight = float64(w[i])
			}
			if !yield(x, weight) {
				return
			}
		}
	}
}

// move moves a node, and reports whether it is elsewhere then.
func (j *joiner) move(u uint32) bool {
	from := j.part.Of[u]
	if j.node[u] <= 0 {
		return false
	}
	clear(j.links)
	j.near = j.near[:0]
	for x, w := range j.neighbors(u) {
		c := j.part.Of[x]
		if x == u || c == graphops.None {
			continue
		}
		if _, ok := j.links[c]; !ok {
			j.near = append(j.near, c)
		}
		j.links[c] += w
	}
	slices.Sort(j.near)
	if from != graphops.None {
		j.sum[from] -= j.node[u]
	}
	gain := func(c uint32) float64 { return j.links[c] - j.resolution*j.node[u]*j.sum[c]/j.twice }
	best, most, enough := graphops.None, 0.0, least*j.twice
	if from != graphops.None {
		best, most = from, gain(from)
	}
	for _, c := range j.near {
		if g := gain(c); c != from && g > most+enough {
			best, most = c, g
		}
	}
	if best == graphops.None || most < -enough {
		best = uint32(j.part.Count)
		j.part.Count++
		j.sum = append(j.sum, 0)
	}
	j.sum[best] += j.node[u]
	j.part.Of[u] = best
	return best != from
}
