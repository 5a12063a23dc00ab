package cypher

import (
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/engine"
)

// defaultBatch is how many rows a transaction of CALL { } IN TRANSACTIONS takes.
const defaultBatch = 1000

// batchOf returns the clause CALL { } IN TRANSACTIONS of a query, nil for none.
func batchOf(q *regularQuery) *subqueryClause {
	for _, c := range q.clauses() {
		if s, ok := c.(*subqueryClause); ok && s.Batch != nil {
			return s
		}
	}
	return nil
}

// checkBatches refuses a query with CALL { } IN TRANSACTIONS that has another such clause,
// a UNION, or clauses that write outside of it.
func (s *Session) checkBatches(st *statement, batch *subqueryClause) error {
	if len(st.Query.Parts) > 1 {
		return refuse(st.Text, batch.Pos, "UNION with CALL { } IN TRANSACTIONS")
	}
	pl := &planner{registry: s.opts.Procedures}
	for _, c := range st.Query.Parts[0].Clauses {
		if other, ok := c.(*subqueryClause); ok && other.Batch != nil && other != batch {
			return refuse(st.Text, other.Pos, "two CALL { } IN TRANSACTIONS in one statement")
		}
		if c != clause(batch) && pl.writing(c) {
			return refuse(st.Text, c.At(), "a clause that writes beside CALL { } IN TRANSACTIONS")
		}
	}
	return nil
}

// runBatches runs a query with CALL { } IN TRANSACTIONS: its batches are committed one by
// one while it runs. It keeps the rows.
func (s *Session) runBatches(x *exec, st *statement, batch *subqueryClause) error {
	if err := s.checkBatches(st, batch); err != nil {
		return err
	}
	p := st.Query.Parts[0]
	g, err := s.openUsed(x.ctx, st.Text, p.Use, s.use)
	if err != nil {
		return err
	}
	if err := s.writable(x.ctx, g, s.annotates(p)); err != nil {
		return err
	}
	res := x.result
	if err := x.snapshot(true); err != nil {
		return err
	}
	parts, err := s.compileParts(x, st, nil)
	if err != nil {
		return err
	}
	part := parts[0]
	part.graph.writes, part.graph.shared = true, nil
	for _, step := range part.steps {
		if b, ok := step.(*batchStep); ok {
			b.part = part
		}
	}
	err = runParts(x, st.Query, parts, func(row []Value) error {
		if len(res.rows) == res.limits.Rows {
			return &LimitError{"rows", rowCount(res.limits.Rows)}
		}
		kept, err := x.keep(row)
		if !x.profile {
			res.rows = append(res.rows, kept)
		}
		return err
	})
	if err != nil {
		res.rows = nil
		return err
	}
	if x.profile {
		res.Plan = append(res.Plan, stepPlans(part.steps))
	} else {
		res.Columns = part.columns
	}
	return nil
}

// stays adds to an error of the statement how much of it stays committed.
func (x *exec) stays(err error) error {
	if x.batches == 0 {
		return err
	}
	note := fmt.Sprintf("%s of CALL IN TRANSACTIONS before it stay committed", count(x.batches, "transaction"))
	if x.batches == 1 {
		note = "1 transaction of CALL IN TRANSACTIONS before it stays committed"
	}
	var eval *EvalError
	if errors.As(err, &eval) {
		with := *eval
		with.Message += "; " + note
		return &with
	}
	return phase.Errorf("%w; %s", err, note)
}

// batchStep runs a query for each row, and commits after some rows. The rows before it
// have all come before the first transaction begins.
type batchStep struct {
	*callQuery
	rows int64     // of a transaction
	size *rowBound // nil for the default
	part *readyPart
}

func (b *batchStep) open(x *exec, next sink) sink {
	var rows chunks[row]
	push := func(r row) error {
		kept, err := x.keep(r)
		rows.add(kept)
		return err
	}
	done := func() error {
		if b.size != nil {
			n, err := b.size.rows(x)
			if err != nil {
				return err
			}
			if b.rows = n; n < 1 {
				return argumentError(b.size.at, "a transaction is of one row at least")
			}
		}
		var batch []row
		err := rows.each(x, func(r row) error {
			if batch = append(batch, r); int64(len(batch)) < b.rows {
				return nil
			}
			err := b.commit(x, batch, next)
			batch = batch[:0]
			return err
		})
		if err == nil && len(batch) > 0 {
			err = b.commit(x, batch, next)
		}
		if err = enough(err); err != nil {
			return err
		}
		return next.done()
	}
	return sink{push, done}
}

// commit runs the query for some rows in a transaction, and passes on what came of them.
func (b *batchStep) commit(x *exec, batch []row, next sink) error {
	if b.part == nil {
		return phase.Mark(engine.ErrInvalid, "CALL { } IN TRANSACTIONS cannot stand here")
	}
	g := b.part.graph
	counts, kept := x.result.Counts, int64(0)
	var out []row
	err := x.session.opts.DB.Update(x.ctx, func(tx *engine.Tx) error {
		x.epoch = tx.Epoch()
		x.tx = tx.Graph(g.g)
		g.r, g.all = x.tx, x.tx
		g.changed()
		for _, r := range batch {
			err := b.call(x, r, func(r row) error {
				before := x.held
				one, err := x.keep(r)
				out = append(out, one)
				kept += x.held - before
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	x.tx = nil
	if err != nil {
		x.result.Counts = counts
	} else {
		x.batches++
	}
	if again := b.refresh(x); again != nil && err == nil {
		err = again
	}
	if err != nil {
		return err
	}
	for _, r := range out {
		if err := next.push(r); err != nil {
			return err
		}
	}
	x.held -= kept
	return nil
}

// refresh moves the statement to the state that the last commit left.
func (b *batchStep) refresh(x *exec) error {
	if err := x.result.snap.Close(); err != nil {
		return err
	}
	if err := x.snapshot(true); err != nil {
		return err
	}
	g := b.part.graph
	v := x.result.snap.Graph(g.g)
	b.part.view, x.view = v, v
	g.r, g.all = v, v
	g.changed()
	return nil
}
