package quant_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

var long = flag.Bool("long", false, "measure on the evaluation data")

type metric int

const (
	l2 metric = iota
	cosine
	ip
)

func (m metric) String() string { return [...]string{"l2", "cosine", "ip"}[m] }

// kinds are ways to draw vectors.
var kinds = []struct {
	name string
	draw func(rng *rand.Rand, n, d int) [][]float32
}{
	{"gaussian", func(rng *rand.Rand, n, d int) [][]float32 { return gaussian(rng, n, d, 1) }},
	{"skewed", skewed},
	{"mean", func(rng *rand.Rand, n, d int) [][]float32 {
		x := gaussian(rng, n, d, 1)
		far := gaussian(rng, 1, d, 30)[0]
		for _, v := range x {
			for i := range v {
				v[i] += far[i]
			}
		}
		return x
	}},
	{"duplicates", func(rng *rand.Rand, n, d int) [][]float32 {
		x := gaussian(rng, n, d, 1)
		for i := n / 2; i < n; i++ {
			copy(x[i], x[i-n/2])
			if i%2 == 0 {
				x[i][rng.IntN(d)] += 1e-4
			}
		}
		return x
	}},
	{"small", func(rng *rand.Rand, n, d int) [][]float32 { return gaussian(rng, n, d, 1e-12) }},
	{"large", func(rng *rand.Rand, n, d int) [][]float32 { return gaussian(rng, n, d, 1e12) }},
	{"uneven", func(rng *rand.Rand, n, d int) [][]float32 {
		x := gaussian(rng, n, d, 1)
		for _, v := range x {
			f := float32(math.Exp(2 * rng.NormFloat64()))
			for i := range v {
				v[i] *= f
			}
		}
		return x
	}},
}

func gaussian(rng *rand.Rand, n, d int, scale float64) [][]float32 {
	x := make([][]float32, n)
	for i := range x {
		x[i] = make([]float32, d)
		for j := range x[i] {
			x[i][j] = float32(scale * rng.NormFloat64())
		}
	}
	return x
}

// skewed returns vectors of which up to 8 dimensions have 20 times the spread
// of the others.
func skewed(rng *rand.Rand, n, d int) [][]float32 {
	x := gaussian(rng, n, d, 1)
	large := min(8, (d+1)/2)
	for _, v := range x {
		for i := range large {
			v[i*d/large] *= 20
		}
	}
	return x
}

func normalise(x []float32) {
	n := 1 / math.Sqrt(dot(x, x))
	for i, v := range x {
		x[i] = float32(float64(v) * n)
	}
}

func dot(x, y []float32) float64 {
	var s float64
	for i, v := range x {
		s += float64(v) * float64(y[i])
	}
	return s
}

func squared(x, y []float32) float64 {
	var s float64
	for i, v := range x {
		d := float64(v) - float64(y[i])
		s += d * d
	}
	return s
}

// meanOf returns the mean that a codec's record holds.
func meanOf(c *quant.Codec) []float32 {
	b := c.AppendRecord(nil)[16:]
	mean := make([]float32, len(b)/4)
	for i := range mean {
		mean[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return mean
}

// unrotated returns the codec without its rotation.
func unrotated(c *quant.Codec, inner bool) *quant.Codec {
	b := c.AppendRecord(nil)
	b[1] &^= 2
	u, err := quant.ReadRecord(b, c.Dim(), inner)
	if err != nil {
		panic(err)
	}
	return u
}

// exact returns the distance that a codec estimates, and the sum of the sizes
// of its terms, to which its rounding is relative.
func exact(m metric, mean, q, x []float32) (d, size float64) {
	if m != ip {
		t, u := squared(q, mean), squared(x, mean)
		return squared(q, x), t + u
	}
	var sum, abs float64
	for i, v := range q {
		p := float64(v) * (float64(x[i]) - float64(mean[i]))
		sum += p
		abs += math.Abs(p)
	}
	return -2 * sum, 2 * abs
}

// coded is a vector with its code.
type coded struct {
	x    []float32
	code []byte
	low  []int8
}

func encode(c *quant.Codec, e *quant.Encoder, x []float32) coded {
	r := coded{x, make([]byte, c.Size()), make([]int8, c.Dim())}
	e.Encode(r.code, r.low, x)
	return r
}

func (r coded) high(c *quant.Codec) []int8 { return quant.Plane(r.code[c.HeaderSize():]) }

func estimate(c *quant.Codec, q *quant.Query, r coded) float32 {
	return q.Estimate(unsafe.Pointer(&r.code[0]), distance.DotI8(q.High, r.high(c)))
}

func refine(c *quant.Codec, q *quant.Query, r coded) float32 {
	return q.Refine(r.code, r.low, distance.DotI8(q.High, r.high(c)))
}

// dims are those that the properties are tested with.
func dims() []int {
	var out []int
	for d := 1; d <= 40; d++ {
		out = append(out, d)
	}
	return append(out, 64, 100, 128, 768)
}

func rngOf(seed uint64, what ...any) *rand.Rand {
	h := uint64(14695981039346656037)
	for _, c := range []byte(fmt.Sprint(what...)) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h))
}
