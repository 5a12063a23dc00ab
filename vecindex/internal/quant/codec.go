package quant

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/internal/distance"
)

// lowSteps is how many steps of the low plane make one of the high plane. The
// residual passes half a step by crest^2/1520, so 230 has room for a crest up
// to 8.9; vectors of a crest above maxCrest are rotated.
const lowSteps = 230

// maxCrest is the mean crest (max|t| sqrt(d) / |t|; some 3.4 for Gaussian
// elements) of centred vectors above which a codec rotates.
const maxCrest = 5

// tiny is the largest element below which a vector's code is zero: its
// reciprocal would overflow.
const tiny = 1e-18

// Codec makes codes. It is immutable and safe for concurrent use.
type Codec struct {
	dim int
	ip  bool // inner product of vectors that are not normalised
	// plain says that the codes are the vectors themselves.
	plain bool
	mean  []float32
	rot   *Rotation // nil for none
}

// New returns the codec of no mean and no rotation. ip says that the metric is
// the inner product of vectors as given; the other metrics are distances.
func New(dim int, ip bool) *Codec {
	return &Codec{dim: dim, ip: ip, mean: make([]float32, dim)}
}

// Train returns a codec for vectors like the sample's: centred on their mean,
// and rotated if that leaves a few dimensions much larger than the rest.
// seed chooses the rotation. An empty sample gives New.
func Train(dim int, ip bool, sample [][]float32, seed uint64) *Codec {
	c := New(dim, ip)
	if len(sample) == 0 {
		return c
	}
	sums := make([]float64, dim)
	for _, x := range sample {
		for i, v := range x {
			sums[i] += float64(v)
		}
	}
	for i, s := range sums {
		c.mean[i] = float32(s / float64(len(sample)))
	}
	var crests float64
	t := make([]float32, dim)
	for _, x := range sample {
		c.centre(t, x)
		if n := distance.Dot(t, t); n > 0 {
			crests += float64(distance.MaxAbs(t)) * math.Sqrt(float64(dim)/float64(n))
		}
	}
	if crests/float64(len(sample)) > maxCrest {
		c.rot = NewRotation(dim, seed)
	}
	return c
}

// Around returns the codec that centres on a mean, which it keeps, and rotates.
// seed chooses the rotation.
func Around(mean []float32, ip bool, seed uint64) *Codec {
	return &Codec{dim: len(mean), ip: ip, mean: mean, rot: NewRotation(len(mean), seed)}
}

// Turn writes to t what x is to the codec: the vector without the mean, rotated. A
// query of inner products keeps the mean, which is the same to all
// vectors. mixed is as long as t, and of no use afterwards.
func (c *Codec) Turn(t, mixed, x []float32, query bool) {
	if query && c.ip {
		copy(t, x)
	} else {
		c.centre(t, x)
	}
	if c.rot != nil {
		c.rot.Apply(t, mixed)
	}
}

// Dim returns the number of elements of a vector.
func (c *Codec) Dim() int { return c.dim }

// Rotated reports whether the codec rotates.
func (c *Codec) Rotated() bool { return c.rot != nil }

// HeaderSize returns the bytes of a code before its high plane.
func (c *Codec) HeaderSize() int {
	switch {
	case c.plain:
		return 0
	case c.ip:
		return 12
	}
	return 8
}

// Size returns the bytes of a code without its low plane.
func (c *Codec) Size() int {
	if c.plain {
		return 4 * c.dim
	}
	return c.HeaderSize() + c.dim
}

// LowSize returns the bytes of a low plane, 0 if codes have none.
func (c *Codec) LowSize() int {
	if c.plain {
		return 0
	}
	return c.dim
}

func (c *Codec) centre(t, x []float32) {
	for i, m := range c.mean {
		t[i] = x[i] - m
	}
}

// Encoder makes codes one after the other. It is not safe for concurrent use.
type Encoder struct {
	c     *Codec
	t     []float32
	wide  []float32
	mixed []float32
}

// NewEncoder returns an encoder of c.
func (c *Codec) NewEncoder() *Encoder {
	return &Encoder{c: c, t: make([]float32, c.dim), wide: make([]float32, c.dim), mixed: make([]float32, c.dim)}
}

// scaled is what both sides of a distance have in common.
type scaled struct {
	s     float32 // scale of the high plane
	norm  float32 // |t|^2
	mean  float32 // <mean, x - mean>
	empty bool    // the code is zero
}

// transform fills e.t and the high plane of x.
func (e *Encoder) transform(x []float32, high []int8) scaled {
	c := e.c
	c.centre(e.t, x)
	var out scaled
	if c.ip {
		out.mean = distance.Dot(c.mean, e.t)
	}
	if c.rot != nil {
		c.rot.Apply(e.t, e.mixed)
	}
	out.norm = distance.Dot(e.t, e.t)
	m := distance.MaxAbs(e.t)
	if !(m > tiny) {
		clear(high)
		out.empty = true
		return out
	}
	distance.Quantize(high, e.t, 127/m)
	for i, h := range high {
		e.wide[i] = float32(h)
	}
	out.s = out.norm / distance.Dot(e.t, e.wide)
	return out
}

func (e *Encoder) residual(low, high []int8, s scaled) {
	if s.empty {
		clear(low)
		return
	}
	distance.QuantizeResidual(low, e.t, high, lowSteps/s.s, lowSteps)
}

// Encode writes the code of x to dst, of [Codec.Size] bytes, and its low plane
// to low, of [Codec.LowSize] bytes, unless that is nil. Elements must be finite.
//
// The code is, in little-endian: s f32, B f32, for inner products |t|^2 f32,
// and the high plane; a plain one is x as f32.
func (e *Encoder) Encode(dst []byte, low []int8, x []float32) {
	if e.c.plain {
		for i, v := range x {
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(v))
		}
		return
	}
	h := e.c.HeaderSize()
	high := Plane(dst[h : h+e.c.dim])
	s := e.transform(x, high)
	b := s.norm
	if e.c.ip {
		b = -2 * s.mean
		binary.LittleEndian.PutUint32(dst[8:], math.Float32bits(s.norm))
	}
	binary.LittleEndian.PutUint32(dst, math.Float32bits(s.s))
	binary.LittleEndian.PutUint32(dst[4:], math.Float32bits(b))
	if low != nil {
		e.residual(low, high, s)
	}
}

// Valid reports whether the header of a code holds numbers that codes have, or
// a plain code nothing but finite ones.
func (c *Codec) Valid(code []byte) bool {
	if c.plain {
		for ; len(code) >= 4; code = code[4:] {
			if x := float64(scaleOf(code)); math.IsNaN(x) || math.IsInf(x, 0) {
				return false
			}
		}
		return true
	}
	s, b, n := float64(scaleOf(code)), float64(bOf(code)), float64(c.norm(code))
	return s >= 0 && n >= 0 && !math.IsInf(s, 0) && !math.IsInf(b, 0) && !math.IsNaN(b) && !math.IsInf(n, 0)
}

// The record of a codec, little-endian: version u8 = 1, flags u8 (bit 0 inner
// product, bit 1 rotated, bit 2 plain), 2 bytes of 0, dimension u32, seed of
// the rotation u64, mean f32 x dimension, which is 0 of a plain one.
const (
	codecVersion = 1
	codecFixed   = 16
)

// AppendRecord appends the codec's record.
func (c *Codec) AppendRecord(b []byte) []byte {
	flags, seed := byte(0), uint64(0)
	if c.ip {
		flags |= 1
	}
	if c.rot != nil {
		flags |= 2
		seed = c.rot.seed
	}
	if c.plain {
		flags |= 4
	}
	b = append(b, codecVersion, flags, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.dim))
	b = binary.LittleEndian.AppendUint64(b, seed)
	for _, m := range c.mean {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(m))
	}
	return b
}

// ReadRecord returns the codec of a record that must be for dim elements and
// the kind of metric.
func ReadRecord(b []byte, dim int, ip bool) (*Codec, error) {
	if len(b) != codecFixed+4*dim || b[0] != codecVersion || b[1]&^7 != 0 || b[1]&6 == 6 || b[2]|b[3] != 0 {
		return nil, fmt.Errorf("codec record of %d bytes is malformed", len(b))
	}
	if n := binary.LittleEndian.Uint32(b[4:]); n != uint32(dim) || (b[1]&1 != 0) != ip {
		return nil, fmt.Errorf("codec of %d dimensions, inner product %t", n, b[1]&1 != 0)
	}
	c := New(dim, ip)
	c.plain = b[1]&4 != 0
	for i := range c.mean {
		c.mean[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[codecFixed+4*i:]))
		if x := float64(c.mean[i]); math.IsNaN(x) || math.IsInf(x, 0) || c.plain && x != 0 {
			return nil, fmt.Errorf("element %d of the mean is %v", i, x)
		}
	}
	if b[1]&2 != 0 {
		c.rot = NewRotation(dim, binary.LittleEndian.Uint64(b[8:]))
	}
	return c, nil
}
