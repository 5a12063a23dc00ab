package graphops

import (
	"context"
	"math"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/distance"
)

// defaultReducedDim is the dimension that vectors are reduced to by default.
const defaultReducedDim = 10

// PCAResult is what [PCA] returns.
type PCAResult struct {
	// Reduced has the vectors, less their mean, along the components.
	Reduced Matrix
	// Components has the directions of greatest variance, of length 1 and
	// orthogonal, by falling variance.
	Components Matrix
	// Mean is the mean of the vectors.
	Mean []float64
	// Variances has the variance along each component, by n-1.
	Variances []float64
	// Total is the sum of the variances of the vectors' elements.
	Total float64
	// Converged says that the components are as exact as they can be: they are
	// less so if the variances of more directions than are wanted differ by
	// less than a ten-thousandth.
	Converged bool
}

// PCA reduces vectors to the coordinates along their principal components, the
// directions of greatest variance. Of a component's two signs it takes the one
// that makes its greatest element positive, the first of equal ones. A single
// vector, or equal ones, reduce to zeros, along components that mean nothing. A
// matrix without vectors has no components.
//
// Source: Pearson, "On lines and planes of closest fit", 1901. The covariance
// is summed in float32 over 512 vectors at a time and beyond in float64, which
// is accurate to about a millionth; its leading eigenvectors are found by
// subspace iteration, to a residual of 1e-7 of the greatest variance. Of fewer
// vectors than they have elements the products with each other are taken in
// place of the covariance: the eigenvalues are the same, and the components
// are sums of the vectors by the eigenvectors (Turk and Pentland, "Eigenfaces
// for recognition", 1991).
//
// It is O(n d m + m^2 Dim) where m is the lesser of n and d. Working memory is
// 8 d^2 bytes, 2 KB for each element of a vector, 32 d (Dim + 8) bytes and the
// result's 4 n Dim. The result has the same bits on every processor and for any
// number of workers. If ctx ends, its error is returned.
func PCA(ctx context.Context, m Matrix, o ReduceOptions) (*PCAResult, error) {
	r, err := pca(ctx, m, &o)
	if err != nil {
		return nil, phase.Errorf("pca: %w", err)
	}
	return r, nil
}

// pcaStream is the stream of the vectors that the eigenvectors are sought from.
const pcaStream = 0x9ca << 32

func pca(ctx context.Context, m Matrix, o *ReduceOptions) (*PCAResult, error) {
	n, d := m.Len(), m.Dim
	dim := o.Dim
	if dim == 0 {
		dim = min(defaultReducedDim, d)
	}
	if dim < 0 || n > 0 && dim > d {
		return nil, phase.Mark(engine.ErrInvalid, "Dim %d for vectors of dimension %d", o.Dim, d)
	}
	if err := m.validate(); err != nil {
		return nil, err
	}
	if n == 0 {
		return &PCAResult{Reduced: Matrix{Dim: dim}, Components: Matrix{Dim: d}, Converged: true}, nil
	}
	need := 8*int64(d)*int64(d) + 4*slabStride*int64(d) + 8*int64(d)*int64(3*eigenWidth(d, dim)+dim) + 4*int64(n)*int64(dim)
	if o.MaxBytes > 0 && need > o.MaxBytes {
		return nil, &MemoryError{Op: "pca", Need: need, Limit: o.MaxBytes}
	}
	p := &centred{m: m, mean: make([]float64, d), workers: workersOf(o.Workers)}
	for i := range n {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		addTo(p.mean, m.Row(i))
	}
	for j := range p.mean {
		p.mean[j] /= float64(n)
	}
	c, err := p.components(ctx, dim)
	if err != nil {
		return nil, err
	}
	r := &PCAResult{Mean: p.mean, Total: c.total, Converged: c.converged}
	r.Components = Matrix{Dim: d, Data: make([]float32, dim*d)}
	for k := range dim {
		r.Variances = append(r.Variances, max(c.values[k], 0))
		orient(r.Components.Row(k), c.vectors, k, dim)
	}
	r.Reduced, err = p.project(ctx, r.Components)
	return r, err
}

// orient sets dst to column k of x, of rows of the given width, with the sign
// that makes its greatest element positive.
func orient(dst []float32, x []float64, k, width int) {
	top := 0.0
	for i := range dst {
		if y := x[i*width+k]; math.Abs(y) > math.Abs(top) {
			top = y
		}
	}
	for i := range dst {
		y := x[i*width+k]
		if top < 0 {
			y = -y
		}
		dst[i] = float32(y)
	}
}

// centred is vectors less their mean.
type centred struct {
	m       Matrix
	mean    []float64
	workers int
}

// principal are the directions of greatest variance.
type principal struct {
	values    []float64 // variances, falling
	vectors   []float64 // a row for each element, of a column for each direction
	total     float64   // variance of all elements
	converged bool
}

func (p *centred) components(ctx context.Context, dim int) (*principal, error) {
	if n, d := p.m.Len(), p.m.Dim; dim < n && n < d {
		c, err := p.dual(ctx, dim)
		if c != nil || err != nil {
			return c, err
		}
	}
	cov, err := p.covariance(ctx)
	if err != nil {
		return nil, err
	}
	return cov.leading(ctx, dim)
}

// covariance returns the products of the elements.
func (p *centred) covariance(ctx context.Context) (*scatter, error) {
	n, d := p.m.Len(), p.m.Dim
	s := &scatter{size: d, by: 1 / float64(max(n-1, 1)), workers: p.workers}
	return s, s.sum(ctx, n, func(slab []float32, at, width int) error {
		return pieces(ctx, p.workers, width, 64, func(_, _, lo, hi int) {
			for i := lo; i < hi; i++ {
				for j, x := range p.m.Row(at + i) {
					slab[j*slabStride+i] = float32(float64(x) - p.mean[j])
				}
			}
		})
	})
}

// project returns the coordinates of the vectors along components.
func (p *centred) project(ctx context.Context, components Matrix) (Matrix, error) {
	n, d, dim := p.m.Len(), p.m.Dim, components.Len()
	out := Matrix{Dim: dim, Data: make([]float32, n*dim)}
	err := pieces(ctx, p.workers, n, pieceOf(dim, d), func(_, _, lo, hi int) {
		v := make([]float32, d)
		for i := lo; i < hi; i++ {
			for j, x := range p.m.Row(i) {
				v[j] = float32(float64(x) - p.mean[j])
			}
			distance.DotBlock(v, components.Data, out.Row(i))
		}
	})
	return out, err
}
