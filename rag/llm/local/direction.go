package local

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// minDirection is the number of texts below which no common direction is
// removed: of a few texts it would take away what tells them apart.
const minDirection = 16

// commonDirection returns the first right singular vector of the matrix with
// the given rows, by power iteration from their mean; 0 if there is none.
func commonDirection(ctx context.Context, rows [][]float32) []float32 {
	const iterations = 100
	u := make([]float32, Dim)
	for _, r := range rows {
		for i, x := range r {
			u[i] += x
		}
	}
	if !normalise(u) {
		return u
	}
	next := make([]float64, Dim)
	for range iterations {
		if ctx.Err() != nil {
			return u
		}
		clear(next)
		for _, r := range rows {
			along := dot(r, u)
			for i, x := range r {
				next[i] += float64(along * float64(x))
			}
		}
		norm := 0.0
		for _, x := range next {
			norm += float64(x * x)
		}
		norm = math.Sqrt(norm)
		if norm == 0 {
			break
		}
		moved := 0.0
		for i, x := range next {
			to := float32(x / norm)
			moved = max(moved, math.Abs(float64(to-u[i])))
			u[i] = to
		}
		if moved < 1e-6 {
			break
		}
	}
	return u
}

// pairs returns the median and the 99th percentile of the similarity of random pairs
// of texts with these vectors.
func pairs(vectors [][]float32) (p50, p99 float32) {
	const draws = 20_000
	if len(vectors) < 2 {
		return 0, 0
	}
	rng := rand.New(rand.NewPCG(0, 0))
	cos := make([]float32, draws)
	for k := range cos {
		i := rng.IntN(len(vectors))
		j := (i + 1 + rng.IntN(len(vectors)-1)) % len(vectors)
		cos[k] = float32(dot(vectors[i], vectors[j]))
	}
	slices.Sort(cos)
	return cos[draws/2], cos[draws*99/100]
}
