package ivf

import "sync"

// Sums adds up the turned vectors of each list, so that centroids can be moved to
// their means. It is safe for concurrent use, and the order of additions does not
// matter: they are of integers.
type Sums struct {
	dim   int
	scale float64 // units of 1
	locks [64]sync.Mutex
	sum   []int64
	count []int64
}

// NewSums returns the sums of n lists of vectors whose elements are about top at most:
// what is beyond 256 times that counts as that.
func NewSums(dim, n int, top float32) *Sums {
	return &Sums{dim: dim, scale: (1 << 30) / (256 * max(float64(top), tiny)), sum: make([]int64, n*dim), count: make([]int64, n)}
}

// Add adds a turned vector to list i.
func (s *Sums) Add(i int, t []float32) {
	l := &s.locks[i%len(s.locks)]
	l.Lock()
	defer l.Unlock()
	s.count[i]++
	sum := s.sum[i*s.dim:][:s.dim]
	for j, x := range t {
		sum[j] += int64(min(max(float64(x)*s.scale, -(1<<30)), 1<<30))
	}
}

// Count returns the number of vectors of list i.
func (s *Sums) Count(i int) int { return int(s.count[i]) }

// Mean writes the mean of list i to dst.
func (s *Sums) Mean(i int, dst []float32) {
	per := 1 / (s.scale * float64(s.count[i]))
	for j, x := range s.sum[i*s.dim:][:s.dim] {
		dst[j] = float32(float64(x) * per)
	}
}
