package cypher

import (
	"fmt"
	"slices"
)

// grouping is a projection with aggregates, taken apart. Rows are put into
// groups by the keys; each group is one row of a scope with the names of the
// keys and of the calls; over that scope stand the items.
type grouping struct {
	keys   []groupKey
	byKey  exprIndex // the expressions of the keys
	calls  []groupCall
	byCall exprIndex // the calls
	items  []expr    // for each item of the projection
	// order holds the keys of ORDER BY. They see the columns of the projection
	// as well as the scope's names, and a column hides a name.
	order []expr
}

// groupKey is a grouping key: the value of an item without aggregates.
type groupKey struct {
	name string // of the variable if the key is one, else one that no statement can write
	expr expr
}

// groupCall is an aggregate.
type groupCall struct {
	name string // one that no statement can write
	call *funcCall
}

// grouping separates the keys and aggregates of a projection. It returns nil if
// there are no aggregates. Star stands for the names of the scope. The checker
// has refused ambiguous expressions.
func (c *compiler) grouping(p *projection) *grouping {
	if !p.aggregates() {
		return nil
	}
	g := &grouping{}
	if p.Star {
		for _, name := range c.scope.all() {
			g.addKey(&variable{Pos: p.Pos, Name: name})
		}
	}
	for _, item := range p.Items {
		if !hasAggregate(item.Expr) {
			g.addKey(item.Expr)
		}
	}
	for _, item := range p.Items {
		g.items = append(g.items, g.item(item.Expr))
	}
	columns := p.index()
	for _, s := range p.Order {
		g.order = append(g.order, g.sortKey(p, columns, s.Expr))
	}
	return g
}

// addKey adds a grouping key.
func (g *grouping) addKey(e expr) {
	name := fmt.Sprintf(" key %d", len(g.keys))
	if v, ok := e.(*variable); ok {
		name = v.Name
	}
	g.keys = append(g.keys, groupKey{name: name, expr: e})
	g.byKey.add(e)
}

// item returns an item of the projection as an expression over groups.
func (g *grouping) item(e expr) expr {
	if i, ok := g.byKey.find(e); ok {
		return &variable{Pos: e.At(), Name: g.keys[i].name}
	}
	return rewrite(e, g.replace)
}

// sortKey returns a key of ORDER BY as an expression over groups and columns.
func (g *grouping) sortKey(p *projection, columns *columnIndex, e expr) expr {
	return rewrite(e, func(part expr, bound []string) expr {
		if _, ok := part.(*literal); ok {
			return nil
		}
		if i, ok := columns.exprs.find(part); ok && !hides(bound, part) {
			return &variable{Pos: part.At(), Name: p.Items[i].Name}
		}
		if v, ok := part.(*variable); ok && columns.names[v.Name] {
			return v
		}
		return g.replace(part, bound)
	})
}

// replace substitutes a variable for an aggregate and for a property that is a
// grouping key. Variables that are grouping keys stay.
func (g *grouping) replace(e expr, bound []string) expr {
	switch e := e.(type) {
	case *funcCall:
		if isAggregate(e) {
			return &variable{Pos: e.Pos, Name: g.call(e)}
		}
	case *property:
		if i, ok := g.byKey.find(e); ok && !hides(bound, e) {
			return &variable{Pos: e.Pos, Name: g.keys[i].name}
		}
	}
	return nil
}

// call returns the name of an aggregate.
func (g *grouping) call(f *funcCall) string {
	if i, ok := g.byCall.find(f); ok {
		return g.calls[i].name
	}
	name := fmt.Sprintf(" call %d", len(g.calls))
	g.calls = append(g.calls, groupCall{name: name, call: f})
	g.byCall.add(f)
	return name
}

// hides reports whether one of some variables stands in an expression.
func hides(bound []string, e expr) bool {
	found := false
	if len(bound) > 0 {
		walkExpr(e, func(part expr) bool {
			v, ok := part.(*variable)
			found = found || ok && slices.Contains(bound, v.Name)
			return !found
		})
	}
	return found
}

// columnIndex finds the columns of a projection.
type columnIndex struct {
	exprs *exprIndex
	names map[string]bool
}

// index returns the columns of a projection.
func (pr *projection) index() *columnIndex {
	x := &columnIndex{exprs: newExprIndex(), names: map[string]bool{}}
	for _, item := range pr.Items {
		x.exprs.add(item.Expr)
		x.names[item.Name] = true
	}
	return x
}
