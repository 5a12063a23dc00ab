//go:build !amd64

package distance

import "unsafe"

// Without kernels for the platform every tier but the portable one is
// unsupported.

func supported(Tier) bool { return false }

func dot(_ Tier, a, b []float32) float32        { return dotPortable(a, b) }
func l2sq(_ Tier, a, b []float32) float32       { return l2sqPortable(a, b) }
func dotBlock(_ Tier, q, block, out []float32)  { dotBlockPortable(q, block, out) }
func l2sqBlock(_ Tier, q, block, out []float32) { l2sqBlockPortable(q, block, out) }

func dotI8(_ Tier, a, b []int8) int32 { return dotI8Portable(a, b) }
func dotI8Rows(_ Tier, q []int8, rows []*int8, out []int32) {
	dotI8RowsPortable(q, rows, out)
}

func dotU2Block(_ Tier, q []int8, block []uint8, out []int32) {
	block = block[: len(q)/4*len(out) : len(block)]
	dotU2BlockPortable(q, block, out)
}

func dotU4Block(_ Tier, q []int8, block []uint8, out []int32) {
	block = block[: len(q)/2*len(out) : len(block)]
	dotU4BlockPortable(q, block, out)
}

func prefetch(Tier, unsafe.Pointer, int) {}

func maxAbs(_ Tier, v []float32) float32 { return maxAbsPortable(v) }
func quantize(_ Tier, dst []int8, src []float32, scale float32) {
	quantizePortable(dst, src, scale)
}
func quantizeResidual(_ Tier, dst []int8, src []float32, codes []int8, a, b float32) {
	quantizeResidualPortable(dst, src, codes, a, b)
}

func encodeF16(_ Tier, dst []uint16, src []float32) { encodeF16Portable(dst, src) }
func decodeF16(_ Tier, dst []float32, src []uint16) { decodeF16Portable(dst, src) }
