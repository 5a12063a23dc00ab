package cypher

import "slices"

// subquery is a compiled query that runs for each row of another.
type subquery struct {
	parts    []*subqueryPart
	columns  []string // nil if it returns nothing
	distinct bool     // UNION without ALL
	carried  *carried
	from     []int // places of the carried values in the outer row
}

// subqueryPart is a part of a subquery.
type subqueryPart struct {
	*compiled
	from []int // places of the first row's values in the outer row
	row  row
}

// subquery compiles a query that stands in a clause or an expression with a scope. Names
// are the variables of the scope that it sees: with carry in all its clauses, else only
// in a part that begins with a WITH of them.
func (pl *planner) subquery(outer *scope, q *regularQuery, names []string, carry bool) (*subquery, error) {
	s := &subquery{distinct: len(q.All) > 0 && !q.All[0]}
	shown := pl.shown
	inner := *pl
	inner.carried = nil
	inner.shown = &[]*PlanStep{}
	if carry {
		s.carried = &carried{names: names, values: make([]Value, len(names))}
		inner.carried = s.carried
		s.from = places(outer, names)
	}
	for _, p := range q.Parts {
		sees := names
		if !carry {
			of, star, imports := importsOf(p)
			switch {
			case !imports:
				sees = nil
			case !star:
				sees = of
			}
		}
		first := &segment{}
		for _, name := range sees {
			first.add(name)
		}
		part := &subqueryPart{from: places(outer, sees)}
		c, err := inner.part(p, first)
		if err != nil {
			return nil, err
		}
		part.compiled = c
		s.parts = append(s.parts, part)
	}
	s.columns = s.parts[0].columns
	pl.shown = shown
	return s, nil
}

// places returns the places of variables of a scope.
func places(s *scope, names []string) []int {
	out := make([]int, len(names))
	for i, name := range names {
		out[i], _ = s.slot(name)
	}
	return out
}

// plans returns the plans of all parts.
func (s *subquery) plans() []*PlanStep {
	var out []*PlanStep
	for _, p := range s.parts {
		out = append(out, stepPlans(p.steps)...)
	}
	return out
}

// run runs the query for a row and calls yield with the columns of each of its rows until
// that returns an error; errEnough ends the run without one.
func (s *subquery) run(x *exec, r row, yield func(row) error) error {
	held := x.held
	defer func() { x.held = held }()
	at := func(i int) Value {
		if i < len(r) {
			return r[i]
		}
		return Null
	}
	if s.carried != nil {
		for i, from := range s.from {
			s.carried.values[i] = at(from)
		}
	}
	last := sink{push: yield, done: func() error { return nil }}
	if s.distinct {
		slots := make([]int, len(s.columns))
		for i := range slots {
			slots[i] = i
		}
		last = (&distinctStep{slots: slots}).open(x, last)
	}
	for _, p := range s.parts {
		if p.row == nil {
			p.row = p.first.row()
		}
		clear(p.row)
		for i, from := range p.from {
			p.row[i] = at(from)
		}
		ended := false
		end := sink{done: func() error { return nil }}
		out := make([]Value, len(p.slots))
		end.push = func(r row) error {
			for i, slot := range p.slots {
				out[i] = r[slot]
			}
			err := last.push(out)
			ended = ended || err == errEnough
			return err
		}
		if err := runSteps(x, p.steps, p.row, end); err != nil || ended {
			return err
		}
	}
	return nil
}

// queryOf compiles a query in an expression, which sees all variables.
func (pl *planner) queryOf(c *compiler, e *queryExpr) (*subquery, error) {
	used := map[string]bool{}
	variablesOf(e, used)
	var names []string
	for _, name := range c.scope.all() {
		if (used[name] || usesAll(e.Query)) && shownName(name) != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	s, err := pl.subquery(c.scope, e.Query, names, true)
	if err == nil {
		step := &PlanStep{Name: e.Kind.String(), Estimate: -1, Inner: s.plans()}
		if pl.shown != nil {
			*pl.shown = append(*pl.shown, step)
		}
	}
	return s, err
}

// usesAll reports whether a query names variables by a star.
func usesAll(q *regularQuery) bool {
	return slices.ContainsFunc(q.clauses(), usesStar)
}

func usesStar(c clause) bool {
	switch c := c.(type) {
	case *projection:
		return c.Star
	case *subqueryClause:
		return c.All || usesAll(c.Query)
	}
	return false
}

// queryExpr compiles EXISTS, COUNT or COLLECT { query }.
func (c *compiler) queryExpr(e *queryExpr) evaluator {
	s, err := c.query(c, e)
	if err != nil {
		return c.fail(err)
	}
	switch e.Kind {
	case queryExists:
		return func(x *exec, r row) (Value, error) {
			found := false
			err := s.run(x, r, func(row) error {
				found = true
				return errEnough
			})
			return Bool(found), err
		}
	case queryCount:
		return func(x *exec, r row) (Value, error) {
			n := int64(0)
			err := s.run(x, r, func(row) error {
				n++
				return x.step()
			})
			return Int(n), err
		}
	}
	c.builds = true
	return func(x *exec, r row) (Value, error) {
		var list []Value
		err := s.run(x, r, func(r row) error {
			list = append(list, r[0])
			return x.charge(e.Pos, r[0].memory())
		})
		return ListOf(list), err
	}
}

// callQuery compiles CALL { query }.
func (pl *planner) callQuery(c *subqueryClause) error {
	var names []string
	for _, v := range c.Imports {
		names = append(names, v.Name)
	}
	if c.All || !c.Scoped {
		names = pl.visible()
	}
	sub, err := pl.subquery(&pl.scope.scope, c.Query, names, c.Scoped)
	if err != nil {
		return err
	}
	s := &callQuery{sub: sub, optional: c.Optional, from: pl.scope.size()}
	for _, name := range sub.columns {
		s.slots = append(s.slots, pl.scope.add(name))
	}
	s.to = pl.scope.size()
	s.describe("CallQuery", names...)
	if !c.Scoped {
		s.describe("CallQuery")
	}
	s.Inner = sub.plans()
	if c.Batch == nil {
		pl.add(s)
		return nil
	}
	b := &batchStep{callQuery: s, rows: defaultBatch}
	if c.Batch.Rows != nil {
		if b.size, err = pl.bound(c.Batch.Rows, "IN TRANSACTIONS OF"); err != nil {
			return err
		}
	}
	b.describe("CallQueryInTransactions", s.Args...)
	b.Inner = s.Inner
	pl.add(b)
	return nil
}

// callQuery runs a query for each row. If it returns nothing, the row passes once.
type callQuery struct {
	planned
	sub      *subquery
	optional bool
	slots    []int // of the columns
	from, to int   // places of the columns
}

func (s *callQuery) open(x *exec, next sink) sink {
	return stream(next, func(r row) error { return s.call(x, r, next.push) })
}

// call runs the query for a row and pushes what comes of it.
func (s *callQuery) call(x *exec, r row, push func(row) error) error {
	if err := x.tick(); err != nil {
		return err
	}
	var stopped error
	found := false
	err := s.sub.run(x, r, func(out row) error {
		if found = true; s.sub.columns == nil {
			return nil
		}
		for i, slot := range s.slots {
			r[slot] = out[i]
		}
		stopped = push(r)
		return stopped
	})
	if stopped != nil {
		return stopped
	}
	if err != nil {
		return err
	}
	if s.sub.columns == nil || s.optional && !found {
		clear(r[s.from:s.to])
		return push(r)
	}
	return nil
}
