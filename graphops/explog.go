package graphops

import "math"

// math.Exp and math.Log are written in assembly for some processors and may be
// compiled with fused multiply-adds for others, so that their last bits differ.
// These two have the same bits everywhere.

const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// expOf returns e^x for x <= 0, and 0 for x < -700. The error is below one unit
// in the last place.
func expOf(x float64) float64 {
	if x < -700 {
		return 0
	}
	// As in FreeBSD's e_exp.c: x = k ln 2 + r with |r| <= ln 2 / 2.
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	high, low := x-float64(k*ln2High), float64(k*ln2Low)
	r := high - low
	t := float64(r * r)
	p := 6.61375632143793436117e-05 + float64(t*(-1.65339022054652515390e-06+float64(t*4.13813679705723846039e-08)))
	p = 1.66666666666666019037e-01 + float64(t*(-2.77777777770155933842e-03+float64(t*p)))
	c := r - float64(t*p)
	y := 1 - ((low - float64(r*c)/(2-c)) - high)
	return y * math.Float64frombits(uint64(1023+int64(k))<<52)
}

// logOf returns the natural logarithm of a finite x > 0. The error is below one
// unit in the last place.
func logOf(x float64) float64 {
	// As in FreeBSD's e_log.c: x = 2^k (1+f) with sqrt(2)/2 <= 1+f < sqrt(2).
	f, exponent := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f *= 2
		exponent--
	}
	f--
	k := float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := 2.857142874366239149e-01 + float64(s4*(1.818357216161805012e-01+float64(s4*1.479819860511658591e-01)))
	odd = float64(s2 * (6.666666666666735130e-01 + float64(s4*odd)))
	even := 2.222219843214978396e-01 + float64(s4*1.531383769920937332e-01)
	even = float64(s4 * (3.999999999940941908e-01 + float64(s4*even)))
	half := float64(0.5 * float64(f*f))
	return float64(k*ln2High) - ((half - (float64(s*(half+odd+even)) + float64(k*ln2Low))) - f)
}
