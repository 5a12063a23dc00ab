package rag

import (
	"context"

	"github.com/ragdb/ragdb/engine"
)

// StageCount counts the work items of a stage.
type StageCount struct {
	Done    int `json:"done"`
	Pending int `json:"pending"`
	Failed  int `json:"failed"`
}

// settler is implemented by stages whose done items do not come up.
type settler interface {
	settled(ctx context.Context, s *engine.Snapshot) (int, error)
}

// CountItems counts a stage's work items as its next run finds them: what is
// done or failed with another digest is pending.
func CountItems(ctx context.Context, s *engine.Snapshot, st Stage) (StageCount, error) {
	if err := stageAt(s, st); err != nil {
		return StageCount{}, err
	}
	n, err := countItems(ctx, s, st)
	if err != nil {
		return n, phase.Errorf("count %s: %w", st.Name(), err)
	}
	return n, nil
}

func countItems(ctx context.Context, s *engine.Snapshot, st Stage) (n StageCount, err error) {
	if x, ok := st.(settler); ok {
		if n.Done, err = x.settled(ctx, s); err != nil {
			return n, err
		}
	}
	jobs := s.Graph(st.Graph()).Bucket(bucketJobs)
	for w, err := range st.Items(ctx, s) {
		if err != nil {
			return n, err
		}
		state, err := stateOf(jobs, st, w)
		switch {
		case err != nil:
			return n, err
		case state == markDone:
			n.Done++
		case state == markFailed:
			n.Failed++
		default:
			n.Pending++
		}
	}
	return n, nil
}
