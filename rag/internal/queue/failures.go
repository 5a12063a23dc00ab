package queue

import (
	"encoding/json"
	"iter"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// Failure is what is kept of a work item that was set aside.
type Failure struct {
	Stage string `json:"stage"`
	Item  string `json:"item"`
	// Reason says what went wrong, Raw what the model answered.
	Reason string `json:"reason"`
	Raw    string `json:"raw,omitempty"`
}

// ForgetJobs removes the marks of an item, of all stages of a graph: it is
// pending again if it comes up again. The item of a step with [Growth] comes up again
// with another node only.
func ForgetJobs(v *engine.TxView, item string) error {
	if err := corpus.Readable(v); err != nil {
		return err
	}
	if err := forgetIdle(v); err != nil {
		return err
	}
	jobs, err := v.MakeBucket(bucketJobs)
	if err != nil {
		return err
	}
	return jobs.DeletePrefix(jobKey(item, ""))
}

// Failures yields the work items of a graph that were set aside, in order of
// item and stage.
func Failures(v *engine.View) iter.Seq2[Failure, error] {
	return func(yield func(Failure, error) bool) {
		if err := corpus.Readable(v); err != nil {
			yield(Failure{}, err)
			return
		}
		for e, err := range v.Bucket(bucketJobs).Scan(nil, nil) {
			if err != nil {
				yield(Failure{}, err)
				return
			}
			if len(e.Value) < 33 || e.Value[0] != markFailed {
				continue
			}
			var f Failure
			err := json.Unmarshal(e.Value[33:], &f)
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}
