package graphops

import "math"

// aggregate makes the graph of the next level, whose nodes are the clusters
// below count that ref has the nodes of g in. An edge has the weight of all
// that it stands for.
func (r *leidenRun) aggregate(g, next *leidenGraph, ref []uint32, count int) error {
	r.group(ref, count)
	next.off = grow(next.off, count+1)
	next.to = grow(next.to, len(g.to))
	next.w = grow(next.w, len(g.to))
	next.mass = grow(next.mass, count)
	workers := r.workersFor(g)
	pieces := 1
	if workers > 1 {
		pieces = leidenPieces
	}
	for i := range workers {
		if cap(r.links[i]) < count {
			r.links[i] = make([]float64, count)
		}
	}
	// Each piece writes where it would if all before it were as long as they
	// can be; then it moves up.
	cuts := r.cuts(count, pieces)
	from, ends := make([]uint32, pieces), make([]uint32, pieces)
	for i := 1; i < pieces; i++ {
		from[i] = from[i-1]
		for _, v := range r.order[r.start[cuts[i-1]]:r.start[cuts[i]]] {
			from[i] += g.off[v+1] - g.off[v]
		}
	}
	err := parallel(r.ctx, workers, pieces, func(worker, i int) error {
		a := leidenAggregator{
			leidenWatch: leidenWatch{ctx: r.ctx},
			r:           r, g: g, next: next, ref: ref,
			touched: r.touched[worker], links: r.links[worker][:count],
		}
		var err error
		ends[i], err = a.rows(cuts[i], cuts[i+1], from[i])
		return err
	})
	if err != nil {
		return err
	}
	next.off[0] = 0
	at := ends[0]
	for i := 1; i < pieces; i++ {
		n := ends[i] - from[i]
		copy(next.to[at:], next.to[from[i]:ends[i]])
		copy(next.w[at:], next.w[from[i]:ends[i]])
		for c := cuts[i]; c < cuts[i+1]; c++ {
			next.off[c+1] -= from[i] - at
		}
		at += n
	}
	next.to, next.w = next.to[:at], next.w[:at]
	return nil
}

// leidenAggregator makes rows of the next level's graph.
type leidenAggregator struct {
	leidenWatch
	r       *leidenRun
	g, next *leidenGraph
	ref     []uint32
	touched []uint32
	links   []float64 // of each cluster to that at hand; all 0 between rows
}

// rows writes the rows of the clusters lo <= c < hi, from entry at on, and
// returns where they end. It sets off[c+1] to the end of row c.
func (a *leidenAggregator) rows(lo, hi int, at uint32) (uint32, error) {
	next, links := a.next, a.links
	for c := lo; c < hi; c++ {
		members := a.r.order[a.r.start[c]:a.r.start[c+1]]
		links[c] = 1 // so that it is not touched
		mass, count := 0.0, 0
		for _, v := range members {
			mass += a.g.mass[v]
			count = a.sum(v, count)
			if err := a.look(int(a.g.off[v+1] - a.g.off[v])); err != nil {
				clear(links)
				return 0, err
			}
		}
		links[c] = 0
		to, w := next.to[at:], next.w[at:]
		for i, d := range a.touched[:count] {
			to[i] = d
			w[i] = float32(links[d])
			links[d] = 0
		}
		at += uint32(count)
		next.off[c+1] = at
		next.mass[c] = mass
	}
	return at, nil
}

// sum adds up the weight from v to each cluster, like leidenSum.
func (a *leidenAggregator) sum(v uint32, count int) int {
	links, ref, touched := a.links, a.ref, a.touched
	lo, hi := a.g.off[v], a.g.off[v+1]
	row := a.g.to[lo:hi]
	if a.g.w == nil {
		for _, u := range row {
			d := ref[u]
			touched[count] = d
			count += int((math.Float64bits(links[d]) - 1) >> 63)
			links[d]++
		}
		return count
	}
	w := a.g.w[lo:hi]
	w = w[:len(row)]
	for i, u := range row {
		d := ref[u]
		touched[count] = d
		count += int((math.Float64bits(links[d]) - 1) >> 63)
		links[d] += float64(w[i])
	}
	return count
}
