package graphops

import (
	"errors"
	"math"
	"sync/atomic"
)

// aggregate makes the graph of the next level, whose nodes are the clusters
// below count that ref has the nodes of g in. An edge has the weight of all
// that it stands for.
func (r *leidenRun) aggregate(g, next *leidenGraph, ref []uint32, count int) error {
	r.group(ref, count)
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
	next.made, next.off, next.mass = nil, grow(next.off, count+1), grow(next.mass, count)
	cuts := r.cuts(count, pieces)
	var from []uint32
	if r.base.made == nil {
		from = r.most(g, cuts)
		next.to, next.w = grow(next.to, len(g.to)), grow(next.w, len(g.to))
	} else {
		entries, err := r.countEntries(g, next, ref, workers, cuts)
		if err != nil {
			return err
		}
		if entries == nil {
			return r.join(g, next, ref, count)
		}
		from = entries
		n := entries[pieces]
		next.to, next.w = make([]uint32, n), make([]float32, n)
	}
	// Each piece writes where it would if all before it were as long as they
	// can be; then it moves up.
	ends := make([]uint32, pieces)
	err := parallel(r.ctx, workers, pieces, func(worker, i int) error {
		a := r.aggregator(worker, g, next, ref)
		a.at = from[i]
		err := a.rows(cuts[i], cuts[i+1])
		ends[i] = a.at
		return err
	})
	if err != nil {
		return err
	}
	next.off[0] = 0
	at := ends[0]
	for i := 1; i < pieces; i++ {
		n := ends[i] - from[i]
		if at < from[i] {
			copy(next.to[at:], next.to[from[i]:ends[i]])
			copy(next.w[at:], next.w[from[i]:ends[i]])
			for c := cuts[i]; c < cuts[i+1]; c++ {
				next.off[c+1] -= from[i] - at
			}
		}
		at += n
	}
	next.to, next.w = next.to[:at], next.w[:at]
	return nil
}

// most returns where each piece begins if all before it have as many entries as g has.
func (r *leidenRun) most(g *leidenGraph, cuts []int) []uint32 {
	from := make([]uint32, len(cuts))
	for i := range len(cuts) - 1 {
		from[i+1] = from[i]
		for _, v := range r.order[r.start[cuts[i]]:r.start[cuts[i+1]]] {
			from[i+1] += g.off[v+1] - g.off[v]
		}
	}
	return from
}

// errLeidenMany says that a level has more entries than are kept.
var errLeidenMany = errors.New("too many entries")

// countEntries returns where each piece begins, and the number of all entries; nil if
// they are not to be kept.
func (r *leidenRun) countEntries(g, next *leidenGraph, ref []uint32, workers int, cuts []int) ([]uint32, error) {
	most := int64(math.MaxUint32)
	if g.joins(ref, next.Len()) {
		most = r.base.made.kept
	}
	from := make([]uint32, len(cuts))
	var all atomic.Int64
	err := parallel(r.ctx, workers, len(cuts)-1, func(worker, i int) error {
		a := r.aggregator(worker, g, next, ref)
		a.all, a.allMost = &all, most
		err := a.rows(cuts[i], cuts[i+1])
		from[i+1] = a.at
		return err
	})
	if errors.Is(err, errLeidenMany) {
		return nil, nil
	}
	for i := range len(cuts) - 1 {
		from[i+1] += from[i]
	}
	return from, err
}

// leidenAggregator makes rows of the next level's graph.
type leidenAggregator struct {
	leidenWatch
	r       *leidenRun
	g, next *leidenGraph
	source  *leidenReader // of g
	ref     []uint32
	touched []uint32
	links   []float64 // of each cluster to that at hand; all 0 between rows
	at      uint32    // where the next row is written

	all     *atomic.Int64 // if not nil entries are but counted, those of all workers here
	allMost int64         // until there are more
}

func (r *leidenRun) aggregator(worker int, g, next *leidenGraph, ref []uint32) leidenAggregator {
	return leidenAggregator{
		leidenWatch: leidenWatch{ctx: r.ctx}, r: r, g: g, next: next, source: r.reader(worker, g), ref: ref,
		touched: r.touched[worker], links: r.links[worker][:next.Len()],
	}
}

// rows writes the rows of the clusters lo <= c < hi, from entry at on. It sets off[c+1] to
// the end of row c.
func (a *leidenAggregator) rows(lo, hi int) error {
	for c := lo; c < hi; c++ {
		a.links[c] = 1 // so that it is not touched
		mass, count := 0.0, 0
		for _, v := range a.r.order[a.r.start[c]:a.r.start[c+1]] {
			mass += a.g.mass[v]
			row, w := a.source.row(v)
			count = a.sum(row, w, count)
			if err := a.look(len(row)); err != nil {
				clear(a.links)
				return err
			}
		}
		a.links[c] = 0
		if err := a.write(c, count); err != nil {
			return err
		}
		a.next.mass[c] = mass
	}
	return nil
}

// write writes row c of so many entries, or counts them, and makes their links 0.
func (a *leidenAggregator) write(c, count int) error {
	touched, links := a.touched[:count], a.links
	if a.all == nil {
		to, w := a.next.to[a.at:], a.next.w[a.at:]
		for i, d := range touched {
			to[i] = d
			w[i] = float32(links[d])
			links[d] = 0
		}
	} else {
		for _, d := range touched {
			links[d] = 0
		}
		if a.all.Add(int64(count)) > a.allMost {
			return errLeidenMany
		}
	}
	a.at += uint32(count)
	a.next.off[c+1] = a.at
	return nil
}

// sum adds up the weight of a row to each cluster, like leidenSum.
func (a *leidenAggregator) sum(row []uint32, w []float32, count int) int {
	links, ref, touched := a.links, a.ref, a.touched
	if w == nil {
		for _, u := range row {
			d := ref[u]
			touched[count] = d
			count += int((math.Float64bits(links[d]) - 1) >> 63)
			links[d]++
		}
		return count
	}
	w = w[:len(row)]
	for i, u := range row {
		d := ref[u]
		touched[count] = d
		count += int((math.Float64bits(links[d]) - 1) >> 63)
		links[d] += float64(w[i])
	}
	return count
}
