package quant

import (
	"math"
	"unsafe"

	"github.com/ragdb/ragdb/internal/distance"
)

// PlainDim is the greatest dimension of which the vectors themselves are the
// codes: a byte an element would save less than the links beside it take, and
// errors are larger the fewer elements share them.
const PlainDim = 32

// Plain returns the codec whose codes are the vectors, as float32: estimates
// are exact to float32 and there are no low planes.
func Plain(dim int, ip bool) *Codec {
	c := New(dim, ip)
	c.plain = true
	return c
}

// Plain reports whether the codes are the vectors themselves.
func (c *Codec) Plain() bool { return c.plain }

// floats returns the elements of a plain code, which begins at a multiple of 4.
func floats(code []byte) []float32 {
	if len(code) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&code[0])), len(code)/4)
}

// Products computes what [Query.Estimate] is given of each row, the address of
// a high plane; out is as long as rows. Of plain codes it is the distance's
// bits.
func (q *Query) Products(rows []*int8, out []int32) {
	switch {
	case !q.plain:
		distance.DotI8Rows(q.High, rows, out)
	case q.c.ip:
		for i, r := range rows {
			out[i] = int32(math.Float32bits(-2 * plainDot(q.exact, row(r, len(q.exact)))))
		}
	default:
		for i, r := range rows {
			out[i] = int32(math.Float32bits(plainL2(q.exact, row(r, len(q.exact)))))
		}
	}
}

func row(p *int8, n int) []float32 { return unsafe.Slice((*float32)(unsafe.Pointer(p)), n) }

// plainL2 returns the squared distance of two short vectors, summed in an order
// of its own. Products are converted so that none is fused into a sum.
func plainL2(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		d0, d1, d2, d3 := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		s0 += float32(d0 * d0)
		s1 += float32(d1 * d1)
		s2 += float32(d2 * d2)
		s3 += float32(d3 * d3)
	}
	for ; i < len(a); i++ {
		d := a[i] - b[i]
		s0 += float32(d * d)
	}
	return (s0 + s1) + (s2 + s3)
}

// plainDot is plainL2 for the inner product.
func plainDot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += float32(x[0] * y[0])
		s1 += float32(x[1] * y[1])
		s2 += float32(x[2] * y[2])
		s3 += float32(x[3] * y[3])
	}
	for ; i < len(a); i++ {
		s0 += float32(a[i] * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}
