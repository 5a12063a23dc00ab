package ivf

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	// branches is the most parts that k-means makes of rows at a time.
	branches = 32
	// rounds is how often it moves the means.
	rounds = 6
	// partSample is how many rows a part is made of, at most; the others are put to
	// the nearest.
	partSample = 96
	// fine is the number of rows above which goroutines share the work of one
	// division.
	fine = 1 << 12
)

// Train returns turned centroids of lists of about size rows of s, by k-means from
// the top down, in an order that goes by nearness. The rows' order is part of the
// result.
func Train(ctx context.Context, s *Rows, size int, seed uint64, workers int) ([][]float32, error) {
	ids := make([]int32, s.Len())
	for i := range ids {
		ids[i] = int32(i)
	}
	t := &trainer{ctx: ctx, rows: s, size: max(size, 1), workers: workers}
	return t.divide(ids, seed, workers)
}

type trainer struct {
	ctx     context.Context
	rows    *Rows
	size    int
	workers int
}

// divide returns the centroids of the rows named.
func (t *trainer) divide(ids []int32, seed uint64, workers int) ([][]float32, error) {
	if err := t.ctx.Err(); err != nil || len(ids) == 0 {
		return nil, err
	}
	if len(ids) <= t.size*4/3 {
		return [][]float32{t.mean(ids)}, nil
	}
	k := min((len(ids)+t.size-1)/t.size, branches)
	parts := t.parts(ids, k, seed, workers)
	out := make([][][]float32, len(parts))
	errs := make([]error, len(parts))
	do := func(i int) {
		if len(parts[i]) == len(ids) { // equal rows
			out[i] = [][]float32{t.mean(ids)}
			return
		}
		out[i], errs[i] = t.divide(parts[i], seed*31+uint64(i)+1, 1)
	}
	share(len(parts), workers, do)
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(out...), nil
}

// share calls do with 0 to n-1 on some goroutines.
func share(n, workers int, do func(i int)) {
	if workers < 2 || n < 2 {
		for i := range n {
			do(i)
		}
		return
	}
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(workers, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}

func (t *trainer) mean(ids []int32) []float32 {
	sum := make([]float32, t.rows.dim)
	for _, id := range ids {
		r := t.rows.Row(int(id))
		for j, q := range r.Q {
			sum[j] += float32(r.Scale * float32(q))
		}
	}
	for j := range sum {
		sum[j] /= float32(len(ids))
	}
	return sum
}

// parts divides rows into k parts, by their nearest of k means.
func (t *trainer) parts(ids []int32, k int, seed uint64, workers int) [][]int32 {
	rng := rand.New(rand.NewPCG(seed, 0x6c69737473))
	sample := ids
	if len(ids) > k*partSample {
		sample = make([]int32, k*partSample)
		for i, j := range rng.Perm(len(ids))[:len(sample)] {
			sample[i] = ids[j]
		}
		slices.Sort(sample)
	}
	m := &means{rows: t.rows, centres: NewRows(t.rows.dim, k), penalty: make([]float32, k)}
	for _, i := range rng.Perm(len(sample))[:k] {
		m.centres.Add(t.rows.Row(int(sample[i])))
	}
	in := make([]int32, len(sample))
	for range rounds {
		total := m.assign(sample, in, workers)
		m.move(sample, in, total/float64(len(sample)), rng)
	}
	in = make([]int32, len(ids))
	m.assign(ids, in, workers)
	parts := make([][]int32, k)
	for i, p := range in {
		parts[p] = append(parts[p], ids[i])
	}
	return slices.DeleteFunc(parts, func(p []int32) bool { return len(p) == 0 })
}

// means are the means of k-means.
type means struct {
	rows    *Rows
	centres *Rows
	// penalty is what is added to the distance of a mean that had more rows than
	// others, so that parts are of a size.
	penalty []float32
}

// assign writes to in the mean that each row goes to, and returns the sum of their
// distances.
func (m *means) assign(ids, in []int32, workers int) float64 {
	const step = 1 << 10
	if len(ids) < fine {
		workers = 1
	}
	n := (len(ids) + step - 1) / step
	sums := make([]float64, n)
	kernels := sync.Pool{New: func() any { return new(kernel) }}
	share(n, workers, func(i int) {
		k := kernels.Get().(*kernel)
		defer kernels.Put(k)
		out := make([]float32, m.centres.Len())
		for j := i * step; j < min((i+1)*step, len(ids)); j++ {
			r := m.rows.Row(int(ids[j]))
			k.distances(&r, m.centres, false, out)
			best := 0
			for c := range out {
				if out[c]+m.penalty[c] < out[best]+m.penalty[best] {
					best = c
				}
			}
			in[j] = int32(best)
			sums[i] += float64(out[best])
		}
	})
	total := 0.0
	for _, s := range sums {
		total += s
	}
	return total
}

// move makes each mean that of its rows. One without rows becomes a row.
func (m *means) move(ids, in []int32, average float64, rng *rand.Rand) {
	k, dim := m.centres.Len(), m.rows.dim
	sum, count := make([]float32, k*dim), make([]int, k)
	for i, p := range in {
		r := m.rows.Row(int(ids[i]))
		s := sum[int(p)*dim:][:dim]
		for j, q := range r.Q {
			s[j] += float32(r.Scale * float32(q))
		}
		count[p]++
	}
	for p := range k {
		s := sum[p*dim:][:dim]
		if count[p] == 0 {
			r := m.rows.Row(int(ids[rng.IntN(len(ids))]))
			r.Vector(s)
			m.centres.set(p, s)
			m.penalty[p] = 0
			continue
		}
		for j := range s {
			s[j] /= float32(count[p])
		}
		m.centres.set(p, s)
		over := float64(count[p])*float64(k)/float64(len(ids)) - 1
		m.penalty[p] = float32(0.05 * average * min(over, 3))
	}
}

// Two divides rows into two and returns the centroids, for a list that is too long;
// ok is false of rows that are equal.
func Two(s *Rows, seed uint64) (a, b []float32, ok bool) {
	ids := make([]int32, s.Len())
	for i := range ids {
		ids[i] = int32(i)
	}
	t := &trainer{rows: s, size: max(s.Len()/2, 1)}
	parts := t.parts(ids, 2, seed, 1)
	if len(parts) < 2 {
		return nil, nil, false
	}
	return t.mean(parts[0]), t.mean(parts[1]), true
}

// Groups returns the group of each of the lists, ids from 0, so that about as many lists are
// in a group as there are groups.
func Groups(lists *Rows, seed uint64, workers int) []uint32 {
	ids := make([]int32, lists.Len())
	for i := range ids {
		ids[i] = int32(i)
	}
	out := make([]uint32, len(ids))
	k := 1
	for k*k < len(ids) {
		k++
	}
	if k < 2 {
		return out
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	t := &trainer{rows: lists, size: k}
	for g, part := range t.parts(ids, k, seed, workers) {
		for _, id := range part {
			out[id] = uint32(g)
		}
	}
	return out
}
