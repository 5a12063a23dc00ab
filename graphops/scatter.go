package graphops

import (
	"context"
	"math"

	"github.com/ragdb/ragdb/internal/distance"
)

// scatter is the matrix of the products of lists of numbers with each other,
// divided by a number.
type scatter struct {
	size     int // of lists
	by       float64
	products []float64 // size x size
	workers  int
}

// Lists are taken in slabs, so that a product over the slab is one of
// consecutive numbers. The stride is not a power of two, which would strain the cache;
// what is beyond the slab's numbers is zeros.
const (
	slabRows   = 512
	slabStride = 544
)

// sum sums up the products of lists of so many numbers. fill writes those from
// at on, so many of each list, to a slab.
func (s *scatter) sum(ctx context.Context, numbers int, fill func(slab []float32, at, width int) error) error {
	s.products = make([]float64, s.size*s.size)
	slab := make([]float32, s.size*slabStride)
	const stripe, tile = 16, 64
	for at := 0; at < numbers; at += slabRows {
		width := min(slabRows, numbers-at)
		if width < slabRows {
			clear(slab)
		}
		if err := fill(slab, at, width); err != nil {
			return err
		}
		err := pieces(ctx, s.workers, s.size, stripe, func(_, _, lo, hi int) {
			out := make([]float32, tile)
			for from := lo; from < s.size; from += tile {
				end := min(from+tile, s.size)
				for i := lo; i < hi; i++ {
					out := out[:end-from]
					distance.DotBlock(slab[i*slabStride:(i+1)*slabStride], slab[from*slabStride:end*slabStride], out)
					addTo(s.products[i*s.size+from:i*s.size+end], out)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	for i := range s.size {
		for j := i; j < s.size; j++ {
			x := s.products[i*s.size+j] * s.by
			s.products[i*s.size+j], s.products[j*s.size+i] = x, x
		}
	}
	return nil
}

// leading returns the dim leading eigenvectors.
func (s *scatter) leading(ctx context.Context, dim int) (*principal, error) {
	c := &principal{}
	for j := range s.size {
		c.total += s.products[j*s.size+j]
	}
	if math.IsInf(c.total, 0) || math.IsNaN(c.total) {
		return nil, errFarApart()
	}
	e := &eigenSolver{
		n: s.size, want: dim, apply: s.apply, enough: 1e-7, most: 50, workers: s.workers,
		random: newStream(pcaStream),
	}
	var err error
	c.values, c.vectors, c.converged, err = e.solve(ctx)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// apply is an [eigenOperator].
func (s *scatter) apply(ctx context.Context, dst, src, prev []float64, width int, alpha, beta, gamma float64) error {
	n := s.size
	return pieces(ctx, s.workers, n, 32, func(_, _, lo, hi int) {
		out := make([]float64, (hi-lo)*width)
		// The rows of a symmetric matrix are its columns.
		for at := 0; at < n; at += 64 {
			end := min(at+64, n)
			addCross(out, s.products[at*n+lo:], n, hi-lo, src[at*width:], width, end-at)
		}
		for i, x := range out {
			at := lo*width + i
			dst[at] = float64(alpha*x) + float64(beta*src[at]) + float64(gamma*prev[at])
		}
	})
}
