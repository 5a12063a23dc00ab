package quant_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// errorSums gathers how far distances are from the exact ones.
type errorSums struct {
	n, outside int
	// Sums of squares: errors, what refined ones are by the width of the low
	// plane's steps, and what floats are rounded from.
	estimate, refined, steps, sizes float64
	worst                           float64 // excess over the bound, in bounds
	worstWanted, worstAllowed       float64
}

func (s *errorSums) add(want, size, est, refined, bound float64) {
	s.n++
	e := math.Abs(est - want)
	s.estimate += e * e
	s.refined += (refined - want) * (refined - want)
	s.sizes += size * size
	if !(e <= bound) {
		s.outside++
		if x := e / bound; !(x < s.worst) {
			s.worst, s.worstWanted, s.worstAllowed = x, want, bound
		}
	}
}

// TestErrors compares estimates and refined distances with exact ones.
func TestErrors(t *testing.T) {
	for _, m := range []metric{l2, cosine, ip} {
		for _, kind := range kinds {
			for _, trained := range []bool{true, false} {
				name := m.String() + "/" + kind.name
				if !trained {
					name += "/untrained"
				}
				t.Run(name, func(t *testing.T) {
					var filled, stored errorSums
					for _, d := range dims() {
						f, s := measureErrors(m, kind.draw(rngOf(1, name, d), 72, d), trained)
						checkErrors(t, "query", d, f, trained)
						checkErrors(t, "stored", d, s, false)
						for _, p := range [][2]*errorSums{{&filled, &f}, {&stored, &s}} {
							p[0].n += p[1].n
							p[0].outside += p[1].outside
						}
					}
					// The bound holds for nearly all, whatever the dimension.
					for what, s := range map[string]errorSums{"query": filled, "stored": stored} {
						if float64(s.outside) > 0.005*float64(s.n) {
							t.Errorf("%s: %d of %d errors pass the bound", what, s.outside, s.n)
						}
					}
				})
			}
		}
	}
}

func checkErrors(t *testing.T, what string, d int, s errorSums, refined bool) {
	t.Helper()
	if float64(s.outside) > 0.01*float64(s.n) {
		t.Errorf("%s, %d dimensions: %d of %d errors pass the bound, the worst %.1f-fold (distance %g, bound %g)",
			what, d, s.outside, s.n, s.worst, s.worstWanted, s.worstAllowed)
	}
	if math.IsNaN(s.estimate) || math.IsNaN(s.refined) {
		t.Errorf("%s, %d dimensions: distances that are not numbers", what, d)
	}
	est, ref := math.Sqrt(s.estimate), math.Sqrt(s.refined)
	if !refined {
		return
	}
	noise := math.Sqrt(s.sizes) / (1 << 22)
	// Elements whose residual does not fit the low plane add to it.
	if steps := math.Sqrt(s.steps); !(ref <= 5*steps+noise) {
		t.Errorf("%s, %d dimensions: refined error %g, of steps %g, float noise %g", what, d, ref, steps, noise)
	}
	// In few dimensions an estimate may be as good, its error being orthogonal
	// to the vectors.
	if d >= 8 && !(ref <= est/50+noise) {
		t.Errorf("%s, %d dimensions: refined error %g, estimate's %g, float noise %g", what, d, ref, est, noise)
	}
}

func measureErrors(m metric, vectors [][]float32, trained bool) (filled, stored errorSums) {
	d := len(vectors[0])
	if m == cosine {
		for _, x := range vectors {
			normalise(x)
		}
	}
	c := quant.New(d, m == ip)
	if trained {
		c = quant.Train(d, m == ip, vectors[8:], 3)
	}
	mean := meanOf(c)
	e := c.NewEncoder()
	codes := make([]coded, len(vectors))
	for i, x := range vectors {
		codes[i] = encode(c, e, x)
	}
	q, s := c.NewQuery(), c.NewStored()
	// Queries of no part in the training, and those that have a duplicate.
	for i := range 16 {
		x := vectors[i]
		q.Fill(e, x)
		s.FillStored(codes[i].code)
		for j, y := range codes {
			if j == i {
				continue
			}
			want, size := exact(m, mean, x, y.x)
			est := estimate(c, q, y)
			bound := 3*float64(q.Sigma(y.code, est)) + float64(q.Slack(y.code))
			sq, sy := float64(f32At(codes[i].code, 0)), float64(f32At(y.code, 0))
			nq, ny := squared(x, mean), squared(y.x, mean)
			filled.steps += 4 * (sy*sy*nq + sq*sq*ny) / 12 / (230 * 230)
			filled.add(want, size, float64(est), float64(refine(c, q, y)), bound)

			if m == ip {
				// Between stored vectors, with the mean's part of both.
				var add float64
				for k, v := range mean {
					add -= 2 * float64(v) * (float64(x[k]) - float64(v))
				}
				want = -2*dotCentred(mean, x, y.x) + add - 2*dotMean(mean, y.x)
			}
			est = estimate(c, &s, y)
			bound = 3*float64(s.Sigma(y.code, est)) + float64(s.Slack(y.code))
			stored.add(want, size, float64(est), 0, bound)
		}
	}
	return filled, stored
}

func dotCentred(mean, x, y []float32) float64 {
	var s float64
	for i, m := range mean {
		s += (float64(x[i]) - float64(m)) * (float64(y[i]) - float64(m))
	}
	return s
}

func dotMean(mean, x []float32) float64 {
	var s float64
	for i, m := range mean {
		s += float64(m) * (float64(x[i]) - float64(m))
	}
	return s
}

// TestStoredIsSymmetric: both ends of a link see the same length, to the bit.
func TestStoredIsSymmetric(t *testing.T) {
	for _, m := range []metric{l2, cosine, ip} {
		for _, kind := range kinds {
			for _, d := range []int{1, 3, 17, 64, 100, 128} {
				vectors := kind.draw(rngOf(2, m, kind.name, d), 30, d)
				c := quant.Train(d, m == ip, vectors, 1)
				e := c.NewEncoder()
				codes := make([]coded, len(vectors))
				for i, x := range vectors {
					codes[i] = encode(c, e, x)
				}
				a, b := c.NewStored(), c.NewStored()
				for i, x := range codes {
					for _, y := range codes[:i] {
						a.FillStored(x.code)
						b.FillStored(y.code)
						p, q := estimate(c, &a, y), estimate(c, &b, x)
						if math.Float32bits(p) != math.Float32bits(q) {
							t.Fatalf("%s, %s, %d dimensions: %g and %g", m, kind.name, d, p, q)
						}
					}
				}
			}
		}
	}
}

// TestMeanItself has vectors that are the mean: their code is zero and their
// distances are exact.
func TestMeanItself(t *testing.T) {
	const d = 33
	rng := rngOf(3)
	half := gaussian(rng, 20, d, 1)
	var vectors [][]float32
	for _, x := range half {
		y := make([]float32, d)
		for i, v := range x {
			y[i] = 2 - v
		}
		vectors = append(vectors, x, y)
	}
	for _, m := range []metric{l2, ip} {
		c := quant.Train(d, m == ip, vectors, 1)
		mean := meanOf(c)
		e := c.NewEncoder()
		r := encode(c, e, mean)
		for i, b := range r.code[c.HeaderSize():] {
			if b != 0 || r.low[i] != 0 {
				t.Fatalf("%s: element %d of the code is %d, %d", m, i, b, r.low[i])
			}
		}
		if !c.Valid(r.code) {
			t.Errorf("%s: the code of the mean is not valid", m)
		}
		q := c.NewQuery()
		for _, x := range vectors {
			q.Fill(e, x)
			want, size := exact(m, mean, x, mean)
			for _, got := range []float32{estimate(c, q, r), refine(c, q, r)} {
				if math.Abs(float64(got)-want) > size/(1<<20) {
					t.Errorf("%s: distance to the mean %g, not %g", m, got, want)
				}
			}
		}
		q.Fill(e, mean)
		for _, x := range vectors {
			y := encode(c, e, x)
			want, size := exact(m, mean, mean, x)
			if got := refine(c, q, y); math.Abs(float64(got)-want) > size/(1<<20)+1e-6 {
				t.Errorf("%s: distance from the mean %g, not %g", m, got, want)
			}
		}
	}
}

func TestScore(t *testing.T) {
	for _, m := range []metric{l2, cosine, ip} {
		for _, kind := range []int{0, 1, 2} {
			for _, d := range []int{5, 40, 128} {
				vectors := kinds[kind].draw(rngOf(4, m, kind, d), 40, d)
				if m == cosine {
					for _, x := range vectors {
						normalise(x)
					}
				}
				c := quant.Train(d, m == ip, vectors, 1)
				e, q := c.NewEncoder(), c.NewQuery()
				for i, x := range vectors {
					q.Fill(e, x)
					for _, y := range vectors[:i] {
						r := encode(c, e, y)
						got := float64(q.Score(refine(c, q, r), m == cosine))
						want := dot(x, y)
						switch m {
						case l2:
							want = -squared(x, y)
						case cosine:
							want /= math.Sqrt(dot(x, x) * dot(y, y))
						}
						tolerance := 1e-3 * math.Sqrt(squared(x, meanOf(c))*squared(y, meanOf(c)))
						if m == ip {
							tolerance += 1e-6 * math.Sqrt(dot(x, x)*dot(y, y))
						}
						if math.Abs(got-want) > tolerance {
							t.Fatalf("%s, %s, %d dimensions: score %g, not %g", m, kinds[kind].name, d, got, want)
						}
					}
				}
			}
		}
	}
	q := quant.New(3, false).NewQuery()
	for _, d := range []float32{-1e-5, 0} {
		if s := q.Score(d, false); s != 0 || math.Signbit(float64(s)) {
			t.Errorf("score %g of distance %g", s, d)
		}
	}
}

// TestRefineIsOfBothPlanes computes the product of the 16-bit numbers that the
// planes are.
func TestRefineIsOfBothPlanes(t *testing.T) {
	const d = 19
	vectors := gaussian(rngOf(5), 2, d, 1)
	c := quant.New(d, false)
	e, q := c.NewEncoder(), c.NewQuery()
	q.Fill(e, vectors[0])
	r := encode(c, e, vectors[1])
	var sum float64
	for i := range d {
		sum += (float64(q.High[i]) + float64(q.Low[i])/230) * (float64(r.high(c)[i]) + float64(r.low[i])/230)
	}
	x := encode(c, e, vectors[0])
	s := float64(f32At(x.code, 0)) * float64(f32At(r.code, 0))
	want := dot(vectors[0], vectors[0]) + dot(vectors[1], vectors[1]) - 2*s*sum
	if got := refine(c, q, r); math.Abs(float64(got)-want) > 1e-5 {
		t.Errorf("%g, not %g", got, want)
	}
	if n := distance.DotI8(q.High, r.high(c)); q.Estimate(unsafe.Pointer(&r.code[0]), n) == refine(c, q, r) {
		t.Error("refined nothing")
	}
}
