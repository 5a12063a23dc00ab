package cypher

import (
	"github.com/ragdb/ragdb/engine"
)

// write compiles a clause that writes.
func (pl *planner) write(c clause) error {
	switch c := c.(type) {
	case *createClause:
		return pl.create(c)
	case *mergeClause:
		return pl.merge(c)
	case *setClause:
		return pl.set(c)
	case *removeClause:
		return pl.remove(c)
	case *deleteClause:
		return pl.delete(c)
	case *foreachClause:
		return pl.foreach(c)
	}
	return phase.Mark(engine.ErrInvalid, "unknown clause %T", c)
}

// annotates reports whether all that a part writes are properties of nodes, by
// procedures.
func (s *Session) annotates(p *singleQuery) bool {
	pl := &planner{registry: s.opts.Procedures}
	for _, c := range p.Clauses {
		call, ok := c.(*callClause)
		if pl.writing(c) && !(ok && pl.registry.Get(call.Procedure).Annotates) {
			return false
		}
	}
	return true
}

// runWriting runs a query that writes in one transaction, which is committed
// wholly or not at all. It keeps the rows.
func (s *Session) runWriting(x *exec, st *statement) error {
	// Graphs are opened, and the base graph made, before there is a writer.
	use := s.use
	for _, p := range st.Query.Parts {
		g, err := s.openUsed(x.ctx, st.Text, p.Use, use)
		if err != nil {
			return err
		}
		use = g.Name()
		if s.writesAny(&regularQuery{Parts: []*singleQuery{p}}) {
			if err := s.writable(x.ctx, g, s.annotates(p)); err != nil {
				return err
			}
		}
	}
	res := x.result
	if err := x.snapshot(true); err != nil {
		return err
	}
	var parts []*readyPart
	err := s.opts.DB.Update(x.ctx, func(tx *engine.Tx) (err error) {
		x.epoch = tx.Epoch()
		if parts, err = s.compileParts(x, st, tx); err != nil {
			return err
		}
		for _, p := range parts {
			p.graph.writes = true
		}
		return runParts(x, st.Query, parts, func(row []Value) error {
			if len(res.rows) == res.limits.Rows {
				return &LimitError{"rows", rowCount(res.limits.Rows)}
			}
			kept, err := x.keep(row)
			if !x.profile {
				res.rows = append(res.rows, kept)
			}
			return err
		})
	})
	if err != nil {
		res.rows = nil
		return err
	}
	// What the rows hold is read from the state that the commit left.
	if err := res.snap.Close(); err != nil {
		return err
	}
	if err := x.snapshot(true); err != nil {
		return err
	}
	for _, p := range parts {
		v := res.snap.Graph(p.graph.g)
		p.graph.r, p.graph.all = v, v
		p.graph.changed()
		if x.profile {
			res.Plan = append(res.Plan, stepPlans(p.steps))
		}
	}
	if !x.profile {
		res.Columns = parts[0].columns
	}
	return nil
}
