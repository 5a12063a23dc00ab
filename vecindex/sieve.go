package vecindex

import (
	"math"

	"github.com/ragdb/ragdb/internal/distance"
)

// Rows of a mirror have codes of one byte an element, so that an exact search
// reads a quarter of what the vectors are: a code and what it leaves out bound
// the score from both sides, and only rows whose bound reaches the worst hit so
// far are compared with the query.
//
// A code is that of a vector without the mean of many, and a query is taken
// apart likewise. What models make has a large part in common, and a few
// elements that are far larger than the others in all vectors: these would
// decide the step of every code.

// sieveDim is the least dimension that codes are worth making for.
const sieveDim = 64

// sieveShare is how many times the hits that are wanted there have to be
// vectors: with fewer, most rows are compared with the query anyway.
const sieveShare = 4

// coded reports whether rows of the index's mirror have codes.
func (c *Config) coded() bool { return c.Metric != L2 && c.Dim >= sieveDim }

// residue is what the code of a vector x says with the mean m: x - m is step
// times its code, and a rest.
type residue struct {
	step float32
	// rest is the length of the rest or a little more, norm that of x - m.
	rest, norm float32
	common     float32 // the inner product of x and m
}

// tiny is the largest element of vectors that are not coded: the reciprocal of
// less might not be a number.
const tiny = 1e-30

// upward times a length is not below it once rounded to float32.
const upward = 1 + 1e-6

// coder makes codes about a mean. It is used by one goroutine at a time.
type coder struct {
	mean   []float32 // nil for none
	normSq float64   // of mean
	from   int       // vectors that it was chosen for
	diff   []float32
	code   []int8
}

func newCoder(dim int) *coder { return &coder{diff: make([]float32, dim), code: make([]int8, dim)} }

const (
	// minMean is the number of vectors from which on their mean is that of all.
	minMean = 32
	// meanSample is how many vectors the mean is made of, about: their mean is as
	// far from that of all as an eleventh of a vector.
	meanSample = 128
	// meanShare is how many times the square of a vector may be that of the mean:
	// without a part in common there is nothing to take off.
	meanShare = 64
	// enoughMean is the number of vectors from which on the mean stays.
	enoughMean = 1024
)

// about returns a coder about the mean of a sample of n vectors.
func (e *coder) about(n int, sample func(yield func(x []float32) bool)) *coder {
	out := newCoder(len(e.diff))
	out.from = n
	sum, count, squares := make([]float64, len(e.diff)), 0.0, 0.0
	for x := range sample {
		count++
		for i, v := range x {
			sum[i] += float64(v)
			squares += float64(v) * float64(v)
		}
	}
	if count < minMean {
		return out
	}
	mean := make([]float32, len(sum))
	for i, s := range sum {
		mean[i] = float32(s / count)
		out.normSq += float64(mean[i]) * float64(mean[i])
	}
	if out.normSq > tiny && out.normSq*meanShare*count > squares {
		out.mean = mean
	} else {
		out.normSq = 0
	}
	return out
}

// product returns the inner product of x and the mean.
func (e *coder) product(x []float32) float64 {
	sum := 0.0
	for i, m := range e.mean {
		sum += float64(m) * float64(x[i])
	}
	return sum
}

// encode writes the code of x without share times the mean to dst and returns
// what that leaves out.
func (e *coder) encode(dst []int8, x []float32, share float64) residue {
	var r residue
	diff := x
	if e.mean != nil {
		diff = e.diff
		e.subtract(diff, x, share)
		r.common = distance.Dot(x, e.mean)
	}
	top := distance.MaxAbs(diff)
	if top > tiny {
		r.step = top / 127
		distance.Quantize(dst, diff, 127/top)
	} else {
		clear(dst)
	}
	rest, norm := leaves(diff, dst, float64(r.step))
	if e.mean != nil {
		rest += norm * 0x1p-24 // what rounding the difference loses
	}
	r.rest, r.norm = float32(rest*upward), float32(norm*upward)
	return r
}

// subtract writes x without share times the mean to dst. Each element is rounded
// once, but for what float64 loses.
func (e *coder) subtract(dst, x []float32, share float64) {
	if share == 1 {
		mean := e.mean[:len(x)]
		dst = dst[:len(x)]
		for i, v := range x {
			dst[i] = v - mean[i]
		}
		return
	}
	for i, m := range e.mean {
		dst[i] = float32(float64(x[i]) - share*float64(m))
	}
}

// leaves returns the length of what a code with a step leaves out of x, and
// that of x.
func leaves(x []float32, code []int8, step float64) (rest, norm float64) {
	var r, n [4]float64 // sums that do not wait for each other
	for len(x) >= 4 && len(code) >= 4 {
		v, c := (*[4]float32)(x), (*[4]int8)(code)
		for i := range 4 {
			y := float64(v[i])
			d := y - step*float64(c[i])
			r[i] += d * d
			n[i] += y * y
		}
		x, code = x[4:], code[4:]
	}
	for i, v := range x {
		d := float64(v) - step*float64(code[i])
		r[0] += d * d
		n[0] += float64(v) * float64(v)
	}
	return math.Sqrt(r[0] + r[1] + r[2] + r[3]), math.Sqrt(n[0] + n[1] + n[2] + n[3])
}

// sieve bounds the inner products of one query with coded vectors. Its buffers
// are kept between searches.
type sieve struct {
	coder coder // with a buffer of its own
	code  []int8
	rows  [blockRows]*int8
	dots  [blockRows]int32

	step float64 // of the query's code
	sum  int32   // of the query's code
	// The query is share times the mean, and a part. The inner product with x
	// is rest and share times that of x with the mean, and that of the part
	// with x - m, which differs from that of their codes by at most perRest
	// times the rest of x, perNorm times its norm, and loss.
	share, rest            float64
	perRest, perNorm, loss float64
}

// set prepares the sieve for a query of rows that e coded.
func (s *sieve) set(q []float32, e *coder) {
	dim := len(q)
	if len(s.coder.diff) != dim {
		s.coder.diff = make([]float32, dim)
	}
	s.coder.mean, s.coder.normSq = e.mean, e.normSq
	s.code = append(s.code[:0], make([]int8, 2*packedBytes(dim))...)
	s.share = 0
	if e.mean != nil {
		s.share = e.product(q) / e.normSq
	}
	r := s.coder.encode(s.code[:dim], q, s.share)
	s.step, s.sum = float64(r.step), 0
	for _, c := range s.code {
		s.sum += int32(c)
	}
	// Let p be the part, p' and y' what is coded of it and of y = x - m. Then
	// p·y = p'·y' + p'·rest(y) + rest(p)·y, and the length of p' is at most that
	// of p and its rest. What [distance.Dot] loses is (n/32+8) eps times the
	// lengths of q and x at most, in their product and, times the share, in that
	// of x and m; x is no longer than y and m.
	norm := 0.0
	for _, x := range q {
		norm += float64(x) * float64(x)
	}
	norm = math.Sqrt(norm) * upward
	lost := 2 * float64(dim/32+10) * 0x1p-24 * norm
	s.perRest = float64(r.norm) + float64(r.rest)
	s.perNorm = float64(r.rest) + lost
	mean := math.Sqrt(e.normSq) * upward
	s.loss = lost*mean + underflow
	s.rest = 0
	if e.mean != nil {
		s.rest = e.product(q) - s.share*e.normSq // what rounding leaves
	}
}

// bounds computes the inner products of the codes of rows from to to of a
// chunk, for bound.
func (s *sieve) bounds(c *chunk, from, to int) {
	dim, n := len(s.coder.diff), to-from
	if c.packed != nil {
		s.packedBounds(c, from, to)
		return
	}
	for i := range n {
		s.rows[i] = &c.codes[(from+i)*dim]
	}
	distance.DotI8Rows(s.code[:dim], s.rows[:n], s.dots[:n])
}

// bound returns an estimate of the score of row i of the last call of bounds,
// whose residue is r, and how much it can be wrong.
func (s *sieve) bound(i int, r *residue) (score, within float64) {
	score = s.step*float64(r.step)*float64(s.dots[i]) + s.share*float64(r.common) + s.rest
	return score, s.perRest*float64(r.rest) + s.perNorm*float64(r.norm) + s.loss
}

// underflow is more than products may lose that are too small for a float32.
const underflow = 1e-38
