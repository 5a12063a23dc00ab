package queue

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/crew"
	"github.com/ragdb/ragdb/rag/internal/models"
)

// bucketJobs holds the marks of work items, in the graph of their stage:
// item 00 stage -> mark.
const bucketJobs = "jobs"

// The states of a work item, in the first byte of its mark; the item's digest
// follows, and for a failed one the [Failure] as JSON. An item without a mark,
// or with another digest, is pending.
const (
	markDone   = 1
	markFailed = 2
)

func jobKey(item, stage string) []byte { return append(append([]byte(item), 0), stage...) }

// Runner runs stages.
type Runner struct {
	DB      *engine.DB
	Models  *models.Models
	Workers int
	Retry   bool // take failed items up again
	Notify  func(Event)
	// Unmarked gathers the items whose failure could not be written, with their step and
	// the reason.
	Unmarked []string
}

// outcome is what became of an item's Do.
type outcome struct {
	item   WorkItem
	result []byte
	vec    []float32 // in place of result, if the step embeds
	err    error
}

// size is about how many bytes the result has.
func (o *outcome) size() int { return len(o.result) + 4*len(o.vec) }

// Results are applied together: a commit is made when one of these or [TxBytes] is
// reached, and at the end.
const (
	batchItems = 512
	batchTime  = 2 * time.Second
)

// TxBytes returns the size at which a transaction of a database takes no more results:
// well below what it may hold, since what Apply writes for one is not known before, and a
// small part of the memory budget, since the results, the transaction and the batch that
// is made of it stand side by side.
func TxBytes(db *engine.DB) int { return int(min(24<<20, db.MemoryBudget()/32)) }

// Run does what is pending of a stage and returns how many items it did and
// how many failed, now and earlier.
func (r *Runner) Run(ctx context.Context, st Step) (done, failed int, err error) {
	snap, err := r.DB.Snapshot(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer func() {
		if cerr := snap.Close(); err == nil {
			err = cerr
		}
	}()
	began := cpuTime()
	if st.Whole != nil {
		*st.Whole = cost.Whole{}
	}
	pending, failed, next, err := r.pending(ctx, snap, st)
	if err != nil {
		return 0, failed, phase.Errorf("%s: %w", st.Name(), err)
	}
	if next != nil {
		st.frontier, st.moved = next.digest, &moved{}
	}
	p := progress{total: len(pending)}
	if next != nil && next.later != nil {
		p.total += int(next.later.GetCardinality())
	}
	for err == nil && len(pending) > 0 {
		var bad []WorkItem
		var n int
		n, bad, err = r.work(ctx, snap, st, pending, p)
		done += n
		failed += len(bad)
		p.done, p.failed = p.done+len(pending), p.failed+len(bad)
		if next != nil {
			for _, w := range bad {
				if t, ok := next.of[w.Key]; ok {
					next.leave(t)
				} else if w.Node != 0 {
					next.open.Add(uint32(w.Node))
				}
			}
		}
		pending = nil
		if err == nil && p.done < p.total {
			pending, err = st.portion(ctx, snap, next.later)
		}
	}
	if st.Local != nil && next != nil {
		next.upto = st.moved.from(next.upto)
	}
	if err == nil && next != nil {
		err = r.advance(ctx, snap, st, next)
	}
	if err == nil && st.Whole != nil && done > 0 {
		err = r.keepWhole(ctx, st, cpuTime()-began)
	}
	if err != nil {
		err = phase.Errorf("%s: %w", st.Name(), err)
	}
	return done, failed, err
}

// pending returns the items of a stage that are to be done, and for a step with
// [Growth] the frontier that it then has. An error of Items ends
// the run: it tells of no item, and those that come after it are not known. A panic
// is such an error.
func (r *Runner) pending(ctx context.Context, s *engine.Snapshot, st Step) (items []WorkItem, failed int, next *frontier, err error) {
	defer func() {
		if p := recover(); p != nil {
			items, err = nil, fmt.Errorf("items: panic: %v", p)
		}
	}()
	switch {
	case st.Growth != nil:
		return r.pendingGrowth(ctx, s, st)
	case st.Local != nil:
		return r.pendingLocal(ctx, s, st)
	}
	jobs := s.Graph(st.Graph()).WithContext(ctx).Bucket(bucketJobs)
	var some []WorkItem
	sort := func() error {
		states, err := statesOf(jobs, st.Name(), some)
		if err != nil {
			return err
		}
		for i, w := range some {
			switch {
			case states[i] == markFailed && !r.Retry:
				failed++
			case states[i] != markDone:
				items = append(items, w)
			}
		}
		some = some[:0]
		return nil
	}
	for w, err := range st.Items(ctx, s) {
		if err != nil {
			return nil, 0, nil, err
		}
		if some = append(some, w); len(some) == markBatch {
			if err := sort(); err != nil {
				return nil, 0, nil, err
			}
		}
	}
	if err := sort(); err != nil {
		return nil, 0, nil, err
	}
	return items, failed, nil, nil
}

// markBatch is how many marks are read together.
const markBatch = 512

// stateOf returns the state of an item by its mark, 0 if it is pending.
func stateOf(jobs engine.Bucket, stage string, w WorkItem) (byte, error) {
	mark, err := jobs.Get(jobKey(w.Key, stage), nil)
	if err != nil && !corpus.IsMissing(err) {
		return 0, err
	}
	return stateBy(mark, w), nil
}

// stateBy returns the state of an item whose mark, if any, is given.
func stateBy(mark []byte, w WorkItem) byte {
	if len(mark) < 33 || [32]byte(mark[1:33]) != w.Digest {
		return 0
	}
	return mark[0]
}

// statesOf returns the states of items by their marks, in one read; an item without a
// key is pending.
func statesOf(jobs engine.Bucket, stage string, items []WorkItem) ([]byte, error) {
	out := make([]byte, len(items))
	keys := make([][]byte, 0, len(items))
	at := make([]int, 0, len(items))
	for i, w := range items {
		if w.Key != "" {
			keys, at = append(keys, jobKey(w.Key, stage)), append(at, i)
		}
	}
	err := jobs.MultiGet(keys, func(i int, mark []byte) error {
		out[at[i]] = stateBy(mark, items[at[i]])
		return nil
	})
	return out, err
}

// progress is how many items of a run are behind those at work, how many of them failed,
// and how many there are in all.
type progress struct{ done, failed, total int }

// work does items on several workers and applies the results in order. failed are those
// of them that were set aside.
func (r *Runner) work(ctx context.Context, snap *engine.Snapshot, st Step, items []WorkItem, p progress) (done int, failed []WorkItem, err error) {
	workers := r.Workers
	if workers < 1 {
		workers = r.Models.Workers()
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	// The i-th result comes through the i-th place of a ring, by which workers run
	// ahead of the applying at most.
	ring := make([]chan outcome, 2*batchItems)
	for i := range ring {
		ring[i] = make(chan outcome, 1)
	}
	team := r.Models.Crew()
	// An error that ends the run ends the giving out of items at once: what a model
	// would still be paid for might not be kept. Items under way are finished, since
	// their replies are paid by then; only the run's own context cancels them.
	giving := crew.NewDispenser(team, len(items), len(ring))
	defer context.AfterFunc(ctx, giving.Halt)()
	var wg sync.WaitGroup
	defer func() {
		giving.Halt()
		wg.Wait()
	}()
	for range workers {
		team.Work(true)
		wg.Go(func() {
			defer team.Work(false)
			for i, ok := giving.Take(); ok; i, ok = giving.Take() {
				o := r.do(ctx, snap, st, items[i])
				if models.Fatal(ctx, o.err) {
					giving.Halt()
				}
				ring[i%len(ring)] <- o
			}
		})
	}
	var batch []outcome
	for at := 0; at < len(items); {
		if batch, err = r.collect(ctx, batch, ring, at, len(items)); err != nil && len(batch) == 0 {
			return done, failed, err
		}
		n, bad, aerr := r.apply(ctx, st, batch)
		giving.Free(n)
		for _, o := range batch[:n] {
			if o.err != nil {
				failed = append(failed, o.item)
			}
		}
		batch = slices.Delete(batch, 0, n)
		at += n
		done += n - bad
		r.Notify(Event{Stage: st.Name(), Done: p.done + at, Total: p.total, Failed: p.failed + len(failed), Usage: r.Models.Usage()})
		if err = errors.Join(err, aerr); err != nil {
			return done, failed, err
		}
	}
	return done, failed, nil
}

// do does an item's work. A panic is a defect of what the item holds or of the
// code that reads it: the item is set aside, and the others are done.
func (r *Runner) do(ctx context.Context, snap *engine.Snapshot, st Step, w WorkItem) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = outcome{item: w, err: fmt.Errorf("panic: %v", p)}
		}
	}()
	return st.do(ctx, snap, r.Models.ForWorker(st.Name()), w)
}

// collect adds results to a batch that begins with item at, until it is large
// or old enough, or complete, or ends with an error that ends the run: nothing
// need come after that. The writer's lock is not held meanwhile: Do may need it to
// keep a reply.
func (r *Runner) collect(ctx context.Context, batch []outcome, ring []chan outcome, at, end int) ([]outcome, error) {
	size := 0
	for _, o := range batch {
		size += o.size()
	}
	timer := time.NewTimer(batchTime)
	defer timer.Stop()
	late := false
	for len(batch) < batchItems && at+len(batch) < end && size < TxBytes(r.DB) {
		if n := len(batch); n > 0 && models.Fatal(ctx, batch[n-1].err) {
			return batch, nil
		}
		place := ring[(at+len(batch))%len(ring)]
		if late && len(batch) > 0 {
			return batch, nil
		}
		select {
		case o := <-place:
			batch = append(batch, o)
			size += o.size()
		case <-timer.C:
			late = true
		case <-ctx.Done():
			return batch, ctx.Err()
		}
	}
	return batch, nil
}
