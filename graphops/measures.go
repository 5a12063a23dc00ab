package graphops

import (
	"math"

	"github.com/ragdb/ragdb/engine"
)

// CalinskiHarabasz returns the variance ratio of a clustering of vectors: the
// squared distances of the clusters' centroids to the mean, summed over vectors
// and divided by the clusters less 1, for those of the vectors to their
// centroids, divided by the vectors less the clusters. Higher is better. It is
// +Inf where every vector is at its centroid, and 0 if the centroids are
// equal. Vectors in no cluster do not count, nor clusters without vectors; there
// must be at least two clusters and fewer than vectors, else the error is
// [engine.ErrInvalid]. It is O(n d).
//
// Source: Calinski and Harabasz, "A dendrite method for cluster analysis", 1974.
func CalinskiHarabasz(m Matrix, part *Partition) (float64, error) {
	x, err := calinskiHarabasz(m, part)
	if err != nil {
		return 0, phase.Errorf("calinski-harabasz: %w", err)
	}
	return x, nil
}

func calinskiHarabasz(m Matrix, part *Partition) (float64, error) {
	c, err := centroidsOf(m, part)
	if err != nil {
		return 0, err
	}
	if c.clusters < 2 || c.clusters >= c.vectors {
		return 0, phase.Mark(engine.ErrInvalid, "%d clusters of %d vectors", c.clusters, c.vectors)
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
		return 0, phase.Errorf("mean cosine: %w", err)
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
