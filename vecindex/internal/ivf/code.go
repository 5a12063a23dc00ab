package ivf

import (
	"encoding/binary"
	"math"

	"github.com/ragdb/ragdb/internal/distance"
)

const (
	// fineDim is the greatest dimension of which codes have four bits an
	// element: fewer elements share the error.
	fineDim = 64
	// Spread times |Mul| |q - c| is the standard deviation of an estimate.
	Spread = 0.323
	// factors are the bytes of a code before its elements: Add f32, Mul f32.
	factors = 8
)

// Coder makes codes of turned vectors and estimates distances from them. It is not
// safe for concurrent use.
type Coder struct {
	dim, bits int
	ip        bool
	step      float64 // for a variance of 1
	r, v      []float32
	u         []uint8
}

// NewCoder returns the coder of vectors of dim elements, ip saying that the metric is
// the inner product.
func NewCoder(dim int, ip bool) *Coder {
	c := &Coder{dim: dim, bits: 2, step: 0.9957, ip: ip, r: make([]float32, dim), v: make([]float32, dim), u: make([]uint8, dim)}
	if dim <= fineDim {
		c.bits, c.step = 4, 0.3352
	}
	return c
}

// Size returns the bytes of a code.
func (c *Coder) Size() int { return factors + c.elements() }

// elements returns the bytes of a code's elements.
func (c *Coder) elements() int { return (c.dim*c.bits + 7) / 8 }

// padded returns the number of elements that these bytes have room for.
func (c *Coder) padded() int { return c.elements() * 8 / c.bits }

// Encode writes the code of the turned vector t about a centroid to dst, of Size
// bytes.
func (c *Coder) Encode(dst []byte, t, centroid []float32) {
	for i, x := range t {
		c.r[i] = x - centroid[i]
	}
	clear(dst[:c.Size()])
	rr := float64(distance.Dot(c.r, c.r))
	if !(rr > tiny) {
		if c.ip {
			putFactors(dst, float64(distance.Dot(centroid, centroid))-float64(distance.Dot(t, t)), 0)
		}
		return
	}
	per := float32(math.Sqrt(float64(c.dim)/rr) / c.step)
	levels := int32(1) << c.bits
	half := float32(levels-1) / 2
	for i, r := range c.r {
		u := min(max(int32(math.Floor(float64(r*per)))+levels/2, 0), levels-1)
		c.u[i], c.v[i] = uint8(u), float32(u)-half
	}
	c.pack(dst[factors:])
	mul := -2 * rr / float64(distance.Dot(c.v, c.r))
	add := rr - float64(mul*float64(distance.Dot(c.v, centroid)))
	if c.ip {
		add += float64(distance.Dot(centroid, centroid)) - float64(distance.Dot(t, t))
	}
	putFactors(dst, add, mul)
}

func putFactors(dst []byte, add, mul float64) {
	binary.LittleEndian.PutUint32(dst, math.Float32bits(float32(add)))
	binary.LittleEndian.PutUint32(dst[4:], math.Float32bits(float32(mul)))
}

// pack writes the elements of u as the kernels of package distance read them.
func (c *Coder) pack(dst []byte) {
	n, bits := c.elements(), c.bits
	for i, u := range c.u {
		dst[i%n] |= u << (i / n * bits)
	}
}

// Valid reports whether a code of Size bytes has factors that codes have.
func (c *Coder) Valid(code []byte) bool {
	if len(code) != c.Size() {
		return false
	}
	add, mul := readFactors(code)
	return !math.IsNaN(add) && !math.IsInf(add, 0) && mul <= 0 && !math.IsInf(mul, 0)
}

func readFactors(code []byte) (add, mul float64) {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(code))),
		float64(math.Float32frombits(binary.LittleEndian.Uint32(code[4:])))
}

// Query is a query, with the codes that it is compared with.
type Query struct {
	Row
	dim   int // without padding
	bits  int
	ip    bool
	sum   int32 // of Q
	size  int
	codes []byte    // elements
	add   []float64 // factors
	mul   []float64
	dots  []int32
}

// NewQuery returns a query without a vector.
func (c *Coder) NewQuery() *Query {
	return &Query{Row: Row{Q: make([]int8, c.padded())}, dim: c.dim, bits: c.bits, ip: c.ip, size: c.elements()}
}

// Set makes q the query of a turned vector.
func (q *Query) Set(t []float32) {
	r := Row{Q: q.Q[:q.dim]}
	r.Set(t)
	q.Scale, q.Norm, q.sum = r.Scale, r.Norm, 0
	for _, x := range r.Q {
		q.sum += int32(x)
	}
	q.Reset()
}

// row returns the query's row.
func (q *Query) row() Row { return Row{Q: q.Q[:q.dim], Scale: q.Scale, Norm: q.Norm} }

// Reset forgets the codes.
func (q *Query) Reset() { q.codes, q.add, q.mul = q.codes[:0], q.add[:0], q.mul[:0] }

// Add adds a code, which is copied.
func (q *Query) Add(code []byte) {
	add, mul := readFactors(code)
	q.codes = append(q.codes, code[factors:]...)
	q.add, q.mul = append(q.add, add), append(q.mul, mul)
}

// Len returns the number of codes since Reset.
func (q *Query) Len() int { return len(q.add) }

// Estimates calls fn with the estimated distance of each code, and with the standard
// deviation of that for a distance of 1 between the query and the centroid.
// base is the distance of the centroid that the codes are about.
func (q *Query) Estimates(base float32, fn func(i int, d, deviation float32)) {
	n := len(q.add)
	if cap(q.dots) < n {
		q.dots = make([]int32, n+n/2)
	}
	dots := q.dots[:n]
	if q.bits == 4 {
		distance.DotU4Block(q.Q, q.codes, dots)
	} else {
		distance.DotU2Block(q.Q, q.codes, dots)
	}
	odd := int64(1)<<q.bits - 1 // twice the middle of all steps
	for i, dot := range dots {
		product := float64(q.Scale) * 0.5 * float64(2*int64(dot)-odd*int64(q.sum))
		d := float64(base) + q.add[i] + float64(q.mul[i]*product)
		fn(i, float32(d), float32(-q.mul[i]*Spread))
	}
}
