package vecindex

import (
	"math"

	"github.com/ragdb/ragdb/internal/distance"
)

// Rows of a mirror have codes of one byte an element, so that an exact search
// reads a quarter of what the vectors are: a code and what it leaves out bound
// the score from above, and only rows whose bound reaches the worst hit so far
// are compared with the query.

// sieveDim is the least dimension that codes are worth making for.
const sieveDim = 64

// sieveShare is how many times the hits that are wanted there have to be
// vectors: with fewer, most rows are compared with the query anyway.
const sieveShare = 4

// coded reports whether rows of the index's mirror have codes.
func (c *Config) coded() bool { return c.Metric != L2 && c.Dim >= sieveDim }

// residue is what the code of a vector x leaves out: x is step times its code,
// and a rest.
type residue struct {
	step float32
	// rest is the length of the rest or a little more, norm that of x.
	rest, norm float32
}

// tiny is the largest element of vectors that are not coded: the reciprocal of
// less might not be a number.
const tiny = 1e-30

// upward times a length is not below it once rounded to float32.
const upward = 1 + 1e-6

// encode writes the code of x to dst and returns what that leaves out.
func encode(dst []int8, x []float32) residue {
	top := distance.MaxAbs(x)
	var r residue
	if top > tiny {
		r.step = top / 127
		distance.Quantize(dst, x, 127/top)
	} else {
		clear(dst)
	}
	var rest, norm float64
	for i, v := range x {
		d := float64(v) - float64(r.step)*float64(dst[i])
		rest += d * d
		norm += float64(v) * float64(v)
	}
	r.rest, r.norm = float32(math.Sqrt(rest)*upward), float32(math.Sqrt(norm)*upward)
	return r
}

// sieve bounds the inner products of one query with coded vectors. Its buffers
// are kept between searches.
type sieve struct {
	code []int8
	rows [blockRows]*int8
	dots [blockRows]int32

	step float64 // of the query's code
	// The inner product with x exceeds that of the codes by at most perRest
	// times the rest of x and perNorm times its norm.
	perRest, perNorm float64
}

// set prepares the sieve for a query.
func (s *sieve) set(q []float32) {
	if cap(s.code) < len(q) {
		s.code = make([]int8, len(q))
	}
	s.code = s.code[:len(q)]
	r := encode(s.code, q)
	s.step = float64(r.step)
	// q·x = q'·x' + q'·rest(x) + rest(q)·x for the coded q' and x', and the
	// length of q' is at most that of q and its rest. What [distance.Dot] loses
	// is (n/32+8) eps times both norms at most.
	loss := float64(len(q)/32+8) * 0x1p-24
	s.perRest = float64(r.norm) + float64(r.rest)
	s.perNorm = float64(r.rest) + loss*float64(r.norm)
}

// bounds computes the inner products of the codes of rows from to to of a
// chunk, for bound.
func (s *sieve) bounds(c *chunk, from, to int) {
	dim, n := len(s.code), to-from
	for i := range n {
		s.rows[i] = &c.codes[(from+i)*dim]
	}
	distance.DotI8Rows(s.code, s.rows[:n], s.dots[:n])
}

// bound returns what the score of row i of the last call of bounds, whose
// residue is r, does not exceed.
func (s *sieve) bound(i int, r *residue) float64 {
	return s.step*float64(r.step)*float64(s.dots[i]) + s.perRest*float64(r.rest) + s.perNorm*float64(r.norm) + underflow
}

// underflow is more than products may lose that are too small for a float32.
const underflow = 1e-38
