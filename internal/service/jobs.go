package service

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/internal/memory"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
)

// jobs are the runs of a database. Each runs in a goroutine of its own until it ends;
// runs of one namespace come one after the other, in the order in which they were begun:
// of two versions of a document the later one stays.
type jobs struct {
	mu   sync.Mutex
	ctx  context.Context
	stop context.CancelCauseFunc
	n    int
	all  []*job // the oldest first
	// last is the newest job of each namespace: the next one comes after it.
	last    map[string]<-chan struct{}
	running sync.WaitGroup
	closed  bool
	grace   context.Context // for storing what waits, once closed
}

// job is a Job that runs.
type job struct {
	Job
	settled bool          // it is known which documents are stored
	memory  *memory.Share // of documents that are not stored
	cancel  context.CancelCauseFunc
	// changed is closed and made anew with every change.
	changed chan struct{}
}

// The causes of the end of a job.
var (
	errCancelled = errors.New("cancelled")
	errStopped   = errors.New("stopped")
)

// keptJobs is how many jobs that have ended are told of.
const keptJobs = 200

func (js *jobs) begin() {
	js.ctx, js.stop = context.WithCancelCause(context.Background())
	js.last = map[string]<-chan struct{}{}
}

// Start begins a job, which runs until it ends, is cancelled or the database is closed.
// The error is [engine.ErrBusy] if the documents that wait already leave no memory for
// these.
func (d *Database) Start(ctx context.Context, ns string, r JobRequest) (*Job, error) {
	c, err := d.Corpus(ctx, ns)
	if err != nil {
		return nil, err
	}
	if d.ReadOnly(ctx) {
		return nil, &Error{Code: "read_only", Message: "the database is open for reading"}
	}
	var specs []method.Spec
	for _, name := range r.Methods {
		spec, err := c.Spec(name)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	share := d.Memory().Begin()
	if err := share.Grow(ctx, r.Bytes); err != nil {
		return nil, err
	}
	js := &d.jobs
	js.mu.Lock()
	defer js.mu.Unlock()
	if js.closed {
		share.Close()
		return nil, &Error{Code: "closing", Message: "the server is about to end"}
	}
	js.n++
	j := &job{Job: Job{V: 1, ID: fmt.Sprintf("j%d", js.n), NS: ns, State: JobQueued, Documents: len(r.Documents), Stored: len(r.Documents) == 0, Created: time.Now().UTC()},
		settled: len(r.Documents) == 0, memory: share, changed: make(chan struct{})}
	jctx, cancel := context.WithCancelCause(js.ctx)
	j.cancel = cancel
	js.all = append(js.all, j)
	js.forget()
	before, done := js.last[ns], make(chan struct{})
	if before == nil {
		over := make(chan struct{})
		close(over)
		before = over
	}
	js.last[ns] = done
	js.running.Go(func() {
		defer cancel(nil)
		d.run(jctx, c, j, before, specs, r)
		<-before // a job that was cancelled lets none pass it
		close(done)
	})
	out := j.Job
	return &out, nil
}

// forget drops the oldest jobs that have ended if there are many.
func (js *jobs) forget() {
	ended := 0
	for _, j := range js.all {
		if j.terminal() {
			ended++
		}
	}
	js.all = slices.DeleteFunc(js.all, func(j *job) bool {
		if ended > keptJobs && j.terminal() {
			ended--
			return true
		}
		return false
	})
}

// run does a job once the one before it is over.
func (d *Database) run(ctx context.Context, c *Corpus, j *job, before <-chan struct{}, specs []method.Spec, r JobRequest) {
	var result *Indexed
	var err error
	select {
	case <-before:
		result, err = d.index(ctx, c, j, specs, r, false)
	case <-ctx.Done():
		err = ctx.Err()
	}
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errStopped) && !d.jobs.isSettled(j) {
		// Nothing of it is in the database yet, and its sender was told that it would be.
		<-before
		if _, serr := d.index(d.jobs.grace, c, j, specs, r, true); serr != nil && !d.jobs.isSettled(j) {
			err = serr
		}
	}
	d.jobs.change(j, func() {
		now := time.Now().UTC()
		j.Ended, j.Progress, j.Result = &now, nil, result
		cause := context.Cause(ctx)
		switch {
		case err == nil, errors.Is(err, rag.ErrPartial):
			j.State = JobDone
		case errors.Is(cause, errCancelled):
			j.State = JobCancelled
		case errors.Is(cause, errStopped):
			j.State = JobStopped
		default:
			j.State = JobFailed
		}
		if err != nil && j.State != JobCancelled && j.State != JobStopped {
			j.Error = Explain(err).View()
		}
	})
}

// index runs the indexer of a job. If storeOnly is true it ends once the documents are
// stored.
func (d *Database) index(ctx context.Context, c *Corpus, j *job, specs []method.Spec, r JobRequest, storeOnly bool) (*Indexed, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reading, err := d.o.Indexing(ctx, c.Corpus)
	if err != nil {
		return nil, err
	}
	own := &Corpus{Corpus: reading, Methods: c.Methods, Models: c.Models}
	systems, err := own.ToIndex(ctx, specs)
	if err != nil {
		return nil, err
	}
	o := rag.IndexOptions{Retry: r.Retry, Recluster: r.Recluster, Notify: func(e rag.Event) {
		if e.Message != "" {
			return
		}
		d.jobs.change(j, func() {
			if j.State == JobQueued {
				now := time.Now().UTC()
				j.State, j.Started = JobRunning, &now
			}
			j.Progress = &Progress{e.Stage, e.Done, e.Total, e.Failed}
		})
	}, Read: func(aside map[int]*load.FileError) {
		d.jobs.change(j, func() { d.jobs.settle(j, r.Documents, aside) })
		if storeOnly {
			cancel()
		}
	}}
	out, _, err := own.Index(ctx, systems, r.Documents, o, (*rag.Indexer).Run)
	return out, err
}

// change changes what is told of a job.
func (js *jobs) change(j *job, fn func()) {
	js.mu.Lock()
	defer js.mu.Unlock()
	fn()
	if j.terminal() {
		j.memory.Close()
	}
	close(j.changed)
	j.changed = make(chan struct{})
}

// settle says that the documents of a job are in the database, but for those that were set
// aside. The caller holds the lock.
func (js *jobs) settle(j *job, documents []rag.Input, aside map[int]*load.FileError) {
	j.settled = true
	j.memory.Close()
	first := slices.Sorted(maps.Keys(aside))
	for _, i := range first[:min(len(first), mostSetAside)] {
		reason := aside[i].Reason
		if n := aside[i].Line; n > 0 {
			reason = fmt.Sprintf("line %d: %s", n, reason)
		}
		j.SetAside = append(j.SetAside, SetAside{i, fault.Cut(documents[i].Source.Key), reason})
	}
	j.SetAsideDocuments = len(aside)
	j.StoredDocuments = j.Documents - len(aside)
	j.Stored = len(aside) == 0
}

func (js *jobs) isSettled(j *job) bool {
	js.mu.Lock()
	defer js.mu.Unlock()
	return j.settled
}

// find returns a job of a namespace.
func (js *jobs) find(ns, id string) (*job, error) {
	for _, j := range js.all {
		if j.ID == id && j.NS == ns {
			return j, nil
		}
	}
	return nil, NotFound("the newest jobs are told of, of this process", "there is no job %q", id)
}

// Job tells of a job.
func (d *Database) Job(ns, id string) (*Job, error) {
	d.jobs.mu.Lock()
	defer d.jobs.mu.Unlock()
	j, err := d.jobs.find(ns, id)
	if err != nil {
		return nil, err
	}
	out := j.Job
	return &out, nil
}

// Jobs tells of the jobs of a namespace, the newest first.
func (d *Database) Jobs(ns string) []Job {
	d.jobs.mu.Lock()
	defer d.jobs.mu.Unlock()
	out := []Job{}
	for _, j := range slices.Backward(d.jobs.all) {
		if j.NS == ns {
			out = append(out, j.Job)
		}
	}
	return out
}

// Watch yields a job as it is and after each change, until it has ended.
func (d *Database) Watch(ctx context.Context, ns, id string) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		d.jobs.mu.Lock()
		j, err := d.jobs.find(ns, id)
		d.jobs.mu.Unlock()
		if err != nil {
			yield(Job{}, err)
			return
		}
		for {
			d.jobs.mu.Lock()
			now, changed := j.Job, j.changed
			d.jobs.mu.Unlock()
			if !yield(now, nil) || now.terminal() {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				yield(Job{}, ctx.Err())
				return
			}
		}
	}
}

// Cancel ends a job, whose work so far is kept, and tells of it. A job that has ended
// stays as it is.
func (d *Database) Cancel(ns, id string) (*Job, error) {
	d.jobs.mu.Lock()
	defer d.jobs.mu.Unlock()
	j, err := d.jobs.find(ns, id)
	if err != nil {
		return nil, err
	}
	j.cancel(errCancelled)
	out := j.Job
	return &out, nil
}

// end cancels the jobs of a namespace and waits for them.
func (js *jobs) end(ctx context.Context, ns string) error {
	for {
		var changed chan struct{}
		js.mu.Lock()
		for _, j := range js.all {
			if j.NS == ns && !j.terminal() {
				j.cancel(errCancelled)
				changed = j.changed
			}
		}
		js.mu.Unlock()
		if changed == nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// close cancels all jobs and waits for them.
func (js *jobs) close(grace context.Context) {
	js.mu.Lock()
	js.closed, js.grace = true, grace
	js.mu.Unlock()
	js.stop(errStopped)
	js.running.Wait()
}
