package ivf

import (
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/internal/distance"
)

// Row is a turned vector in one byte an element: Scale times Q.
type Row struct {
	Q     []int8
	Scale float32
	Norm  float32 // squared length of what the row says
}

// NewRow returns the row of some bytes, which are copied, and a scale.
func NewRow(b []byte, scale float32) Row {
	r := Row{Q: make([]int8, len(b)), Scale: scale}
	for i, x := range b {
		r.Q[i] = int8(x)
	}
	r.measure()
	return r
}

// tiny is the largest element below which a row is zero: its reciprocal would
// overflow.
const tiny = 1e-30

// Set makes r the row of t; Q is as long as t.
func (r *Row) Set(t []float32) {
	top := distance.MaxAbs(t)
	if !(top > tiny) {
		clear(r.Q)
		r.Scale, r.Norm = 0, 0
		return
	}
	distance.Quantize(r.Q, t, 127/top)
	r.Scale = top / 127
	r.measure()
}

func (r *Row) measure() {
	r.Norm = float32(float64(r.Scale) * float64(r.Scale) * float64(distance.DotI8(r.Q, r.Q)))
}

// Vector writes to dst what the row says.
func (r *Row) Vector(dst []float32) {
	for i, q := range r.Q {
		dst[i] = r.Scale * float32(q)
	}
}

// Rows are rows of one length, one after the other.
type Rows struct {
	dim   int
	q     []int8
	scale []float32
	norm  []float32
}

// NewRows returns no rows, with room for n.
func NewRows(dim, n int) *Rows {
	return &Rows{dim: dim, q: make([]int8, 0, n*dim), scale: make([]float32, 0, n), norm: make([]float32, 0, n)}
}

// Len returns the number of rows.
func (s *Rows) Len() int { return len(s.scale) }

// Row returns row i, which aliases s.
func (s *Rows) Row(i int) Row {
	return Row{Q: s.q[i*s.dim : (i+1)*s.dim : (i+1)*s.dim], Scale: s.scale[i], Norm: s.norm[i]}
}

// Add appends a copy of r.
func (s *Rows) Add(r Row) {
	s.q = append(s.q, r.Q...)
	s.scale, s.norm = append(s.scale, r.Scale), append(s.norm, r.Norm)
}

// AddVector appends the row of t.
func (s *Rows) AddVector(t []float32) {
	s.q = slices.Grow(s.q, s.dim)[:len(s.q)+s.dim]
	r := Row{Q: s.q[len(s.q)-s.dim:]}
	r.Set(t)
	s.scale, s.norm = append(s.scale, r.Scale), append(s.norm, r.Norm)
}

// set makes row i that of t.
func (s *Rows) set(i int, t []float32) {
	r := s.Row(i)
	r.Set(t)
	s.scale[i], s.norm[i] = r.Scale, r.Norm
}

// kernel is the room that distances are computed in.
type kernel struct {
	at   [256]*int8
	dots [256]int32
}

// distances writes to out[i] the distance of q and row i of s, ip saying which.
func (k *kernel) distances(q *Row, s *Rows, ip bool, out []float32) {
	for from := 0; from < s.Len(); from += len(k.at) {
		n := min(len(k.at), s.Len()-from)
		for i := range n {
			k.at[i] = &s.q[(from+i)*s.dim]
		}
		distance.DotI8Rows(q.Q, k.at[:n], k.dots[:n])
		twice := 2 * float64(q.Scale)
		scale, norm, out := s.scale[from:from+n], s.norm[from:from+n], out[from:from+n]
		for i, dot := range k.dots[:n] {
			product := twice * float64(scale[i]) * float64(dot)
			if ip {
				out[i] = float32(0 - product)
			} else {
				out[i] = float32(float64(q.Norm+norm[i]) - product)
			}
		}
	}
}

// near is something at a distance.
type near struct {
	d  float32
	at int32
}

func (a near) compare(b near) int { return cmp.Or(cmp.Compare(a.d, b.d), cmp.Compare(a.at, b.at)) }

// nearest moves the n nearest to the front, in order, and returns them. All differ
// in at. It is for few of many.
func nearest(all []near, n int) []near {
	n = min(n, len(all))
	slices.SortFunc(all[:n], near.compare)
	if n == 0 {
		return all[:0]
	}
	worst := all[n-1]
	for _, x := range all[n:] {
		if x.d > worst.d || x.compare(worst) >= 0 {
			continue
		}
		i, _ := slices.BinarySearchFunc(all[:n-1], x, near.compare)
		copy(all[i+1:n], all[i:n-1])
		all[i] = x
		worst = all[n-1]
	}
	return all[:n]
}

// Distance returns the distance of two rows, ip saying which.
func (r Row) Distance(x Row, ip bool) float32 {
	product := 2 * float64(r.Scale) * float64(x.Scale) * float64(distance.DotI8(r.Q, x.Q))
	if ip {
		return float32(0 - product)
	}
	return float32(float64(r.Norm+x.Norm) - product)
}
