package queue

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// StageCount is what [Step.Count] returns.
type StageCount struct {
	Done    int `json:"done"`
	Pending int `json:"pending"`
	Failed  int `json:"failed"`
}

// Count counts the step's work items as its next run finds them: an item that is done
// or failed with another digest is pending.
func (st Step) Count(ctx context.Context, s *engine.Snapshot) (StageCount, error) {
	if err := stageAt(s, st.Stage); err != nil {
		return StageCount{}, err
	}
	n, err := st.count(ctx, s)
	if err != nil {
		return n, phase.Errorf("count %s: %w", st.Name(), err)
	}
	return n, nil
}

func (st Step) count(ctx context.Context, s *engine.Snapshot) (n StageCount, err error) {
	if st.Settled != nil {
		if n.Done, err = st.Settled(ctx, s); err != nil {
			return n, err
		}
	}
	jobs := s.Graph(st.Graph()).Bucket(bucketJobs)
	note := func(w WorkItem) error {
		state, err := stateOf(jobs, st.Name(), w)
		switch {
		case err != nil:
			return err
		case state == markDone:
			n.Done++
		case state == markFailed:
			n.Failed++
		default:
			n.Pending++
		}
		return nil
	}
	if st.Growth != nil && st.Growth.Graph == nil {
		err := st.countGrowth(ctx, s, func(idle int) { n.Done += idle }, note)
		return n, err
	}
	for w, err := range st.Items(ctx, s) {
		if err != nil {
			return n, err
		}
		if err := note(w); err != nil {
			return n, err
		}
	}
	return n, nil
}

// countGrowth calls idle with numbers of nodes that have no item, or one that is done,
// and note with the items of the others.
func (st Step) countGrowth(ctx context.Context, s *engine.Snapshot, idle func(n int), note func(WorkItem) error) error {
	v := s.Graph(st.Graph()).WithContext(ctx)
	_, all, look, err := st.ahead(ctx, s)
	if err != nil {
		return err
	}
	idle(int(all.GetCardinality() - look.GetCardinality()))
	return st.Growth.each(v, look, func(ids []engine.NodeID, items []WorkItem) error {
		idle(len(ids) - len(items))
		for _, w := range items {
			if err := note(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// IsDone reports whether an item of the step is marked done with its digest.
func (st Step) IsDone(s *engine.Snapshot, w WorkItem) (bool, error) {
	if err := stageAt(s, st.Stage); err != nil {
		return false, err
	}
	state, err := stateOf(s.Graph(st.Graph()).Bucket(bucketJobs), st.Name(), w)
	return state == markDone, err
}

// stageAt refuses a stage or a snapshot that is nil.
func stageAt(s *engine.Snapshot, st Stage) error {
	if s == nil || st == nil {
		return phase.Errorf("%w: a nil snapshot or stage", corpus.ErrArgument)
	}
	return nil
}
