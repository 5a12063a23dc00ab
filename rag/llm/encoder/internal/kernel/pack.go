package kernel

import "math"

// F32 is a matrix of weights with its bias, packed. It is not changed once it
// is made.
type F32 struct {
	In, Out int
	panels  []float32 // a panel of Width columns after the other, In rows each
	bias    []float32 // Padded(Out) elements
}

// Source gives row j of the matrix that is packed, of the length of its input.
// What it returns is valid until it is called again.
type Source func(j int) []float32

// Pack packs a matrix of out rows and in columns and its bias, which may be nil
// for zeros.
func Pack(in, out int, row Source, bias []float32) *F32 {
	m := &F32{In: in, Out: out, panels: make([]float32, in*Padded(out)), bias: make([]float32, Padded(out))}
	copy(m.bias, bias)
	for j := range out {
		panel := m.panels[j/Width*Width*in:]
		for k, w := range row(j) {
			panel[k*Width+j%Width] = w
		}
	}
	return m
}

// Bytes is the memory that the matrix takes.
func (m *F32) Bytes() int { return 4 * (len(m.panels) + len(m.bias)) }

// I8 is a matrix of weights in 8 bits, packed.
type I8 struct {
	In, Out int
	steps   int       // of four inputs each
	panels  []int8    // a panel after the other; in it, step by step, four inputs of each column
	scale   []float32 // one a column, as sum and bias
	sum     []int32
	bias    []float32
}

// PackI8 is [Pack] with each column of weights rounded to multiples of its
// largest magnitude / 127.
func PackI8(in, out int, row Source, bias []float32) *I8 {
	steps := (in + 3) / 4
	m := &I8{
		In: in, Out: out, steps: steps,
		panels: make([]int8, 4*steps*Padded(out)),
		scale:  make([]float32, Padded(out)), sum: make([]int32, Padded(out)), bias: make([]float32, Padded(out)),
	}
	copy(m.bias, bias)
	codes := make([]int8, in)
	for j := range out {
		m.scale[j] = RoundRow(codes, row(j))
		panel := m.panels[j/Width*Width*4*steps:]
		for k, c := range codes {
			panel[k/4*4*Width+j%Width*4+k%4] = c
			m.sum[j] += int32(c)
		}
	}
	return m
}

// Bytes is the memory that the matrix takes.
func (m *I8) Bytes() int { return len(m.panels) + 4*(len(m.scale)+len(m.sum)+len(m.bias)) }

// RoundRow writes v to dst in multiples of its largest magnitude / 127, which it
// returns.
func RoundRow(dst []int8, v []float32) (scale float32) {
	top := float32(0)
	for _, x := range v {
		top = max(top, x, -x)
	}
	if top == 0 {
		clear(dst[:len(v)])
		return 0
	}
	inverse := 127 / float64(top)
	for i, x := range v {
		dst[i] = int8(math.RoundToEven(float64(x) * inverse))
	}
	return top / 127
}
