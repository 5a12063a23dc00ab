package distance

import "fmt"

// Kernels are the functions of one tier. Each does what the package function
// of its name does, to the bit. Arguments of a call through a field are taken
// to escape, so buffers on the stack of the caller move to the heap.
type Kernels struct {
	Dot              func(a, b []float32) float32
	L2Sq             func(a, b []float32) float32
	DotBlock         func(q, block, out []float32)
	L2SqBlock        func(q, block, out []float32)
	DotI8            func(a, b []int8) int32
	DotI8Rows        func(q []int8, rows []*int8, out []int32)
	DotU2Block       func(q []int8, block []uint8, out []int32)
	DotU4Block       func(q []int8, block []uint8, out []int32)
	MaxAbs           func(v []float32) float32
	Quantize         func(dst []int8, src []float32, scale float32)
	QuantizeResidual func(dst []int8, src []float32, codes []int8, a, b float32)
	EncodeF16        func(dst []uint16, src []float32)
	DecodeF16        func(dst []float32, src []uint16)
}

// For returns the functions of tier t, or an error where t is not [Supported].
func For(t Tier) (*Kernels, error) {
	if !Supported(t) {
		return nil, fmt.Errorf("distance: tier %s is not supported by this processor", t)
	}
	return &Kernels{
		Dot:        func(a, b []float32) float32 { return dot(t, a, b) },
		L2Sq:       func(a, b []float32) float32 { return l2sq(t, a, b) },
		DotBlock:   func(q, block, out []float32) { dotBlock(t, q, block, out) },
		L2SqBlock:  func(q, block, out []float32) { l2sqBlock(t, q, block, out) },
		DotI8:      func(a, b []int8) int32 { return dotI8(t, a, b) },
		DotI8Rows:  func(q []int8, rows []*int8, out []int32) { dotI8Rows(t, q, rows, out) },
		DotU2Block: func(q []int8, block []uint8, out []int32) { dotU2Block(t, q, block, out) },
		DotU4Block: func(q []int8, block []uint8, out []int32) { dotU4Block(t, q, block, out) },
		MaxAbs:     func(v []float32) float32 { return maxAbs(t, v) },
		Quantize:   func(dst []int8, src []float32, scale float32) { quantize(t, dst, src, scale) },
		QuantizeResidual: func(dst []int8, src []float32, codes []int8, a, b float32) {
			quantizeResidual(t, dst, src, codes, a, b)
		},
		EncodeF16: func(dst []uint16, src []float32) { encodeF16(t, dst, src) },
		DecodeF16: func(dst []float32, src []uint16) { decodeF16(t, dst, src) },
	}, nil
}
