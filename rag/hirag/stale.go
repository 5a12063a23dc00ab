package hirag

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/method"
)

// staleStage removes the communities that are not wanted any more, once what
// takes their place is there.
type staleStage struct {
	s   *system
	met map[string]engine.NodeID
}

// Name implements [method.Stage].
func (st *staleStage) Name() string { return "stale communities" }

// Graph implements [method.Stage].
func (st *staleStage) Graph() *engine.Graph { return st.s.g }

// Items implements [method.Stage]. The epoch makes each run's items its own.
func (st *staleStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		st.met = map[string]engine.NodeID{}
		have, err := nodesOf(v, typeCommunity)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		for _, n := range have {
			wanted, err := v.Bucket(bucketPlan).Has(communityPlanKey(n.key))
			if err == nil && wanted {
				continue
			}
			w := method.WorkItem{Key: fmt.Sprintf("stale:%d", len(st.met)), Digest: method.Digest("stale", n.key, fmt.Sprint(s.Epoch()))}
			st.met[w.Key] = n.id
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// Do implements [method.Stage].
func (st *staleStage) Do(_ context.Context, _ *engine.Snapshot, _ *method.Models, w method.WorkItem) ([]byte, error) {
	return json.Marshal(st.met[w.Key])
}

// Apply implements [method.Stage].
func (st *staleStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var id engine.NodeID
	if err := json.Unmarshal(result, &id); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	n, err := v.Node(id)
	if err != nil {
		return err
	}
	if _, err := v.DeleteNode(id); err != nil {
		return err
	}
	return method.ForgetJobs(v, communityItem(n.Key))
}
