package graphops

import (
	"context"
	"math"

	"github.com/ragdb/ragdb/engine"
)

// gmmLook returns how many vectors are compared with k components between two
// looks at the context: a few million multiplications, and 512 vectors at most.
func gmmLook(k, d int) int { return min(max(1, 1<<21/(k*(d+triangle(d)))), 512) }

// gmmFit fits mixtures to vectors by expectation and maximisation.
type gmmFit struct {
	m         Matrix
	reg       float64
	enough    float64 // change of the mean log-likelihood that ends the iteration
	most      int     // iterations
	workers   int
	component []uint32 // most probable component of each vector
	sums      []gmmSums
}

// gmmSums are what a piece of the vectors adds up to for each component, with
// the means of before subtracted from the vectors.
type gmmSums struct {
	log    float64
	weight []float64
	first  []float64
	second []float64
}

// gmmPieces returns into how many pieces n vectors are cut: fixed by the input,
// and such that their sums stay below 32 MB if there are several.
func gmmPieces(n, k, d int) int {
	most := (1 << 22) / (k * (1 + d + triangle(d)))
	return max(1, min(32, n/1024, most))
}

// run iterates from g, which it changes, until it hardly gets better.
func (f *gmmFit) run(ctx context.Context, g *gmmModel) (*gmmResult, error) {
	for i, c := range f.component {
		if int64(c) >= int64(g.k) {
			f.component[i] = 0
		}
	}
	n := float64(f.m.Len())
	r := &gmmResult{g: g}
	last := math.Inf(-1)
	for !r.converged && r.iterations < f.most {
		log, err := f.expect(ctx, g, true)
		if err != nil {
			return nil, err
		}
		if math.IsNaN(log) || math.IsInf(log, 0) {
			return nil, errNoDensity()
		}
		if err := f.maximise(ctx, g); err != nil {
			return nil, err
		}
		r.iterations++
		r.converged = math.Abs(log-last)/n < f.enough
		last = log
	}
	var err error
	if r.log, err = f.expect(ctx, g, false); err != nil {
		return nil, err
	}
	if math.IsNaN(r.log) || math.IsInf(r.log, 0) {
		return nil, errNoDensity()
	}
	k, d := float64(g.k), float64(g.d)
	parameters := float64(k*d) + float64(k*float64(triangle(g.d))) + k - 1
	r.bic = float64(parameters*logOf(n)) - 2*r.log
	return r, nil
}

func errNoDensity() error {
	return phase.Mark(engine.ErrInvalid, "a vector's density is out of range")
}

// gmmResult is a fitted mixture.
type gmmResult struct {
	g          *gmmModel
	log, bic   float64
	iterations int
	converged  bool
}

// expect returns the log-likelihood of g, sets the most probable components,
// and, where sum is set, adds up what maximise needs.
func (f *gmmFit) expect(ctx context.Context, g *gmmModel, sum bool) (float64, error) {
	n := f.m.Len()
	count := gmmPieces(n, g.k, g.d)
	for len(f.sums) < count {
		f.sums = append(f.sums, gmmSums{})
	}
	look := gmmLook(g.k, g.d)
	err := parallel(ctx, f.workers, count, func(_, piece int) error {
		s := &f.sums[piece]
		s.log = 0
		if sum {
			s.weight = zeros(s.weight, g.k)
			s.first = zeros(s.first, g.k*g.d)
			s.second = zeros(s.second, g.k*triangle(g.d))
		}
		e := newExpector(g)
		lo, hi := piece*n/count, (piece+1)*n/count
		for i := lo; i < hi; i++ {
			if (i-lo)%look == look-1 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			v := f.m.Row(i)
			s.log += e.expect(v, f.component[i])
			f.component[i] = e.best
			if sum {
				s.add(e, v)
			}
		}
		return nil
	})
	log := 0.0
	for i := range count {
		log += f.sums[i].log
	}
	return log, err
}

// zeros returns n zeros, in x if there is room.
func zeros(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	x = x[:n]
	clear(x)
	return x
}

// add adds v with the responsibilities in e.
func (s *gmmSums) add(e *expector, v []float32) {
	d, t := e.d, triangle(e.d)
	for j, c := range e.near {
		r := e.share[j]
		mean, diff := e.mean(int(c)), e.diff
		first := s.first[int(c)*d:][:d]
		s.weight[c] += r
		for i, x := range v {
			diff[i] = float64(x) - mean[i]
			first[i] += float64(r * diff[i])
		}
		addOuter(s.second[int(c)*t:][:t], diff, r)
	}
}

// maximise sets g to the mixture that the sums make most probable.
func (f *gmmFit) maximise(ctx context.Context, g *gmmModel) error {
	n := f.m.Len()
	count := gmmPieces(n, g.k, g.d)
	d, t := g.d, triangle(g.d)
	all := &f.sums[0]
	for i := 1; i < count; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		addAll(all.weight, f.sums[i].weight)
		addAll(all.first, f.sums[i].first)
		addAll(all.second, f.sums[i].second)
	}
	total := 0.0
	for c := range g.k {
		// As scikit-learn does, so that nothing is divided by 0.
		all.weight[c] += 10 * 0x1p-52
		total += all.weight[c]
	}
	for c := range g.k {
		if err := ctx.Err(); err != nil {
			return err
		}
		w := all.weight[c]
		mean, cov := g.mean(c), g.covariance(c)
		move := all.first[c*d:][:d]
		for j := range move {
			move[j] /= w
			mean[j] += move[j]
		}
		for j, x := range all.second[c*t:][:t] {
			cov[j] = x / w
		}
		addOuter(cov, move, -1)
		for j := range d {
			cov[triangle(j)+j] += f.reg
		}
		g.weights[c] = w / total
		g.regularise(c)
	}
	return nil
}

func addAll(sum, x []float64) {
	for i, v := range x {
		sum[i] += v
	}
}
