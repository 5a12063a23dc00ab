package cypher

import "strings"

// group compiles the grouping of a projection with aggregates. Afterwards the
// scope is that of the groups.
func (pl *planner) group(g *grouping) error {
	s := &groupStep{out: &segment{}}
	var shown []string
	for _, k := range g.keys {
		ev, err := pl.expr(k.expr)
		if err != nil {
			return err
		}
		s.keys = append(s.keys, ev)
		s.out.add(k.name)
		shown = append(shown, shownExpr(k.expr))
	}
	for _, c := range g.calls {
		a, err := pl.compiler().aggregation(c.call)
		if err != nil {
			return err
		}
		s.calls = append(s.calls, a)
		s.grows = append(s.grows, growing(c.call))
		s.out.add(c.name)
		shown = append(shown, shownExpr(c.call))
	}
	s.carried = pl.carried.into(s.out)
	s.describe("Group", strings.Join(shown, ", "))
	if err := pl.countRows(g, s); err != nil {
		return err
	}
	pl.add(s)
	pl.scope = s.out
	return nil
}

// growing reports whether an aggregate holds more with every row.
func growing(f *funcCall) bool {
	name := strings.ToLower(f.Name)
	return f.Distinct || name == "collect" || strings.HasPrefix(name, "percentile")
}

// groupStep puts rows together that agree in their keys, and aggregates them.
// Groups are in the order in which they came to be.
type groupStep struct {
	planned
	keys  []evaluator
	calls []*aggregation
	grows []bool // which calls do
	rows  *int64 // if the calls count rows, how many the one at hand stands for; else nil
	out   *segment
	// carried are the variables from around the query, which every row has.
	carried carriedPlaces
}

// rowGroup is the rows of one key.
type rowGroup struct {
	keys []Value
	aggs []aggregator
}

// groupBytes estimates the bytes of a group, and of each of its aggregates,
// without its keys.
const groupBytes = 128

func (s *groupStep) open(x *exec, next sink) sink {
	g := &groups{groupStep: s, x: x, byKey: map[string]*rowGroup{}, keys: make([]Value, len(s.keys))}
	return sink{push: g.push, done: func() error { return g.emit(next) }}
}

// groups are the groups of one run.
type groups struct {
	*groupStep
	x     *exec
	byKey map[string]*rowGroup
	order []*rowGroup
	keys  []Value // of the row at hand
	buf   []byte
}

// find returns the group of the current keys. If it is new, the row begins it.
func (g *groups) find(r row) (*rowGroup, error) {
	if len(g.keys) == 0 && len(g.order) > 0 {
		return g.order[0], nil
	}
	g.buf = g.buf[:0]
	for _, k := range g.keys {
		g.buf = k.appendKey(g.buf)
	}
	if have := g.byKey[string(g.buf)]; have != nil {
		return have, nil
	}
	kept, err := g.x.keep(g.keys)
	if err != nil {
		return nil, err
	}
	if err := g.x.hold(int64(len(g.buf)) + groupBytes*int64(1+len(g.calls))); err != nil {
		return nil, err
	}
	one := &rowGroup{keys: kept}
	for _, c := range g.calls {
		a, err := c.begin(g.x, r)
		if err != nil {
			return nil, err
		}
		one.aggs = append(one.aggs, a)
	}
	g.byKey[string(g.buf)] = one
	g.order = append(g.order, one)
	return one, nil
}

func (g *groups) push(r row) error {
	if err := g.x.tick(); err != nil {
		return err
	}
	if err := evaluate(g.x, r, g.groupStep.keys, g.keys); err != nil {
		return err
	}
	for _, key := range g.keys {
		if err := g.x.work(key.weight()); err != nil {
			return err
		}
	}
	one, err := g.find(r)
	if err != nil {
		return err
	}
	for i, c := range g.calls {
		a := one.aggs[i]
		if n, ok := a.(*countAggregator); ok && g.rows != nil {
			*n += countAggregator(*g.rows)
			continue
		}
		before := int64(0)
		if g.grows[i] {
			before = a.bytes()
		}
		if err := c.feed(g.x, r, a); err != nil {
			return err
		}
		if g.grows[i] {
			if err := g.x.hold(a.bytes() - before); err != nil {
				return err
			}
		}
	}
	return nil
}

// emit makes a row of each group. Without keys there is one, if of no rows.
func (g *groups) emit(next sink) error {
	if len(g.keys) == 0 {
		if _, err := g.find(nil); err != nil {
			return err
		}
	}
	out := g.out.row()
	g.carried.fill(out)
	for _, one := range g.order {
		if err := g.x.tick(); err != nil {
			return err
		}
		n := copy(out, one.keys)
		for i, a := range one.aggs {
			v, err := a.result(g.x)
			if err != nil {
				return err
			}
			out[n+i] = v
		}
		if err := next.push(out); err == errEnough {
			break
		} else if err != nil {
			return err
		}
	}
	g.byKey, g.order = nil, nil
	return next.done()
}
