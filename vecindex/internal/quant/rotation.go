package quant

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// Rotation is a random orthonormal map: signs and a Hadamard transform, twice,
// with the elements shuffled in between. Elements beyond the largest
// power of two are turned in a block of their own that overlaps the first. It is
// immutable and safe for concurrent use.
type Rotation struct {
	seed  uint64
	dim   int
	block int // largest power of two up to dim
	signs [2][]float32
	perm  []int32
	scale float32
}

// NewRotation returns the rotation of vectors of dim elements that a seed
// chooses.
func NewRotation(dim int, seed uint64) *Rotation {
	r := &Rotation{seed: seed, dim: dim, block: 1 << (bits.Len(uint(dim)) - 1)}
	rng := rand.New(rand.NewPCG(seed, 0x726f74617465))
	for k := range r.signs {
		r.signs[k] = make([]float32, dim)
		for i := range r.signs[k] {
			r.signs[k][i] = float32(1 - 2*int(rng.Uint64()&1))
		}
	}
	r.perm = make([]int32, dim)
	for i, p := range rng.Perm(dim) {
		r.perm[i] = int32(p)
	}
	r.scale = float32(1 / math.Sqrt(float64(r.block)))
	return r
}

// Apply rotates t in place. mixed is as long, and of no use afterwards.
func (r *Rotation) Apply(t, mixed []float32) {
	r.turn(t, r.signs[0])
	for i, p := range r.perm {
		mixed[i] = t[p]
	}
	copy(t, mixed)
	r.turn(t, r.signs[1])
}

func (r *Rotation) turn(t, signs []float32) {
	for i, s := range signs {
		t[i] *= s
	}
	hadamard(t[:r.block], r.scale)
	if r.block < r.dim {
		hadamard(t[r.dim-r.block:], r.scale)
	}
}

// hadamard applies the transform of a power of two of elements, times scale.
func hadamard(t []float32, scale float32) {
	for h := 1; h < len(t); h *= 2 {
		for i := 0; i < len(t); i += 2 * h {
			a, b := t[i:i+h], t[i+h:i+2*h]
			for j := range a {
				x, y := a[j], b[j]
				a[j], b[j] = x+y, x-y
			}
		}
	}
	for i := range t {
		t[i] *= scale
	}
}
