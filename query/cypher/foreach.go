package cypher

// foreach compiles FOREACH (variable IN list | clauses).
func (pl *planner) foreach(f *foreachClause) error {
	list, err := pl.expr(f.List)
	if err != nil {
		return err
	}
	s := &foreachStep{list: list, outer: pl.scope.size()}
	inner := *pl
	inner.scope = &segment{*pl.scope.fork()}
	inner.steps = nil
	s.slot = inner.scope.add(f.Variable)
	for _, c := range f.Clauses {
		if err := inner.write(c); err != nil {
			return err
		}
	}
	s.steps, s.scope = inner.steps, inner.scope
	s.describe("Foreach", shownName(f.Variable)+" IN "+shownExpr(f.List))
	s.Inner = stepPlans(s.steps)
	pl.add(s)
	return nil
}

// foreachStep runs clauses that write for each element of a list, and passes its rows on.
// Null is an empty list, and another value a list of itself.
type foreachStep struct {
	planned
	list  evaluator
	outer int // places of the row outside
	slot  int // of the element
	scope *segment
	steps []step
}

func (s *foreachStep) open(x *exec, next sink) sink {
	in := s.scope.row()
	return stream(next, func(r row) error {
		v, err := s.list(x, r)
		if err != nil {
			return err
		}
		var items []Value
		switch v.kind {
		case KindNull:
		case KindList:
			items = v.AsList()
		default:
			items = []Value{v}
		}
		for _, item := range items {
			if err := x.tick(); err != nil {
				return err
			}
			clear(in)
			copy(in, r[:min(len(r), s.outer)])
			in[s.slot] = item
			if err := runSteps(x, s.steps, in, sink{push: func(row) error { return nil }, done: func() error { return nil }}); err != nil {
				return err
			}
		}
		return next.push(r)
	})
}
