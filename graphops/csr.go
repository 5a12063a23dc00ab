package graphops

import (
	"context"
	"math"
	"slices"
)

// Combine says what weight parallel edges have together: edges of several
// types between two nodes, or of one directed type in both directions if
// its direction is ignored. Without weights they are one edge that counts 1. If one
// of the edges weighs less than 0, they have the least weight, so that algorithms
// that refuse such a weight find it.
type Combine uint8

// The ways to combine. Sum is the default; it adds in float64.
const (
	Sum Combine = iota
	Max
	Min
)

// ways says in whose row an edge of a run goes.
type ways uint8

const (
	forward  ways = 1 << iota // the target in the row of the source
	backward                  // the source in the row of the target
)

// entries returns how many row entries an edge makes.
func (w ways) entries() int { return int(w&1 + w>>1) }

// A run is n edges from node u to the next n nodes of its part.
type run struct {
	u    uint32
	n    uint32
	ways ways
}

// runBytes is the size of a run.
const runBytes = 12

// A part is some of the edges that rows are made of.
type part struct {
	runs []run
	to   []uint32
	w    []float32 // in step with to; nil if edges have no weights
}

// pushRun says that the last n edges of p lead from u.
func (p *part) pushRun(u uint32, n int, ways ways) {
	if n == 0 {
		return
	}
	if k := len(p.runs); k > 0 && p.runs[k-1].u == u && p.runs[k-1].ways == ways {
		p.runs[k-1].n += uint32(n)
		return
	}
	p.runs = append(p.runs, run{u: u, n: uint32(n), ways: ways})
}

func (p *part) reset() { p.runs, p.to, p.w = p.runs[:0], p.to[:0], p.w[:0] }

// clone returns a copy without spare room.
func (p *part) clone() part {
	return part{slices.Clone(p.runs), slices.Clone(p.to), slices.Clone(p.w)}
}

// maxFillers bounds the goroutines that fill rows, since each reads all parts.
const maxFillers = 8

// rowBlock is how many rows are sorted as one task.
const rowBlock = 4096

// buildRows makes the rows of n nodes of the given edges, sorted, with parallel
// edges combined. It is two counting passes over the parts and a third over the
// rows, O(n + m), or with weights or edges of one direction a sort of those
// rows that are not in order, as those of one node type and one edge type are.
// There must be at most 2^32-1 entries. Each goroutine fills the rows of a
// range of nodes, in the order of the parts, so that the result does not depend
// on their number.
func buildRows(ctx context.Context, n int, parts []part, weighted bool, c Combine, workers int) (csr, error) {
	g := csr{off: make([]uint32, n+1)}
	edges := 0
	for i := range parts {
		edges += len(parts[i].to)
	}
	fillers := max(1, min(workers, maxFillers, edges>>15))
	each := func(fn func(lo, hi uint32, p *part)) error {
		return parallel(ctx, fillers, fillers, func(_, i int) error {
			lo, hi := uint32(n*i/fillers), uint32(n*(i+1)/fillers)
			for k := range parts {
				if err := ctx.Err(); err != nil {
					return err
				}
				fn(lo, hi, &parts[k])
			}
			return nil
		})
	}
	if err := each(g.count); err != nil {
		return csr{}, err
	}
	for u := range n {
		g.off[u+1] += g.off[u]
	}
	g.to = make([]uint32, g.off[n])
	if weighted {
		g.w = make([]float32, g.off[n])
	}
	if err := each(g.place); err != nil {
		return csr{}, err
	}
	// place moved the begin of each row to its end, the begin of the next.
	copy(g.off[1:], g.off[:n])
	g.off[0] = 0
	if !weighted && bothWays(parts) {
		return g, g.mirrorRows(ctx, fillers)
	}
	return g, g.sortRows(ctx, c, workers)
}

// bothWays reports whether every edge is in the rows of both of its ends.
func bothWays(parts []part) bool {
	for i := range parts {
		for _, r := range parts[i].runs {
			if r.ways != forward|backward {
				return false
			}
		}
	}
	return true
}

// mirrorRows puts the rows in order if each edge is in the rows of both ends:
// going through the nodes in order and writing each into the rows of its
// neighbours makes the same rows, sorted, in a third of the time of a sort.
func (g *csr) mirrorRows(ctx context.Context, workers int) error {
	n := g.Len()
	sorted := true
	for u := 0; u < n && sorted; u++ {
		row, _ := g.Row(uint32(u))
		sorted = ascending(row)
	}
	if sorted {
		return nil
	}
	to := make([]uint32, len(g.to))
	shrunk := make([]bool, workers)
	err := parallel(ctx, workers, workers, func(_, i int) error {
		lo, hi := uint32(n*i/workers), uint32(n*(i+1)/workers)
		pos := slices.Clone(g.off[lo:hi])
		for u := range uint32(n) {
			if u%rowBlock == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			for _, v := range g.to[g.off[u]:g.off[u+1]] {
				if d := v - lo; d < hi-lo {
					to[pos[d]] = u
					pos[d]++
				}
			}
		}
		for v := lo; v < hi; v++ {
			row := to[g.off[v]:g.off[v+1]]
			k := len(slices.Compact(row))
			for j := k; j < len(row); j++ {
				row[j] = none
				shrunk[i] = true
			}
		}
		return nil
	})
	g.to = to
	if err == nil && slices.Contains(shrunk, true) {
		g.compact()
	}
	return err
}

// count adds the entries of p in rows lo <= u < hi to off[u+1].
func (g *csr) count(lo, hi uint32, p *part) {
	size := hi - lo
	deg := g.off[lo+1 : hi+1]
	at := uint32(0)
	for _, r := range p.runs {
		if r.ways&forward != 0 && r.u-lo < size {
			deg[r.u-lo] += r.n
		}
		if r.ways&backward != 0 {
			for _, v := range p.to[at : at+r.n] {
				if v-lo < size {
					deg[v-lo]++
				}
			}
		}
		at += r.n
	}
}

// place writes the entries of p in rows lo <= u < hi at off[u], moving it on.
func (g *csr) place(lo, hi uint32, p *part) {
	size := hi - lo
	pos, to, w := g.off[lo:hi], g.to, g.w
	at := uint32(0)
	for _, r := range p.runs {
		ends, weights := p.to[at:at+r.n], []float32(nil)
		if w != nil {
			weights = p.w[at : at+r.n]
		}
		at += r.n
		if d := r.u - lo; r.ways&forward != 0 && d < size {
			copy(to[pos[d]:], ends)
			if w != nil {
				copy(w[pos[d]:], weights)
			}
			pos[d] += r.n
		}
		if r.ways&backward == 0 {
			continue
		}
		for k, v := range ends {
			if d := v - lo; d < size {
				i := pos[d]
				pos[d] = i + 1
				to[i] = r.u
				if weights != nil {
					w[i] = weights[k]
				}
			}
		}
	}
}

// sortRows puts every row in order, combines parallel edges and closes the
// gaps that this leaves.
func (g *csr) sortRows(ctx context.Context, c Combine, workers int) error {
	n := g.Len()
	blocks := (n + rowBlock - 1) / rowBlock
	shrunk := make([]bool, blocks)
	scratch := make([][]uint64, max(1, min(workers, blocks)))
	err := parallel(ctx, workers, blocks, func(worker, b int) error {
		for u := b * rowBlock; u < min(n, (b+1)*rowBlock); u++ {
			to, w := g.Row(uint32(u))
			if ascending(to) {
				continue
			}
			k := 0
			if w == nil {
				slices.Sort(to)
				k = len(slices.Compact(to))
			} else {
				k = sortWeighted(to, w, &scratch[worker], c)
			}
			for i := k; i < len(to); i++ {
				to[i] = none
				shrunk[b] = true
			}
		}
		return nil
	})
	if err == nil && slices.Contains(shrunk, true) {
		g.compact()
	}
	return err
}

func ascending(ids []uint32) bool {
	for i := 1; i < len(ids); i++ {
		if ids[i-1] >= ids[i] {
			return false
		}
	}
	return true
}

// sortWeighted sorts a row with its weights, combines parallel edges and
// returns how many entries are left. Parallel edges are combined in the order
// of their weights' bits, so that a sum does not depend on the order given.
func sortWeighted(to []uint32, w []float32, scratch *[]uint64, c Combine) int {
	keys := (*scratch)[:0]
	for i, v := range to {
		keys = append(keys, uint64(v)<<32|uint64(math.Float32bits(w[i])))
	}
	*scratch = keys
	slices.Sort(keys)
	k := 0
	for i := 0; i < len(keys); k++ {
		v := uint32(keys[i] >> 32)
		to[k], w[k] = v, weightOf(keys[i])
		if i++; i == len(keys) || uint32(keys[i]>>32) != v {
			continue
		}
		all := total{how: c}
		all.add(w[k])
		for ; i < len(keys) && uint32(keys[i]>>32) == v; i++ {
			all.add(weightOf(keys[i]))
		}
		w[k] = all.weight()
	}
	return k
}

func weightOf(key uint64) float32 { return math.Float32frombits(uint32(key)) }

// total combines the weights of parallel edges.
type total struct {
	how        Combine
	some       bool // a weight was added
	sum, least float64
}

func (t *total) add(w float32) {
	x := float64(w)
	switch {
	case !t.some:
		t.some, t.sum, t.least = true, x, x
		return
	case t.how == Max:
		t.sum = max(t.sum, x)
	default:
		t.sum += x
	}
	t.least = min(t.least, x)
}

// weight returns the combined weight, held within the range of float32. If a weight is
// negative, it is the least: the others do not hide it.
func (t *total) weight() float32 {
	if t.how == Min || t.least < 0 {
		return float32(t.least)
	}
	return float32(min(t.sum, math.MaxFloat32))
}

// compact closes the gaps in rows whose last entries are none.
func (g *csr) compact() {
	at := uint32(0)
	for u := range g.Len() {
		lo, hi := g.off[u], g.off[u+1]
		g.off[u] = at
		for i := lo; i < hi && g.to[i] != none; i++ {
			g.to[at] = g.to[i]
			if g.w != nil {
				g.w[at] = g.w[i]
			}
			at++
		}
	}
	g.off[g.Len()] = at
	spare := len(g.to) - int(at)
	g.to = g.to[:at]
	if g.w != nil {
		g.w = g.w[:at]
	}
	if spare > len(g.to)/8 {
		g.to = slices.Clone(g.to)
		g.w = slices.Clone(g.w)
	}
}

// transpose returns the rows of the reversed edges. It holds the runs of all
// rows meanwhile.
func (g *csr) transpose(ctx context.Context, workers int) (csr, error) {
	n := g.Len()
	p := part{runs: make([]run, 0, n), to: g.to, w: g.w}
	for u := range n {
		if d := g.off[u+1] - g.off[u]; d > 0 {
			p.runs = append(p.runs, run{u: uint32(u), n: d, ways: backward})
		}
	}
	return buildRows(ctx, n, []part{p}, g.w != nil, Sum, workers)
}
