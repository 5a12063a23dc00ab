package graphops

import (
	"context"
	"math"

	"github.com/ragdb/ragdb/engine"
)

// Mixture is a sum of Gaussian distributions, the components, each with a
// weight, a mean and a full covariance: a model of where vectors lie, as [GMM]
// finds it. It is safe for concurrent use as long as it is not changed.
type Mixture struct {
	// Dim is the dimension of the vectors.
	Dim int
	// Weights has the probability of each component. They sum to 1.
	Weights []float64
	// Means has the Dim elements of each component's mean.
	Means []float64
	// Covariances has the Dim x Dim elements of each component's covariance.
	Covariances []float64
	// LogLikelihood is the natural logarithm of the density of the vectors that
	// the mixture was found from.
	LogLikelihood float64
	// BIC is the Bayesian information criterion of those vectors: the
	// parameters times the logarithm of the number of vectors, less twice
	// LogLikelihood. Lower is better.
	BIC float64
	// Partition has the most probable component of each vector.
	Partition Partition
	// Iterations is how many iterations of expectation and maximisation it
	// took, and Converged that they did not end for MaxIterations.
	Iterations int
	Converged  bool
	// Tried has the BIC of each number of components that was fitted, this
	// mixture's among them.
	Tried []float64
}

// Len returns the number of components.
func (x *Mixture) Len() int { return len(x.Weights) }

// Membership says to which components vectors belong, and how much.
type Membership struct {
	// Off has for each vector where its entries begin, and then their number:
	// those of vector i are Off[i] to Off[i+1]-1.
	Off []int
	// Components has the component of each entry, ascending for each vector.
	Components []uint32
	// Responsibilities has the probability that the vector is of the
	// component.
	Responsibilities []float64
	// Count is the number of components.
	Count int
}

// Members returns the vectors grouped by component: those of component c are
// vectors[off[c]:off[c+1]], ascending. The caller owns both slices.
func (x *Membership) Members() (off []int, vectors []uint32) {
	off = make([]int, x.Count+1)
	for _, c := range x.Components {
		off[c+1]++
	}
	for c := range x.Count {
		off[c+1] += off[c]
	}
	vectors = make([]uint32, len(x.Components))
	next := append([]int(nil), off[:x.Count]...)
	for i := range len(x.Off) - 1 {
		for _, c := range x.Components[x.Off[i]:x.Off[i+1]] {
			vectors[next[c]] = uint32(i)
			next[c]++
		}
	}
	return off, vectors
}

// Members returns the soft clusters of vectors, of those that the mixture was
// found from or others of the same dimension: each belongs to the components
// whose responsibility for it, the probability that it comes of them, is above
// the threshold, and in any case to the most probable one. HiRAG's threshold
// is 0.1, by which a vector has at most nine components; in HiRAG a vector may
// have none. The threshold must be at least 0 and below 1. A responsibility
// that is under e^-40 of the highest is 0.
//
// It is O(n K d^2), mostly far less, and runs on the caller's goroutine.
func (x *Mixture) Members(ctx context.Context, m Matrix, threshold float64) (*Membership, error) {
	r, err := x.members(ctx, m, threshold)
	if err != nil {
		return nil, phase.Errorf("members of a mixture: %w", err)
	}
	return r, nil
}

func (x *Mixture) members(ctx context.Context, m Matrix, threshold float64) (*Membership, error) {
	if !(threshold >= 0 && threshold < 1) {
		return nil, phase.Mark(engine.ErrInvalid, "threshold %v", threshold)
	}
	if err := m.validate(); err != nil {
		return nil, err
	}
	n := m.Len()
	out := &Membership{Off: make([]int, n+1), Count: x.Len()}
	if n == 0 {
		return out, nil
	}
	g, err := x.model(m.Dim)
	if err != nil {
		return nil, err
	}
	e := newExpector(g)
	best, look := uint32(0), gmmLook(g.k, g.d)
	for i := range n {
		if i%look == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		e.expect(m.Row(i), best)
		best = e.best
		for j, c := range e.near {
			if e.share[j] > threshold || c == best {
				out.Components = append(out.Components, c)
				out.Responsibilities = append(out.Responsibilities, e.share[j])
			}
		}
		out.Off[i+1] = len(out.Components)
	}
	return out, nil
}

// model returns what computes the densities of x, which the caller may have
// made.
func (x *Mixture) model(dim int) (*gmmModel, error) {
	k, d := x.Len(), x.Dim
	if d != dim || k == 0 || len(x.Means) != k*d || len(x.Covariances) != k*d*d {
		return nil, phase.Mark(engine.ErrInvalid, "mixture of %d components of dimension %d with %d and %d elements for vectors of dimension %d", k, d, len(x.Means), len(x.Covariances), dim)
	}
	g := newGMMModel(k, d)
	for c, w := range x.Weights {
		if !(w > 0) || math.IsInf(w, 0) {
			return nil, phase.Mark(engine.ErrInvalid, "weight %v of component %d", w, c)
		}
	}
	copy(g.weights, x.Weights)
	copy(g.means, x.Means)
	for c := range k {
		cov := g.covariance(c)
		for i := range d {
			for j := range i + 1 {
				cov[i*(i+1)/2+j] = x.Covariances[(c*d+i)*d+j]
			}
		}
		if !g.prepare(c) {
			return nil, phase.Mark(engine.ErrInvalid, "covariance of component %d is not positive definite", c)
		}
	}
	return g, nil
}
