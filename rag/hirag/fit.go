package hirag

import (
	"context"
	"math"
	"slices"

	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/community"
)

// The rules of the hierarchy (spec B.0, B.2.6).
const (
	minPosterior  = 0.1   // a node is a member of a component above it
	maxSparsity   = 0.98  // a layer that is sparser is not summed up
	minChange     = 0.05  // nor one whose sparsity differs less from the last
	firstSparsity = 0.01  // what the first layer's is compared with
	minNodes      = 2     // nor one of so few nodes
	clusterTokens = 60000 // what a model reads of a cluster at once
	fitSeed       = 0
	fitSample     = 20000 // vectors that a mixture is fitted to
)

// fit says how the nodes of a layer are clustered: it is found once, and then
// nodes that come and go are clustered by it. It holds no texts.
type fit struct {
	// Model is the embedding model.
	Model string `json:"model"`
	// Nodes is how many nodes it was found from, Keys the digests of theirs.
	Nodes int      `json:"nodes"`
	Keys  []uint64 `json:"keys"`
	// Mean and Components reduce a vector.
	Dim        int       `json:"dim"`
	Mean       []float64 `json:"mean"`
	Components []float32 `json:"components"`
	// Mixture is that of the reduced vectors.
	Mixture *graphops.Mixture `json:"mixture"`
	// Parts has for each component the places of its parts, if it is too
	// much for one prompt: a node goes to the nearest.
	Parts [][]float32 `json:"parts"`
	// Centroids are the directions of the clusters of a division, which has no
	// mixture: Dim numbers each, of four bytes. Of has the cluster of each of Keys.
	Centroids []byte   `json:"centroids,omitempty"`
	Of        []uint32 `json:"of,omitempty"`
	// Sparsity is that of the layer, Change how much it differs from that of
	// the layer below, Stopped that the hierarchy ends here.
	Sparsity float64 `json:"sparsity"`
	Change   float64 `json:"change"`
	Stopped  bool    `json:"stopped"`
	// Now is how many nodes there were when it was last used, Moved the part of
	// those that came since it was found.
	Now   int     `json:"now"`
	Moved float64 `json:"moved"`
}

// used notes which nodes the fit is used for.
func (f *fit) used(keys []uint64) {
	f.Now, f.Moved = len(keys), 0
	for _, k := range keys {
		if _, ok := slices.BinarySearch(f.Keys, k); !ok {
			f.Moved++
		}
	}
	f.Moved /= float64(max(1, len(keys)))
}

// fits reports whether the nodes that there are now may be clustered by the
// fit: those of the model, while there are neither twice as many nor half.
func (f *fit) fits(model string, nodes int) bool {
	return f != nil && f.Model == model && !community.Outgrown(f.Nodes, nodes)
}

// sparsity is 1 - sum |S|(|S|-1) / (n(n-1)) over the clusters (paper Eq. 17, by
// the index of Alg. 1), from 0 to 1: clusters overlap, so that it could be
// less.
func sparsity(sizes []int, n int) float64 {
	if n < 2 {
		return 1
	}
	pairs := 0.0
	for _, s := range sizes {
		pairs += float64(s) * float64(s-1)
	}
	return min(1, max(0, 1-pairs/(float64(n)*float64(n-1))))
}

// changeRate is |now - before| / before, where before is no less than what the
// first layer's sparsity is compared with.
func changeRate(now, before float64) float64 {
	return math.Abs(now-before) / max(before, firstSparsity)
}

// stops reports whether a layer of n nodes is not summed up (paper §4.1; the
// bounds beside the rate are the code's).
func stops(sparsity, rate float64, n int) bool {
	return n <= minNodes || sparsity >= maxSparsity || rate <= minChange
}

// findFit finds the fit of a layer. before is the sparsity of the layer below;
// tokens tells how much a node takes of a prompt.
func (s *system) findFit(ctx context.Context, model string, m graphops.Matrix, keys []uint64, before float64, tokens func(i int) (int, error)) (*fit, error) {
	n := m.Len()
	f := &fit{Model: model, Nodes: n, Keys: keys, Stopped: true, Sparsity: 1}
	if n <= minNodes {
		return f, nil
	}
	pca, err := graphops.PCA(ctx, m, graphops.ReduceOptions{Dim: min(s.p.Dim, m.Dim)})
	if err != nil {
		return nil, err
	}
	f.Dim, f.Mean, f.Components = pca.Components.Len(), pca.Mean, pca.Components.Data
	reduced := f.reduce(m)
	o := graphops.GMMOptions{KMax: min(n, 50) - 1, StopChange: 1e-3, Patience: -1, Seed: fitSeed}
	if s.p.Fit == "cold" {
		o.Cold, o.Restarts = true, 5
	}
	if n > fitSample {
		o.Sample = fitSample
	}
	if f.Mixture, err = graphops.GMM(ctx, reduced, o); err != nil {
		return nil, err
	}
	f.Mixture.Partition, f.Mixture.Tried = graphops.Partition{}, nil
	f.Parts = make([][]float32, f.Mixture.Len())
	whole, err := f.components(ctx, reduced)
	if err != nil {
		return nil, err
	}
	sizes := make([]int, len(whole))
	for i, c := range whole {
		sizes[i] = len(c.nodes)
	}
	f.Sparsity = sparsity(sizes, n)
	f.Change = changeRate(f.Sparsity, before)
	if f.Stopped = stops(f.Sparsity, f.Change, n); f.Stopped {
		return f, nil
	}
	for i, c := range whole {
		if f.Parts[i], err = parts(ctx, reduced, c.nodes, tokens); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// reduce returns the coordinates of vectors along the fit's components.
func (f *fit) reduce(m graphops.Matrix) graphops.Matrix {
	out := graphops.Matrix{Dim: f.Dim, Data: make([]float32, 0, m.Len()*f.Dim)}
	for i := range m.Len() {
		x := m.Row(i)
		for k := range f.Dim {
			c := f.Components[k*m.Dim : (k+1)*m.Dim]
			sum := 0.0
			for j, y := range x {
				// A product that is rounded before it is added has the same
				// bits on every processor.
				sum += float64((float64(y) - f.Mean[j]) * float64(c[j]))
			}
			out.Data = append(out.Data, float32(sum))
		}
	}
	return out
}

// soft is a soft cluster: places of vectors, ascending, with what part of each
// belongs to it.
type soft struct {
	nodes  []int
	weight []float64
}

// components returns the members of each component (spec B.0: posterior above
// 0.1). A node that is in none is in its most probable one.
func (f *fit) components(ctx context.Context, reduced graphops.Matrix) ([]soft, error) {
	mem, err := f.Mixture.Members(ctx, reduced, minPosterior)
	if err != nil {
		return nil, err
	}
	out := make([]soft, f.Mixture.Len())
	for i := range reduced.Len() {
		for e := mem.Off[i]; e < mem.Off[i+1]; e++ {
			c := &out[mem.Components[e]]
			c.nodes = append(c.nodes, i)
			c.weight = append(c.weight, mem.Responsibilities[e])
		}
	}
	return out, nil
}

// split divides a component by the places of its parts.
func (f *fit) split(c int, members soft, reduced graphops.Matrix) []soft {
	if len(f.Parts[c]) == 0 {
		return []soft{members}
	}
	at := graphops.Matrix{Dim: f.Dim, Data: f.Parts[c]}
	out := make([]soft, at.Len())
	for i, n := range members.nodes {
		p := &out[nearest(at, reduced.Row(n))]
		p.nodes, p.weight = append(p.nodes, n), append(p.weight, members.weight[i])
	}
	return out
}

// nearest returns the place nearest to x, the first of equals.
func nearest(at graphops.Matrix, x []float32) int {
	best, least := 0, math.Inf(1)
	for i := range at.Len() {
		sum := 0.0
		for k, y := range at.Row(i) {
			d := float64(y) - float64(x[k])
			sum += float64(d * d)
		}
		if sum < least {
			best, least = i, sum
		}
	}
	return best
}

// parts returns the places of the parts of a cluster that is too much for one
// prompt, nil if it is not. The reference reads a random sample of such a
// cluster, by which most of it would not be summed up at all (spec B.8).
func parts(ctx context.Context, reduced graphops.Matrix, nodes []int, tokens func(i int) (int, error)) ([]float32, error) {
	size := make([]int, len(nodes))
	total := 0
	sub := graphops.Matrix{Dim: reduced.Dim}
	for i, n := range nodes {
		var err error
		if size[i], err = tokens(n); err != nil {
			return nil, err
		}
		total += size[i]
		sub.Data = append(sub.Data, reduced.Row(n)...)
	}
	if total <= clusterTokens {
		return nil, nil
	}
	for k := total/clusterTokens + 1; ; k += max(1, k/4) {
		c, err := graphops.KMeans(ctx, sub, graphops.KMeansOptions{K: k, Seed: fitSeed})
		if err != nil {
			return nil, err
		}
		load := make([]int, c.Centroids.Len())
		for i := range nodes {
			load[nearest(c.Centroids, sub.Row(i))] += size[i]
		}
		// If a part cannot be divided further, a prompt holds the first of
		// its members.
		if slices.Max(load) <= clusterTokens || c.Centroids.Len() < k || k >= len(nodes) {
			return c.Centroids.Data, nil
		}
	}
}
