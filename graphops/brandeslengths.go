package graphops

import "context"

// searchLengths is search if the weights of edges are their lengths
// (Dijkstra). Distances are sums of float32 in float64, so that equally long
// paths of lengths within a factor of 2^29 are found equal, in whatever order
// their edges are added.
func (b *brandes) searchLengths(ctx context.Context, s uint32) (frontier, error) {
	// By node; back overwrites it by place.
	distance := b.dependency
	distance[s] = 0
	b.place[s] = 0
	h := nodeHeap{nodes: append(b.unreached[:0], s), at: b.place, key: distance}
	n := uint32(0)
	for len(h.nodes) > 0 {
		u := h.pop()
		b.place[u], b.order[n], b.paths[n] = n, u, 0
		n++
		to, w := b.rows.Row(u)
		for i, v := range to {
			d := distance[u] + float64(w[i])
			if b.place[v] == none {
				distance[v] = d
				h.push(v)
			} else if d < distance[v] { // not of nodes that have their place
				distance[v] = d
				h.up(b.place[v])
			}
		}
		b.visits += 4 * (len(to) + 1) // the heap counts too
		if err := b.look(ctx); err != nil {
			return frontier{}, err
		}
	}
	b.paths[0] = 1
	k := uint32(0)
	for i, u := range b.order[:n] {
		b.begin[i] = k
		to, w := b.rows.Row(u)
		for j, v := range to {
			// If a length is lost in a distance, the place tells which of
			// the two comes first.
			if p := b.place[v]; p > uint32(i) && distance[u]+float64(w[j]) == distance[v] {
				b.edges[k] = p
				k++
				b.paths[p] += b.paths[i]
			}
		}
		b.visits += len(to) + 1
		if err := b.look(ctx); err != nil {
			return frontier{}, err
		}
	}
	return frontier{lo: n, hi: n, edges: k, rows: n}, nil
}

// A nodeHeap has nodes by rising key, each with two below it.
type nodeHeap struct {
	nodes []uint32
	at    []uint32  // where each of them is in nodes
	key   []float64 // of each node
}

func (h *nodeHeap) push(u uint32) {
	i := uint32(len(h.nodes))
	h.nodes = append(h.nodes, u)
	h.at[u] = i
	h.up(i)
}

// up moves the node at i to where its key belongs; it may have fallen.
func (h *nodeHeap) up(i uint32) {
	u := h.nodes[i]
	for i > 0 {
		above := (i - 1) / 2
		v := h.nodes[above]
		if h.key[v] <= h.key[u] {
			break
		}
		h.nodes[i], h.at[v] = v, i
		i = above
	}
	h.nodes[i], h.at[u] = u, i
}

// pop takes out the node of the lowest key.
func (h *nodeHeap) pop() uint32 {
	first := h.nodes[0]
	last := len(h.nodes) - 1
	u := h.nodes[last]
	h.nodes = h.nodes[:last]
	if last == 0 {
		return first
	}
	i := 0
	for {
		below := 2*i + 1
		if below >= last {
			break
		}
		if below+1 < last && h.key[h.nodes[below+1]] < h.key[h.nodes[below]] {
			below++
		}
		v := h.nodes[below]
		if h.key[u] <= h.key[v] {
			break
		}
		h.nodes[i], h.at[v] = v, uint32(i)
		i = below
	}
	h.nodes[i], h.at[u] = u, uint32(i)
	return first
}
