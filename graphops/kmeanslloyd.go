package graphops

import (
	"context"
	"math"

	"github.com/ragdb/ragdb/internal/distance"
)

// lloyd moves centroids to the means of their clusters and vectors to the
// clusters of their nearest centroids. For each vector it knows an upper bound
// of the distance to the centroid of its cluster and a lower bound of that to
// any other.
type lloyd struct {
	m         Matrix
	centroids Matrix
	spherical bool
	workers   int
	cluster   []uint32
	upper     []float64
	lower     []float64
	dirty     []bool // clusters whose members have changed
	old       []float32
	moved     []float64 // how far at most each centroid moved last
	half      []float64 // at most half the distance to the nearest other one
	slack     float64
	scratch   []lloydScratch // of each worker
}

type lloydScratch struct {
	out      []float32 // distances of a vector to a tile of centroids
	rows     []uint32  // vectors whose distances to all centroids are wanted
	at       []uint32  // their nearest centroids
	one, two []float32 // and the two lowest squared distances
	sum      []float64
	dirty    []bool // clusters that have lost or won
	moves    int
}

// batch is how many vectors are compared with all centroids together.
const batch = 64

func newLloyd(m, centroids Matrix, o *KMeansOptions) *lloyd {
	n, k := m.Len(), centroids.Len()
	l := &lloyd{
		m: m, centroids: centroids, spherical: o.Spherical, workers: workersOf(o.Workers),
		cluster: make([]uint32, n),
		upper:   make([]float64, n),
		lower:   make([]float64, n),
		dirty:   make([]bool, k),
		moved:   make([]float64, k),
		half:    make([]float64, k),
		slack:   slack(m.Dim),
	}
	for i := range l.cluster {
		l.cluster[i] = None
		l.upper[i] = math.Inf(1)
	}
	l.scratch = make([]lloydScratch, l.workers)
	return l
}

// scratchOf returns what is worker w's, made when it is first used.
func (l *lloyd) scratchOf(w int) *lloydScratch {
	s := &l.scratch[w]
	if s.out == nil {
		s.out = make([]float32, tileOf(l.m.Dim))
		s.rows = make([]uint32, 0, batch)
		s.at = make([]uint32, batch)
		s.one, s.two = make([]float32, batch), make([]float32, batch)
		s.sum = make([]float64, l.m.Dim)
		s.dirty = make([]bool, l.centroids.Len())
	}
	return s
}

func (l *lloyd) run(ctx context.Context, o *KMeansOptions) (*Clustering, error) {
	res := &Clustering{}
	if _, err := l.assign(ctx); err != nil {
		return nil, err
	}
	enough := -1.0
	if o.Tolerance > 0 {
		enough = o.Tolerance * meanVariance(l.m)
	}
	for !res.Converged && res.Iterations < o.MaxIterations {
		relocated, err := l.refill(ctx)
		if err != nil {
			return nil, err
		}
		shift, err := l.move(ctx)
		if err != nil {
			return nil, err
		}
		res.Iterations++
		moves, err := l.assign(ctx)
		if err != nil {
			return nil, err
		}
		res.Converged = moves+relocated == 0 || shift <= enough
	}
	return res, nil
}

// assign moves each vector to the cluster of its nearest centroid and returns
// how many moved.
func (l *lloyd) assign(ctx context.Context) (moves int, err error) {
	if err := l.spread(ctx); err != nil {
		return 0, err
	}
	// A centroid other than that of a vector moved at most far, or next if
	// it is the vector's own that moved farthest.
	far, next, farthest := 0.0, 0.0, None
	for c, x := range l.moved {
		if x > far {
			far, next, farthest = x, far, uint32(c)
		} else if x > next {
			next = x
		}
	}
	k, d := l.centroids.Len(), l.m.Dim
	err = pieces(ctx, l.workers, l.m.Len(), pieceOf(k, d), func(worker, _, lo, hi int) {
		s := l.scratchOf(worker)
		for i := lo; i < hi; i++ {
			c := l.cluster[i]
			if c != None {
				l.upper[i] += l.moved[c]
				if c == farthest {
					l.lower[i] -= next
				} else {
					l.lower[i] -= far
				}
				bound := max(l.half[c], l.lower[i])
				if l.upper[i] <= bound {
					continue
				}
				l.upper[i] = l2(l.m.Row(i), l.centroids.Row(int(c))) * (1 + l.slack)
				if l.upper[i] <= bound {
					continue
				}
			}
			s.rows = append(s.rows, uint32(i))
			if len(s.rows) == batch {
				l.compare(s)
			}
		}
		l.compare(s)
	})
	for w := range l.scratch {
		s := &l.scratch[w]
		moves += s.moves
		s.moves = 0
		for c, dirty := range s.dirty {
			l.dirty[c] = l.dirty[c] || dirty
		}
		clear(s.dirty)
	}
	return moves, err
}

// spread computes half.
func (l *lloyd) spread(ctx context.Context) error {
	k, d := l.centroids.Len(), l.m.Dim
	return pieces(ctx, l.workers, k, pieceOf(k, d), func(worker, _, lo, hi int) {
		s := l.scratchOf(worker)
		for c := lo; c < hi; c++ {
			least := float32(math.Inf(1))
			for at := 0; at < k; at += len(s.out) {
				out := s.out[:min(len(s.out), k-at)]
				distance.L2SqBlock(l.centroids.Row(c), l.centroids.Data[at*d:], out)
				for j, x := range out {
					if x < least && at+j != c {
						least = x
					}
				}
			}
			l.half[c] = math.Sqrt(float64(least)) / 2 * (1 - l.slack)
		}
	})
}

// compare finds the nearest centroids of the rows of s and empties them.
func (l *lloyd) compare(s *lloydScratch) {
	k, d := l.centroids.Len(), l.m.Dim
	for r := range s.rows {
		s.at[r], s.one[r], s.two[r] = 0, float32(math.Inf(1)), float32(math.Inf(1))
	}
	for at := 0; at < k; at += len(s.out) {
		out := s.out[:min(len(s.out), k-at)]
		tile := l.centroids.Data[at*d : (at+len(out))*d]
		for r, i := range s.rows {
			distance.L2SqBlock(l.m.Row(int(i)), tile, out)
			one, two := s.one[r], s.two[r]
			for j, x := range out {
				if x < two {
					if x < one {
						one, two = x, one
						s.at[r] = uint32(at + j)
					} else {
						two = x
					}
				}
			}
			s.one[r], s.two[r] = one, two
		}
	}
	for r, i := range s.rows {
		l.upper[i] = math.Sqrt(float64(s.one[r])) * (1 + l.slack)
		l.lower[i] = math.Sqrt(float64(s.two[r])) * (1 - l.slack)
		was, is := l.cluster[i], s.at[r]
		if was == is {
			continue
		}
		l.cluster[i] = is
		s.moves++
		s.dirty[is] = true
		if was != None {
			s.dirty[was] = true
		}
	}
	s.rows = s.rows[:0]
}

// move sets the centroids of the dirty clusters to the means of their vectors
// and returns the sum of the squared distances of the moves. A cluster without
// vectors keeps its centroid.
func (l *lloyd) move(ctx context.Context) (shift float64, err error) {
	k, d := l.centroids.Len(), l.m.Dim
	p := Partition{Of: l.cluster, Count: k}
	off, members := p.Members()
	l.old = append(l.old[:0], l.centroids.Data...)
	err = parallel(ctx, l.workers, k, func(worker, c int) error {
		l.moved[c] = 0
		rows := members[off[c]:off[c+1]]
		if !l.dirty[c] || len(rows) == 0 {
			return nil
		}
		l.dirty[c] = false
		sum := l.scratchOf(worker).sum
		clear(sum)
		for at, i := range rows {
			if at*d&(1<<22-1) < d {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			addTo(sum, l.m.Row(int(i)))
		}
		l.mean(c, sum, len(rows))
		l.moved[c] = l2(l.old[c*d:(c+1)*d], l.centroids.Row(c)) * (1 + l.slack)
		return nil
	})
	for _, x := range l.moved {
		shift += float64(x * x)
	}
	return shift, err
}

// mean sets centroid c to the mean of vectors that sum to sum. In spherical
// clusterings it is the direction of sum, or what it was if there is none.
func (l *lloyd) mean(c int, sum []float64, count int) {
	by := 1 / float64(count)
	if l.spherical {
		square := 0.0
		for _, x := range sum {
			square += float64(x * x)
		}
		if square == 0 {
			return
		}
		by = 1 / math.Sqrt(square)
	}
	row := l.centroids.Row(c)
	for j, x := range sum {
		row[j] = float32(x * by)
	}
}

// addTo adds v to sum.
func addTo(sum []float64, v []float32) {
	sum = sum[:len(v)]
	for j, x := range v {
		sum[j] += float64(x)
	}
}

// refill gives each cluster that has lost all vectors the vector farthest from
// its centroid, of those in clusters of several, where one is at a distance. It
// returns how many vectors it moved.
func (l *lloyd) refill(ctx context.Context) (moved int, err error) {
	p := Partition{Of: l.cluster, Count: l.centroids.Len()}
	sizes := p.Sizes()
	var far []float32 // distances to the centroids, made when needed
	for c, size := range sizes {
		if size > 0 {
			continue
		}
		if far == nil {
			if far, err = l.distances(ctx); err != nil {
				return 0, err
			}
		}
		best := -1
		for i, x := range far {
			if x > 0 && sizes[l.cluster[i]] > 1 && (best < 0 || x > far[best]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		from := l.cluster[best]
		sizes[from]--
		sizes[c]++
		l.dirty[from], l.dirty[c] = true, true
		l.cluster[best] = uint32(c)
		// The bounds of a vector that has just come say nothing.
		l.upper[best], l.lower[best] = math.Inf(1), 0
		far[best] = 0
		moved++
	}
	return moved, nil
}

// distance returns the squared distance of vector i to the centroid of its
// cluster.
func (l *lloyd) distance(i int) float32 {
	return distance.L2Sq(l.m.Row(i), l.centroids.Row(int(l.cluster[i])))
}

func (l *lloyd) distances(ctx context.Context) ([]float32, error) {
	out := make([]float32, l.m.Len())
	err := pieces(ctx, l.workers, len(out), pieceOf(1, l.m.Dim), func(_, _, lo, hi int) {
		for i := lo; i < hi; i++ {
			out[i] = l.distance(i)
		}
	})
	return out, err
}

// inertia returns the sum of distances.
func (l *lloyd) inertia(ctx context.Context) (float64, error) {
	n, size := l.m.Len(), pieceOf(1, l.m.Dim)
	sums := make([]float64, (n+size-1)/size)
	err := pieces(ctx, l.workers, n, size, func(_, piece, lo, hi int) {
		for i := lo; i < hi; i++ {
			sums[piece] += float64(l.distance(i))
		}
	})
	return sumOf(sums), err
}

// meanVariance returns the mean over the elements of vectors of the variance.
func meanVariance(m Matrix) float64 {
	n, d := m.Len(), m.Dim
	mean := make([]float64, d)
	for i := range n {
		addTo(mean, m.Row(i))
	}
	for j := range mean {
		mean[j] /= float64(n)
	}
	sum := 0.0
	for i := range n {
		for j, x := range m.Row(i) {
			y := float64(x) - mean[j]
			sum += float64(y * y)
		}
	}
	return sum / float64(n) / float64(d)
}
