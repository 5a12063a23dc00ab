package kernel

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
