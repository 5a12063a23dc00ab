package distance

// lanes is the number of running sums of a float32 distance.
const lanes = 32

// Dot returns the inner product of a and b, which must be of equal length; a
// shorter b panics. The length may be 0.
//
// There are 32 running sums that begin at +0. Sum j takes the products of index
// i mod 32 = j in ascending order, each rounded to float32. Then the sums are
// folded by halves: sum j takes sum j+16 for every j below 16, then sum j+8 for
// every j below 8, and so with 4, 2 and 1; sum 0 is the result.
func Dot(a, b []float32) float32 { return dot(active, a, b) }

// DotBlock writes to out[r] the inner product of q and vector r of block, in
// which vectors of len(q) elements follow one another. It fills out; a block
// with fewer than len(out) vectors panics.
func DotBlock(q, block, out []float32) { dotBlock(active, q, block, out) }

func dotPortable(a, b []float32) float32 {
	n := len(a)
	b = b[:n:len(b)]
	var sum [lanes]float32
	for lane := 0; lane < min(n, lanes); lane += 4 {
		var s0, s1, s2, s3 float32
		i := lane
		for ; i <= n-4; i += lanes {
			x, y := (*[4]float32)(a[i:]), (*[4]float32)(b[i:])
			// The conversions forbid fusing a product into its addition.
			s0 += float32(x[0] * y[0])
			s1 += float32(x[1] * y[1])
			s2 += float32(x[2] * y[2])
			s3 += float32(x[3] * y[3])
		}
		if i < n {
			s0 += float32(a[i] * b[i])
		}
		if i+1 < n {
			s1 += float32(a[i+1] * b[i+1])
		}
		if i+2 < n {
			s2 += float32(a[i+2] * b[i+2])
		}
		sum[lane], sum[lane+1], sum[lane+2], sum[lane+3] = s0, s1, s2, s3
	}
	return fold(&sum)
}

// fold adds the running sums up by halves.
func fold(sum *[lanes]float32) float32 {
	for half := lanes / 2; half > 0; half /= 2 {
		for j := range half {
			sum[j] += sum[j+half]
		}
	}
	return sum[0]
}

func dotBlockPortable(q, block, out []float32) {
	d := len(q)
	block = block[: d*len(out) : len(block)]
	for r := range out {
		out[r] = dotPortable(q, block[r*d:r*d+d])
	}
}
