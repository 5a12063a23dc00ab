package cypher

import (
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// countRows lets steps count rows instead of making them if the grouping only counts
// them: every aggregate is count(*) or count of a node that a step binds. The last
// step counts if no key uses its node, and so does the way to the first node if
// nothing but it names that node.
func (pl *planner) countRows(g *grouping, s *groupStep) error {
	if len(pl.steps) == 0 || len(g.calls) == 0 || pl.writes {
		return nil
	}
	c := &counting{pl: pl, rows: new(int64), keys: map[string]bool{}, names: pl.scope.all()}
	for _, call := range g.calls {
		if !c.counts(call.call) {
			return nil
		}
	}
	for _, k := range g.keys {
		variablesOf(k.expr, c.keys)
	}
	c.last()
	if err := c.first(); err != nil {
		return err
	}
	if c.found {
		s.rows = c.rows
	}
	return nil
}

// counting turns steps whose rows are only counted into such that count them.
type counting struct {
	pl    *planner
	rows  *int64          // how many rows the one at hand stands for
	names []string        // of variables, by place
	keys  map[string]bool // variables in the keys of the grouping
	found bool            // a step counts
}

// counts reports whether an aggregate counts every row.
func (c *counting) counts(f *funcCall) bool {
	if !strings.EqualFold(f.Name, "count") || f.Distinct {
		return false
	}
	if f.Star {
		return true
	}
	v, ok := f.Args[0].(*variable)
	if !ok {
		return false
	}
	for i := len(c.pl.steps) - 1; i >= 0; i-- {
		switch s := c.pl.steps[i].(type) {
		case *scan:
			ok = c.names[s.slot] == v.Name
		case *expand:
			ok = c.names[s.to] == v.Name
		case *edgeScan:
			return c.names[s.from] == v.Name || c.names[s.to] == v.Name || s.edge >= 0 && c.names[s.edge] == v.Name
		case *filter:
			continue
		default:
			return false
		}
		if ok {
			return true
		}
	}
	return false
}

// last lets the last step count.
func (c *counting) last() {
	at := len(c.pl.steps) - 1
	switch s := c.pl.steps[at].(type) {
	case *scan:
		if !c.keys[c.names[s.slot]] {
			s.rows, c.found = c.rows, true
			s.describe("CountNodes", s.Args...)
		}
	case *expand:
		if !s.into && s.edge < 0 && !c.keys[c.names[s.to]] {
			count := &countEdges{hop: s.hop, rows: c.rows}
			count.PlanStep = s.PlanStep
			count.describe("CountEdges", s.Args...)
			if at > 0 {
				before, ok := c.pl.steps[at-1].(*scan)
				count.many = ok && len(before.test.values) == 0
			}
			c.pl.steps[at], c.found = count, true
		}
	case *edgeScan:
		if !c.keys[c.names[s.from]] && !c.keys[c.names[s.to]] && (s.edge < 0 || !c.keys[c.names[s.edge]]) {
			s.rows, c.found = c.rows, true
			s.describe("CountEdgeScan", s.Args...)
		}
	}
}

// turnsFor is how many edges a node must save if conditions select the nodes at the
// other end.
const turnsFor = 4

// first begins with the second node instead of the first and counts the edges
// between the two, if that makes fewer rows.
func (c *counting) first() error {
	steps := c.pl.steps
	if len(steps) < 2 || !matchesOnly(steps) {
		return nil
	}
	from, ok := steps[0].(*scan)
	over, also := steps[1].(*expand)
	if !ok || !also || over.from != from.slot || over.into || over.edge >= 0 || len(over.others) > 0 || c.keys[c.names[from.slot]] {
		return nil
	}
	nodes, err := c.pl.stats.count(c.pl.graph, over.label.labels)
	if err != nil || nodes > over.edges || len(from.test.values) > 0 && turnsFor*nodes > over.edges {
		return err
	}
	count := &countEdges{hop: over.turned(&from.test), rows: c.rows, many: len(over.label.values) == 0}
	for i, s := range steps[2:] {
		if !c.without(s, count, i == len(steps)-3) {
			return nil
		}
	}
	e := over.pattern.edges[over.place]
	at := e.from
	if over.pattern.nodes[at].slot != over.to {
		at = e.to
	}
	begin := &scan{slot: over.to, test: over.label.fresh()}
	begin.show(c.names[over.to])
	begin.Estimate = nodes
	begin.Args = append(begin.Args, over.Args[1:]...)
	count.describe("CountEdges", append([]string{over.pattern.hopText(at, e, e.from+e.to-at)}, from.Args[1:]...)...)
	steps[0], steps[1], c.found = begin, count, true
	return nil
}

// matchesOnly reports whether no step makes new columns: else the places of the first
// steps are not those of the variables at hand.
func matchesOnly(steps []step) bool {
	for _, s := range steps {
		switch s.(type) {
		case *scan, *expand, *filter, *countEdges:
		default:
			return false
		}
	}
	return true
}

// without reports whether a step does its work if the edges to a node are only
// counted. If it is the last, it may count edges of the same node, which may be the
// same ones.
func (c *counting) without(s step, count *countEdges, last bool) bool {
	switch s := s.(type) {
	case *filter:
		return !s.names[c.names[count.to]] && !s.volatile
	case *expand:
		return s.from != count.to && s.to != count.to && !slices.Contains(s.others, count.place)
	case *countEdges:
		if s.from == count.to || s.to == count.to {
			return false
		}
		if slices.Contains(s.others, count.place) {
			if !last || s.from != count.from {
				return false
			}
			s.beside = count
		}
		return true
	}
	return false
}

// turned returns the hop in the other direction, to a node that passes a test.
func (h *hop) turned(to *nodeTest) hop {
	t := *h
	t.from, t.to, t.label = h.to, h.from, to.fresh()
	switch h.test.dir {
	case engine.Out:
		t.test.dir = engine.In
	case engine.In:
		t.test.dir = engine.Out
	}
	return t
}
