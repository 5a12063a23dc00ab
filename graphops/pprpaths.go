package graphops

import "slices"

// pprPaths is what paths are made of.
type pprPaths struct {
	at     []uint32 // place of each of Scores
	nodes  []uint32 // by place, as are:
	score  []float64
	before []uint32 // place before it on its path; its own: a seed
}

// paths returns the likeliest path to each of the nodes that a walk returns.
func (w *walk) paths(start []float64, found []Scored) pprPaths {
	p := pprPaths{at: make([]uint32, len(found)), nodes: slices.Clone(w.seen.nodes), score: slices.Clone(w.score), before: w.likeliest(start)}
	for i, s := range found {
		p.at[i], _ = w.seen.find(s.Node)
	}
	return p
}

// Path appends to dst the path from a seed to the node of Scores[i], both
// included and each with its score, and returns it; a seed's path is itself.
// It is one of the fewest edges; of those, the one that a walk which starts as
// the seeds say is likeliest to take; of equally likely ones, that whose last
// node but one is the least, and so on back. Without [PPROptions].Paths there are no
// paths, and it appends nothing.
func (r *PPRResult) Path(i int, dst []Scored) []Scored {
	if len(r.paths.at) == 0 {
		return dst
	}
	from := len(dst)
	for p := r.paths.at[i]; ; p = r.paths.before[p] {
		dst = append(dst, Scored{r.paths.nodes[p], r.paths.score[p]})
		if r.paths.before[p] == p {
			break
		}
	}
	slices.Reverse(dst[from:])
	return dst
}

// likeliest returns for each place the one before it on the likeliest path of
// fewest edges from a seed, over the rows that were read. Seeds have the first
// places.
func (w *walk) likeliest(start []float64) []uint32 {
	n := w.seen.len()
	before := make([]uint32, n)
	hop := make([]int32, n) // plus 1; 0: not met
	chance := make([]float64, n)
	front := make([]uint32, 0, n)
	for p := range start {
		before[p], hop[p], chance[p] = uint32(p), 1, start[p]
		front = append(front, uint32(p))
	}
	for k := 0; k < len(front); k++ {
		u := front[k]
		if w.begin[u] == unread {
			continue
		}
		for i := w.begin[u]; i < w.end[u]; i++ {
			v, x := w.to[i], chance[u]*w.share[i]
			switch {
			case x == 0:
				continue
			case hop[v] == 0:
				hop[v] = hop[u] + 1
				front = append(front, v)
			case hop[v] != hop[u]+1 || x < chance[v]:
				continue
			case x == chance[v] && w.seen.nodes[before[v]] < w.seen.nodes[u]:
				continue
			}
			before[v], chance[v] = u, x
		}
	}
	return before
}
