package kernel

// Mul writes to c the rows of a times m plus the bias of m. Row i of a begins at
// i*lda and has m.In elements; row i of c begins at i*ldc, and Padded(m.Out)
// elements of it are written.
func (s Set) Mul(c []float32, ldc int, a []float32, lda, rows int, m *F32) {
	if rows == 0 {
		return
	}
	wide := Padded(m.Out)
	_, _ = a[(rows-1)*lda:][:m.In], c[(rows-1)*ldc:][:wide]
	// A part of a stays in the second-level cache while all panels pass by.
	part := max(12, cachedElements/m.In/12*12)
	for from := 0; from < rows; from += part {
		n := min(part, rows-from)
		for p := 0; p < wide; p += Width {
			s.mulPanel(c[from*ldc+p:], ldc, a[from*lda:], lda, n, m.panels[p*m.In:], Width, m.In, m.bias[p:])
		}
	}
}

// cachedElements is half of what a small second-level cache holds.
const cachedElements = 256 << 10 / 4 / 2

// Block multiplies rows of a by one panel that the caller lays out: b has k rows,
// row i beginning at i*ldb, of which Width elements are read. Width elements of
// each row of c are written, and bias has as many.
func (s Set) Block(c []float32, ldc int, a []float32, lda, rows int, b []float32, ldb, k int, bias []float32) {
	if rows == 0 {
		return
	}
	_, _, _ = a[(rows-1)*lda:][:k], c[(rows-1)*ldc:][:Width], b[(k-1)*ldb:][:Width]
	s.mulPanel(c, ldc, a, lda, rows, b, ldb, k, bias[:Width:len(bias)])
}

// Codes are rows of activations in 8 bits.
type Codes struct {
	stride int
	codes  []uint8
	scale  []float32
	zero   []int32
}

// NewCodes returns room for rows of up to n elements each.
func NewCodes(rows, n int) *Codes {
	return &Codes{codes: make([]uint8, rows*Padded(n+extras(n))), scale: make([]float32, rows), zero: make([]int32, rows)}
}

// Set rounds rows of a for a product with m, row i beginning at i*lda with
// Padded(m.In) elements, to 256 steps between its smallest and its largest
// element, 0 being between them and a step of its own.
func (q *Codes) Set(s Set, a []float32, lda, rows int, m *I8) {
	q.stride = Padded(m.In + len(m.extra))
	wide := Padded(m.In)
	for i := range rows {
		x := a[i*lda:][:wide]
		low, high := s.limits(x)
		step := (high - low) / 255
		if !(step > 1e-38) || step > 3e38 {
			// A row of zeros, or as good as that. A row that is not finite gives zeros, too: the
			// caller finds it in the result of the float32 parts.
			q.scale[i], q.zero[i] = 0, 0
			clear(q.codes[i*q.stride:][:q.stride])
			continue
		}
		inverse := 1 / step
		zero := int32(-low*inverse + .5)
		q.scale[i], q.zero[i] = step, zero
		codes := q.codes[i*q.stride:][:q.stride]
		s.round(codes[:wide], x, inverse, zero)
		// What lies behind these meets weights of 0.
		for e, k := range m.extra {
			codes[m.In+e] = codes[k]
		}
	}
}

// MulI8 is [Set.Mul] of rows that q holds, which were set for m.
func (s Set) MulI8(c []float32, ldc int, q *Codes, rows int, m *I8) {
	if rows == 0 {
		return
	}
	wide := Padded(m.Out)
	_, _ = q.codes[(rows-1)*q.stride:][:4*m.steps], c[(rows-1)*ldc:][:wide]
	part := max(12, 4*cachedElements/m.In/12*12)
	for from := 0; from < rows; from += part {
		n := min(part, rows-from)
		for p := 0; p < wide; p += Width {
			s.mulPanelI8(c[from*ldc+p:], ldc, q, from, n, m, p)
		}
	}
}
