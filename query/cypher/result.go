package cypher

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/memory"
)

// Result is the result of a statement. It is not safe for concurrent use.
type Result struct {
	// Columns are the names of the columns, none for a statement that returns
	// nothing.
	Columns []string
	// Counts are the numbers of things that a statement wrote.
	Counts Counts
	// Notices tell what is odd about a statement, such as a label or a property that no node has.
	Notices []string
	// Plan is that of EXPLAIN and PROFILE, a list of steps for each part of a
	// UNION; nil for other statements.
	Plan [][]*PlanStep

	graph   string
	limits  Limits
	started time.Time
	elapsed time.Duration
	cancel  context.CancelFunc
	snap    *engine.Snapshot
	rows    [][]Value                                 // of a statement that has run
	run     func(yield func(row []Value) error) error // of one that has not
	done    bool
	session *Session
	ctx     context.Context
	share   *memory.Share
	pages   [][]engine.Edge // that the statement took from the session
}

// Counts are the numbers of things that a statement wrote.
type Counts struct {
	NodesCreated, NodesDeleted           int
	EdgesCreated, EdgesDeleted           int
	LabelsAdded, LabelsRemoved           int // by SET and REMOVE
	PropertiesSet                        int
	VectorsSet                           int
	IndexesAdded, IndexesRemoved         int
	ConstraintsAdded, ConstraintsRemoved int
	GraphsMade, GraphsDropped            int
}

// Any reports whether anything was written.
func (c Counts) Any() bool { return c != Counts{} }

// Graph returns the name of the graph that the session uses after the
// statement.
func (r *Result) Graph() string { return r.graph }

// errBreak ends a statement whose caller left the loop over the rows.
var errBreak = errors.New("left the loop")

// Rows yields the rows. A statement that reads runs while they are walked, at
// one snapshot, which is released when the loop ends. Rows can be walked once.
// An error is yielded last.
//
// A row's slice is valid until the next iteration. Its values can be kept, but
// properties of nodes and edges can be read only within the loop.
func (r *Result) Rows() iter.Seq2[[]Value, error] {
	return func(yield func([]Value, error) bool) {
		if r.done {
			return
		}
		defer r.Close()
		n := 0
		err := r.each(func(row []Value) error {
			if n++; n > r.limits.Rows {
				return &LimitError{"rows", rowCount(r.limits.Rows)}
			}
			written, err := r.drawRow(row)
			if err != nil {
				return err
			}
			defer r.share.Shrink(written)
			if !yield(row, nil) {
				return errBreak
			}
			return nil
		})
		if err != nil && err != errBreak {
			yield(nil, err)
		}
	}
}

// largeRow is the size of a row, in bytes, from which what it takes to write it out
// counts: about three times as much as the row itself.
const largeRow = 1 << 20

// drawRow draws what it takes to write a row out, if that is much, and returns it.
func (r *Result) drawRow(row []Value) (int64, error) {
	var n int64
	for _, v := range row {
		n += v.memory()
	}
	if n < largeRow {
		return 0, nil
	}
	return 3 * n, r.draw(3 * n)
}

// each calls fn with each row.
func (r *Result) each(fn func(row []Value) error) error {
	if r.run != nil {
		return r.run(fn)
	}
	for _, row := range r.rows {
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the statement and releases its snapshot. Call it if the rows are
// not walked; a second Close does nothing.
func (r *Result) Close() error {
	if r.done {
		return nil
	}
	r.done = true
	r.elapsed = time.Since(r.started)
	if r.cancel != nil {
		r.cancel()
	}
	if r.session != nil {
		r.session.pages = append(r.session.pages, r.pages...)
		r.pages = nil
	}
	r.share.Close()
	if r.snap != nil {
		return r.snap.Close()
	}
	return nil
}

// Elapsed returns the time from the start of the statement to its end, or until
// now.
func (r *Result) Elapsed() time.Duration {
	if r.done {
		return r.elapsed
	}
	return time.Since(r.started)
}
