package graphops

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
)

// ExpandError says that a local operation would have had to read the
// neighbours of more nodes than it may.
type ExpandError struct {
	Op    string // such as "ppr"
	Limit int    // nodes allowed
}

// Error says what the limit is.
func (e *ExpandError) Error() string {
	return fmt.Sprintf("%s needs the neighbours of more than %d nodes", e.Op, e.Limit)
}

// maxLocalReads is how many nodes a local operation may read from the store
// where its options do not say: about a tenth of a second's worth.
const maxLocalReads = 50_000

// A rowReader reads an adjacency for one query.
type rowReader struct {
	ctx    context.Context
	a      Adjacency
	p      *Projection              // a, if it is one
	failed interface{ Err() error } // a, where reading it can fail
	looped looped                   // a, where it knows its loops
	op     string
	limit  int // nodes that may be read; 0: no bound
	reads  int
	credit int // until ctx is asked again

	// What a reads rows into. The graph reversed has a reader of its own that
	// is used by turns, so that both may share it.
	ids []uint32
	w   []float32
}

// creditRow is what a row costs beside its entries, in entries; rowCredit is
// how much is read between two looks at the context: about 500 short rows, a
// millisecond or two of the store.
const (
	creditRow = 64
	rowCredit = 1 << 15
)

// newRowReader returns a reader that reads at most limit nodes; 0 is as many
// as there are in memory, and maxLocalReads of the store.
func newRowReader(ctx context.Context, op string, a Adjacency, limit int) rowReader {
	r := rowReader{ctx: ctx, a: a, op: op, limit: limit}
	r.p, _ = a.(*Projection)
	r.failed, _ = a.(interface{ Err() error })
	if r.looped, _ = a.(looped); r.p != nil && len(r.p.loops) == 0 {
		r.looped = nil
	}
	if limit == 0 && r.p == nil {
		r.limit = maxLocalReads
	}
	return r
}

// check refuses a node that a projection does not have. A node that the
// store does not have is not an error: it has no neighbours.
func (r *rowReader) check(u uint32) error {
	if r.p != nil && int(u) >= r.p.Len() {
		return phase.Mark(engine.ErrInvalid, "node %d of %d", u, r.p.Len())
	}
	return nil
}

// row returns the neighbours of u, ascending, and their weights, nil if
// all are 1. Both are good until the next call.
func (r *rowReader) row(u uint32) (to []uint32, w []float32, err error) {
	if r.limit > 0 && r.reads >= r.limit {
		return nil, nil, &ExpandError{Op: r.op, Limit: r.limit}
	}
	r.reads++
	return r.peek(u)
}

// peek is row, whatever the limit.
func (r *rowReader) peek(u uint32) (to []uint32, w []float32, err error) {
	if r.credit <= 0 {
		if err := r.ctx.Err(); err != nil {
			return nil, nil, err
		}
		r.credit = rowCredit
	}
	switch {
	case r.p != nil && r.p.packed != nil:
		r.ids, r.w = r.p.Neighbors(u, r.ids[:0], r.w[:0])
		to = r.ids
		if r.p.Weighted() {
			w = r.w
		}
	case r.p == nil:
		r.ids, r.w = r.a.Neighbors(u, r.ids[:0], r.w[:0])
		if r.failed != nil {
			if err := r.failed.Err(); err != nil {
				return nil, nil, err
			}
		}
		to, w = r.ids, r.w
		if len(w) == 0 {
			w = nil
		}
	case int(u) < r.p.Len():
		to, w = r.p.csr.Row(u)
	}
	r.credit -= creditRow + len(to)
	return to, w, nil
}

// loop returns the loops of u, whose row was read last.
func (r *rowReader) loop(u uint32) (ends uint32, weight float64) {
	if r.looped == nil {
		return 0, 0
	}
	return r.looped.Loop(u)
}

// weightError returns the error of an edge that weighs too little.
func (r *rowReader) weightError(u, v uint32, w float32) error {
	if r.p != nil {
		return r.p.weightError(u, v, w)
	}
	return phase.At("", &weightError{engine.NodeID(u), engine.NodeID(v), w})
}

// degreeOf returns the number of neighbours of u. In memory that is known;
// elsewhere it counts as a node read.
func (r *rowReader) degreeOf(u uint32) (int, error) {
	if r.p != nil {
		return r.p.Degree(u), nil
	}
	if r.limit > 0 && r.reads >= r.limit {
		return 0, &ExpandError{Op: r.op, Limit: r.limit}
	}
	r.reads++
	if r.credit -= creditRow; r.credit <= 0 {
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
		r.credit = rowCredit
	}
	d := r.a.Degree(u)
	if r.failed != nil {
		return d, r.failed.Err()
	}
	return d, nil
}
