package cypher

import "strings"

// countable is a step that can count its rows without making them.
type countable interface {
	step
	// counting makes the step push each row once, with the number of rows that
	// it stands for in exec.times. It reports whether the step can do so, and
	// the place that it then leaves unset.
	counting() (slot int, ok bool)
}

// countRows lets the last step count its rows if the grouping only counts them:
// every aggregate is count(*) or count of a variable that the step binds, and
// no key uses that variable.
func (pl *planner) countRows(g *grouping, s *groupStep) {
	if len(pl.steps) == 0 || len(g.calls) == 0 || pl.writes {
		return
	}
	last, ok := pl.steps[len(pl.steps)-1].(countable)
	if !ok {
		return
	}
	slot, ok := last.counting()
	if !ok {
		return
	}
	name := pl.scope.all()[slot]
	for _, c := range g.calls {
		counted, isVariable := &variable{}, false
		if len(c.call.Args) == 1 {
			counted, isVariable = c.call.Args[0].(*variable)
		}
		if !strings.EqualFold(c.call.Name, "count") || c.call.Distinct || !c.call.Star && !(isVariable && counted.Name == name) {
			return
		}
	}
	names := map[string]bool{}
	for _, k := range g.keys {
		variablesOf(k.expr, names)
	}
	if names[name] {
		return
	}
	s.times = true
	switch last := last.(type) {
	case *expand:
		last.count = true
		last.describe("CountEdges", last.Args...)
	case *scan:
		last.count = true
		last.describe("CountNodes", last.Args...)
	}
}

func (e *expand) counting() (int, bool) {
	return e.to, !e.into && e.edge < 0 && e.label.labels == nil
}

func (s *scan) counting() (int, bool) { return s.slot, true }

// pushTimes pushes a row that stands for n.
func (x *exec) pushTimes(n int64, r row, next sink) error {
	if n == 0 {
		return nil
	}
	x.times = n
	return next.push(r)
}
