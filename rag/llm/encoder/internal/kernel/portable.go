package kernel

import "math"

// The conversions to float32 forbid fusing a product into an addition, so the
// portable tier has the same bits on every platform.

func mulPanelPortable(c []float32, ldc int, a []float32, lda, rows int, b []float32, ldb, k int, bias []float32) {
	i := 0
	for ; i+2 <= rows; i += 2 {
		x, y := a[i*lda:][:k], a[(i+1)*lda:][:k]
		for j := 0; j < Width; j += 4 {
			z := (*[4]float32)(bias[j:])
			s0, s1, s2, s3 := z[0], z[1], z[2], z[3]
			t0, t1, t2, t3 := z[0], z[1], z[2], z[3]
			at := j
			for n, xn := range x {
				w := (*[4]float32)(b[at:])
				yn := y[n]
				s0 += float32(xn * w[0])
				s1 += float32(xn * w[1])
				s2 += float32(xn * w[2])
				s3 += float32(xn * w[3])
				t0 += float32(yn * w[0])
				t1 += float32(yn * w[1])
				t2 += float32(yn * w[2])
				t3 += float32(yn * w[3])
				at += ldb
			}
			*(*[4]float32)(c[i*ldc+j:]) = [4]float32{s0, s1, s2, s3}
			*(*[4]float32)(c[(i+1)*ldc+j:]) = [4]float32{t0, t1, t2, t3}
		}
	}
	if i < rows {
		x := a[i*lda:][:k]
		for j := 0; j < Width; j += 4 {
			z := (*[4]float32)(bias[j:])
			s0, s1, s2, s3 := z[0], z[1], z[2], z[3]
			at := j
			for _, xn := range x {
				w := (*[4]float32)(b[at:])
				s0 += float32(xn * w[0])
				s1 += float32(xn * w[1])
				s2 += float32(xn * w[2])
				s3 += float32(xn * w[3])
				at += ldb
			}
			*(*[4]float32)(c[i*ldc+j:]) = [4]float32{s0, s1, s2, s3}
		}
	}
}

func mulPanelI8Portable(c []float32, ldc int, q *Codes, from, rows int, m *I8, p int) {
	panel := m.panels[p*4*m.steps:]
	for i := range rows {
		x := q.codes[(from+i)*q.stride:][:4*m.steps]
		var sum [Width]int32
		for step := range m.steps {
			x0, x1, x2, x3 := int32(x[4*step]), int32(x[4*step+1]), int32(x[4*step+2]), int32(x[4*step+3])
			w := panel[step*4*Width:][: 4*Width : 4*Width]
			for j := range sum {
				v := (*[4]int8)(w[4*j:])
				sum[j] += x0*int32(v[0]) + x1*int32(v[1]) + x2*int32(v[2]) + x3*int32(v[3])
			}
		}
		scale, zero := q.scale[from+i], q.zero[from+i]
		for j := range sum {
			v := float32(float32(sum[j]-zero*m.sum[p+j]) * m.scale[p+j])
			c[i*ldc+j] = float32(v*scale) + m.bias[p+j]
		}
	}
}

func limitsPortable(x []float32) (low, high float32) {
	for _, v := range x {
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
	}
	return low, high
}

func roundPortable(dst []uint8, x []float32, inverse float32, zero int32) {
	for i, v := range x {
		dst[i] = uint8(min(255, max(0, int32(math.RoundToEven(float64(v*inverse)))+zero)))
	}
}

func softmaxPortable(x []float32) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	sum := float32(0)
	for i, v := range x {
		x[i] = exp(v - top)
		sum += x[i]
	}
	inverse := 1 / sum
	for i := range x {
		x[i] *= inverse
	}
}

func geluPortable(x []float32) {
	for i, v := range x {
		h := .5 * v
		x[i] = h + float32(h*erf(v*(1/math.Sqrt2)))
	}
}

func geluTanhPortable(x []float32) {
	for i, v := range x {
		cube := float32(float32(v*v)*.044715) + 1
		t := float32(float32(v*(-2*.7978845608028654)) * cube)
		x[i] = v / (1 + exp(min(t, 88)))
	}
}

func addNormPortable(x, r, gamma, beta []float32, eps float32) {
	sum := float32(0)
	for i := range x {
		x[i] += r[i]
		sum += x[i]
	}
	n := float32(len(x))
	mean := sum / n
	vary := float32(0)
	for _, v := range x {
		d := v - mean
		vary += float32(d * d)
	}
	scale := 1 / float32(math.Sqrt(float64(vary/n+eps)))
	for i, v := range x {
		x[i] = float32(float32((v-mean)*scale)*gamma[i]) + beta[i]
	}
}

// exp is e to the power of x, and of -87 for what is less. The error is within
// two units of the last place.
func exp(x float32) float32 {
	x = max(x, -87)
	n := float32(math.RoundToEven(float64(x * math.Log2E)))
	x -= float32(n * .693359375)
	x += float32(n * 2.12194440e-4)
	p := float32(1.9875691500e-4)
	p = float32(p*x) + 1.3981999507e-3
	p = float32(p*x) + 8.3334519073e-3
	p = float32(p*x) + 4.1665795894e-2
	p = float32(p*x) + 1.6666665459e-1
	p = float32(p*x) + .5
	p = float32(p*float32(x*x)) + x + 1
	return math.Float32frombits(uint32(int32(math.Float32bits(p)) + int32(n)<<23))
}

// erf is the error function, to 5e-7.
func erf(x float32) float32 {
	x = min(4, max(-4, x))
	y := float32(x * x)
	p := float32(-2.72614225801306e-10)
	p = float32(p*y) + 2.77068142495902e-08
	p = float32(p*y) - 2.10102402082508e-06
	p = float32(p*y) - 5.69250639462346e-05
	p = float32(p*y) - 7.34990630326855e-04
	p = float32(p*y) - 2.95459980854025e-03
	p = float32(p*y) - 1.60960333262415e-02
	q := float32(-1.45660718464996e-05)
	q = float32(q*y) - 2.13374055278905e-04
	q = float32(q*y) - 1.68282697438203e-03
	q = float32(q*y) - 7.37332916720468e-03
	q = float32(q*y) - 1.42647390514189e-02
	return float32(x*p) / q
}
