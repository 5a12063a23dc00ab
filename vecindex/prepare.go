package vecindex

import (
	"math"
	"slices"

	"github.com/ragdb/ragdb/internal/distance"
)

// purpose is what a vector is prepared for.
type purpose bool

const (
	stores purpose = false // to be put
	asks   purpose = true  // to be compared with those that were
)

const (
	// maxNormSq keeps inner products and squared distances of vectors that are
	// stored as given far from overflow.
	maxNormSq = 1e30
	// unitSlack is how far the squared length of a vector that was scaled to
	// length 1 and rounded can be from 1. What lies within is stored as it is,
	// so that a vector read from an index can be put back unchanged.
	unitSlack = 1.0 / (1 << 22)
	// halfSlack is the same if elements were rounded to F16.
	halfSlack = 1.0 / (1 << 9)
)

// appendPrepared appends v to dst in the form that vectors are stored in and
// queries compared in, or returns what makes v unusable. A zero vector is
// refused under Cosine, if it has no direction, and for storing.
func (c *Config) appendPrepared(dst, v []float32, p purpose) ([]float32, error) {
	from := len(dst)
	dst, err := c.appendScaled(dst, v, p)
	if err != nil || p == asks || c.Element != F16 {
		return dst, err
	}
	zero := true
	var part [halfPart]uint16
	for at := 0; at < len(v); at += halfPart {
		h := part[:min(halfPart, len(v)-at)]
		x := dst[from+at:][:len(h)]
		distance.EncodeF16(h, x)
		for i, bits := range h {
			if bits&halfInf == halfInf {
				return dst[:from], &VectorError{Fault: faultRange, Element: at + i}
			}
			zero = zero && bits<<1 == 0
		}
		distance.DecodeF16(x, h)
	}
	if zero {
		return dst[:from], &VectorError{Fault: faultZero}
	}
	return dst, nil
}

// halves reports whether F16 has all elements of v.
func halves(v []float32) bool {
	var part [halfPart]uint16
	var rounded [halfPart]float32
	for len(v) > 0 {
		h := part[:min(halfPart, len(v))]
		distance.EncodeF16(h, v[:len(h)])
		distance.DecodeF16(rounded[:], h)
		if !slices.Equal(rounded[:len(h)], v[:len(h)]) {
			return false
		}
		v = v[len(h):]
	}
	return true
}

// appendScaled is appendPrepared without rounding.
func (c *Config) appendScaled(dst, v []float32, p purpose) ([]float32, error) {
	if len(v) != c.Dim {
		return dst, &DimensionError{Want: c.Dim, Have: len(v)}
	}
	var sum float64
	for _, x := range v {
		// The product of two float32 is exact in float64, so fusing it into
		// the addition changes nothing.
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		for i, x := range v {
			if x != x {
				return dst, &VectorError{Fault: faultNaN, Element: i}
			}
			if math.IsInf(float64(x), 0) {
				return dst, &VectorError{Fault: faultInf, Element: i}
			}
		}
	}
	if sum == 0 && (c.Metric == Cosine || p == stores) {
		return dst, &VectorError{Fault: faultZero}
	}
	if c.Metric != Cosine {
		if sum > maxNormSq {
			return dst, &VectorError{Fault: faultLong}
		}
		return append(dst, v...), nil
	}
	off := math.Abs(sum - 1)
	if off <= unitSlack || c.Element == F16 && p == stores && off <= halfSlack && halves(v) {
		return append(dst, v...), nil
	}
	norm := math.Sqrt(sum)
	for _, x := range v {
		dst = append(dst, float32(float64(x)/norm))
	}
	return dst, nil
}
