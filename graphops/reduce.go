package graphops

import (
	"cmp"
	"context"
	"math"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/distance"
)

// randomProjectionStream is the stream of the directions of a seed.
const randomProjectionStream = 0x9cb << 32

// randomProjection reduces vectors to their products with Dim random
// directions, such that squared distances are what they were on average, with a
// standard deviation of sqrt(2/Dim) times themselves. It does not look at where
// the vectors lie. Products that overflow a float32 are an error.
//
// Source: Johnson and Lindenstrauss, 1984. The elements of the directions are
// independent and nearly normal, with variance 1/Dim: element j of direction i
// depends on the seed, i and j alone, so that fewer dimensions are the first ones
// of more, but for the variance.
//
// It is O(n d Dim). Working memory is 4 d Dim bytes and the result's 4 n Dim.
// The result has the same bits on every processor and for any number of workers.
// If ctx ends, its error is returned.
func randomProjection(ctx context.Context, m Matrix, o *ReduceOptions) (Matrix, error) {
	n, d, dim := m.Len(), m.Dim, o.Dim
	dim = cmp.Or(dim, defaultReducedDim)
	if dim < 0 {
		return Matrix{}, phase.Mark(engine.ErrInvalid, "Dim %d", o.Dim)
	}
	if err := m.validate(); err != nil {
		return Matrix{}, err
	}
	need := 4 * int64(dim) * (int64(n) + int64(d))
	if o.MaxBytes > 0 && need > o.MaxBytes {
		return Matrix{}, &MemoryError{Op: "random projection", Need: need, Limit: o.MaxBytes}
	}
	directions := make([]float32, 0, dim*d)
	by := 1 / math.Sqrt(float64(dim))
	for i := range dim {
		r := newStream(o.Seed, randomProjectionStream, uint64(i))
		for range d {
			directions = append(directions, float32(float64(r.normal()*by)))
		}
	}
	out := Matrix{Dim: dim, Data: make([]float32, n*dim)}
	err := parallel(ctx, workersOf(o.Workers), (n+1023)/1024, func(_, task int) error {
		for i := task * 1024; i < min((task+1)*1024, n); i++ {
			row := out.Row(i)
			distance.DotBlock(m.Row(i), directions, row)
			for _, x := range row {
				if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
					return phase.Mark(engine.ErrInvalid, "the products of vector %d overflow", i)
				}
			}
		}
		return nil
	})
	if err != nil {
		return Matrix{}, err
	}
	return out, nil
}

// ReduceOptions tune [Reduce] and [PCA]. The zero value is right for most.
type ReduceOptions struct {
	// Dim is the dimension to reduce to. The default, 0, is 10.
	Dim int
	// MaxPCA is the number of vectors above which they are projected at random.
	// The default, 0, is 100,000.
	MaxPCA int
	// Seed decides random projections.
	Seed uint64
	// MaxBytes bounds the working memory, the result among it; 0 means no bound.
	MaxBytes int64
	// Workers bounds the goroutines; 0 is one for each processor. The result
	// does not depend on it.
	Workers int
}

// Reduce reduces vectors to few dimensions, as [GMM] needs it: by [PCA], or by
// products with random directions if there are more than MaxPCA. Vectors that have no more
// than Dim dimensions are returned as they are, in m's Data. Some
// methods use UMAP here in their papers; Reduce keeps distances rather than
// neighbourhoods.
func Reduce(ctx context.Context, m Matrix, o ReduceOptions) (Matrix, error) {
	r, err := reduce(ctx, m, &o)
	if err != nil {
		return Matrix{}, phase.Errorf("reduce: %w", err)
	}
	return r, nil
}

func reduce(ctx context.Context, m Matrix, o *ReduceOptions) (Matrix, error) {
	dim, most := o.Dim, o.MaxPCA
	dim = cmp.Or(dim, defaultReducedDim)
	most = cmp.Or(most, 100_000)
	switch {
	case dim < 0:
		return Matrix{}, phase.Mark(engine.ErrInvalid, "Dim %d", o.Dim)
	case most < 0:
		return Matrix{}, phase.Mark(engine.ErrInvalid, "MaxPCA %d", o.MaxPCA)
	case m.Dim <= dim:
		return m, m.validate()
	case m.Len() > most:
		return randomProjection(ctx, m, o)
	}
	r, err := pca(ctx, m, &ReduceOptions{Dim: dim, MaxBytes: o.MaxBytes, Workers: o.Workers})
	if err != nil {
		return Matrix{}, err
	}
	return r.Reduced, nil
}
