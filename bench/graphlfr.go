package main

import "math/rand/v2"

// lfrGraph returns a graph with planted communities and the community of each
// node: degrees follow a power law of exponent 2.5 from 4.5 to 120, sizes of
// communities one of 1.5 from 20 to 300, and a share mixing of each node's
// edges leaves its community. It is after Lancichinetti, Fortunato and Radicchi,
// "Benchmark graphs for testing community detection algorithms", 2008, but
// nodes are put into communities at random, and half-edges that find no partner
// are dropped. Weights are higher inside communities.
func lfrGraph(n int, mixing float64, r *rand.Rand) (*graphFile, []int32) {
	const smallest, largest = 20, 300
	community := make([]int32, n)
	var sizes []int
	for left, order := n, r.Perm(n); left > 0; {
		size := min(left, powerLaw(r, smallest, largest, 1.5))
		if left-size < smallest {
			size = left
		}
		for _, u := range order[left-size : left] {
			community[u] = int32(len(sizes))
		}
		sizes = append(sizes, size)
		left -= size
	}
	// A node is in a list as often as it has half-edges to be joined there.
	inside := make([][]uint32, len(sizes))
	var across []uint32
	for u := range uint32(n) {
		c := community[u]
		own := 0
		for range powerLaw(r, 4.5, 120, 2.5) {
			if r.Float64() < mixing || own == sizes[c]-1 {
				across = append(across, u)
				continue
			}
			own++
			inside[c] = append(inside[c], u)
		}
	}
	d := newGraphDraw(r)
	for _, halves := range inside {
		d.pair(halves, 0.5, 1, func(u, v uint32) bool { return true })
	}
	d.pair(across, 0.1, 0.6, func(u, v uint32) bool { return community[u] != community[v] })
	return d.file(make([]byte, n)), community
}

// pair joins half-edges at random, with weights from lo to hi; those that may
// not be joined are tried again with others.
func (d *graphDraw) pair(halves []uint32, lo, hi float64, may func(u, v uint32) bool) {
	const rounds = 40
	for range rounds {
		d.r.Shuffle(len(halves), func(i, j int) { halves[i], halves[j] = halves[j], halves[i] })
		left := halves[:0]
		for i := 0; i+1 < len(halves); i += 2 {
			u, v := halves[i], halves[i+1]
			if !may(u, v) || !d.join(u, v, d.between(lo, hi)) {
				left = append(left, u, v)
			}
		}
		halves = left
	}
}
