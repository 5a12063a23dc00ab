package graphops

import (
	"context"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex/distance"
)

// defaultReducedDim is the dimension that vectors are reduced to by default.
const defaultReducedDim = 10

// PCAOptions tune [PCA]. The zero value is right for most.
type PCAOptions struct {
	// Dim is the dimension to reduce to, at most that of the vectors. The
	// default, 0, is 10, or the dimension of the vectors where that is less.
	Dim int
	// MaxBytes bounds the working memory, the result among it; 0 is no bound.
	MaxBytes int64
	// Workers bounds the goroutines; 0 is one for each processor. The result
	// does not depend on it.
	Workers int
	// Progress is called at most ten times a second with the components found.
	Progress func(Progress)
}

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
	// less so where the variances of more directions than are wanted differ by
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
// subspace iteration, to a residual of 1e-7 of the greatest variance.
//
// It is O(n d^2 + d^2 Dim). Working memory is 8 d^2 bytes, 2 KB for each
// element of a vector, 32 d (Dim + 8) bytes and the result's 4 n Dim. The
// result has the same bits on every processor and for any number of workers.
// Where ctx ends, its error is returned.
func PCA(ctx context.Context, m Matrix, o PCAOptions) (*PCAResult, error) {
	r, err := pca(ctx, m, &o)
	if err != nil {
		return nil, fmt.Errorf("graphops: pca: %w", err)
	}
	return r, nil
}

// pcaStream is the stream of the vectors that the eigenvectors are sought from.
const pcaStream = 0x9ca << 32

func pca(ctx context.Context, m Matrix, o *PCAOptions) (*PCAResult, error) {
	n, d := m.Len(), m.Dim
	dim := o.Dim
	if dim == 0 {
		dim = min(defaultReducedDim, d)
	}
	if dim < 0 || n > 0 && dim > d {
		return nil, fmt.Errorf("%w: Dim %d for vectors of dimension %d", engine.ErrInvalid, o.Dim, d)
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
	p := &covarianceOf{m: m, mean: make([]float64, d), workers: workersOf(o.Workers)}
	for i := range n {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		addTo(p.mean, m.Row(i))
	}
	for j := range p.mean {
		p.mean[j] /= float64(n)
	}
	if err := p.sum(ctx); err != nil {
		return nil, err
	}
	r := &PCAResult{Mean: p.mean}
	for j := range d {
		r.Total += p.cov[j*d+j]
	}
	if math.IsInf(r.Total, 0) || math.IsNaN(r.Total) {
		return nil, errFarApart()
	}
	progress := newReporter(o.Progress, "pca")
	s := &eigenSolver{
		n: d, want: dim, apply: p.apply, enough: 1e-7, most: 50, workers: p.workers,
		random: newStream(pcaStream),
		step: func(found int) {
			if found < dim {
				progress.step(found, dim)
			}
		},
	}
	values, vectors, converged, err := s.solve(ctx)
	if err != nil {
		return nil, err
	}
	r.Converged = converged
	r.Components = Matrix{Dim: d, Data: make([]float32, dim*d)}
	for k := range dim {
		r.Variances = append(r.Variances, max(values[k], 0))
		orient(r.Components.Row(k), vectors, k, dim)
	}
	r.Reduced, err = p.project(ctx, r.Components)
	progress.step(dim, dim)
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

// covarianceOf sums up the covariance of vectors.
type covarianceOf struct {
	m       Matrix
	mean    []float64
	cov     []float64 // d x d
	workers int
}

// Vectors are taken in slabs, transposed, so that a product of two elements
// over the slab is one of consecutive numbers. The stride is no power of two,
// for the sake of the cache; what is beyond the slab's vectors is zeros.
const (
	slabRows   = 512
	slabStride = 544
)

func (p *covarianceOf) sum(ctx context.Context) error {
	n, d := p.m.Len(), p.m.Dim
	p.cov = make([]float64, d*d)
	slab := make([]float32, d*slabStride)
	const stripe, tile = 16, 64
	for at := 0; at < n; at += slabRows {
		rows := min(slabRows, n-at)
		if rows < slabRows {
			clear(slab)
		}
		err := pieces(ctx, p.workers, rows, 64, func(_, _, lo, hi int) {
			for i := lo; i < hi; i++ {
				for j, x := range p.m.Row(at + i) {
					slab[j*slabStride+i] = float32(float64(x) - p.mean[j])
				}
			}
		})
		if err != nil {
			return err
		}
		err = pieces(ctx, p.workers, d, stripe, func(_, _, lo, hi int) {
			out := make([]float32, tile)
			for from := lo; from < d; from += tile {
				end := min(from+tile, d)
				for i := lo; i < hi; i++ {
					out := out[:end-from]
					distance.DotBlock(slab[i*slabStride:(i+1)*slabStride], slab[from*slabStride:end*slabStride], out)
					addTo(p.cov[i*d+from:i*d+end], out)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	by := 1 / float64(max(n-1, 1))
	for i := range d {
		for j := i; j < d; j++ {
			x := p.cov[i*d+j] * by
			p.cov[i*d+j], p.cov[j*d+i] = x, x
		}
	}
	return nil
}

// apply is an [eigenOperator].
func (p *covarianceOf) apply(ctx context.Context, dst, src, prev []float64, width int, alpha, beta, gamma float64) error {
	d := p.m.Dim
	return pieces(ctx, p.workers, d, 32, func(_, _, lo, hi int) {
		out := make([]float64, (hi-lo)*width)
		// The rows of a symmetric matrix are its columns.
		for at := 0; at < d; at += 64 {
			end := min(at+64, d)
			addCross(out, p.cov[at*d+lo:], d, hi-lo, src[at*width:], width, end-at)
		}
		for i, x := range out {
			at := lo*width + i
			dst[at] = float64(alpha*x) + float64(beta*src[at]) + float64(gamma*prev[at])
		}
	})
}

// project returns the coordinates of the vectors along components.
func (p *covarianceOf) project(ctx context.Context, components Matrix) (Matrix, error) {
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
