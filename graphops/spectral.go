package graphops

import (
	"cmp"
	"context"
	"math"

	"github.com/ragdb/ragdb/engine"
)

// SpectralOptions tune [Spectral]. K must be given; the zero value of the
// others is right for most.
type SpectralOptions struct {
	// K is the number of clusters, at least 1 and at most MaxNodes.
	K int
	// MaxNodes is the number of nodes above which it is refused: time and
	// memory grow with the nodes times K^2 and K. The default, 0, is 50,000.
	MaxNodes int
	// Tolerance is how exact eigenvectors are: what is left of one when the
	// matrix has been applied and its own multiple subtracted. The default, 0,
	// is 1e-3.
	Tolerance float64
	// MaxIterations bounds the steps of the search for eigenvectors. The
	// default, 0, is 100.
	MaxIterations int
	// Restarts is how many runs of k-means there are, each with other random
	// numbers, of which that of least inertia counts. The default, 0, is 1.
	Restarts int
	// Seed decides what is random.
	Seed uint64
	// MaxBytes bounds the working memory, the result among it; 0 means no bound.
	MaxBytes int64
	// Workers bounds the goroutines; 0 is one for each processor. The result
	// does not depend on it.
	Workers int
}

func (o *SpectralOptions) ensureDefaults() SpectralOptions {
	out := *o
	out.MaxNodes = cmp.Or(out.MaxNodes, 50_000)
	out.Tolerance = cmp.Or(out.Tolerance, 1e-3)
	out.MaxIterations = cmp.Or(out.MaxIterations, 100)
	out.Restarts = cmp.Or(out.Restarts, 1)
	return out
}

func (o *SpectralOptions) validate(p *Projection) error {
	switch {
	case o.K < 1 || o.K > max(o.MaxNodes, 1):
		return phase.Mark(engine.ErrInvalid, "K %d", o.K)
	case o.MaxNodes < 0:
		return phase.Mark(engine.ErrInvalid, "MaxNodes %d", o.MaxNodes)
	case p.Len() > o.MaxNodes:
		return phase.Mark(engine.ErrInvalid, "%d nodes, more than MaxNodes %d: use Leiden", p.Len(), o.MaxNodes)
	case !(o.Tolerance > 0):
		return phase.Mark(engine.ErrInvalid, "Tolerance %v", o.Tolerance)
	case o.MaxIterations < 0:
		return phase.Mark(engine.ErrInvalid, "MaxIterations %d", o.MaxIterations)
	case o.Restarts < 0:
		return phase.Mark(engine.ErrInvalid, "Restarts %d", o.Restarts)
	case !p.symmetric:
		return phase.Mark(engine.ErrInvalid, "directed edges")
	}
	return nil
}

// SpectralResult is what [Spectral] returns.
type SpectralResult struct {
	// Partition has the cluster of each node. A node without edges, or whose
	// edges all weigh 0, is in none.
	Partition Partition
	// Eigenvalues are the K greatest of the normalised adjacency matrix,
	// falling, from 1 on. As many are 1 as there are components with edges; a
	// gap after the first k of them says that there are k clusters.
	Eigenvalues []float64
	// Iterations is how many steps it took to find them, and Converged that it
	// did not end for MaxIterations.
	Iterations int
	Converged  bool
}

// Spectral divides the nodes of an undirected graph into K clusters with few
// edges between them for the edges inside: it relaxes the normalised cut to an
// eigenproblem, in which each node is a point, and divides the points by k-means.
// There are fewer than K clusters if there are fewer distinct points. It is
// by far the slowest way to cluster a graph here, and where no number of
// clusters is prescribed, Leiden finds better ones; so it refuses graphs of more
// than MaxNodes nodes. A projection that is not symmetric, or a negative weight,
// is an error.
//
// Source: Ng, Jordan and Weiss, "On spectral clustering", NIPS 2001: the
// eigenvectors of the K greatest eigenvalues of D^-1/2 A D^-1/2, with rows
// scaled to length 1. They are found by subspace iteration with Chebyshev
// polynomials (Zhou and Saad, 2007), which finds equal eigenvalues as well.
//
// A step is O(m K + n K^2); there are 3 to 10 of them mostly. Working memory is
// 32 bytes for each node and eigenvector, of which there are K and an eighth
// more, and that of k-means. The result has the same bits on every processor and
// for any number of workers. If ctx ends, its error is returned.
func Spectral(ctx context.Context, p *Projection, o SpectralOptions) (*SpectralResult, error) {
	o = o.ensureDefaults()
	r, err := spectral(ctx, p, &o)
	if err != nil {
		return nil, phase.Errorf("spectral: %w", err)
	}
	return r, nil
}

// spectralStream is the stream of a seed.
const spectralStream = 0x59ec << 32

func spectral(ctx context.Context, p *Projection, o *SpectralOptions) (*SpectralResult, error) {
	if err := o.validate(p); err != nil {
		return nil, err
	}
	p, err := p.plain("spectral")
	if err != nil {
		return nil, err
	}
	a, err := newNormalisedAdjacency(ctx, p)
	if err != nil {
		return nil, err
	}
	n := len(a.nodes)
	k := min(o.K, n)
	km := KMeansOptions{K: max(k, 1), MaxIterations: 300, Workers: o.Workers}
	if err := o.fits(p.Len(), n, k, &km); err != nil {
		return nil, err
	}
	cluster := make([]uint32, p.Len())
	for u := range cluster {
		cluster[u] = None
	}
	r := &SpectralResult{Partition: Partition{Of: cluster}, Converged: true}
	if n == 0 {
		return r, nil
	}
	a.workers = workersOf(o.Workers)
	random := newStream(o.Seed, spectralStream)
	s := &eigenSolver{
		n: n, want: k, apply: a.apply, low: -1, enough: o.Tolerance, most: o.MaxIterations,
		workers: a.workers, random: newStream(random.next()),
	}
	var vectors []float64
	if r.Eigenvalues, vectors, r.Converged, err = s.solve(ctx); err != nil {
		return nil, err
	}
	r.Iterations = s.steps
	points := Matrix{Dim: k, Data: make([]float32, n*k)}
	for i := range n {
		toUnitOf(points.Row(i), vectors[i*k:(i+1)*k])
	}
	*s = eigenSolver{} // frees its blocks
	var best *Clustering
	for range o.Restarts {
		km.Seed = random.next()
		c, err := kMeans(ctx, points, &km)
		if err != nil {
			return nil, err
		}
		if best == nil || c.Inertia < best.Inertia {
			best = c
		}
	}
	for i, u := range a.nodes {
		cluster[u] = best.Partition.Of[i]
	}
	r.Partition.Count = best.Partition.Count
	return r, nil
}

// fits compares the memory needed with MaxBytes.
func (o *SpectralOptions) fits(all, n, k int, km *KMeansOptions) error {
	width := int64(eigenWidth(n, k))
	need := 4*int64(all) + int64(n)*(16+8*(3*width+int64(k))+4*int64(k)) + 8*width*width*(eigenPieces+4)
	need += int64(n)*int64(max(28, 4+4*trialsOf(km.K))) + 8*int64(k)*int64(k)
	if o.MaxBytes > 0 && need > o.MaxBytes {
		return &MemoryError{Op: "spectral", Need: need, Limit: o.MaxBytes}
	}
	return nil
}

// toUnitOf sets dst to the direction of v, or to zeros if it has none.
func toUnitOf(dst []float32, v []float64) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	if !(sum > 0) {
		return
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		dst[i] = float32(x / length)
	}
}

// normalisedAdjacency is the matrix D^-1/2 A D^-1/2 of the nodes with edges.
type normalisedAdjacency struct {
	p       *Projection
	nodes   []uint32  // of the projection, by their row
	row     []uint32  // of each node of the projection
	inverse []float64 // square root of 1 / the strength of each row's node
	bounds  []int     // rows of each task
	workers int
}

func newNormalisedAdjacency(ctx context.Context, p *Projection) (*normalisedAdjacency, error) {
	if err := p.checkLoops(); err != nil {
		return nil, err
	}
	a := &normalisedAdjacency{p: p, row: make([]uint32, p.Len()), bounds: []int{0}}
	entries := 0
	for u := range p.Len() {
		if u%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		to, w := p.Row(uint32(u))
		sum := float64(len(to))
		if w != nil {
			sum = 0
			for i, x := range w {
				if x < 0 {
					return nil, p.weightError(uint32(u), to[i], x)
				}
				sum += float64(x)
			}
		}
		if !(sum > 0) {
			a.row[u] = None
			continue
		}
		a.row[u] = uint32(len(a.nodes))
		a.nodes = append(a.nodes, uint32(u))
		a.inverse = append(a.inverse, 1/math.Sqrt(sum))
		// A task has as many rows as make for some entries.
		if entries += len(to) + 8; entries >= 1<<12 {
			a.bounds = append(a.bounds, len(a.nodes))
			entries = 0
		}
	}
	if a.bounds[len(a.bounds)-1] < len(a.nodes) {
		a.bounds = append(a.bounds, len(a.nodes))
	}
	return a, nil
}

// apply is an [eigenOperator].
func (a *normalisedAdjacency) apply(ctx context.Context, dst, src, prev []float64, width int, alpha, beta, gamma float64) error {
	return parallel(ctx, a.workers, len(a.bounds)-1, func(_, task int) error {
		sum := make([]float64, width)
		for i := a.bounds[task]; i < a.bounds[task+1]; i++ {
			clear(sum)
			to, w := a.p.Row(a.nodes[i])
			for j, v := range to {
				r := a.row[v]
				if r == None {
					continue
				}
				by := a.inverse[r]
				if w != nil {
					by *= float64(w[j])
				}
				addScaled(sum, src[int(r)*width:], by)
			}
			x, y, z := dst[i*width:][:width], src[i*width:][:width], prev[i*width:][:width]
			by := alpha * a.inverse[i]
			for j, s := range sum {
				x[j] = float64(by*s) + float64(beta*y[j]) + float64(gamma*z[j])
			}
		}
		return nil
	})
}

// addScaled adds by times v to sum.
func addScaled(sum, v []float64, by float64) {
	v = v[:len(sum)]
	i := 0
	for ; i+4 <= len(sum); i += 4 {
		s, x := (*[4]float64)(sum[i:]), (*[4]float64)(v[i:])
		s[0] += float64(by * x[0])
		s[1] += float64(by * x[1])
		s[2] += float64(by * x[2])
		s[3] += float64(by * x[3])
	}
	for ; i < len(sum); i++ {
		sum[i] += float64(by * v[i])
	}
}
