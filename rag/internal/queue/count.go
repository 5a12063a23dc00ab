package queue

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// StageCount counts the work items of a stage.
type StageCount struct {
	Done    int `json:"done"`
	Pending int `json:"pending"`
	Failed  int `json:"failed"`
}

// CountItems counts a step's work items as its next run finds them: what is
// done or failed with another digest is pending.
func CountItems(ctx context.Context, s *engine.Snapshot, st Step) (StageCount, error) {
	if err := stageAt(s, st.Stage); err != nil {
		return StageCount{}, err
	}
	n, err := countItems(ctx, s, st)
	if err != nil {
		return n, phase.Errorf("count %s: %w", st.Name(), err)
	}
	return n, nil
}

func countItems(ctx context.Context, s *engine.Snapshot, st Step) (n StageCount, err error) {
	if st.Settled != nil {
		if n.Done, err = st.Settled(ctx, s); err != nil {
			return n, err
		}
	}
	jobs := s.Graph(st.Graph()).Bucket(bucketJobs)
	for w, err := range st.Items(ctx, s) {
		if err != nil {
			return n, err
		}
		state, err := stateOf(jobs, st.Name(), w)
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

// stageAt refuses a stage or a snapshot that is nil.
func stageAt(s *engine.Snapshot, st Stage) error {
	if s == nil || st == nil {
		return phase.Errorf("%w: a nil snapshot or stage", corpus.ErrArgument)
	}
	return nil
}
