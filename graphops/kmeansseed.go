package graphops

import (
	"context"
	"math"

	"github.com/ragdb/ragdb/internal/distance"
)

// trialsOf returns how many vectors are tried for each of k centroids.
func trialsOf(k int) int { return 2 + int(logOf(float64(k))) }

// seeder draws centroids. For each vector it knows the squared distance to the
// nearest one so far, and for each piece of vectors their sum.
type seeder struct {
	m       Matrix
	piece   int
	workers int
	near    []float32
	mass    []float64
	trial   []float32   // distances of trial t: trial[t*n:(t+1)*n]
	left    [][]float64 // mass of each piece, for each trial
}

// seedCentroids draws o.K centroids from the vectors of m, or as many as are
// distinct.
func seedCentroids(ctx context.Context, m Matrix, o *KMeansOptions) (Matrix, error) {
	n, d := m.Len(), m.Dim
	k := min(o.K, n)
	trials := trialsOf(k)
	s := &seeder{
		m: m, piece: pieceOf(trials, d), workers: workersOf(o.Workers),
		near:  make([]float32, n),
		trial: make([]float32, trials*n),
	}
	count := (n + s.piece - 1) / s.piece
	s.mass = make([]float64, count)
	s.left = make([][]float64, trials)
	for t := range s.left {
		s.left[t] = make([]float64, count)
	}
	for i := range s.near {
		s.near[i] = float32(math.Inf(1))
	}
	random := newStream(o.Seed, kMeansStream)
	drawn := make([]int, 1, trials)
	drawn[0] = int(random.below(uint64(n)))
	chosen := Matrix{Dim: d, Data: make([]float32, 0, k*d)}
	for {
		best, err := s.try(ctx, drawn)
		if err != nil {
			return Matrix{}, err
		}
		chosen.Data = append(chosen.Data, m.Row(drawn[best])...)
		total := s.take(best)
		switch {
		case math.IsInf(total, 0) || math.IsNaN(total):
			return Matrix{}, errFarApart()
		case chosen.Len() == k || total == 0:
			return chosen, nil
		}
		drawn = drawn[:0]
		for range trials {
			drawn = append(drawn, s.draw(&random, total))
		}
	}
}

// try computes what would be left with each of the vectors drawn as the next
// centroid and returns the place of the one that leaves the least.
func (s *seeder) try(ctx context.Context, drawn []int) (best int, err error) {
	n, d := s.m.Len(), s.m.Dim
	tile := tileOf(d)
	err = pieces(ctx, s.workers, n, s.piece, func(_, piece, lo, hi int) {
		for at := lo; at < hi; at += tile {
			end := min(at+tile, hi)
			for t, i := range drawn {
				distance.L2SqBlock(s.m.Row(i), s.m.Data[at*d:end*d], s.trial[t*n+at:t*n+end])
			}
		}
		near := s.near[lo:hi]
		for t := range drawn {
			sum := 0.0
			for i, x := range s.trial[t*n+lo : t*n+hi] {
				sum += float64(min(x, near[i]))
			}
			s.left[t][piece] = sum
		}
	})
	least := math.Inf(1)
	for t := range drawn {
		if sum := sumOf(s.left[t]); sum < least {
			best, least = t, sum
		}
	}
	return best, err
}

// take makes the vector of trial t a centroid and returns the mass left.
func (s *seeder) take(t int) float64 {
	n := s.m.Len()
	for i, x := range s.trial[t*n : (t+1)*n] {
		s.near[i] = min(s.near[i], x)
	}
	copy(s.mass, s.left[t])
	return sumOf(s.mass)
}

// draw returns a vector with probability in proportion to its mass.
func (s *seeder) draw(random *stream, total float64) int {
	target := float64(random.float() * total)
	piece := 0
	for piece < len(s.mass)-1 && target >= s.mass[piece] {
		target -= s.mass[piece]
		piece++
	}
	lo := piece * s.piece
	last := lo
	for i, x := range s.near[lo:min(lo+s.piece, len(s.near))] {
		if x == 0 {
			continue
		}
		last = lo + i
		if target -= float64(x); target < 0 {
			break
		}
	}
	return last
}

func sumOf(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}
