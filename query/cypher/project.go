package cypher

import (
	"fmt"
	"slices"
	"strings"
)

// project compiles WITH and RETURN: the variables after it are its columns.
func (pl *planner) project(p *projection) error {
	items := pl.columns(p)
	name := "With"
	if p.Return {
		name = "Return"
	}
	// WHERE becomes the last key: it may name what ORDER BY may.
	order := slices.Clone(p.Order)
	if p.Where != nil {
		order = append(order, &sortItem{Expr: p.Where})
	}
	if p.Distinct {
		order = sortOverColumns(order, items)
	}
	values := make([]expr, len(items))
	for i, item := range items {
		values[i] = item.Expr
	}
	if g := pl.compiler().grouping(&projection{Pos: p.Pos, Items: items, Order: order}); g != nil {
		if err := pl.group(g); err != nil {
			return err
		}
		values = g.items
		for i, key := range order {
			order[i] = key.with(g.order[i])
		}
	}
	out := &segment{}
	for _, item := range items {
		out.add(item.Name)
	}
	carried := pl.carried.into(out)
	order, err := pl.plain(name, items, values, order, out, carried)
	if err != nil {
		return err
	}
	pl.scope = out
	if p.Distinct {
		slots := make([]int, len(items))
		for i := range items {
			slots[i] = i
		}
		d := &distinctStep{slots: slots}
		d.describe("Distinct")
		pl.add(d)
	}
	if err := pl.order(p, order[:len(p.Order)]); err != nil {
		return err
	}
	if p.Where == nil {
		return nil
	}
	f, err := pl.filter(order[len(p.Order)].Expr)
	if err == nil {
		f.describe("Filter", shownExpr(p.Where))
		pl.add(f)
	}
	return err
}

// columns returns the items of a projection, including those that * stands for.
func (pl *planner) columns(p *projection) []*projectionItem {
	var items []*projectionItem
	if p.Star {
		for _, name := range pl.visible() {
			if p.Return && pl.carried.has(name) {
				continue
			}
			items = append(items, &projectionItem{Pos: p.Pos, Expr: &variable{Pos: p.Pos, Name: name}, Name: name})
		}
	}
	return append(items, p.Items...)
}

// sortOverColumns rewrites the keys of ORDER BY over the columns: an expression
// that is also a column becomes that column.
func sortOverColumns(order []*sortItem, items []*projectionItem) []*sortItem {
	var out []*sortItem
	if len(order) == 0 {
		return nil
	}
	columns := newExprIndex()
	for _, item := range items {
		columns.add(item.Expr)
	}
	for _, s := range order {
		e := rewrite(s.Expr, func(e expr, bound []string) expr {
			if i, ok := columns.find(e); ok && !hides(bound, e) {
				return &variable{Pos: e.At(), Name: items[i].Name}
			}
			return nil
		})
		out = append(out, s.with(e))
	}
	return out
}

// plain compiles the columns from expressions over the scope. The keys of ORDER
// BY that are not columns become hidden columns. It returns the keys over the
// columns.
func (pl *planner) plain(name string, items []*projectionItem, values []expr, order []*sortItem, out *segment, carried carriedPlaces) ([]*sortItem, error) {
	s := &projectStep{out: out, carried: carried}
	var shown []string
	for i, item := range items {
		ev, err := pl.expr(values[i])
		if err != nil {
			return nil, err
		}
		s.values = append(s.values, ev)
		if _, known := values[i].(*variable); !known {
			s.made = append(s.made, i)
		}
		shown = append(shown, shownItem(item))
	}
	s.describe(name, strings.Join(shown, ", "))
	both := &segment{*pl.scope.fork()}
	for _, item := range items {
		both.add(item.Name)
	}
	if err := pl.watch.looks(2 * len(items)); err != nil {
		return nil, err
	}
	before := pl.scope
	s.before = before
	columns := map[string]bool{}
	for _, item := range items {
		columns[item.Name] = true
	}
	var keys []*sortItem
	for _, key := range order {
		if !pl.namesOthers(key.Expr, columns) {
			keys = append(keys, key)
			continue
		}
		pl.scope = both
		ev, err := pl.expr(key.Expr)
		pl.scope = before
		if err != nil {
			return nil, err
		}
		column := fmt.Sprintf(" sort%d", len(s.keys))
		out.add(column)
		s.keys = append(s.keys, ev)
		s.places = append(s.places, out.size()-1)
		keys = append(keys, key.with(&variable{Pos: key.Expr.At(), Name: column}))
	}
	pl.add(s)
	return keys, nil
}

// namesOthers reports whether an expression names variables of the scope that are not
// columns.
func (pl *planner) namesOthers(e expr, columns map[string]bool) bool {
	names := map[string]bool{}
	variablesOf(e, names)
	for name := range names {
		if _, ok := pl.scope.slot(name); ok && !columns[name] {
			return true
		}
	}
	return false
}

// shownItem writes a column for a plan.
func shownItem(item *projectionItem) string {
	e := shownExpr(item.Expr)
	if !item.Aliased {
		return e
	}
	return e + " AS " + item.Name
}

// order compiles ORDER BY, SKIP and LIMIT in the scope of the columns.
func (pl *planner) order(p *projection, order []*sortItem) error {
	skip, err := pl.bound(p.Skip, "SKIP")
	if err != nil {
		return err
	}
	limit, err := pl.bound(p.Limit, "LIMIT")
	if err != nil {
		return err
	}
	if len(order) > 0 {
		s := &sortStep{skip: skip, limit: limit}
		var shown []string
		for i, key := range order {
			ev, err := pl.expr(key.Expr)
			if err != nil {
				return err
			}
			s.keys = append(s.keys, sortKey{ev, key.Desc, key.Nulls})
			shown = append(shown, shownExpr(p.Order[i].Expr)+key.suffix())
		}
		if s.describe("Sort", shown...); limit != nil {
			s.describe("Top", shown...)
		}
		pl.add(s)
	}
	if skip != nil {
		s := &skipStep{n: skip}
		s.describe("Skip", shownExpr(p.Skip))
		pl.add(s)
	}
	if limit != nil {
		s := &limitStep{n: limit, all: pl.writes}
		s.describe("Limit", shownExpr(p.Limit))
		pl.add(s)
	}
	return nil
}

// bound compiles the number of SKIP or LIMIT, which knows no variables.
func (pl *planner) bound(e expr, clause string) (*rowBound, error) {
	if e == nil {
		return nil, nil
	}
	scope := pl.scope
	pl.scope = &segment{}
	defer func() { pl.scope = scope }()
	value, err := pl.expr(e)
	if err != nil {
		return nil, err
	}
	return &rowBound{e.At(), clause, value}, nil
}

// projectStep computes the columns of a row, and keys to sort it by.
type projectStep struct {
	planned
	values []evaluator
	made   []int       // those of values that are no variables
	keys   []evaluator // over the row before and then the columns
	places []int       // of the keys
	// carried are the variables from around the query, which every row has.
	carried carriedPlaces
	before  *segment
	out     *segment
}

func (p *projectStep) open(x *exec, next sink) sink {
	out := p.out.row()
	var both row
	if len(p.keys) > 0 {
		both = make(row, p.before.size()+len(p.values))
	}
	return stream(next, func(r row) error {
		if err := x.work(int64(len(p.values)) / 8); err != nil {
			return err
		}
		if err := evaluate(x, r, p.values, out); err != nil {
			return err
		}
		p.carried.fill(out)
		if both != nil {
			n := copy(both, r[:p.before.size()])
			copy(both[n:], out[:len(p.values)])
			for i, key := range p.keys {
				v, err := key(x, both)
				if err != nil {
					return err
				}
				out[p.places[i]] = v
			}
		}
		carried, err := x.carry(out, p.made)
		if err == nil {
			err = next.push(out)
		}
		x.carried -= carried
		return err
	})
}
