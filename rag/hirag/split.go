package hirag

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/ragdb/ragdb/graphops"
)

// The rules of a division into small clusters.
const (
	leastMembers = 10 // a smaller cluster joins its nearest neighbour if there is room
	splitAtOnce  = 16 // parts that a cluster is divided into at most
	splitSample  = 64 // vectors for each part that k-means learns from
)

// split divides vectors, in their own space, into clusters of at most so many
// members: by directions into up to 16 parts, each of which is divided again if
// it is too large. A part of fewer than leastMembers joins the nearest of the
// parts beside it that has room. The members of each cluster ascend.
func split(ctx context.Context, m graphops.Matrix, nodes []int, most int) ([][]int, error) {
	if len(nodes) <= most {
		return [][]int{nodes}, nil
	}
	sub := graphops.Matrix{Dim: m.Dim, Data: make([]float32, 0, len(nodes)*m.Dim)}
	for _, n := range nodes {
		sub.Data = append(sub.Data, m.Row(n)...)
	}
	k := min(splitAtOnce, (5*len(nodes)+3*most-1)/(3*most)) // clusters are to be three fifths full; at least 2
	c, err := graphops.KMeans(ctx, sub, graphops.KMeansOptions{K: k, Spherical: true, MaxIterations: 12, SamplePerCluster: splitSample, Seed: fitSeed})
	if err != nil {
		return nil, err
	}
	parts := make([][]int, k)
	for i, p := range c.Partition.Of {
		parts[p] = append(parts[p], nodes[i])
	}
	parts = slices.DeleteFunc(parts, func(p []int) bool { return len(p) == 0 })
	if len(parts) < 2 { // vectors that are all alike
		return slices.Collect(slices.Chunk(nodes, most)), nil
	}
	var out [][]int
	for _, p := range joinSmall(m, parts, most) {
		more, err := split(ctx, m, p, most)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// joinSmall joins parts of fewer than leastMembers, the smallest first, with the
// nearest part beside them, so that both have at most so many members together. A
// part that none has room for stays as it is.
func joinSmall(m graphops.Matrix, parts [][]int, most int) [][]int {
	full := map[int]bool{} // places of small parts that no other has room for
	for {
		small := -1
		for i, p := range parts {
			if len(p) < min(leastMembers, most/2) && !full[i] && (small < 0 || len(p) < len(parts[small])) {
				small = i
			}
		}
		if small < 0 {
			return parts
		}
		at := direction(m, parts[small])
		best, most1 := -1, math.Inf(-1)
		for i, p := range parts {
			if i == small || len(p)+len(parts[small]) > most {
				continue
			}
			if c := cosine(at, direction(m, p)); c > most1 {
				best, most1 = i, c
			}
		}
		if best < 0 {
			full[small] = true
			continue
		}
		parts[best] = slices.Sorted(slices.Values(append(parts[best], parts[small]...)))
		parts = slices.Delete(parts, small, small+1)
		clear(full)
	}
}

// direction is the sum of vectors, scaled to length 1; zeros if they cancel out.
func direction(m graphops.Matrix, nodes []int) []float32 {
	sum := make([]float64, m.Dim)
	for _, n := range nodes {
		for k, x := range m.Row(n) {
			sum[k] += float64(x)
		}
	}
	norm := 0.0
	for _, x := range sum {
		norm += float64(x * x)
	}
	out := make([]float32, m.Dim)
	if norm = math.Sqrt(norm); norm > 0 {
		for k, x := range sum {
			out[k] = float32(x / norm)
		}
	}
	return out
}

// cosine is the cosine of two vectors of length 1. A product that is rounded
// before it is added has the same bits on every processor.
func cosine(a, b []float32) float64 {
	sum := 0.0
	for k, x := range a {
		sum += float64(float64(x) * float64(b[k]))
	}
	return sum
}

// findSplit finds the fit of a layer as a division into small clusters. hashes
// are the nodes', in the order of the vectors.
func (s *system) findSplit(ctx context.Context, model string, m graphops.Matrix, hashes []uint64, before float64) (*fit, error) {
	n := m.Len()
	f := &fit{Model: model, Nodes: n, Keys: slices.Sorted(slices.Values(hashes)), Stopped: true, Sparsity: 1, Dim: m.Dim}
	if n <= minNodes {
		return f, nil
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	clusters, err := split(ctx, m, all, s.p.Members)
	if err != nil {
		return nil, err
	}
	of := make(map[uint64]uint32, n)
	sizes := make([]int, len(clusters))
	for c, nodes := range clusters {
		sizes[c] = len(nodes)
		for _, x := range direction(m, nodes) {
			f.Centroids = binary.LittleEndian.AppendUint32(f.Centroids, math.Float32bits(x))
		}
		for _, i := range nodes {
			of[hashes[i]] = uint32(c)
		}
	}
	f.Of = make([]uint32, len(f.Keys))
	for i, k := range f.Keys {
		f.Of[i] = of[k]
	}
	f.Sparsity = sparsity(sizes, n)
	f.Change = changeRate(f.Sparsity, before)
	f.Stopped = false
	return f, nil
}

// place returns the clusters of a division with the nodes that there are now: a
// node that was there when it was found stays where it was, another joins the
// nearest cluster. A cluster of over twice as many members as there are to be is
// divided on its own.
func (f *fit) place(ctx context.Context, m graphops.Matrix, hashes []uint64, most int) ([][][]int, error) {
	centroids := make([]float32, len(f.Centroids)/4)
	for i := range centroids {
		centroids[i] = math.Float32frombits(binary.LittleEndian.Uint32(f.Centroids[4*i:]))
	}
	at := graphops.Matrix{Dim: f.Dim, Data: centroids}
	out := make([][]int, at.Len())
	for i, h := range hashes {
		c := 0
		if k, ok := slices.BinarySearch(f.Keys, h); ok {
			c = int(f.Of[k])
		} else {
			best := math.Inf(-1)
			for j := range at.Len() {
				if x := cosine(at.Row(j), m.Row(i)); x > best {
					c, best = j, x
				}
			}
		}
		out[c] = append(out[c], i)
	}
	parts := make([][][]int, len(out))
	for c, nodes := range out {
		parts[c] = [][]int{nodes}
		if len(nodes) <= 2*most {
			continue
		}
		var err error
		if parts[c], err = split(ctx, m, nodes, most); err != nil {
			return nil, err
		}
		slices.SortFunc(parts[c], func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	}
	return parts, nil
}
