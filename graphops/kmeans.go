package graphops

import (
	"cmp"
	"context"
	"math"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/distance"
)

// KMeansOptions tune [KMeans]. K must be given; the zero value of the others
// is right for most.
type KMeansOptions struct {
	// K is the number of clusters, at least 1. There are fewer of them if
	// there are fewer distinct vectors.
	K int
	// MaxIterations bounds the moves of the centroids. The default, 0, is 25.
	MaxIterations int
	// Tolerance ends the iteration: the squared distances by which the
	// centroids moved sum to at most this times the mean variance of the
	// elements, as in scikit-learn. The default, 0, goes on until no vector
	// changes its cluster.
	Tolerance float64
	// SamplePerCluster finds the centroids from a random sample of this many
	// vectors a cluster, and then assigns all vectors. The default, 0, uses
	// all. Faiss, and NodeRAG by it, has 256.
	SamplePerCluster int
	// Spherical clusters directions: vectors and centroids are scaled to length
	// 1, so that vectors go to the centroid of greatest cosine. A vector of
	// zeros stays as it is.
	Spherical bool
	// Initial has the centroids to begin with, K of them. With none they are
	// drawn from the vectors.
	Initial Matrix
	// Seed decides the draws.
	Seed uint64
	// MaxBytes bounds the working memory, the result among it; 0 means no bound.
	MaxBytes int64
	// Workers bounds the goroutines; 0 is one for each processor. The result
	// does not depend on it.
	Workers int
}

func (o *KMeansOptions) ensureDefaults() KMeansOptions {
	out := *o
	out.MaxIterations = cmp.Or(out.MaxIterations, 25)
	return out
}

func (o *KMeansOptions) validate(m Matrix) error {
	switch {
	case o.K < 1 || int64(o.K) >= int64(None):
		return phase.Mark(engine.ErrInvalid, "K %d", o.K)
	case o.MaxIterations < 0:
		return phase.Mark(engine.ErrInvalid, "MaxIterations %d", o.MaxIterations)
	case !(o.Tolerance >= 0):
		return phase.Mark(engine.ErrInvalid, "Tolerance %v", o.Tolerance)
	case o.SamplePerCluster < 0:
		return phase.Mark(engine.ErrInvalid, "SamplePerCluster %d", o.SamplePerCluster)
	}
	if err := m.validate(); err != nil {
		return err
	}
	if len(o.Initial.Data) == 0 {
		return nil
	}
	if err := o.Initial.validate(); err != nil {
		return err
	}
	if o.Initial.Len() != o.K || m.Len() > 0 && o.Initial.Dim != m.Dim {
		return phase.Mark(engine.ErrInvalid, "Initial has %d vectors of dimension %d for K %d and dimension %d",
			o.Initial.Len(), o.Initial.Dim, o.K, m.Dim)
	}
	return nil
}

// Clustering is what [KMeans] returns.
type Clustering struct {
	// Partition has the cluster of each vector.
	Partition Partition
	// Centroids has the mean of each cluster's vectors.
	Centroids Matrix
	// Inertia is the sum of the squared distances of the vectors to the
	// centroids of their clusters.
	Inertia float64
	// Iterations is how often the centroids were moved.
	Iterations int
	// Converged says that the iteration did not end for MaxIterations.
	Converged bool
}

// KMeans divides vectors into K clusters such that each vector is in the
// cluster whose centroid is nearest by squared Euclidean distance, and each
// centroid is the mean of its cluster: a local minimum of the inertia. A
// matrix without vectors has no clusters. Vectors that are so far apart that a
// squared distance overflows a float32 are an error.
//
// Source: Lloyd, "Least squares quantization in PCM", 1982. The first centroids
// are drawn by greedy k-means++ (Arthur and Vassilvitskii, "k-means++: the
// advantages of careful seeding", SODA 2007; the greedy form is scikit-learn's):
// of 2 + ln K vectors drawn with probability in proportion to the squared
// distance to the centroids so far, the one that leaves the least inertia is the
// next. Distances that cannot change a cluster are not computed (Hamerly,
// "Making k-means even faster", SDM 2010), which changes no result but for
// rounding; a vector that has several nearest centroids stays where it is, or
// else goes to the lowest. A cluster that becomes empty takes the vector that is
// farthest from its centroid.
//
// An iteration is at most O(n K d), and mostly far less. Drawing is
// O(n K d log K). Working memory is 8 d bytes for each cluster, and for each
// vector the greater of 28 and 4 + 4 (2 + ln K) bytes, besides what is a
// worker's; a sample takes 4 d + 28 bytes for each of its vectors, Spherical a
// copy of all vectors. Distances have the same bits on every processor, and so
// has the result, whatever the number of workers. If ctx ends, its error is
// returned.
func KMeans(ctx context.Context, m Matrix, o KMeansOptions) (*Clustering, error) {
	o = o.ensureDefaults()
	r, err := kMeans(ctx, m, &o)
	if err != nil {
		return nil, phase.Errorf("k-means: %w", err)
	}
	return r, nil
}

// Streams of random numbers of a seed.
const (
	kMeansStream       = 0x3ea5 << 32
	kMeansSampleStream = 0x3ea6 << 32
)

func kMeans(ctx context.Context, m Matrix, o *KMeansOptions) (*Clustering, error) {
	if err := o.validate(m); err != nil {
		return nil, err
	}
	n, d := m.Len(), m.Dim
	if n == 0 {
		return &Clustering{Centroids: Matrix{Dim: d}, Converged: true}, nil
	}
	if err := o.fits(n, d); err != nil {
		return nil, err
	}
	if o.Spherical {
		m = m.directions()
	}
	fit := m
	if s := o.sample(n); s < n {
		fit = m.sample(s, newStream(o.Seed, kMeansSampleStream))
	}
	var centroids Matrix
	if len(o.Initial.Data) > 0 {
		centroids = Matrix{Dim: d, Data: append([]float32(nil), o.Initial.Data...)}
		if o.Spherical {
			centroids = centroids.directions()
		}
	} else {
		var err error
		if centroids, err = seedCentroids(ctx, fit, o); err != nil {
			return nil, err
		}
	}
	l := newLloyd(fit, centroids, o)
	res, err := l.run(ctx, o)
	if err != nil {
		return nil, err
	}
	res.Partition.Of = l.cluster
	if fit.Len() < n {
		l = newLloyd(m, l.centroids, o)
		if _, err := l.assign(ctx); err != nil {
			return nil, err
		}
		res.Partition.Of = l.cluster
	}
	if res.Inertia, err = l.inertia(ctx); err != nil {
		return nil, err
	}
	if math.IsInf(res.Inertia, 0) || math.IsNaN(res.Inertia) {
		return nil, errFarApart()
	}
	res.Centroids = l.centroids
	res.dropEmpty()
	return res, nil
}

func errFarApart() error {
	return phase.Mark(engine.ErrInvalid, "vectors too far apart for a squared distance")
}

// sample returns how many of n vectors the centroids are found from.
func (o *KMeansOptions) sample(n int) int {
	if o.SamplePerCluster == 0 || o.SamplePerCluster >= (n+o.K-1)/o.K {
		return n
	}
	return o.K * o.SamplePerCluster
}

// fits compares the memory needed with MaxBytes.
func (o *KMeansOptions) fits(n, d int) error {
	k := int64(min(o.K, n))
	need := int64(n)*int64(max(28, 4+4*trialsOf(int(k)))) + 8*k*int64(d)
	if s := o.sample(n); s < n {
		need += int64(s) * int64(4*d+28)
	}
	if o.Spherical {
		need += 4 * int64(n) * int64(d)
	}
	if o.MaxBytes > 0 && need > o.MaxBytes {
		return &MemoryError{Op: "k-means", Need: need, Limit: o.MaxBytes}
	}
	return nil
}

// dropEmpty removes clusters without vectors.
func (r *Clustering) dropEmpty() {
	d := r.Centroids.Dim
	r.Partition.Count = r.Centroids.Len()
	number := make([]uint32, r.Partition.Count)
	kept := 0
	for c, size := range r.Partition.Sizes() {
		if size == 0 {
			continue
		}
		number[c] = uint32(kept)
		copy(r.Centroids.Data[kept*d:(kept+1)*d], r.Centroids.Row(c))
		kept++
	}
	if kept == r.Partition.Count {
		return
	}
	r.Partition.Count = kept
	r.Centroids.Data = r.Centroids.Data[:kept*d]
	for i, c := range r.Partition.Of {
		r.Partition.Of[i] = number[c]
	}
}

// directions returns a copy whose vectors have length 1; those of zeros stay.
func (m Matrix) directions() Matrix {
	out := Matrix{Dim: m.Dim, Data: append([]float32(nil), m.Data...)}
	for i := range out.Len() {
		toUnit(out.Row(i))
	}
	return out
}

// toUnit scales v to length 1 if it is not of zeros.
func toUnit(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	if sum == 0 {
		return
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
}

// sample returns a copy of s of the vectors, in their order. Every choice of s
// vectors is equally probable (Knuth, "The Art of Computer Programming", vol.
// 2, 3.4.2, algorithm S).
func (m Matrix) sample(s int, r stream) Matrix {
	out := Matrix{Dim: m.Dim, Data: make([]float32, 0, s*m.Dim)}
	n := m.Len()
	for i := 0; s > 0; i++ {
		if r.below(uint64(n-i)) < uint64(s) {
			out.Data = append(out.Data, m.Row(i)...)
			s--
		}
	}
	return out
}

// Work on vectors is cut into pieces of so many that a piece compares about
// pieceElements elements: some milliseconds at most, after which the context is
// looked at. Within a piece, vectors are compared in tiles of tileElements
// elements, which stay in the first-level cache.
const (
	pieceElements = 1 << 24
	tileElements  = 1 << 12
)

// pieceOf returns the vectors of a piece, each compared with k of dimension d.
func pieceOf(k, d int) int { return min(max(pieceElements/max(k*d, 1), 16), 1024) }

// tileOf returns the vectors of dimension d in a tile.
func tileOf(d int) int { return max(tileElements/max(d, 1), 4) }

// slack returns by how much, relative to itself, the root of a distance of
// vectors of dimension d may be wrong, twice over: what bounds must leave.
func slack(d int) float64 { return float64(d/32+16) * (1.0 / (1 << 24)) }

// l2 returns the distance of two vectors.
func l2(a, b []float32) float64 { return math.Sqrt(float64(distance.L2Sq(a, b))) }
