package graphops

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/engine"
)

// GMMOptions tune [GMM]. The zero value chooses the number of components.
type GMMOptions struct {
	// K is the number of components. The default, 0, tries KMin to KMax and
	// keeps the mixture of least BIC.
	K int
	// KMin and KMax bound the numbers tried. The defaults, 0, are HiRAG's: 1,
	// and the lesser of 49 and the number of vectors less 1. With K they are
	// not used.
	KMin, KMax int
	// Patience ends the search once the BIC has been no better than the best
	// for this many numbers of components. The default, 0, is 5; below 0 it
	// never ends for that.
	Patience int
	// StopChange ends the search once a number of components has a BIC that
	// differs from the one before by less than this in proportion, after
	// counting it in. HiRAG has 1e-3. The default, 0, never ends for that.
	StopChange float64
	// Cold fits every number of components from k-means, as HiRAG does. Else
	// each mixture but the first begins with the one before, whose component
	// that gains most is cut in two: this takes a fraction of the time, and
	// mostly fits better.
	Cold bool
	// Restarts is how many fits from k-means there are, each with other random
	// numbers, of which that of greatest likelihood counts. The default, 0, is
	// 1; HiRAG has 5.
	Restarts int
	// Initial is the mixture to begin with, in place of one from k-means; K is
	// 0 or its number of components, which is not searched then.
	Initial *Mixture
	// MaxIterations bounds the iterations of a fit. The default, 0, is 100.
	MaxIterations int
	// Tolerance ends a fit: the mean log-likelihood of a vector changed by less
	// than this. The default, 0, is 1e-3.
	Tolerance float64
	// Regularisation is added to the variances. The default, 0, is 1e-6.
	Regularisation float64
	// Sample fits a random sample of so many vectors; the components of all are
	// then found. The default, 0, fits all.
	Sample int
	// Seed decides what is random.
	Seed uint64
	// MaxBytes bounds the working memory, the result among it; 0 means no bound.
	MaxBytes int64
	// Workers bounds the goroutines; 0 is one for each processor. The result
	// does not depend on it.
	Workers int
}

// gmmDefaultKMax is HiRAG's bound of the numbers of components.
const gmmDefaultKMax = 49

func (o *GMMOptions) ensureDefaults(n int) GMMOptions {
	out := *o
	if out.Initial != nil && out.K == 0 {
		out.K = out.Initial.Len()
	}
	if out.K != 0 {
		out.KMin, out.KMax = out.K, out.K
	}
	out.KMin = cmp.Or(out.KMin, 1)
	if out.KMax == 0 {
		out.KMax = max(min(gmmDefaultKMax, n-1), out.KMin)
	}
	out.Patience = cmp.Or(out.Patience, 5)
	out.Restarts = cmp.Or(out.Restarts, 1)
	out.MaxIterations = cmp.Or(out.MaxIterations, 100)
	out.Tolerance = cmp.Or(out.Tolerance, 1e-3)
	out.Regularisation = cmp.Or(out.Regularisation, 1e-6)
	return out
}

func (o *GMMOptions) validate() error {
	switch {
	case o.KMin < 1 || o.KMax < o.KMin || int64(o.KMax) >= int64(None):
		return phase.Mark(engine.ErrInvalid, "%d to %d components", o.KMin, o.KMax)
	case !(o.StopChange >= 0):
		return phase.Mark(engine.ErrInvalid, "StopChange %v", o.StopChange)
	case o.Restarts < 0:
		return phase.Mark(engine.ErrInvalid, "Restarts %d", o.Restarts)
	case o.Initial != nil && o.Initial.Len() != o.K:
		return phase.Mark(engine.ErrInvalid, "Initial has %d components for K %d", o.Initial.Len(), o.K)
	case o.MaxIterations < 0:
		return phase.Mark(engine.ErrInvalid, "MaxIterations %d", o.MaxIterations)
	case !(o.Tolerance > 0):
		return phase.Mark(engine.ErrInvalid, "Tolerance %v", o.Tolerance)
	case !(o.Regularisation > 0) || math.IsInf(o.Regularisation, 0):
		return phase.Mark(engine.ErrInvalid, "Regularisation %v", o.Regularisation)
	case o.Sample < 0:
		return phase.Mark(engine.ErrInvalid, "Sample %d", o.Sample)
	}
	return nil
}

// GMM fits a mixture of Gaussian distributions with full covariances to
// vectors, and chooses the number of components by the Bayesian information
// criterion if it is not given. It is meant for few dimensions: HiRAG
// reduces vectors to 2, [Reduce] by default to 10. [Mixture.Members] gives the
// soft clusters. A matrix without vectors has no components, and there are no
// more of them than distinct vectors. Vectors so large that densities overflow
// are an error.
//
// HiRAG's search is {KMax: min(n,50)-1, Cold: true, Restarts: 5, StopChange:
// 1e-3, Patience: -1} and Members(ctx, m, 0.1). It differs in that HiRAG begins
// a fit with the first centroids of k-means alone and not with its clusters,
// and reduces by UMAP.
//
// Source: expectation and maximisation as in Dempster, Laird and Rubin, 1977,
// with the conventions of scikit-learn: a fit begins with the clusters of
// k-means, iterates until the mean log-likelihood hardly changes, and the BIC
// counts K-1 weights, K d means and K d (d+1)/2 covariances. Densities are
// logarithms throughout, by the inverse of the Cholesky factor of each
// covariance. A responsibility under e^-40 of the highest is 0, and the distance
// that shows it is computed no further. A component is cut across its longest
// axis, where its vectors are best divided in two clusters; the component is cut
// whose halves explain its vectors best, and which has at least 2(d+1) of them.
// A covariance that is not positive definite after Regularisation gets more on
// its diagonal.
//
// An iteration is at most O(n K d^2), and mostly far less. Working memory is
// that of k-means with KMax clusters, 4 bytes a vector, and for each component 8
// bytes times up to 32 (1 + d + d(d+1)/2) + 3 (2 + 2d + d^2). The result has the
// same bits on every processor, since the exponential function and the logarithm
// are the package's own, and for any number of workers. If ctx ends, its error
// is returned.
func GMM(ctx context.Context, m Matrix, o GMMOptions) (*Mixture, error) {
	o = o.ensureDefaults(m.Len())
	r, err := gmm(ctx, m, &o)
	if err != nil {
		return nil, phase.Errorf("gmm: %w", err)
	}
	return r, nil
}

// gmmSampleStream and gmmStream are streams of random numbers of a seed.
const (
	gmmSampleStream = 0x633a << 32
	gmmStream       = 0x633b << 32
)

func gmm(ctx context.Context, m Matrix, o *GMMOptions) (*Mixture, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := m.validate(); err != nil {
		return nil, err
	}
	n := m.Len()
	if n == 0 {
		return &Mixture{Dim: m.Dim, Converged: true}, nil
	}
	if err := o.fits(n, m.Dim); err != nil {
		return nil, err
	}
	fit := m
	if o.Sample > 0 && o.Sample < n {
		fit = m.sample(o.Sample, newStream(o.Seed, gmmSampleStream))
	}
	f := &gmmFit{
		m: fit, reg: o.Regularisation, enough: o.Tolerance, most: o.MaxIterations,
		workers:   workersOf(o.Workers),
		component: make([]uint32, fit.Len()),
	}
	best, tried, err := f.search(ctx, o)
	if err != nil {
		return nil, err
	}
	// The most probable components are those of the last mixture tried.
	f.m, f.component = m, make([]uint32, n)
	if _, err := f.expect(ctx, best.g, false); err != nil {
		return nil, err
	}
	return best.mixture(f.component, tried), nil
}

// fits compares the memory needed with MaxBytes.
func (o *GMMOptions) fits(n, d int) error {
	k := min(o.KMax, n)
	s := n
	need := 4 * int64(n)
	if o.Sample > 0 && o.Sample < n {
		s = o.Sample
		need += 4 * int64(s) * int64(d+1)
	}
	need += int64(s)*int64(max(28, 4+4*trialsOf(k))) + 8*int64(k)*int64(d)
	sets := int64(1+d+triangle(d))*int64(gmmPieces(s, k, d)) + 3*int64(2+2*d+d*d)
	need += 8 * int64(k) * sets
	if o.MaxBytes > 0 && need > o.MaxBytes {
		return &MemoryError{Op: "gmm", Need: need, Limit: o.MaxBytes}
	}
	return nil
}

// search fits the numbers of components that o asks for and returns the mixture
// of least BIC.
func (f *gmmFit) search(ctx context.Context, o *GMMOptions) (best *gmmResult, tried []float64, err error) {
	var last *gmmResult
	since := 0 // numbers tried since the best
	for k := o.KMin; k <= o.KMax; k++ {
		r, err := f.next(ctx, k, last, o)
		if err != nil {
			return nil, nil, fmt.Errorf("%d components: %w", k, err)
		}
		if r == nil {
			break
		}
		tried = append(tried, r.bic)
		since++
		if best == nil || r.bic < best.bic {
			best, since = r, 0
		}
		if r.g.k < k || o.Patience > 0 && since >= o.Patience ||
			last != nil && math.Abs(last.bic-r.bic) < o.StopChange*math.Abs(last.bic) {
			break
		}
		last = r
	}
	return best, tried, nil
}

// next fits k components, given the fit of one less. It returns nil if the
// vectors do not allow for so many.
func (f *gmmFit) next(ctx context.Context, k int, last *gmmResult, o *GMMOptions) (*gmmResult, error) {
	if o.Initial != nil {
		g, err := o.Initial.model(f.m.Dim)
		if err != nil {
			return nil, err
		}
		return f.run(ctx, g)
	}
	if last != nil && !o.Cold {
		g, err := f.split(ctx, last)
		if g == nil {
			return nil, err
		}
		return f.run(ctx, g)
	}
	var best *gmmResult
	for i := range o.Restarts {
		g, err := f.clusters(ctx, k, uint64(i), o)
		if err != nil {
			return nil, err
		}
		r, err := f.run(ctx, g)
		if err != nil {
			return nil, err
		}
		if best == nil || r.log > best.log {
			best = r
		}
	}
	return best, nil
}

// clusters returns a mixture of the clusters of k-means, at most k.
func (f *gmmFit) clusters(ctx context.Context, k int, restart uint64, o *GMMOptions) (*gmmModel, error) {
	s := newStream(o.Seed, gmmStream, restart)
	km, err := kMeans(ctx, f.m, &KMeansOptions{
		K: k, Seed: s.next(), MaxIterations: 300, Tolerance: 1e-4, Workers: o.Workers,
	})
	if err != nil {
		return nil, err
	}
	g := newGMMModel(km.Partition.Count, f.m.Dim)
	off, members := km.Partition.Members()
	err = parallel(ctx, f.workers, g.k, func(_, c int) error {
		return g.setGroup(ctx, c, f.m, members[off[c]:off[c+1]], f.m.Len(), f.reg)
	})
	copy(f.component, km.Partition.Of)
	return g, err
}

// mixture returns the result as the caller gets it.
func (r *gmmResult) mixture(component []uint32, tried []float64) *Mixture {
	g := r.g
	k, d := g.k, g.d
	out := &Mixture{
		Dim: d, Weights: g.weights, Means: g.means,
		Covariances:   make([]float64, k*d*d),
		LogLikelihood: r.log, BIC: r.bic,
		Partition:  Partition{Of: component, Count: k},
		Iterations: r.iterations, Converged: r.converged,
		Tried: tried,
	}
	for c := range k {
		cov := g.covariance(c)
		for i := range d {
			for j := range i + 1 {
				x := cov[triangle(i)+j]
				out.Covariances[(c*d+i)*d+j], out.Covariances[(c*d+j)*d+i] = x, x
			}
		}
	}
	return out
}
