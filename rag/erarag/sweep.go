package erarag

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/method"
)

// sweepStage removes the summaries of other trees, once this one is complete. The
// vectors of their leaves go with the models.
type sweepStage struct {
	graph.Stage
	s    *system
	tree string
}

// sweepBatch is the number of summaries that a work item removes.
const sweepBatch = 512

// Items implements [method.Stage]: for each other tree some summaries at a time.
// The epoch makes each run's items its own.
func (st *sweepStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		for e, err := range v.Bucket(bucketTrees).Scan(nil, nil) {
			if err != nil {
				yield(method.WorkItem{}, err)
				return
			}
			name := string(e.Key)
			if name == st.tree {
				continue
			}
			count := 0
			err := st.s.tree(v, name).summaries(func(uint8, engine.NodeID) bool { count++; return true })
			for n := 0; n <= count/sweepBatch; n++ {
				w := method.WorkItem{Key: fmt.Sprintf("%d %s", n, name), Digest: method.Digest(fmt.Sprint(s.Epoch()))}
				if !yield(w, err) || err != nil {
					return
				}
			}
		}
	}
}

// summaries calls fn for the summaries of a tree until it returns false.
func (t *tree) summaries(fn func(layer uint8, id engine.NodeID) bool) error {
	for e, err := range t.Scan([]byte{'n', 1}, []byte{'n' + 1}) {
		if err != nil {
			return err
		}
		layer, id, err := readIDKey(e.Key)
		if err != nil || !fn(layer, id) {
			return err
		}
	}
	return nil
}

// Do implements [method.Stage].
func (st *sweepStage) Do(context.Context, *engine.Snapshot, *method.Models, method.WorkItem) ([]byte, error) {
	return nil, nil
}

// Apply implements [method.Stage]: the first summaries that are left, and with
// the last of them the note of the tree.
func (st *sweepStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, _ []byte) error {
	_, name, _ := strings.Cut(w.Key, " ")
	t, err := st.s.change(tx, name)
	if err != nil {
		return err
	}
	type node struct {
		layer uint8
		id    engine.NodeID
	}
	var gone []node
	err = t.summaries(func(layer uint8, id engine.NodeID) bool {
		gone = append(gone, node{layer, id})
		return len(gone) < sweepBatch
	})
	if err != nil {
		return err
	}
	for _, x := range gone {
		if err := t.w.Delete(idKey('n', x.layer, uint64(x.id))); err != nil {
			return err
		}
		if err := ledger.Forget(tx.Graph(st.s.c.Base()), st.s.madeFrom(x.id)); err != nil {
			return err
		}
		if _, err := t.v.DeleteNode(x.id); err != nil && !graph.IsMissing(err) {
			return err
		}
	}
	if len(gone) == sweepBatch {
		return nil
	}
	trees, err := t.v.MakeBucket(bucketTrees)
	if err != nil {
		return err
	}
	// What says how the summaries were grouped is of no more use.
	return errors.Join(trees.Delete([]byte(name)), t.w.DeletePrefix(nil))
}
