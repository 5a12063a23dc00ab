package graphops

import (
	"context"
	"math"
)

// gmmModel is a mixture as expectation needs it. Symmetric and triangular
// matrices are lower triangles, row by row.
type gmmModel struct {
	k, d    int
	weights []float64
	means   []float64
	covs    []float64
	invs    []float64 // inverses of the Cholesky factors of covs
	base    []float64 // logarithm of the weighted density at the mean
}

// triangle returns the elements of a lower triangle.
func triangle(d int) int { return d * (d + 1) / 2 }

func newGMMModel(k, d int) *gmmModel {
	t := triangle(d)
	return &gmmModel{
		k: k, d: d,
		weights: make([]float64, k),
		means:   make([]float64, k*d),
		covs:    make([]float64, k*t),
		invs:    make([]float64, k*t),
		base:    make([]float64, k),
	}
}

func (g *gmmModel) mean(c int) []float64 { return g.means[c*g.d : (c+1)*g.d] }

func (g *gmmModel) covariance(c int) []float64 {
	t := triangle(g.d)
	return g.covs[c*t : (c+1)*t]
}

func (g *gmmModel) inverse(c int) []float64 {
	t := triangle(g.d)
	return g.invs[c*t : (c+1)*t]
}

// log2Pi is the natural logarithm of 2 pi.
const log2Pi = 1.8378770664093453

// prepare computes from weight and covariance what expectation uses, and
// reports whether the covariance is positive definite.
func (g *gmmModel) prepare(c int) bool {
	inv := g.inverse(c)
	copy(inv, g.covariance(c))
	if !cholesky(inv, g.d) {
		return false
	}
	invertTriangle(inv, g.d)
	sum := 0.0
	for i := range g.d {
		sum += logOf(inv[triangle(i)+i])
	}
	g.base[c] = logOf(g.weights[c]) - float64(float64(g.d)*(log2Pi/2)) + sum
	return true
}

// regularise prepares component c. If its covariance is not positive
// definite within rounding, it adds to the diagonal until it is.
func (g *gmmModel) regularise(c int) {
	cov, trace := g.covariance(c), 0.0
	for i := range g.d {
		trace += cov[triangle(i)+i]
	}
	add := float64(1e-12*math.Abs(trace)/float64(g.d)) + 1e-300
	for !g.prepare(c) {
		for i := range g.d {
			cov[triangle(i)+i] += add
		}
		add *= 10
	}
}

// setGroup makes component c that of the vectors of a group, of total in all. It
// ends with ctx.
func (g *gmmModel) setGroup(ctx context.Context, c int, m Matrix, group []uint32, total int, reg float64) error {
	mean, cov := g.mean(c), g.covariance(c)
	clear(mean)
	clear(cov)
	look := gmmLook(1, g.d)
	for at, i := range group {
		if at%look == look-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		addTo(mean, m.Row(int(i)))
	}
	for j := range mean {
		mean[j] /= float64(len(group))
	}
	diff := make([]float64, g.d)
	for at, i := range group {
		if at%look == look-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		for j, x := range m.Row(int(i)) {
			diff[j] = float64(x) - mean[j]
		}
		addOuter(cov, diff, 1)
	}
	for j := range cov {
		cov[j] /= float64(len(group))
	}
	for j := range g.d {
		cov[triangle(j)+j] += reg
	}
	g.weights[c] = float64(len(group)) / float64(total)
	g.regularise(c)
	return nil
}

// addOuter adds by times the product of v with itself to a triangle.
func addOuter(t, v []float64, by float64) {
	for j, x := range v {
		y := x * by
		row := t[:j+1]
		t = t[j+1:]
		for i := range row {
			row[i] += float64(y * v[i])
		}
	}
}

// cholesky replaces a triangle by its factor and reports whether it is positive
// definite.
func cholesky(t []float64, d int) bool {
	for i := range d {
		row := t[triangle(i):][:i+1]
		for j := range i + 1 {
			other := t[triangle(j):][:j+1]
			x := row[j]
			for l := range j {
				x -= float64(row[l] * other[l])
			}
			if j < i {
				row[j] = x / other[j]
				continue
			}
			if !(x > 0) || math.IsInf(x, 0) {
				return false
			}
			row[i] = math.Sqrt(x)
		}
	}
	return true
}

// invertTriangle replaces a triangle by its inverse.
func invertTriangle(t []float64, d int) {
	for i := range d {
		row := t[triangle(i):][:i+1]
		diagonal := 1 / row[i]
		for j := range i {
			x := 0.0
			for l := j; l < i; l++ {
				x += float64(row[l] * t[triangle(l)+j])
			}
			row[j] = -x * diagonal
		}
		row[i] = diagonal
	}
}

// gmmFar is how much less probable than the most probable component one must be
// not to count, as a logarithm. e^-40 is under the rounding error of 1.
const gmmFar = 40

// expector computes the responsibilities of components for one vector.
type expector struct {
	*gmmModel
	best  uint32    // the most probable component
	near  []uint32  // those that count, ascending
	share []float64 // their responsibilities
	diff  []float64
}

func newExpector(g *gmmModel) *expector {
	return &expector{
		gmmModel: g,
		near:     make([]uint32, 0, g.k),
		share:    make([]float64, 0, g.k),
		diff:     make([]float64, g.d),
	}
}

// expect finds the components that count for v and returns the logarithm of its
// density. It is fastest if guess is the most probable one.
func (e *expector) expect(v []float32, guess uint32) float64 {
	// A component is given up as soon as it is too far below the highest so
	// far, which is at most the highest.
	e.best = guess
	own := e.log(v, int(guess), math.Inf(1))
	high := own
	e.near, e.share = e.near[:0], e.share[:0]
	for c := range e.k {
		x := own
		if c != int(guess) {
			limit := 2 * (e.base[c] - high + gmmFar)
			if limit < 0 {
				continue
			}
			if x = e.log(v, c, limit); math.IsInf(x, -1) {
				continue
			}
		}
		if x > high || x == high && c < int(e.best) {
			high, e.best = x, uint32(c)
		}
		e.near = append(e.near, uint32(c))
		e.share = append(e.share, x)
	}
	if len(e.near) == 1 {
		e.share[0] = 1
		return high
	}
	sum, kept := 0.0, 0
	for j, x := range e.share {
		if x < high-gmmFar {
			continue
		}
		x = expOf(x - high)
		e.near[kept], e.share[kept] = e.near[j], x
		kept++
		sum += x
	}
	e.near, e.share = e.near[:kept], e.share[:kept]
	for j := range e.share {
		e.share[j] /= sum
	}
	return high + logOf(sum)
}

// log returns the logarithm of the weighted density of component c at v, or
// -Inf if the squared distance by its covariance is above limit.
func (e *expector) log(v []float32, c int, limit float64) float64 {
	mean := e.means[c*e.d:][:len(v)]
	inv := e.inverse(c)
	diff := e.diff[:len(v)]
	q := 0.0
	for j, x := range v {
		diff[j] = float64(x) - mean[j]
		row := inv[:j+1]
		inv = inv[j+1:]
		y, z := 0.0, 0.0
		i := 0
		for ; i < len(row)-1; i += 2 {
			y += float64(row[i] * diff[i])
			z += float64(row[i+1] * diff[i+1])
		}
		if i < len(row) {
			y += float64(row[i] * diff[i])
		}
		y += z
		q += float64(y * y)
		if q > limit {
			return math.Inf(-1)
		}
	}
	return e.base[c] - q/2
}
