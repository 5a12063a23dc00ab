package api

import (
	"context"
	"net/http"

	"github.com/ragdb/ragdb/internal/service"
)

func jobOperations() []*operation {
	return []*operation{
		define(operation{method: http.MethodGet, path: corpusRoot + "/jobs", id: "listJobs", tag: "jobs", role: Read,
			summary: "The jobs of this server's life, the newest first"}, (*call).listJobs),
		define(operation{method: http.MethodPost, path: corpusRoot + "/jobs", id: "startJob", tag: "jobs", role: Write, status: http.StatusAccepted,
			summary: "Index what is left to do"}, (*call).startJob),
		define(operation{method: http.MethodGet, path: corpusRoot + "/jobs/{id}", id: "readJob", tag: "jobs", role: Read,
			summary: "A job"}, (*call).readJob),
		define(operation{method: http.MethodPost, path: corpusRoot + "/jobs/{id}/cancel", id: "cancelJob", tag: "jobs", role: Write, status: http.StatusAccepted,
			summary: "End a job; what it has done is kept"}, (*call).cancelJob),
		define(operation{method: http.MethodGet, path: corpusRoot + "/jobs/{id}/events", id: "watchJob", tag: "jobs", role: Read, streams: eventStream,
			summary: "A job as it is and after each change, as events named job, until it has ended"}, (*call).watchJob),
	}
}

// JobList lists jobs.
type JobList struct {
	V    int           `json:"v"`
	Jobs []service.Job `json:"jobs"`
}

func (c *call) listJobs(ctx context.Context, in *corpusPath) (*JobList, error) {
	d, _, err := c.corpus(ctx, *in)
	if err != nil {
		return nil, err
	}
	return &JobList{V: 1, Jobs: d.Jobs(in.NS)}, nil
}

type startJobIn struct {
	corpusPath
	// Methods index the documents; without them those that the namespace has.
	Methods []string `json:"methods,omitempty" schema:"maxitems=20"`
	// Retry takes up again what failed in earlier runs.
	Retry bool `json:"retry,omitempty"`
	// Recluster finds the communities of methods again.
	Recluster bool `json:"recluster,omitempty"`
	// Wait answers when the job has ended, or when the time of an answer is over.
	Wait bool `json:"wait,omitempty"`
}

func (c *call) startJob(ctx context.Context, in *startJobIn) (*service.Job, error) {
	d, _, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	return c.start(ctx, d, in.NS, service.JobRequest{Methods: in.Methods, Retry: in.Retry, Recluster: in.Recluster}, in.Wait)
}

type jobIn struct {
	corpusPath
	// The id of the job.
	ID string `path:"id" schema:"maxlen=100"`
}

func (c *call) readJob(ctx context.Context, in *jobIn) (*service.Job, error) {
	d, _, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	return d.Job(in.NS, in.ID)
}

func (c *call) cancelJob(ctx context.Context, in *jobIn) (*service.Job, error) {
	d, _, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	return d.Cancel(in.NS, in.ID)
}

func (c *call) watchJob(ctx context.Context, in *jobIn) (*nothing, error) {
	d, _, err := c.corpus(ctx, in.corpusPath)
	if err != nil {
		return nil, err
	}
	if _, err := d.Job(in.NS, in.ID); err != nil {
		return nil, err
	}
	leave, err := c.stream(eventStream)
	if err != nil {
		return nil, err
	}
	defer leave()
	for job, err := range d.Watch(ctx, in.NS, in.ID) {
		if err == nil {
			err = c.event("job", job)
		}
		if err != nil {
			return nil, c.endEvents(err)
		}
	}
	return nil, errStreamed
}
