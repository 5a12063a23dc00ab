package distance

// The functions of the AVX2 tier take pointers to elements, of which they read
// and write exactly as many as the counts beside them say.

//go:noescape
func dotAVX2(a, b *float32, n int) float32

//go:noescape
func l2sqAVX2(a, b *float32, n int) float32

//go:noescape
func dotBlockAVX2(q, block, out *float32, n, rows int)

//go:noescape
func l2sqBlockAVX2(q, block, out *float32, n, rows int)

//go:noescape
func dotI8AVX2(a, b *int8, n int) int32

//go:noescape
func dotI8RowsAVX2(q *int8, rows **int8, out *int32, n, count int)

//go:noescape
func dotU2BlockAVX2(q *int8, block *uint8, out *int32, quarter, rows int)

//go:noescape
func dotU4BlockAVX2(q *int8, block *uint8, out *int32, half, rows int)

//go:noescape
func maxAbsAVX2(v *float32, n int) float32

//go:noescape
func quantizeAVX2(dst *int8, src *float32, n int, scale float32)

//go:noescape
func quantizeResidualAVX2(dst *int8, src *float32, codes *int8, n int, a, b float32)

//go:noescape
func encodeF16AVX2(dst *uint16, src *float32, n int)

//go:noescape
func decodeF16AVX2(dst *float32, src *uint16, n int)
