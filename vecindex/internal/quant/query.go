package quant

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/ragdb/ragdb/internal/distance"
)

// Query is one side of distances: a query, or a stored vector that is compared
// with others. It is reused by filling it again.
type Query struct {
	c         *Codec
	High, Low []int8
	plain     bool
	exact     []float32 // in place of High and Low if plain
	s, twice  float32   // scale, and two of it
	a         float32
	norm      float32 // |t|^2
	// offset turns D into the score: of the metric, see Score.
	offset float32
}

// NewQuery returns an empty query of c.
func (c *Codec) NewQuery() *Query {
	if c.plain {
		return &Query{c: c, plain: true, exact: make([]float32, c.dim)}
	}
	return &Query{c: c, High: make([]int8, c.dim), Low: make([]int8, c.dim)}
}

// NewStored returns a query that only FillStored fills.
func (c *Codec) NewStored() Query { return Query{c: c, plain: c.plain} }

// Fill makes q the query x, as it is prepared for the metric.
func (q *Query) Fill(e *Encoder, x []float32) {
	if q.plain {
		q.exact = append(q.exact[:0:cap(q.exact)], x...)
		return
	}
	s := e.transform(x, q.High)
	e.residual(q.Low, q.High, s)
	q.s, q.norm, q.twice = s.s, s.norm, 2*s.s
	q.a = s.norm
	if e.c.ip {
		q.a = 0
		q.offset = distance.Dot(e.c.mean, x)
	}
}

// FillStored makes q the stored vector with the given code: an estimate from
// it has the error of both sides. The high plane, or the plain vector, aliases
// code.
func (q *Query) FillStored(code []byte) {
	if q.plain {
		q.exact = floats(code)
		return
	}
	q.s = scaleOf(code)
	q.twice = 2 * q.s
	h := q.c.HeaderSize()
	q.High = Plane(code[h : h+q.c.dim])
	q.a = bOf(code)
	q.norm = q.c.norm(code)
}

// Key orders estimates: the estimate's bits so that they ascend as numbers do.
type Key uint32

// KeyOf returns the key of a distance.
func KeyOf(d float32) Key {
	b := math.Float32bits(d)
	return Key(b ^ (uint32(int32(b)>>31) | 0x80000000))
}

// Distance returns the distance of a key.
func (k Key) Distance() float32 {
	b := uint32(k)
	if b&0x80000000 != 0 {
		return math.Float32frombits(b &^ 0x80000000)
	}
	return math.Float32frombits(^b)
}

// Estimate returns the estimated distance of the vector with the given code,
// dot being what [Query.Products] found of it.
func (q *Query) Estimate(code unsafe.Pointer, dot int32) float32 {
	if q.plain {
		return math.Float32frombits(uint32(dot))
	}
	h := (*[2]float32)(code)
	return float32(q.a+h[1]) - float32(float32(q.twice*h[0])*float32(dot))
}

// Refine returns the distance to 16 bits an element, from both planes; dot is
// the product of the high planes. Of plain codes it is the estimate.
func (q *Query) Refine(code []byte, low []int8, dot int32) float32 {
	if q.plain {
		return math.Float32frombits(uint32(dot))
	}
	h := q.c.HeaderSize()
	high := Plane(code[h : h+q.c.dim])
	cross := distance.DotI8(q.Low, high) + distance.DotI8(q.High, low)
	tail := distance.DotI8(q.Low, low)
	// Products of floats are converted so that none is fused into a sum.
	sum := float64(dot) + float64(cross)/lowSteps + float64(tail)/(lowSteps*lowSteps)
	scale := float64(float64(q.twice) * float64(scaleOf(code)))
	return float32(float64(q.a) + float64(bOf(code)) - float64(scale*sum))
}

// Sigma returns the standard deviation of the error of the estimate d of the
// vector with the given code.
func (q *Query) Sigma(code []byte, d float32) float32 {
	if q.plain {
		return 0
	}
	s := float64(scaleOf(code))
	x, y := math.Sqrt(float64(q.norm)), math.Sqrt(float64(q.c.norm(code)))
	if !q.c.ip {
		// The errors are orthogonal to both vectors, so that of the distance
		// is proportional to how far they are apart.
		g := 4 * (s + float64(q.s)) / math.Sqrt(12)
		up := g + math.Sqrt(g*g+max(float64(d), 0))
		x, y = min(x, up), min(y, up)
	}
	return float32(2 * math.Sqrt((s*s*x*x+float64(q.s)*float64(q.s)*y*y)/12))
}

// Slack returns what a bound on the error needs beside Sigma: the rounding
// errors of equal vectors are equal, and float32 has its own.
func (q *Query) Slack(code []byte) float32 {
	if q.plain {
		return 0
	}
	b := bOf(code)
	return float32(q.c.dim)*scaleOf(code)*q.s/6 + (q.a+max(b, -b))/(1<<20)
}

// Score returns the score of the distance d: cosine, or minus the squared
// distance, or the inner product, which asks for a filled query.
func (q *Query) Score(d float32, cosine bool) float32 {
	switch {
	case q.c.ip:
		return q.offset - (d-q.a)/2
	case cosine:
		return 1 - d/2
	}
	return 0 - max(d, 0)
}

func scaleOf(code []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(code)) }
func bOf(code []byte) float32     { return math.Float32frombits(binary.LittleEndian.Uint32(code[4:])) }

func (c *Codec) norm(code []byte) float32 {
	if c.ip {
		return math.Float32frombits(binary.LittleEndian.Uint32(code[8:]))
	}
	return bOf(code)
}

// Plane returns the bytes of a plane as the signed numbers that they are.
func Plane(b []byte) []int8 {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*int8)(unsafe.Pointer(&b[0])), len(b))
}
