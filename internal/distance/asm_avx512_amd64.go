package distance

// The functions of the AVX512 tier take pointers to elements, of which they read
// and write exactly as many as the counts beside them say.

//go:noescape
func dotAVX512(a, b *float32, n int) float32

//go:noescape
func l2sqAVX512(a, b *float32, n int) float32

//go:noescape
func dotBlockAVX512(q, block, out *float32, n, rows int)

//go:noescape
func l2sqBlockAVX512(q, block, out *float32, n, rows int)

//go:noescape
func dotI8AVX512(a, b *int8, n int) int32

//go:noescape
func dotI8RowsAVX512(q *int8, rows **int8, out *int32, n, count int)

//go:noescape
func dotU2BlockAVX512(q *int8, block *uint8, out *int32, quarter, rows int)

//go:noescape
func dotU4BlockAVX512(q *int8, block *uint8, out *int32, half, rows int)

//go:noescape
func maxAbsAVX512(v *float32, n int) float32

//go:noescape
func quantizeAVX512(dst *int8, src *float32, n int, scale float32)

//go:noescape
func quantizeResidualAVX512(dst *int8, src *float32, codes *int8, n int, a, b float32)

//go:noescape
func encodeF16AVX512(dst *uint16, src *float32, n int)

//go:noescape
func decodeF16AVX512(dst *float32, src *uint16, n int)
