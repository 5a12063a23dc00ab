package graphops

import (
	"context"
	"math"
	"math/bits"

	"github.com/ragdb/ragdb/engine"
)

// pathChunk is how many paths are drawn from one stream of random numbers.
const pathChunk = 256

// maxPaths bounds how many paths are drawn: years of work.
const maxPaths = 1 << 48

// betweennessPathStream is the key of the streams that draw paths.
const betweennessPathStream = 0xbd << 32

// samplePaths returns the betweenness of paths between random pairs of nodes,
// as [Betweenness] does with Epsilon.
func samplePaths(ctx context.Context, p *Projection, o *BetweennessOptions) (*BetweennessResult, error) {
	n := p.Len()
	fixed, each := 32*int64(n), pathSamplerBytes(n)+8*int64(n)
	if !p.symmetric {
		fixed += 16*int64(n) + 4*int64(len(p.to))
	}
	workers := workersOf(o.Workers)
	if o.MaxBytes > 0 {
		fit := (o.MaxBytes - fixed) / max(1, each)
		if fit < 1 {
			return nil, &MemoryError{Op: "betweenness", Need: fixed + each, Limit: o.MaxBytes}
		}
		workers = int(min(int64(workers), fit))
	}
	r := &BetweennessResult{Scores: make([]float64, n)}
	if n < 3 {
		return r, nil
	}
	out := csr{off: p.off, to: p.to}
	in := out
	if !p.symmetric {
		var err error
		if in, err = out.transpose(ctx, workers); err != nil {
			return nil, err
		}
	}
	c, err := components(ctx, p)
	if err != nil {
		return nil, err
	}
	longest, err := longestPath(ctx, p, c)
	if err != nil {
		return nil, err
	}
	if r.Paths, err = pathsNeeded(n, longest, o.Epsilon, o.Delta); err != nil {
		return nil, err
	}
	if r.Paths == 0 {
		return r, nil
	}
	// Pairs are drawn of all n(n-1), and scores are of (n-1)(n-2).
	scale := float64(n) / float64(n-2) / float64(r.Paths)
	r.ErrorBound = o.Epsilon
	if !o.Normalised {
		pairs := float64(n-1) * float64(n-2)
		if p.symmetric {
			pairs /= 2
		}
		scale *= pairs
		r.ErrorBound *= pairs
	}
	d := pathDrawer{out: out, in: in, component: c.Of, seed: o.Seed}
	counts, err := d.run(ctx, r.Paths, workers)
	if err != nil {
		return nil, err
	}
	for u, x := range counts {
		r.Scores[u] = float64(x) * scale
	}
	return r, nil
}

// pathsNeeded returns how many paths make every score of a graph of n nodes
// right within epsilon with probability 1-delta, if no shortest path has
// more than longest nodes (Riondato and Kornaropoulos, 2016, Lemma 4.3 and
// Theorem 4.1, with the constant 1/2).
func pathsNeeded(n, longest int, epsilon, delta float64) (int, error) {
	if longest < 3 {
		return 0, nil // no path has an inner node
	}
	dimension := bits.Len(uint(longest - 2))   // floor(log2) + 1
	e := epsilon * (float64(n-2) / float64(n)) // their scores are of n(n-1) pairs
	paths := math.Ceil(0.5 / float64(e*e) * (float64(dimension) - logOf(delta)))
	if paths > min(maxPaths, math.MaxInt) {
		return 0, phase.Mark(engine.ErrInvalid, "Epsilon %v needs %.3g paths", epsilon, paths)
	}
	return int(paths), nil
}

// longestPath returns a bound of how many nodes a shortest path has. Of a
// component of a symmetric projection it is the two largest distances from the
// node of highest degree, and one; else its size.
func longestPath(ctx context.Context, p *Projection, c *Partition) (int, error) {
	hub := make([]uint32, c.Count) // of each component, its node of most neighbours
	for i := range hub {
		hub[i] = none
	}
	for u, component := range c.Of {
		if h := hub[component]; h == none || p.Degree(uint32(u)) > p.Degree(h) {
			hub[component] = uint32(u)
		}
	}
	var seen []bool
	longest := 0
	for component, size := range c.Sizes() {
		if size <= longest {
			continue
		}
		if !p.symmetric {
			longest = size
			continue
		}
		if seen == nil {
			seen = make([]bool, p.Len())
		}
		far, second, err := farthest(ctx, p, hub[component], seen)
		if err != nil {
			return 0, err
		}
		longest = max(longest, min(size, far+second+1))
	}
	return longest, nil
}

// farthest returns the two largest distances from u to other nodes. It marks
// what it reaches as seen.
func farthest(ctx context.Context, p *Projection, u uint32, seen []bool) (first, second int, err error) {
	seen[u] = true
	level, next := []uint32{u}, []uint32(nil)
	visits := 0
	for {
		for _, u := range level {
			to, _ := p.Row(u)
			for _, v := range to {
				if !seen[v] {
					seen[v] = true
					next = append(next, v)
				}
			}
			if visits += len(to) + 1; visits >= visitsPerLook {
				visits = 0
				if err := ctx.Err(); err != nil {
					return 0, 0, err
				}
			}
		}
		if len(next) == 0 {
			return first, second, nil
		}
		first++
		second = first
		if len(next) == 1 {
			second--
		}
		level, next = next, level[:0]
	}
}

// pathDrawer draws paths and counts their inner nodes.
type pathDrawer struct {
	out, in   csr
	component []uint32
	seed      uint64
}

// run draws paths in chunks, each from a stream of its own.
func (d *pathDrawer) run(ctx context.Context, paths, workers int) ([]uint64, error) {
	n := d.out.Len()
	chunks := (paths + pathChunk - 1) / pathChunk
	workers = min(workers, chunks)
	samplers := make([]*pathSampler, workers)
	counts := make([][]uint64, workers)
	counts[0] = make([]uint64, n) // not every worker need get work
	round := 8 * workers
	for first := 0; first < chunks; first += round {
		last := min(first+round, chunks)
		err := parallel(ctx, workers, last-first, func(worker, i int) error {
			if samplers[worker] == nil {
				samplers[worker] = newPathSampler(d.out, d.in)
			}
			if counts[worker] == nil {
				counts[worker] = make([]uint64, n)
			}
			chunk := first + i
			size := min(pathChunk, paths-chunk*pathChunk)
			return d.draw(ctx, samplers[worker], chunk, size, counts[worker])
		})
		if err != nil {
			return nil, err
		}
	}
	for _, c := range counts[1:] {
		for u, x := range c { // integers: the order does not matter
			counts[0][u] += x
		}
	}
	return counts[0], nil
}

// draw draws the paths of a chunk.
func (d *pathDrawer) draw(ctx context.Context, s *pathSampler, chunk, size int, counts []uint64) error {
	random := newStream(d.seed, betweennessPathStream, uint64(chunk))
	n := uint64(len(counts))
	for range size {
		from := uint32(random.below(n))
		to := uint32(random.below(n - 1))
		if to >= from {
			to++
		}
		if d.component[from] != d.component[to] {
			continue
		}
		err := s.draw(ctx, from, to, &random, func(u uint32) { counts[u]++ })
		if err != nil {
			return err
		}
	}
	return nil
}
