//go:build !amd64

package kernel

import "github.com/ragdb/ragdb/internal/distance"

// Without kernels for the platform there is the portable tier alone.

func supported(distance.Tier) bool { return false }

func (Set) mulPanel(c []float32, ldc int, a []float32, lda, rows int, b []float32, ldb, k int, bias []float32) {
	mulPanelPortable(c, ldc, a, lda, rows, b, ldb, k, bias)
}

func (Set) mulPanelI8(c []float32, ldc int, q *Codes, from, rows int, m *I8, p int) {
	mulPanelI8Portable(c, ldc, q, from, rows, m, p)
}

func (Set) limits(x []float32) (low, high float32) { return limitsPortable(x) }
func (Set) round(dst []uint8, x []float32, inverse float32, zero int32) {
	roundPortable(dst, x, inverse, zero)
}
func (Set) softmax(x []float32)  { softmaxPortable(x) }
func (Set) gelu(x []float32)     { geluPortable(x) }
func (Set) geluTanh(x []float32) { geluTanhPortable(x) }
func (Set) addNorm(x, r, gamma, beta []float32, eps float32) {
	addNormPortable(x, r, gamma, beta, eps)
}
