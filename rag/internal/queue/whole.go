package queue

import (
	"context"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// bucketWhole holds what stages that look at a whole graph cost when they last did, in
// their graph: stage -> JSON of a [cost.Whole].
const bucketWhole = "whole"

// LastWhole returns what a step with Whole cost when it last looked at the whole graph,
// nil if that is not known. v is the step's graph.
func (st Step) LastWhole(v engine.Reader) (*cost.Whole, error) {
	if st.Whole == nil {
		return nil, nil
	}
	if st.Stage == nil || v == nil {
		return nil, phase.Errorf("%w: a nil stage or graph", corpus.ErrArgument)
	}
	if err := corpus.Readable(v); err != nil {
		return nil, err
	}
	w := &cost.Whole{}
	ok, err := encoded.Get(v.Bucket(bucketWhole), []byte(st.Name()), w)
	if !ok || encoded.Malformed(err) { // what cannot be read says nothing
		return nil, nil
	}
	return w, err
}

// keepWhole keeps what a run of the step cost if it looked at the whole graph. If the
// commit is lost nothing is wrong; so it is not waited for.
func (r *Runner) keepWhole(ctx context.Context, st Step, cpu time.Duration) error {
	if st.Whole.Nodes == 0 {
		return nil
	}
	st.Whole.CPUSeconds = cpu.Seconds()
	return r.DB.UpdateWith(ctx, kv.NoSync, func(tx *engine.Tx) error {
		b, err := tx.Graph(st.Graph()).MakeBucket(bucketWhole)
		if err != nil {
			return err
		}
		return encoded.Put(b, []byte(st.Name()), *st.Whole)
	})
}
