package cypher

import (
	"context"
	"fmt"
	"slices"
)

// planner turns the clauses of a statement into steps.
type planner struct {
	ctx      context.Context
	watch    *watch
	text     string
	params   map[string]Value
	graph    *graph
	stats    *statistics
	registry *Registry
	// computes is set if nodes have properties that no index knows.
	computes bool
	// writes is set if the part has clauses that write.
	writes bool

	// notices are those of the result, nil for none.
	notices *[]string

	uses  *usage
	scope *segment
	steps []step
	// carried are the variables from around the query at hand, nil for none.
	carried *carried
	// shown are the plans of the queries within the expression that is compiled.
	shown *[]*PlanStep
}

// compiler returns the compiler of expressions in the scope.
func (pl *planner) compiler() *compiler {
	return &compiler{text: pl.text, scope: &pl.scope.scope, pattern: pl.matcher, query: pl.queryOf, watch: pl.watch, graph: pl.graph}
}

// expr compiles an expression in the scope.
func (pl *planner) expr(e expr) (evaluator, error) { return pl.compiler().expr(e) }

// compiled is a part of a query that is ready to run. Its steps turn one empty
// row into the rows of the result.
type compiled struct {
	first   *segment // of the row that goes in
	steps   []step
	columns []string // nil if the part returns nothing
	slots   []int    // of the columns
}

// part compiles the clauses of one part of a query, whose first row has the places of
// first.
func (pl *planner) part(p *singleQuery, first *segment) (*compiled, error) {
	pl.uses = usageOf(p.Clauses)
	pl.scope = first
	pl.steps = nil
	if pl.shown == nil {
		pl.shown = &[]*PlanStep{}
	}
	pl.writes = slices.ContainsFunc(p.Clauses, pl.writing)
	c := &compiled{first: pl.scope}
	one := true // each clause gets one row at most
	for i, clause := range p.Clauses {
		last := i == len(p.Clauses)-1
		if err := pl.watch.now(); err != nil {
			return nil, err
		}
		if set, ok := clause.(*setClause); ok && pl.joins(set) {
			continue
		}
		if pl.writes && i > 0 && (pl.writing(clause) || pl.writing(p.Clauses[i-1])) {
			if !one || !keepsOne(p.Clauses[i-1]) {
				pl.eager()
			}
			one = one && keepsOne(p.Clauses[i-1])
		}
		one = one && (pl.writing(clause) || keepsOne(clause))
		var err error
		switch clause := clause.(type) {
		case *matchClause:
			err = pl.match(clause)
		case *unwindClause:
			err = pl.unwind(clause)
		case *projection:
			items := pl.columns(clause)
			err = pl.project(clause)
			if clause.Return {
				for i, it := range items {
					c.columns = append(c.columns, it.Name)
					c.slots = append(c.slots, i)
				}
			}
		case *callClause:
			err = pl.call(clause, last && len(p.Clauses) == 1)
			if last && len(p.Clauses) == 1 {
				c.columns = pl.visible()
				c.slots = places(&pl.scope.scope, c.columns)
			}
		case *subqueryClause:
			err = pl.callQuery(clause)
		case *loadClause:
			err = pl.load(clause)
		default:
			err = pl.write(clause)
		}
		if err != nil {
			return nil, err
		}
	}
	c.steps = pl.steps
	return c, nil
}

// keepsOne reports whether a clause that gets one row makes one at most, and has
// done all that it does when it passes it on.
func keepsOne(c clause) bool {
	switch c := c.(type) {
	case *createClause, *setClause, *removeClause, *projection:
		return true
	case *mergeClause: // a key is that of one node
		props, ok := c.Pattern.Nodes[0].Props.(*mapLit)
		return ok && len(c.Pattern.Nodes) == 1 && c.Pattern.Nodes[0].Labels != nil && c.Pattern.Nodes[0].Labels.Op == labelName && slices.Contains(props.Keys, propKey)
	}
	return false
}

// visible returns the variables of the scope that a query can name, in order.
func (pl *planner) visible() []string {
	var out []string
	for _, name := range pl.scope.all() {
		if shownName(name) != "" {
			out = append(out, name)
		}
	}
	return out
}

// add appends steps. The queries in their expressions belong to the first of them.
func (pl *planner) add(steps ...step) {
	pl.steps = append(pl.steps, steps...)
	if len(steps) > 0 {
		pl.show(steps[0])
	}
}

// show adds the plans of the queries that were just compiled to a step's.
func (pl *planner) show(s step) {
	if pl.shown != nil && len(*pl.shown) > 0 {
		s.plan().Inner = append(s.plan().Inner, *pl.shown...)
		*pl.shown = nil
	}
}

// match compiles MATCH and OPTIONAL MATCH.
func (pl *planner) match(m *matchClause) error {
	before := pl.scope.size()
	steps, err := pl.planMatch(m.Patterns, m.Where)
	if err != nil {
		return err
	}
	if !m.Optional {
		pl.add(steps...)
		return nil
	}
	o := &optional{steps: steps, from: before, to: pl.scope.size()}
	o.describe("Optional")
	o.Inner = stepPlans(steps)
	pl.add(o)
	return nil
}

// matcher compiles patterns that stand in an expression; see
// [compiler.pattern]. Their variables have places behind those of the scope
// that the expression is compiled in.
func (pl *planner) matcher(c *compiler, patterns []*pattern, where expr) (patternMatcher, error) {
	inner := *pl
	inner.scope = &segment{*c.scope.fork()}
	inner.steps = nil
	outer := c.scope.size()
	steps, err := inner.planMatch(patterns, where)
	if err != nil {
		return patternMatcher{}, err
	}
	m := &correlated{steps: steps, scope: inner.scope, outer: outer}
	return patternMatcher{scope: &inner.scope.scope, match: m.match}, nil
}

// correlated is a pattern that is matched for each row of an expression.
type correlated struct {
	steps []step
	scope *segment
	outer int // places of the row that it is matched for

	in    sink // once it is open
	row   row
	found func(r row) (bool, error)
}

// match calls found with a row for each match, until it returns false.
func (m *correlated) match(x *exec, r row, found func(r row) (bool, error)) error {
	if m.in.push == nil {
		m.row = m.scope.row()
		m.in = openSteps(x, m.steps, sink{
			push: func(r row) error {
				more, err := m.found(r)
				if err == nil && !more {
					err = errEnough
				}
				return err
			},
			done: func() error { return nil },
		})
	}
	copy(m.row, r[:min(len(r), m.outer)])
	m.found = found
	return enough(m.in.push(m.row))
}

// optional lets a row pass with null for the variables of a pattern that does
// not match.
type optional struct {
	planned
	steps    []step
	from, to int // places of the variables
}

func (o *optional) open(x *exec, next sink) sink {
	found := false
	inner := openSteps(x, o.steps, sink{
		push: func(r row) error {
			found = true
			return next.push(r)
		},
		done: func() error { return nil },
	})
	return stream(next, func(r row) error {
		found = false
		if err := inner.push(r); err != nil || found {
			return err
		}
		clear(r[o.from:o.to])
		return next.push(r)
	})
}

// unwind compiles UNWIND.
func (pl *planner) unwind(u *unwindClause) error {
	list, err := pl.expr(u.List)
	if err != nil {
		return err
	}
	s := &unwindStep{at: u.List.At(), list: list, slot: pl.scope.add(u.Variable)}
	s.describe("Unwind", shownExpr(u.List)+" AS "+u.Variable)
	pl.add(s)
	return nil
}

// unwindStep makes a row of each element of a list. It makes one row of another
// value, and none of null.
type unwindStep struct {
	planned
	at   Pos
	list evaluator
	slot int
}

func (u *unwindStep) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		v, err := u.list(x, r)
		if err != nil {
			return err
		}
		switch v.kind {
		case KindNull:
			return nil
		case KindList:
		default:
			r[u.slot] = v
			return next.push(r)
		}
		carried, err := x.carry(row{v}, []int{0})
		defer func() { x.carried -= carried }()
		if err != nil {
			return err
		}
		for _, item := range v.AsList() {
			if err := x.tick(); err != nil {
				return err
			}
			r[u.slot] = item
			if err := next.push(r); err != nil {
				return err
			}
		}
		return nil
	})
}

// unknownProcedure returns the error for a CALL of an unknown procedure.
func (pl *planner) unknownProcedure(c *callClause) error {
	msg := fmt.Sprintf("there is no procedure %s", c.Procedure)
	if near := pl.registry.near(c.Procedure); near != "" {
		msg += "; did you mean " + near + "?"
	} else {
		msg += "; CALL db.procedures() lists those that there are"
	}
	at := min(int(c.Pos)+len("CALL "), len(pl.text))
	return newSyntaxError(pl.text, at, min(at+len(c.Procedure), len(pl.text)), "ProcedureNotFound", msg)
}
