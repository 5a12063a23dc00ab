package graphops

import (
	"context"
	"math"
	"slices"
)

// split returns r's mixture with one component more: the component that gains
// most by it is cut in two across its longest axis. It returns nil if no
// component has enough vectors. f.of has the most probable components.
func (f *gmmFit) split(ctx context.Context, r *gmmResult) (*gmmModel, error) {
	g := r.g
	p := Partition{Of: f.component, Count: g.k}
	off, members := p.Members()
	cuts := make([]gmmCut, g.k)
	err := parallel(ctx, f.workers, g.k, func(_, c int) error {
		var err error
		cuts[c], err = f.cut(ctx, g, c, members[off[c]:off[c+1]])
		return err
	})
	if err != nil {
		return nil, err
	}
	best := -1
	for c := range cuts {
		if cuts[c].model != nil && (best < 0 || cuts[c].gain > cuts[best].gain) {
			best = c
		}
	}
	if best < 0 {
		return nil, nil
	}
	out := newGMMModel(g.k+1, g.d)
	copy(out.weights, g.weights)
	copy(out.means, g.means)
	copy(out.covs, g.covs)
	half := cuts[best].model
	for i, c := range []int{best, g.k} {
		out.weights[c] = g.weights[best] * half.weights[i]
		copy(out.mean(c), half.mean(i))
		copy(out.covariance(c), half.covariance(i))
	}
	for c := range out.k {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.regularise(c)
	}
	return out, nil
}

// gmmCut is a component cut in two, and by how much that raises the
// log-likelihood of its vectors, each counted to one half.
type gmmCut struct {
	model *gmmModel
	gain  float64
}

// cut divides the vectors of component c, at least d+1 to each side, such that
// the variance along the longest axis within the halves is least.
func (f *gmmFit) cut(ctx context.Context, g *gmmModel, c int, group []uint32) (gmmCut, error) {
	least := g.d + 1
	n := len(group)
	if n < 2*least {
		return gmmCut{}, nil
	}
	axis := longestAxis(g.covariance(c), g.d)
	type point struct {
		at float64
		i  uint32
	}
	points := make([]point, n)
	mean, all := g.mean(c), 0.0
	look := gmmLook(1, g.d)
	for p, i := range group {
		if p%look == look-1 && ctx.Err() != nil {
			return gmmCut{}, ctx.Err()
		}
		x := 0.0
		for j, y := range f.m.Row(int(i)) {
			x += float64((float64(y) - mean[j]) * axis[j])
		}
		points[p] = point{x, i}
		all += x
	}
	slices.SortFunc(points, func(a, b point) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return int(a.i) - int(b.i)
	})
	// The variance within is least if that between is greatest.
	place, between, left := 0, math.Inf(-1), 0.0
	for p, x := range points {
		if p >= least && p <= n-least && points[p-1].at < x.at {
			a, b := left/float64(p), (all-left)/float64(n-p)
			if y := float64(float64(p)*float64(n-p)) * float64((a-b)*(a-b)); y > between {
				place, between = p, y
			}
		}
		left += x.at
	}
	if place == 0 {
		return gmmCut{}, nil
	}
	sorted := make([]uint32, n)
	for p, x := range points {
		sorted[p] = x.i
	}
	both, half := newGMMModel(1, g.d), newGMMModel(2, g.d)
	if err := both.setGroup(ctx, 0, f.m, sorted, n, f.reg); err != nil {
		return gmmCut{}, err
	}
	if err := half.setGroup(ctx, 0, f.m, sorted[:place], n, f.reg); err != nil {
		return gmmCut{}, err
	}
	if err := half.setGroup(ctx, 1, f.m, sorted[place:], n, f.reg); err != nil {
		return gmmCut{}, err
	}
	// The log-likelihood of a group under its own Gaussian is, but for what
	// is in all, the number of vectors times the density at the mean.
	gain := float64(float64(place)*half.base[0]) + float64(float64(n-place)*half.base[1]) - float64(float64(n)*both.base[0])
	return gmmCut{half, gain}, nil
}

// longestAxis returns about the direction of greatest variance.
func longestAxis(cov []float64, d int) []float64 {
	at := func(i, j int) float64 { return cov[triangle(max(i, j))+min(i, j)] }
	top := 0
	for i := range d {
		if at(i, i) > at(top, top) {
			top = i
		}
	}
	v, w := make([]float64, d), make([]float64, d)
	for i := range d {
		v[i] = at(i, top)
	}
	for range 30 {
		square := 0.0
		for i := range d {
			x := 0.0
			for j := range d {
				x += float64(at(i, j) * v[j])
			}
			w[i] = x
			square += float64(x * x)
		}
		if !(square > 0) || math.IsInf(square, 0) {
			break
		}
		by := 1 / math.Sqrt(square)
		for i := range d {
			v[i] = w[i] * by
		}
	}
	return v
}
