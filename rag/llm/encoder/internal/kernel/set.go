package kernel

import "github.com/ragdb/ragdb/internal/distance"

// Set is the functions of one tier. The zero Set is the portable one.
type Set struct{ tier distance.Tier }

// For returns the functions of tier t, or those of the best tier below it that
// the processor supports.
func For(t distance.Tier) Set {
	for t > distance.Portable && !supported(t) {
		t--
	}
	return Set{t}
}

// Tier is the tier of the functions.
func (s Set) Tier() distance.Tier { return s.tier }

// Width is the number of columns of a panel.
const Width = 32

// Padded is the stride of a row of n elements.
func Padded(n int) int { return (n + Width - 1) / Width * Width }

// Softmax turns x into exp(x) divided by its sum, element by element. The
// length is a multiple of [Width]. An element that lies 87 below the largest or
// more counts as 87 below.
func (s Set) Softmax(x []float32) {
	if checkRow(len(x)); len(x) > 0 {
		s.softmax(x)
	}
}

// GELU turns each element of x into x times the normal distribution's share
// below x. The length is a multiple of [Width].
func (s Set) GELU(x []float32) {
	if checkRow(len(x)); len(x) > 0 {
		s.gelu(x)
	}
}

// GELUTanh is [Set.GELU] by its approximation with the hyperbolic tangent.
func (s Set) GELUTanh(x []float32) {
	if checkRow(len(x)); len(x) > 0 {
		s.geluTanh(x)
	}
}

// AddNorm adds r to x and normalises the sum: to mean 0 and variance 1, eps
// being added to the variance before, then times gamma plus beta. All have the
// same length.
func (s Set) AddNorm(x, r, gamma, beta []float32, eps float32) {
	n := len(x)
	r, gamma, beta = r[:n:len(r)], gamma[:n:len(gamma)], beta[:n:len(beta)]
	switch {
	case n == 0:
	case n%16 != 0:
		addNormPortable(x, r, gamma, beta, eps)
	default:
		s.addNorm(x, r, gamma, beta, eps)
	}
}

func checkRow(n int) {
	if n%Width != 0 {
		panic("kernel: the length of a row is not a multiple of the width of a panel")
	}
}
