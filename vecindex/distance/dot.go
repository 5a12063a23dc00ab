package distance

// Dot returns the inner product of a and b, which must be of equal length; a
// shorter b panics. The length may be 0.
//
// Four running sums take the elements of index i mod 4 in ascending order;
// what remains after the last whole group of eight goes to the first sum; the
// result is (s0 + s1) + (s2 + s3).
func Dot(a, b []float32) float32 {
	n := len(a)
	b = b[:n]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i < n-7; i += 8 {
		x, y := (*[8]float32)(a[i:]), (*[8]float32)(b[i:])
		// The conversions forbid fusing a product into its addition.
		s0 += float32(x[0] * y[0])
		s1 += float32(x[1] * y[1])
		s2 += float32(x[2] * y[2])
		s3 += float32(x[3] * y[3])
		s0 += float32(x[4] * y[4])
		s1 += float32(x[5] * y[5])
		s2 += float32(x[6] * y[6])
		s3 += float32(x[7] * y[7])
	}
	for ; i < n; i++ {
		s0 += float32(a[i] * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// DotBlock writes to out[r] the inner product of q and vector r of block, in
// which vectors of len(q) elements follow one another. It fills out; a block
// with fewer than len(out) vectors panics.
func DotBlock(q, block, out []float32) {
	d := len(q)
	for r := range out {
		out[r] = Dot(q, block[r*d:r*d+d])
	}
}
