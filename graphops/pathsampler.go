package graphops

import (
	"context"
	"math"

	"github.com/ragdb/ragdb/engine"
)

// pathSampler draws a shortest path between two nodes, each with equal
// probability. It searches from both ends, one level at a time from the end
// whose level has fewer entries of rows to visit, until an edge joins the two
// searches (Borassi and Natale, "KADABRA is an ADaptive Algorithm for
// Betweenness via Random Approximation", 2016, section 4). No node is in both
// before, so that one record a node is enough; every shortest path has one of
// the edges that join them, and no level is searched past them.
type pathSampler struct {
	rows   [2]csr        // by end: edges out of a node, edges into it
	nodes  []sampledNode // by node
	levels [2][]uint32   // nodes reached from each end, in order
	visits int           // since the last look at the context
}

// A sampledNode is what the searches know of a node.
type sampledNode struct {
	paths float64 // number of shortest paths from the end that reached it
	level uint32  // distance from it, times two, plus which end; none
}

func newPathSampler(out, in csr) *pathSampler {
	n := out.Len()
	s := &pathSampler{rows: [2]csr{out, in}, nodes: make([]sampledNode, n)}
	for u := range s.nodes {
		s.nodes[u].level = none
	}
	for end := range s.levels {
		s.levels[end] = make([]uint32, 0, n)
	}
	return s
}

// pathSamplerBytes returns the size of a pathSampler of n nodes.
func pathSamplerBytes(n int) int64 { return 24 * int64(n) }

// joint is an edge that joins the two searches, by the end that reached a node.
type joint [2]uint32

// draw calls inner with every inner node of a random shortest path from one
// node to another. It does not call inner if there is no path.
func (s *pathSampler) draw(ctx context.Context, from, to uint32, random *stream, inner func(u uint32)) error {
	defer s.reset()
	var lo [2]int // where the newest levels begin
	var entries [2]uint32
	for end, u := range [2]uint32{from, to} {
		s.nodes[u] = sampledNode{1, uint32(end)}
		s.levels[end] = append(s.levels[end], u)
		entries[end] = s.rows[end].off[u+1] - s.rows[end].off[u]
	}
	for {
		end := 0
		if entries[1] < entries[0] {
			end = 1
		}
		first := len(s.levels[end])
		next, j, found, err := s.advance(ctx, end, s.levels[end][lo[end]:], random)
		if err != nil {
			return err
		}
		if found {
			for end, u := range j {
				s.walk(end, u, random, inner)
			}
			return nil
		}
		if len(s.levels[end]) == first {
			return nil // nothing more is reached from this end
		}
		lo[end], entries[end] = first, next
	}
}

// reset forgets the nodes that were reached.
func (s *pathSampler) reset() {
	for end, reached := range s.levels {
		for _, u := range reached {
			s.nodes[u].level = none
		}
		s.levels[end] = reached[:0]
	}
}

// advance reaches the next level from an end, and returns how many entries the
// rows of its nodes have. If edges lead to what the other end has reached,
// it returns one of them, drawn in proportion to the paths that use it.
func (s *pathSampler) advance(ctx context.Context, end int, level []uint32, random *stream) (entries uint32, j joint, found bool, err error) {
	rows := &s.rows[end]
	reached := s.levels[end]
	total := 0.0
	for _, u := range level {
		own := s.nodes[u]
		row := rows.to[rows.off[u]:rows.off[u+1]]
		for _, v := range row {
			switch other := &s.nodes[v]; {
			case other.level == none:
				if found {
					continue // a longer way
				}
				*other = sampledNode{own.paths, own.level + 2}
				reached = append(reached, v)
				entries += rows.off[v+1] - rows.off[v]
			case other.level == own.level+2:
				other.paths += own.paths
			case int(other.level&1) != end:
				paths := float64(own.paths * other.paths)
				total += paths
				found = true
				if float64(random.float()*total) < paths {
					j[end], j[1-end] = u, v
				}
			}
		}
		if s.visits += len(row) + 1; s.visits >= visitsPerLook {
			s.visits = 0
			if err := ctx.Err(); err != nil {
				s.levels[end] = reached
				return 0, j, false, err
			}
		}
	}
	s.levels[end] = reached
	if math.IsInf(total, 0) {
		return 0, j, false, phase.Mark(engine.ErrInvalid, "more shortest paths between two nodes than a float64 counts")
	}
	return entries, j, found, nil
}

// walk goes a random shortest way from u to the end that it was reached from,
// and calls inner with u and every node up to that end.
func (s *pathSampler) walk(end int, u uint32, random *stream, inner func(u uint32)) {
	back := &s.rows[1-end]
	for s.nodes[u].level > uint32(end) {
		inner(u)
		before := s.nodes[u].level - 2
		left := float64(random.float() * s.nodes[u].paths)
		var next uint32
		for _, v := range back.to[back.off[u]:back.off[u+1]] {
			if x := &s.nodes[v]; x.level == before {
				next = v
				if left -= x.paths; left < 0 {
					break
				}
			}
		}
		u = next
	}
}
