package queue

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// bucketWhole holds what stages that look at a whole graph cost when they last did, in
// their graph: stage -> nodes, edges and microseconds of processor time, u64 each, so that
// a graph has the same size however long it took.
const (
	bucketWhole = "whole"
	wholeSize   = 24
)

var errWhole = errors.New("malformed cost of a stage")

func appendWhole(dst []byte, w *cost.Whole) []byte {
	for _, n := range []uint64{uint64(w.Nodes), uint64(w.Edges), uint64(1e6 * w.CPUSeconds)} {
		dst = binary.BigEndian.AppendUint64(dst, n)
	}
	return dst
}

func readWhole(b []byte) (*cost.Whole, error) {
	u := binary.BigEndian.Uint64
	if len(b) != wholeSize || u(b) > math.MaxInt || u(b[8:]) > math.MaxInt {
		return nil, errWhole
	}
	return &cost.Whole{Nodes: int(u(b)), Edges: int(u(b[8:])), CPUSeconds: float64(u(b[16:])) / 1e6}, nil
}

func decodeWhole(_, value []byte) ([]byte, error) {
	if _, err := readWhole(value); err != nil {
		return nil, err
	}
	return value, nil
}

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
	raw, err := v.Bucket(bucketWhole).Get([]byte(st.Name()), nil)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	w, err := readWhole(raw)
	if err != nil { // what cannot be read says nothing
		return nil, nil
	}
	return w, nil
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
		return b.Set([]byte(st.Name()), appendWhole(nil, st.Whole))
	})
}
