package graphops

import "math"

// move moves single nodes to the community that each gains most by, until none
// gains any more. Communities are numbers below the number of nodes.
//
// Nodes wait in a queue, at first all in the order of their numbers; after a
// move, neighbours in other communities queue up again. A node that loses by
// being where it is and gains nothing elsewhere gets a community of its own. Of equal
// ones, it stays where it is, else it takes the one seen first in its row.
func (r *leidenRun) move(g *leidenGraph, comm []uint32) error {
	n := g.Len()
	cells, size, free := r.cells[:n], r.size[:n], r.number[:0]
	clear(cells)
	clear(size)
	for v, c := range comm {
		cells[c].mass += g.mass[v]
		size[c]++
	}
	for c := n - 1; c >= 0; c-- {
		if size[c] == 0 {
			free = append(free, uint32(c))
		}
	}
	rows := r.reader(0, g)
	queue, waiting, touched := r.queue, r.waiting[:n], r.touched[0]
	for v := range n {
		queue[v] = uint32(v)
		waiting[v] = 1
	}
	mask := len(queue) - 1 // more than n, so that one more can be written
	for head, tail := 0, n; head != tail; head = (head + 1) & mask {
		v := queue[head&mask]
		waiting[v] = 0
		row, w := rows.row(v)
		var count int
		if w == nil {
			count = leidenCount(cells, comm, row, touched)
		} else {
			count = leidenSum(cells, comm, row, w, touched)
		}

		home, mass := comm[v], g.mass[v]
		cells[home].mass -= mass
		price := r.price * mass
		stay := cells[home].link - float64(price*cells[home].mass)
		best, high := home, stay+float64(r.slack*mass)
		for _, c := range touched[:count] {
			p := &cells[c]
			gain := p.link - float64(price*p.mass)
			p.link = 0
			if gain > high {
				best, high = c, gain
			}
		}
		if high < 0 && size[home] > 1 {
			best = free[len(free)-1]
			free = free[:len(free)-1]
		}
		cells[best].mass += mass
		if best != home {
			comm[v] = best
			size[best]++
			if size[home]--; size[home] == 0 {
				cells[home].mass = 0
				free = append(free, home)
			}
			for _, u := range row {
				is := uint8(0)
				if comm[u] != best {
					is = 1
				}
				new := is &^ waiting[u]
				waiting[u] |= is
				queue[tail&mask] = u
				tail = (tail + int(new)) & mask
			}
		}
		if err := r.look(len(row)); err != nil {
			return err
		}
	}
	return nil
}

// leidenSum adds up the weight that a row has to each community, in its cell,
// writes the communities to touched, and returns how many there are. Whether a
// community is a new one cannot be foreseen, so that there is no branch on it:
// it is always written, and the count grows by whether its link was 0. Bits of
// 0 less one are all ones; those of a positive number have the upper bit 0.
func leidenSum(cells []leidenCell, comm, row []uint32, w []float32, touched []uint32) (count int) {
	w = w[:len(row)]
	for i, u := range row {
		c := comm[u]
		p := &cells[c]
		touched[count] = c
		count += int((math.Float64bits(p.link) - 1) >> 63)
		p.link += float64(w[i])
	}
	return count
}

// leidenCount is leidenSum where every edge counts 1.
func leidenCount(cells []leidenCell, comm, row []uint32, touched []uint32) (count int) {
	for _, u := range row {
		c := comm[u]
		p := &cells[c]
		touched[count] = c
		count += int((math.Float64bits(p.link) - 1) >> 63)
		p.link++
	}
	return count
}
