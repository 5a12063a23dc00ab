package graphops

import (
	"context"
	"math"
)

// leastDual is the share of the greatest variance below which a direction is
// not found by way of the vectors' products: errors of a millionth of the
// greatest would be a hundredth of it.
const leastDual = 1e-4

// dual returns the components of fewer vectors than they have elements, by the
// eigenvectors of their products with each other; nil if a direction that is
// wanted has next to no variance.
func (p *centred) dual(ctx context.Context, dim int) (*principal, error) {
	n, d := p.m.Len(), p.m.Dim
	s := &scatter{size: n, by: 1 / float64(n-1), workers: p.workers}
	err := s.sum(ctx, d, func(slab []float32, at, width int) error {
		return pieces(ctx, p.workers, n, 64, func(_, _, lo, hi int) {
			for i := lo; i < hi; i++ {
				for j, x := range p.m.Row(i)[at : at+width] {
					slab[i*slabStride+j] = float32(float64(x) - p.mean[at+j])
				}
			}
		})
	})
	if err != nil {
		return nil, err
	}
	c, err := s.leading(ctx, dim)
	if err != nil || !(c.values[dim-1] > leastDual*c.values[0]) {
		return nil, err
	}
	c.vectors, err = p.sums(ctx, c.vectors, dim)
	if err != nil {
		return nil, err
	}
	orthonormal(c.vectors, dim)
	return c, nil
}

// sums returns the sums of the vectors by the columns of weights, of a row for
// each vector, as columns.
func (p *centred) sums(ctx context.Context, weights []float64, dim int) ([]float64, error) {
	out := make([]float64, p.m.Dim*dim)
	err := pieces(ctx, p.workers, p.m.Dim, 64, func(_, _, lo, hi int) {
		for i := range p.m.Len() {
			row, w := p.m.Row(i), weights[i*dim:(i+1)*dim]
			for j := lo; j < hi; j++ {
				x := float64(row[j]) - p.mean[j]
				sum := out[j*dim : (j+1)*dim]
				for k, y := range w {
					sum[k] += float64(x * y)
				}
			}
		}
	})
	return out, err
}

// orthonormal makes the columns of x, of rows of so many elements, orthogonal
// and of length 1, each to those before it. It goes over them twice: what errors
// the first leaves are of the size of rounding after the second.
func orthonormal(x []float64, columns int) {
	product := func(a, b int) (sum float64) {
		for at := 0; at < len(x); at += columns {
			sum += float64(x[at+a] * x[at+b])
		}
		return sum
	}
	for range 2 {
		for k := range columns {
			for before := range k {
				along := product(before, k)
				for at := 0; at < len(x); at += columns {
					x[at+k] -= float64(along * x[at+before])
				}
			}
			by := 1 / math.Sqrt(product(k, k))
			for at := 0; at < len(x); at += columns {
				x[at+k] *= by
			}
		}
	}
}
