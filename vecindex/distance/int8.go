package distance

import "unsafe"

// DotI8 returns the inner product of a and b, which must be of equal length; a
// shorter b panics. It is exact for all values, -128 included, up to 65,536
// elements, and beyond that where the result fits an int32.
func DotI8(a, b []int8) int32 { return dotI8(active, a, b) }

// L2SqI8 returns the squared Euclidean distance of a and b, which must be of
// equal length; a shorter b panics. It is exact for all values up to 32,768
// elements, and beyond that where the result fits an int32.
func L2SqI8(a, b []int8) int32 { return l2sqI8(active, a, b) }

// DotI8Rows writes to out[i] the inner product of q and the len(q) elements at
// rows[i], which the caller answers for: they must lie in one object in memory.
// The limits are those of [DotI8]. Rows may lie anywhere; while one is read, the
// next ones are fetched from memory. rows and out must be of equal length, else
// the call panics.
func DotI8Rows(q []int8, rows []*int8, out []int32) { dotI8Rows(active, q, rows, out) }

// Prefetch asks the processor to bring the bytes from p on into its caches, and
// does not wait for them. It reads nothing that the program could see: p may be
// any address. It does nothing on the portable tier.
func Prefetch(p unsafe.Pointer, bytes int) { prefetch(active, p, bytes) }

func dotI8Portable(a, b []int8) int32 {
	n := len(a)
	b = b[:n:len(b)]
	var s0, s1, s2, s3 int32
	i := 0
	for ; i <= n-4; i += 4 {
		x, y := (*[4]int8)(a[i:]), (*[4]int8)(b[i:])
		s0 += int32(x[0]) * int32(y[0])
		s1 += int32(x[1]) * int32(y[1])
		s2 += int32(x[2]) * int32(y[2])
		s3 += int32(x[3]) * int32(y[3])
	}
	for ; i < n; i++ {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}

func l2sqI8Portable(a, b []int8) int32 {
	n := len(a)
	b = b[:n:len(b)]
	var s0, s1, s2, s3 int32
	i := 0
	for ; i <= n-4; i += 4 {
		x, y := (*[4]int8)(a[i:]), (*[4]int8)(b[i:])
		d0 := int32(x[0]) - int32(y[0])
		d1 := int32(x[1]) - int32(y[1])
		d2 := int32(x[2]) - int32(y[2])
		d3 := int32(x[3]) - int32(y[3])
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
	}
	for ; i < n; i++ {
		d := int32(a[i]) - int32(b[i])
		s0 += d * d
	}
	return s0 + s1 + s2 + s3
}

func dotI8RowsPortable(q []int8, rows []*int8, out []int32) {
	sameRows(rows, out)
	for i, p := range rows {
		out[i] = dotI8Portable(q, unsafe.Slice(p, len(q)))
	}
}

func sameRows(rows []*int8, out []int32) {
	if len(rows) != len(out) {
		panic("distance: rows and out differ in length")
	}
}
