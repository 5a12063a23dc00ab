package ketrag

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// renewStage makes the vectors of the keywords whose sums have changed. It is
// a stage of its own so that a word of many chunks gets its vector once, and
// not with every batch of chunks.
type renewStage struct {
	graph.Stage
	s     *system
	model llm.SpaceInfo
}

// renewBatch is the number of keywords of a work item.
const renewBatch = 512

// Items implements [method.Stage]: the keywords whose vectors are stale, some at
// a time. The epoch makes each run's items its own.
func (st *renewStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		ids, err := st.stale(s.Graph(st.s.g).WithContext(ctx), math.MaxInt)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		n := 0
		for run := range slices.Chunk(ids, renewBatch) {
			w := method.WorkItem{Key: fmt.Sprintf("stale:%d", n), Digest: method.Digest(fmt.Sprint(s.Epoch(), run[0]))}
			if n++; !yield(w, nil) {
				return
			}
		}
	}
}

// stale returns the keywords whose vectors are to be made again, ascending, at
// most so many.
func (st *renewStage) stale(v engine.Reader, most int) ([]engine.NodeID, error) {
	var ids []engine.NodeID
	for e, err := range v.Bucket(staleOf(st.model.Model)).Scan(nil, nil) {
		if err != nil {
			return nil, err
		}
		if len(e.Key) != 8 {
			return nil, errSum
		}
		if ids = append(ids, engine.NodeID(binary.BigEndian.Uint64(e.Key))); len(ids) == most {
			break
		}
	}
	return ids, nil
}

// Do implements [method.Stage].
func (st *renewStage) Do(context.Context, *engine.Snapshot, *method.Models, method.WorkItem) ([]byte, error) {
	return nil, nil
}

// Apply implements [method.Stage]: the first keywords that are stale still.
func (st *renewStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, _ []byte) error {
	v := tx.Graph(st.s.g)
	ids, err := st.stale(v, renewBatch)
	if err != nil {
		return err
	}
	return st.s.renew(v, st.model, ids)
}

// normalize brings a vector to length 1, so that an inner product with it is in the ratio
// of the cosine.
func normalize(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
}

// renew makes the vectors of keywords from their sums. A keyword without a sum,
// or whose sum is of vectors that cancel out, loses its vector.
func (s *system) renew(v *engine.TxView, model llm.SpaceInfo, ids []engine.NodeID) error {
	bucket, err := v.MakeBucket(sumsOf(model.Model))
	if err != nil {
		return err
	}
	stale, err := v.MakeBucket(staleOf(model.Model))
	if err != nil {
		return err
	}
	space := spaceOf(typeKeyword, model.Model)
	if err := method.MakeSpace(v, space, model, vecindex.InnerProduct); err != nil {
		return err
	}
	sums, err := storedSums(bucket.Bucket, ids, nil, model.Dim)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := stale.Delete(binary.BigEndian.AppendUint64(nil, uint64(id))); err != nil {
			return err
		}
		sum := sums[id]
		if sum == nil {
			if err := v.DeleteVector(space, id); err != nil {
				return err
			}
			continue
		}
		var mean []float32
		if !sum.zero() {
			if mean = sum.mean(); s.p.Similarity == "cosine" {
				normalize(mean)
			}
		}
		if err := graph.SetVector(v, space, id, mean); err != nil {
			return err
		}
	}
	return nil
}
