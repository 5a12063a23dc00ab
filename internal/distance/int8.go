package distance

import "unsafe"

// DotI8 returns the inner product of a and b, which must be of equal length; a
// shorter b panics. It is exact for all values, -128 included, up to 65,536
// elements, and beyond that if the result fits an int32.
func DotI8(a, b []int8) int32 { return dotI8(active, a, b) }

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
	b = b[:len(a):len(b)]
	var sum int32
	for i, x := range a {
		sum += int32(x) * int32(b[i])
	}
	return sum
}

func dotI8RowsPortable(q []int8, rows []*int8, out []int32) {
	sameRows(rows, out)
	for i, p := range rows {
		out[i] = dotI8Portable(q, unsafe.Slice(p, len(q)))
	}
}

// sameRows fails as an index out of range does if rows and out differ in
// length.
func sameRows(rows []*int8, out []int32) {
	if len(rows) > 0 {
		_ = out[len(rows)-1]
	}
	if len(out) > 0 {
		_ = rows[len(out)-1]
	}
}
