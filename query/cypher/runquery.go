package cypher

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// runQuery compiles a query. It also runs it if it writes or is profiled.
func (s *Session) runQuery(x *exec, st *statement) error {
	x.profile = st.Mode == modeProfile
	if b := batchOf(st.Query); b != nil && st.Mode != modeExplain {
		return s.runBatches(x, st, b)
	}
	if st.Mode != modeExplain && s.writesAny(st.Query) {
		return s.runWriting(x, st)
	}
	if err := x.snapshot(false); err != nil {
		return err
	}
	parts, err := s.compileParts(x, st, nil)
	if err != nil {
		return err
	}
	res := x.result
	switch st.Mode {
	case modeExplain:
		return explainParts(x, parts)
	case modeProfile:
		n := 0
		err := runParts(x, st.Query, parts, func([]Value) error { n++; return nil })
		for _, p := range parts {
			res.Plan = append(res.Plan, stepPlans(p.steps))
		}
		return err
	}
	res.Columns = parts[0].columns
	res.run = func(yield func([]Value) error) error {
		return x.final(runParts(x, st.Query, parts, yield))
	}
	return nil
}

// snapshot opens the snapshot of a statement, and the environment of operators.
// It refuses a statement that writes if the environment has a filter.
func (x *exec) snapshot(writes bool) (err error) {
	o := &x.session.opts
	if x.result.snap, err = o.DB.Snapshot(x.ctx); err != nil {
		return err
	}
	x.env = &query.Env{Snap: x.result.snap, Graphs: o.Graphs}
	if o.Query != nil {
		x.env = o.Query(x.result.snap)
	}
	if writes && x.env.Allow != nil {
		return phase.Errorf("%w: a session with a filter only reads", engine.ErrReadOnly)
	}
	return nil
}

// final returns the error that a statement ends with.
func (x *exec) final(err error) error {
	if err == nil {
		return nil
	}
	if ended := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled); ended {
		if limit := x.interrupted(); limit != nil {
			return limit
		}
	}
	return err
}

// writesAny reports whether a query has a clause that writes.
func (s *Session) writesAny(q *regularQuery) bool {
	pl := &planner{registry: s.opts.Procedures}
	for _, p := range q.Parts {
		for _, c := range p.Clauses {
			if pl.writing(c) {
				return true
			}
		}
	}
	return false
}

// writing reports whether a clause writes.
func (pl *planner) writing(c clause) bool {
	switch c := c.(type) {
	case *callClause:
		p := pl.registry.Get(c.Procedure)
		return p != nil && p.Writes
	case *subqueryClause:
		return slices.ContainsFunc(within(c), pl.writing)
	}
	return anyWrites(c)
}

// readyPart is a compiled part of a query with the graph that it reads.
type readyPart struct {
	*compiled
	graph *graph
	view  *engine.View
	tx    *engine.TxView
}

// compileParts compiles the parts of a query. With a transaction they read and
// write in it.
func (s *Session) compileParts(x *exec, st *statement, tx *engine.Tx) ([]*readyPart, error) {
	var parts []*readyPart
	graphs := map[string]*readyPart{}
	use := x.session.use
	for _, p := range st.Query.Parts {
		if p.Use != nil {
			use = p.Use.Graph
		}
		r := &readyPart{}
		if have := graphs[use]; have != nil {
			*r = *have
		} else if err := s.openPart(x, st, p, use, tx, r); err != nil {
			return nil, err
		}
		graphs[use] = r
		stats, err := s.statisticsOf(r.graph)
		if err != nil {
			return nil, err
		}
		reason, err := s.guarded(x.ctx, use)
		if err != nil {
			return nil, err
		}
		if tx == nil && !r.graph.filtered {
			r.graph.shared = stats
		}
		pl := &planner{
			ctx: x.ctx, watch: x.watch, text: st.Text, params: x.params, graph: r.graph, stats: stats,
			notices: &x.result.Notices, registry: s.opts.Procedures, computes: s.opts.Computed != nil && reason != "",
		}
		if tx == nil {
			if err := pl.noticeProperties(p, st.reads[p], s.opts.ComputedNames); err != nil {
				return nil, err
			}
		}
		if r.compiled, err = pl.part(p, &segment{}); err != nil {
			return nil, err
		}
		parts = append(parts, r)
	}
	return parts, nil
}

// openPart opens the graph of a part.
func (s *Session) openPart(x *exec, st *statement, p *singleQuery, use string, tx *engine.Tx, r *readyPart) error {
	g, err := s.openUsed(x.ctx, st.Text, p.Use, use)
	if err != nil {
		return err
	}
	r.view = x.result.snap.Graph(g)
	if r.graph, err = x.graphAt(g); err == nil && tx != nil {
		r.tx = tx.Graph(g)
		r.graph.r, r.graph.all = r.tx, r.tx
	}
	return err
}

// runParts runs the parts of a query and calls yield with each row of the
// result.
func runParts(x *exec, q *regularQuery, parts []*readyPart, yield func([]Value) error) error {
	last := sink{push: func(r row) error { return yield(r) }, done: func() error { return nil }}
	if len(q.All) > 0 && !q.All[0] {
		slots := make([]int, len(parts[0].columns))
		for i := range slots {
			slots[i] = i
		}
		last = (&distinctStep{slots: slots}).open(x, last)
	}
	for _, p := range parts {
		if err := p.run(x, last); err != nil {
			return err
		}
	}
	return nil
}

// run runs a part and pushes the columns of its rows.
func (p *readyPart) run(x *exec, last sink) error {
	x.graph, x.view, x.tx = p.graph, p.view, p.tx
	out := make([]Value, len(p.slots))
	end := sink{
		push: func(r row) error {
			if p.columns == nil {
				return nil
			}
			for i, slot := range p.slots {
				out[i] = r[slot]
			}
			return last.push(out)
		},
		done: func() error { return nil },
	}
	if p.columns != nil && inOrder(p.slots) {
		end.push = func(r row) error { return last.push(r[:len(p.slots):len(p.slots)]) }
	}
	return runSteps(x, p.steps, p.first.row(), end)
}

// inOrder reports whether places are 0, 1, 2 and so on.
func inOrder(slots []int) bool {
	for i, s := range slots {
		if s != i {
			return false
		}
	}
	return true
}

// explainParts sets the plan of a result.
func explainParts(x *exec, parts []*readyPart) error {
	for _, p := range parts {
		x.graph, x.view = p.graph, p.view
		for _, s := range p.steps {
			if c, ok := s.(*callStep); ok {
				if err := c.explain(x.ctx, x, p.first.size()); err != nil {
					return err
				}
			}
		}
		x.result.Plan = append(x.result.Plan, stepPlans(p.steps))
	}
	return nil
}

// rowCount writes a number of rows for people.
func rowCount(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}
