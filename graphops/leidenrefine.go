package graphops

import "math"

// refine splits the communities below count, as grouped: ref gets the cluster
// of each node, which is the number of one of its nodes. Each community is
// refined on its own, with random numbers of its own.
func (r *leidenRun) refine(g *leidenGraph, comm, ref []uint32, count int, key stream) error {
	workers := r.workersFor(g)
	pieces := 1
	if workers > 1 {
		pieces = leidenPieces
	}
	cuts := r.cuts(count, pieces)
	return parallel(r.ctx, workers, pieces, func(worker, i int) error {
		f := leidenRefiner{
			leidenWatch: leidenWatch{ctx: r.ctx},
			r:           r, g: g, comm: comm, ref: ref, touched: r.touched[worker], rows: r.reader(worker, g),
		}
		for c := cuts[i]; c < cuts[i+1]; c++ {
			members := r.order[r.start[c]:r.start[c+1]]
			if len(members) == 1 {
				ref[members[0]] = members[0]
				continue
			}
			f.rand = stream{state: mix(key.state + mix(uint64(c)+golden))}
			if err := f.refine(members); err != nil {
				return err
			}
		}
		return nil
	})
}

// leidenRefiner refines communities, one after the other.
type leidenRefiner struct {
	leidenWatch
	r         *leidenRun
	g         *leidenGraph
	comm, ref []uint32
	touched   []uint32
	rows      *leidenReader
	rand      stream
	odds      []float64
}

// refine merges the nodes of a community into clusters: each node that is
// still alone and well connected to the community joins a cluster that is well
// connected too and that it gains by; none is left again. Well connected is
// what has at least as much weight to the rest of the community as the price
// of the product of their masses.
func (f *leidenRefiner) refine(members []uint32) error {
	r, g, ref := f.r, f.g, f.ref
	cells, size, inside := r.cells, r.size, r.inside
	all := 0.0
	for _, v := range members {
		ref[v] = v
		cells[v] = leidenCell{mass: g.mass[v]}
		size[v] = 1
		inside[v] = -1 // unknown
		all += g.mass[v]
	}
	shuffle(&f.rand, members)
	for _, v := range members {
		if size[v] != 1 || ref[v] != v {
			continue
		}
		row, w := f.rows.row(v)
		count := f.sum(v, row, w)
		touched := f.touched[:count]
		in := 0.0
		for _, c := range touched {
			in += cells[c].link
		}
		mass := g.mass[v]
		if in < r.price*mass*(all-mass) {
			for _, c := range touched {
				cells[c].link = 0
			}
			inside[v] = in
			continue
		}
		best, link := v, 0.0
		if r.o.Theta == 0 {
			best, link = f.greatest(v, touched, all)
		} else {
			best, link = f.draw(v, touched, all)
		}
		inside[v] = in
		if best != v {
			ref[v] = best
			inside[best] = f.insideOf(best) + in - float64(2*link)
			cells[best].mass += mass
			size[best]++
		}
		if err := f.look(len(row)); err != nil {
			return err
		}
	}
	return nil
}

// sum adds up the weight from v to each cluster of its community, like
// leidenSum. The weight of edges that leave the community is added to v itself,
// whose link is not 0 so that it is not touched: there is no branch, and nothing is read that another
// goroutine may write.
func (f *leidenRefiner) sum(v uint32, row []uint32, w []float32) (count int) {
	cells, comm, ref, touched := f.r.cells, f.comm, f.ref, f.touched
	home := comm[v]
	cells[v].link = 1
	if w == nil {
		for _, u := range row {
			x := v
			if comm[u] == home {
				x = u
			}
			c := ref[x]
			p := &cells[c]
			touched[count] = c
			count += int((math.Float64bits(p.link) - 1) >> 63)
			p.link++
		}
	} else {
		w = w[:len(row)]
		for i, u := range row {
			x := v
			if comm[u] == home {
				x = u
			}
			c := ref[x]
			p := &cells[c]
			touched[count] = c
			count += int((math.Float64bits(p.link) - 1) >> 63)
			p.link += float64(w[i])
		}
	}
	cells[v].link = 0
	return count
}

// greatest returns the cluster that v gains most by, v itself if none, and the
// weight between them. It sets all links to 0.
func (f *leidenRefiner) greatest(v uint32, touched []uint32, all float64) (best uint32, link float64) {
	cells, price := f.r.cells, f.r.price*f.g.mass[v]
	best = v
	high := 0.0
	for _, c := range touched {
		p := &cells[c]
		gain := p.link - float64(price*p.mass)
		if gain > high && f.connected(c, all, p.link) {
			best, high, link = c, gain, p.link
		}
		p.link = 0
	}
	return best, link
}

// draw returns a cluster that v does not lose by, or v itself, with
// probability in proportion to exp(gain/theta), and the weight between them.
// It sets all links to 0.
func (f *leidenRefiner) draw(v uint32, touched []uint32, all float64) (best uint32, link float64) {
	cells, price := f.r.cells, f.r.price*f.g.mass[v]
	f.odds = append(f.odds[:0], 0) // gains; the first is of v itself
	high := 0.0
	for _, c := range touched {
		gain := cells[c].link - float64(price*cells[c].mass)
		if gain < 0 || !f.connected(c, all, cells[c].link) {
			gain = math.Inf(-1)
		}
		high = max(high, gain)
		f.odds = append(f.odds, gain)
	}
	sum := 0.0
	for i, gain := range f.odds {
		sum += math.Exp((gain - high) / f.r.o.Theta)
		f.odds[i] = sum
	}
	best = v
	x := f.rand.float() * sum
	for i, c := range touched {
		if f.odds[i] <= x && x < f.odds[i+1] {
			best, link = c, cells[c].link
		}
		cells[c].link = 0
	}
	return best, link
}

// connected reports whether cluster c is well connected to the rest of its
// community, which has mass all. link is a part of what it has to it, and
// mostly enough.
func (f *leidenRefiner) connected(c uint32, all, link float64) bool {
	mass := f.r.cells[c].mass
	price := f.r.price * mass * (all - mass)
	return link >= price || f.insideOf(c) >= price
}

// insideOf returns the weight from a cluster to the rest of its community. That
// of a node that is alone is summed only here, where it is asked for.
func (f *leidenRefiner) insideOf(c uint32) float64 {
	if sum := f.r.inside[c]; sum >= 0 {
		return sum
	}
	row, w := f.rows.row(c)
	comm, home, sum := f.comm, f.comm[c], 0.0
	if w == nil {
		n := 0
		for _, u := range row {
			if comm[u] == home {
				n++
			}
		}
		sum = float64(n)
	} else {
		for i, u := range row {
			if comm[u] == home {
				sum += float64(w[i])
			}
		}
	}
	f.r.inside[c] = sum
	return sum
}

// numberClusters numbers the clusters by community and then by the first of
// their nodes that was visited, which keeps what is near near. It returns how
// many there are.
func (r *leidenRun) numberClusters(ref []uint32) int {
	n := len(ref)
	number := r.number[:n]
	for i := range number {
		number[i] = None
	}
	count := uint32(0)
	for _, v := range r.order[:n] {
		if c := ref[v]; number[c] == None {
			number[c] = count
			count++
		}
	}
	for v, c := range ref {
		ref[v] = number[c]
	}
	return int(count)
}

// connect sets ref to the connected parts of the communities, and returns how
// many there are.
func (r *leidenRun) connect(g *leidenGraph, comm, ref []uint32) (int, error) {
	for v := range ref {
		ref[v] = None
	}
	count, rows := uint32(0), r.reader(0, g)
	for v := range ref {
		if ref[v] != None {
			continue
		}
		ref[v] = count
		stack := append(r.queue[:0], uint32(v))
		for len(stack) > 0 {
			x := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			row, _ := rows.row(x)
			for _, u := range row {
				if ref[u] == None && comm[u] == comm[v] {
					ref[u] = count
					stack = append(stack, u)
				}
			}
			if err := r.look(len(row)); err != nil {
				return 0, err
			}
		}
		count++
	}
	return int(count), nil
}
