package graphops

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// workersOf returns how many goroutines an option asks for; 0 and less ask
// for one for each processor.
func workersOf(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// parallel calls fn for every task below n on at most the given number of
// goroutines and waits for them. Which worker does which task is not
// determined, so fn must write only to what is the task's, or scratch that is
// the worker's. Before each task ctx is checked. The first error seen ends the
// work and is returned.
func parallel(ctx context.Context, workers, n int, fn func(worker, task int) error) error {
	workers = min(workers, n)
	if workers <= 1 {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(0, i); err != nil {
				return err
			}
		}
		return nil
	}
	var (
		next   atomic.Int64
		failed atomic.Bool
		once   sync.Once
		first  error
		wg     sync.WaitGroup
	)
	for worker := range workers {
		wg.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				err := ctx.Err()
				if err == nil {
					err = fn(worker, i)
				}
				if err != nil {
					once.Do(func() { first = err })
					failed.Store(true)
				}
			}
		})
	}
	wg.Wait()
	return first
}

// pieces calls fn for n items cut into pieces of size, the last of which may
// have fewer: piece number `piece` is lo <= i < hi.
func pieces(ctx context.Context, workers, n, size int, fn func(worker, piece, lo, hi int)) error {
	return parallel(ctx, workers, (n+size-1)/size, func(worker, i int) error {
		fn(worker, i, i*size, min((i+1)*size, n))
		return nil
	})
}

// rowCuts returns the bounds of ranges of nodes that have about size nodes and
// row entries each.
func rowCuts(g *csr, size int) []int {
	out, last := []int{0}, 0
	for u := range g.Len() {
		if at := u + 1 + int(g.off[u+1]); at-last >= size || u == g.Len()-1 {
			out = append(out, u+1)
			last = at
		}
	}
	return out
}
