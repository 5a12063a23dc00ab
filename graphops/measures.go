package graphops

import (
	"fmt"
	"math"

	"github.com/ragdb/ragdb/engine"
)

// CalinskiHarabasz returns the variance ratio of a clustering of vectors: the
// squared distances of the clusters' centroids to the mean, summed over vectors
// and divided by the clusters less 1, for those of the vectors to their
// centroids, divided by the vectors less the clusters. Higher is better. It is
// +Inf where every vector is at its centroid, and 0 where the centroids are
// equal. Vectors in no cluster do not count, nor clusters without vectors; there
// must be at least two clusters and fewer than vectors, else the error is
// [engine.ErrInvalid]. It is O(n d).
//
// Source: Calinski and Harabasz, "A dendrite method for cluster analysis", 1974.
func CalinskiHarabasz(m Matrix, part *Partition) (float64, error) {
	x, err := calinskiHarabasz(m, part)
	if err != nil {
		return 0, fmt.Errorf("graphops: calinski-harabasz: %w", err)
	}
	return x, nil
}

func calinskiHarabasz(m Matrix, part *Partition) (float64, error) {
	c, err := centroidsOf(m, part)
	if err != nil {
		return 0, err
	}
	if c.clusters < 2 || c.clusters >= c.vectors {
		return 0, fmt.Errorf("%w: %d clusters of %d vectors", engine.ErrInvalid, c.clusters, c.vectors)
	}
	mean := make([]float64, m.Dim)
	for k, size := range c.sizes {
		for j, x := range c.mean(k) {
			mean[j] += float64(x * float64(size))
		}
	}
	between, within := 0.0, 0.0
	for j := range mean {
		mean[j] /= float64(c.vectors)
	}
	for k, size := range c.sizes {
		if size == 0 {
			continue
		}
		sum := 0.0
		for j, x := range c.mean(k) {
			y := x - mean[j]
			sum += float64(y * y)
		}
		between += float64(sum * float64(size))
	}
	for i, k := range part.Of {
		if k == None {
			continue
		}
		centroid := c.mean(int(k))
		for j, x := range m.Row(i) {
			y := float64(x) - centroid[j]
			within += float64(y * y)
		}
	}
	switch {
	case between == 0:
		return 0, nil
	case within == 0:
		return math.Inf(1), nil
	}
	return between / float64(c.clusters-1) / (within / float64(c.vectors-c.clusters)), nil
}

// MeanCosine returns the mean over vectors of the cosine between the vector and
// the centroid of its cluster, which is at most 1: how alike the members of
// clusters are. With a vector or centroid of zeros the cosine is 0. Vectors in
// no cluster do not count; without others it is 0. It is O(n d).
func MeanCosine(m Matrix, part *Partition) (float64, error) {
	c, err := centroidsOf(m, part)
	if err != nil {
		return 0, fmt.Errorf("graphops: mean cosine: %w", err)
	}
	if c.vectors == 0 {
		return 0, nil
	}
	sum := 0.0
	for i, k := range part.Of {
		if k == None {
			continue
		}
		dot, a, b := 0.0, 0.0, 0.0
		centroid := c.mean(int(k))
		for j, v := range m.Row(i) {
			x, y := float64(v), centroid[j]
			dot += float64(x * y)
			a += float64(x * x)
			b += float64(y * y)
		}
		if a > 0 && b > 0 {
			sum += dot / (math.Sqrt(a) * math.Sqrt(b))
		}
	}
	return sum / float64(c.vectors), nil
}

// clusterMeans are the centroids of a clustering.
type clusterMeans struct {
	dim               int
	means             []float64
	sizes             []int
	vectors, clusters int // that count
}

func (c *clusterMeans) mean(k int) []float64 { return c.means[k*c.dim : (k+1)*c.dim] }

func centroidsOf(m Matrix, part *Partition) (*clusterMeans, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	if err := part.validate(m.Len()); err != nil {
		return nil, err
	}
	c := &clusterMeans{dim: m.Dim, means: make([]float64, part.Count*m.Dim), sizes: part.Sizes()}
	for i, k := range part.Of {
		if k != None {
			addTo(c.mean(int(k)), m.Row(i))
		}
	}
	for k, size := range c.sizes {
		if size == 0 {
			continue
		}
		c.clusters++
		c.vectors += size
		for j := range c.mean(k) {
			c.mean(k)[j] /= float64(size)
		}
	}
	return c, nil
}

// NMI returns the normalised mutual information of two partitions of the same
// nodes: 1 where they are the same but for the numbers of clusters, 0 where one
// says nothing about the other. It is the mutual information divided by the
// arithmetic mean of the entropies, as in scikit-learn, and 1 where both are of
// one cluster. Nodes that are in no cluster of either do not count; without
// others it is 1. Partitions of different numbers of nodes are an error
// ([engine.ErrInvalid]). It is O(n).
//
// Source: Strehl and Ghosh, "Cluster ensembles", 2002; Kvalseth, 1987, for the
// mean.
func NMI(a, b *Partition) (float64, error) {
	x, err := nmi(a, b)
	if err != nil {
		return 0, fmt.Errorf("graphops: nmi: %w", err)
	}
	return x, nil
}

func nmi(a, b *Partition) (float64, error) {
	if err := a.validate(len(a.Of)); err != nil {
		return 0, err
	}
	if err := b.validate(len(a.Of)); err != nil {
		return 0, err
	}
	sizeA, sizeB, n := make([]int, a.Count), make([]int, b.Count), 0
	for u, c := range a.Of {
		if c != None && b.Of[u] != None {
			sizeA[c]++
			sizeB[b.Of[u]]++
			n++
		}
	}
	entropyA, entropyB := entropy(sizeA, n), entropy(sizeB, n)
	if entropyA+entropyB == 0 {
		return 1, nil
	}
	// The mutual information by the clusters of b that a cluster of a meets.
	mutual := 0.0
	common, met := make([]int, b.Count), []uint32(nil)
	off, members := a.Members()
	for c := range a.Count {
		met = met[:0]
		for _, u := range members[off[c]:off[c+1]] {
			k := b.Of[u]
			if k == None {
				continue
			}
			if common[k] == 0 {
				met = append(met, k)
			}
			common[k]++
		}
		for _, k := range met {
			x := float64(common[k]) / float64(n)
			mutual += float64(x * logOf(float64(x*float64(n))/float64(sizeA[c])*(float64(n)/float64(sizeB[k]))))
			common[k] = 0
		}
	}
	return min(max(mutual/((entropyA+entropyB)/2), 0), 1), nil
}

// entropy returns the entropy of a partition of n nodes by its sizes.
func entropy(sizes []int, n int) float64 {
	sum := 0.0
	for _, size := range sizes {
		if size > 0 && size < n {
			x := float64(size) / float64(n)
			sum -= float64(x * logOf(x))
		}
	}
	return sum
}
