package distance

// L2Sq returns the squared Euclidean distance of a and b, which must be of
// equal length; a shorter b panics. The order of additions is that of [Dot];
// differences are rounded to float32 and so are their squares.
func L2Sq(a, b []float32) float32 { return l2sq(active, a, b) }

// L2SqBlock writes to out[r] the squared Euclidean distance of q and vector r
// of block, laid out as for [DotBlock]. It fills out; a block with fewer than
// len(out) vectors panics.
func L2SqBlock(q, block, out []float32) { l2sqBlock(active, q, block, out) }

func l2sqPortable(a, b []float32) float32 {
	n := len(a)
	b = b[:n:len(b)]
	var sum [lanes]float32
	for lane := 0; lane < min(n, lanes); lane += 4 {
		var s0, s1, s2, s3 float32
		i := lane
		for ; i <= n-4; i += lanes {
			x, y := (*[4]float32)(a[i:]), (*[4]float32)(b[i:])
			d0 := x[0] - y[0]
			d1 := x[1] - y[1]
			d2 := x[2] - y[2]
			d3 := x[3] - y[3]
			s0 += float32(d0 * d0)
			s1 += float32(d1 * d1)
			s2 += float32(d2 * d2)
			s3 += float32(d3 * d3)
		}
		if i < n {
			d := a[i] - b[i]
			s0 += float32(d * d)
		}
		if i+1 < n {
			d := a[i+1] - b[i+1]
			s1 += float32(d * d)
		}
		if i+2 < n {
			d := a[i+2] - b[i+2]
			s2 += float32(d * d)
		}
		sum[lane], sum[lane+1], sum[lane+2], sum[lane+3] = s0, s1, s2, s3
	}
	return fold(&sum)
}

func l2sqBlockPortable(q, block, out []float32) {
	d := len(q)
	block = block[: d*len(out) : len(block)]
	for r := range out {
		out[r] = l2sqPortable(q, block[r*d:r*d+d])
	}
}
