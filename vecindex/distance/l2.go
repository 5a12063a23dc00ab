package distance

// L2Sq returns the squared Euclidean distance of a and b, which must be of
// equal length; a shorter b panics. The order of additions is that of [Dot].
func L2Sq(a, b []float32) float32 {
	n := len(a)
	b = b[:n]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i < n-7; i += 8 {
		x, y := (*[8]float32)(a[i:]), (*[8]float32)(b[i:])
		d0 := x[0] - y[0]
		d1 := x[1] - y[1]
		d2 := x[2] - y[2]
		d3 := x[3] - y[3]
		s0 += float32(d0 * d0)
		s1 += float32(d1 * d1)
		s2 += float32(d2 * d2)
		s3 += float32(d3 * d3)
		d0 = x[4] - y[4]
		d1 = x[5] - y[5]
		d2 = x[6] - y[6]
		d3 = x[7] - y[7]
		s0 += float32(d0 * d0)
		s1 += float32(d1 * d1)
		s2 += float32(d2 * d2)
		s3 += float32(d3 * d3)
	}
	for ; i < n; i++ {
		d := a[i] - b[i]
		s0 += float32(d * d)
	}
	return (s0 + s1) + (s2 + s3)
}

// L2SqBlock writes to out[r] the squared Euclidean distance of q and vector r
// of block, laid out as for [DotBlock]. It fills out; a block with fewer than
// len(out) vectors panics.
func L2SqBlock(q, block, out []float32) {
	d := len(q)
	for r := range out {
		out[r] = L2Sq(q, block[r*d:r*d+d])
	}
}
