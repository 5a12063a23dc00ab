package service

import (
	"time"

	"github.com/ragdb/ragdb/rag"
)

// The states of a job.
const (
	JobQueued    = "queued"
	JobRunning   = "running"
	JobDone      = "done"
	JobFailed    = "failed"
	JobCancelled = "cancelled"
	// JobStopped is the state of a job that the end of the process ended: what it has
	// done is kept, and the next run goes on from there.
	JobStopped = "stopped"
)

// Job is a run that indexes documents, as it is told.
type Job struct {
	V  int    `json:"v"`
	ID string `json:"id"`
	NS string `json:"ns"`
	// State is queued, running, done, failed, cancelled or stopped.
	State string `json:"state"`
	// Documents counts the documents and files that came with the job. Stored says that
	// each of them is in the database, whole: it is not lost whatever happens.
	Documents int  `json:"documents"`
	Stored    bool `json:"stored"`
	// StoredDocuments and SetAsideDocuments count those that are in the database, and
	// those that are not, or not whole. Both are 0 until it is known, and their sum is
	// Documents then.
	StoredDocuments   int `json:"stored_documents"`
	SetAsideDocuments int `json:"set_aside_documents"`
	// SetAside tells of the first 100 that are not in the database.
	SetAside []SetAside `json:"set_aside,omitempty"`
	// Progress is what a running job does.
	Progress *Progress  `json:"progress,omitempty"`
	Created  time.Time  `json:"created"`
	Started  *time.Time `json:"started,omitempty"`
	Ended    *time.Time `json:"ended,omitempty"`
	// Result is there if the run came to its end, also if parts of it failed.
	Result *Indexed   `json:"result,omitempty"`
	Error  *ErrorView `json:"error,omitempty"`
}

// SetAside is a document or a file of a job that is not in the database, or not whole.
type SetAside struct {
	// Index is its place among those that came with the job, from 0.
	Index int `json:"index"`
	// ID names it; a long one is cut.
	ID string `json:"id"`
	// Reason says what is wrong; for a file of records, with the first one.
	Reason string `json:"reason"`
}

// mostSetAside is how many documents that were set aside a job tells of.
const mostSetAside = 100

// Progress is how far the stage of a run has come.
type Progress struct {
	Stage  string `json:"stage"`
	Done   int    `json:"done"`
	Total  int    `json:"total"`
	Failed int    `json:"failed"`
}

// ErrorView is an error as programs read it.
type ErrorView struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// View returns an error as programs read it.
func (e *Error) View() *ErrorView { return &ErrorView{e.Code, e.Message, e.Hint} }

// JobRequest says what a job does.
type JobRequest struct {
	Documents []rag.Input
	// Bytes is about how much memory the documents take until they are stored.
	Bytes int64
	// Methods index them; none are those that the namespace has.
	Methods []string
	// Retry takes up again what failed in earlier runs, Recluster finds communities again.
	Retry, Recluster bool
}

// terminal reports whether a job has ended.
func (j *Job) terminal() bool { return j.Ended != nil }
