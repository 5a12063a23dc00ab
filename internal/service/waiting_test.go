package service_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/methods"
)

// slow is a database with the namespace main, each of whose runs stores its documents and
// then waits for a model. It is for a bubble of synctest.
type slow struct {
	*service.Database
	t    *testing.T
	runs int // that have begun
}

func newSlow(t *testing.T) *slow {
	t.Helper()
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{Encodings: methods.Encodings(), MemoryBudget: 16 << 20, NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	s := &slow{t: t}
	s.Database = service.NewDatabase(service.DatabaseOptions{DB: db, Methods: methods.All(),
		Indexing: func(_ context.Context, c *rag.Corpus) (*rag.Corpus, error) {
			s.runs++
			return c.With(rag.Options{Models: func(ctx context.Context, _ *rag.Corpus) (*rag.Models, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}}), nil
		}})
	t.Cleanup(func() {
		s.Close(context.Background())
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.CreateNamespace(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	return s
}

// start begins a job and returns when it can do no more.
func (s *slow) start(ctx context.Context, bytes int64) (*service.Job, error) {
	s.t.Helper()
	in, err := (&service.Document{ID: "lamp.md", Text: "The lamp of Brae is green."}).Input()
	if err != nil {
		s.t.Fatal(err)
	}
	job, err := s.Start(ctx, "main", service.JobRequest{Documents: []rag.Input{in}, Bytes: bytes, Methods: []string{"bridge"}})
	synctest.Wait()
	return job, err
}

// begin is start for a job that is to begin.
func (s *slow) begin(bytes int64) *service.Job {
	s.t.Helper()
	job, err := s.start(s.t.Context(), bytes)
	if err != nil {
		s.t.Fatal(err)
	}
	return job
}

// cancel ends a job.
func (s *slow) cancel(job *service.Job) {
	s.t.Helper()
	if _, err := s.Cancel("main", job.ID); err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
	if now, err := s.Job("main", job.ID); err != nil || now.State != service.JobCancelled {
		s.t.Fatalf("a cancelled job is %+v, %v", now, err)
	}
}

// TestMemoryOfJobs holds that the documents of a job take memory until they are stored or
// the job has ended, and that those for which there is none are refused.
func TestMemoryOfJobs(t *testing.T) {
	const mib = 1 << 20
	synctest.Test(t, func(t *testing.T) {
		var takes [2]int64
		for i, bytes := range []int64{0, 3 * mib} {
			s := newSlow(t)
			first := s.begin(bytes)
			if now, err := s.Job("main", first.ID); err != nil || now.Ended != nil || !now.Stored {
				t.Fatalf("the first job: %+v, %v", now, err)
			}
			takes[i] = s.Memory().Work()
		}
		if takes[0] != takes[1] {
			t.Errorf("a run takes %d bytes, and %d once its documents of 3 MiB are stored", takes[0], takes[1])
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(t)
		s.begin(0)
		run := s.Memory().Work()
		holds := func(what string, want int64) {
			t.Helper()
			if got := s.Memory().Work() - run; got != want {
				t.Errorf("%s: jobs hold %d bytes, want %d", what, got, want)
			}
		}
		second := s.begin(2 * mib)
		holds("a job that waits", 2*mib)
		if _, err := s.start(t.Context(), s.Memory().ForWork()-mib); !errors.Is(err, engine.ErrBusy) {
			t.Errorf("documents beside those that wait: %v", err)
		}
		holds("after a refusal", 2*mib)
		if n := len(s.Jobs("main")); n != 2 {
			t.Errorf("there are %d jobs, want 2", n)
		}
		s.cancel(second)
		holds("after the end", 0)
	})
}

// TestCancelledJobInOrder holds that jobs which come after a cancelled one wait for those
// before it.
func TestCancelledJobInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(t)
		first := s.begin(0)
		s.cancel(s.begin(0))
		s.begin(0)
		if s.runs != 1 {
			t.Errorf("%d runs have begun, want 1", s.runs)
		}
		s.cancel(first)
		if s.runs != 2 {
			t.Errorf("%d runs have begun after the first has ended, want 2", s.runs)
		}
	})
}

// TestKeptJobs holds that of many jobs the oldest that have ended are forgotten, and none
// that runs.
func TestKeptJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlow(t)
		first := s.begin(0)
		var ended []*service.Job
		for range 210 {
			ended = append(ended, s.begin(0))
			s.cancel(ended[len(ended)-1])
		}
		if now, err := s.Job("main", first.ID); err != nil || now.Ended != nil {
			t.Errorf("the job that runs: %+v, %v", now, err)
		}
		// The newest one was running when the last ones were forgotten.
		for i, job := range ended {
			if _, err := s.Job("main", job.ID); (err == nil) != (i >= len(ended)-201) {
				t.Errorf("job %d of %d that have ended: %v", i+1, len(ended), err)
			}
		}
	})
}
