package ivf_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/ivf"
)

// TestRegularCodes: codes of equal, greatest, least and absent elements about centroids of
// such elements are valid.
func TestRegularCodes(t *testing.T) {
	for _, d := range []int{1, 2, 63, 64, 65, 128, 129} {
		greatest := float32(math.Sqrt(1e30 / float64(d)))
		var vectors [][]float32
		for _, x := range []float32{0, 1, -1, greatest, -greatest, 1e-14, 1e-15, 1e-16, math.SmallestNonzeroFloat32} {
			vectors = append(vectors, slices.Repeat([]float32{x}, d))
			one := make([]float32, d)
			one[d/2] = x
			vectors = append(vectors, one)
		}
		for _, ip := range []bool{false, true} {
			c := ivf.NewCoder(d, ip)
			for i, x := range vectors {
				for j, centre := range vectors {
					code := make([]byte, c.Size())
					if c.Encode(code, x, quantised(rowOf(centre))); !c.Valid(code) {
						t.Errorf("%d elements, inner product %t: the code of vector %d (%g) about %d (%g) is not valid", d, ip, i, x[d/2], j, centre[d/2])
					}
				}
			}
		}
	}
}
