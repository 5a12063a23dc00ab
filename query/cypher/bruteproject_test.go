package cypher_test

import (
	"fmt"
	"slices"
	"strings"
)

// bruteColumn is a column of a projection: a value, or an aggregate of one.
type bruteColumn struct {
	bruteVar
	value     bruteExpr
	aggregate string // "" for none
	distinct  bool
}

// scalar reports whether a kind of values has an order and an identity.
func scalar(kind byte) bool { return kind == 'i' || kind == 's' || kind == 'b' }

// column makes a column. Kind 0 is any.
func (g *bruteGen) column(name string, kind byte, depth int, aggregates bool) bruteColumn {
	if kind == 0 {
		kind = pick(g, []byte("iiisbnnel"))
	}
	c := bruteColumn{bruteVar: bruteVar{name, kind}}
	if aggregates && (kind == 'i' || kind == 'l') {
		c.distinct = g.chance(0.2)
		c.value = g.integer(depth)
		c.aggregate = pick(g, []string{"count", "sum", "min", "max", "count(*)"})
		if kind == 'l' {
			c.aggregate = "collect"
		}
		return c
	}
	c.value = g.expr(kind, depth)
	return c
}

func (c *bruteColumn) text() string {
	switch {
	case c.aggregate == "":
		return c.value.text + " AS " + c.name
	case c.aggregate == "count(*)":
		return "count(*) AS " + c.name
	case c.distinct:
		return c.aggregate + "(DISTINCT " + c.value.text + ") AS " + c.name
	}
	return c.aggregate + "(" + c.value.text + ") AS " + c.name
}

// projection makes WITH or RETURN, after which only its columns are in scope. Kinds give
// the columns; nil is any.
func (g *bruteGen) projection(word string, depth int, kinds []byte) bruteClause {
	given := kinds != nil
	if !given {
		kinds = make([]byte, 1+g.IntN(4))
	}
	grouped := g.chance(0.35) && (!given || slices.ContainsFunc(kinds, func(k byte) bool { return k == 'i' || k == 'l' }))
	var columns []bruteColumn
	var texts []string
	vars := g.vars
	aggregated := false
	for i, kind := range kinds {
		name := fmt.Sprintf("c%d", i)
		if !given {
			name = g.name()
		}
		c := g.column(name, kind, depth, grouped && g.chance(0.6))
		if grouped && c.aggregate == "" && c.kind == 'l' {
			// A list may be in any order, and is no key.
			if given {
				c = bruteColumn{bruteVar: bruteVar{name, 'l'}, value: g.integer(depth), aggregate: "collect"}
			} else {
				c = g.column(name, 'i', depth, false)
			}
		}
		aggregated = aggregated || c.aggregate != ""
		columns = append(columns, c)
		texts = append(texts, c.text())
	}
	distinct := g.chance(0.2) && !slices.ContainsFunc(columns, func(c bruteColumn) bool { return c.kind == 'l' || c.kind == 'v' })
	text := word + " "
	if distinct {
		text += "DISTINCT "
	}
	text += strings.Join(texts, ", ")
	g.vars = nil
	for _, c := range columns {
		g.vars = append(g.vars, c.bruteVar)
	}
	var order *bruteOrder
	if g.chance(0.2) && !slices.ContainsFunc(columns, func(c bruteColumn) bool { return !scalar(c.kind) }) {
		order = g.order(columns)
		text += order.text
	}
	var where *bruteExpr
	if word == "WITH" && g.chance(0.3) {
		columnVars := g.vars
		if !aggregated && !distinct {
			g.vars = append(slices.Clone(g.vars), vars...) // what stood before is still there
		}
		x := g.condition(depth)
		g.vars = columnVars
		where = &x
		text += " WHERE " + x.text
	}
	return bruteClause{text, func(in []env) []env {
		type both struct{ old, out env }
		var rows []both
		if aggregated {
			for _, out := range groupRows(columns, in) {
				rows = append(rows, both{nil, out})
			}
		} else {
			for _, e := range in {
				out := env{}
				for _, c := range columns {
					out[c.name] = c.value.eval(e)
				}
				rows = append(rows, both{e, out})
			}
		}
		if distinct {
			seen := map[string]bool{}
			rows = slices.DeleteFunc(rows, func(b both) bool {
				key := rowText(columns, b.out)
				was := seen[key]
				seen[key] = true
				return was
			})
		}
		if order != nil {
			slices.SortStableFunc(rows, func(a, b both) int { return order.compare(a.out, b.out) })
			rows = rows[min(order.skip, len(rows)):]
			rows = rows[:min(order.limit, len(rows))]
		}
		var out []env
		for _, b := range rows {
			if where != nil {
				e := b.out
				for k, v := range b.old {
					if _, ok := e[k]; !ok {
						e = e.with(k, v)
					}
				}
				if where.eval(e) != true {
					continue
				}
			}
			out = append(out, b.out)
		}
		return out
	}}
}

// rowText writes columns so that equal rows have equal texts.
func rowText(columns []bruteColumn, e env) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = shownBrute(e[c.name])
	}
	return strings.Join(parts, " | ")
}

// bruteOrder is an order by all columns, with bounds.
type bruteOrder struct {
	text        string
	keys        []bruteKey
	skip, limit int
}

type bruteKey struct {
	name       string
	desc       bool
	nullsFirst bool
}

func (g *bruteGen) order(columns []bruteColumn) *bruteOrder {
	o := &bruteOrder{limit: bruteRows * 10}
	var texts []string
	for _, c := range columns {
		k := bruteKey{name: c.name, desc: g.chance(0.4)}
		text := c.name
		if k.desc {
			text += " DESC"
		}
		switch k.nullsFirst = k.desc; g.IntN(4) {
		case 0:
			text, k.nullsFirst = text+" NULLS FIRST", true
		case 1:
			text, k.nullsFirst = text+" NULLS LAST", false
		}
		o.keys = append(o.keys, k)
		texts = append(texts, text)
	}
	o.text = " ORDER BY " + strings.Join(texts, ", ")
	if g.chance(0.4) {
		o.skip = g.IntN(3)
		o.text += fmt.Sprintf(" SKIP %d", o.skip)
	}
	if g.chance(0.6) {
		o.limit = g.IntN(5)
		o.text += fmt.Sprintf(" LIMIT %d", o.limit)
	}
	return o
}

func (o *bruteOrder) compare(a, b env) int {
	for _, k := range o.keys {
		x, y := a[k.name], b[k.name]
		c := 0
		switch {
		case x == nil && y == nil:
		case x == nil || y == nil:
			if c = 1; (x == nil) == k.nullsFirst {
				c = -1
			}
		default:
			if c = ordering(x, y); k.desc {
				c = -c
			}
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// groupRows puts rows together that agree in the columns without aggregates.
func groupRows(columns []bruteColumn, in []env) []env {
	type group struct {
		keys env
		rows []env
	}
	var groups []*group
	byKey := map[string]*group{}
	var keys []bruteColumn
	for _, c := range columns {
		if c.aggregate == "" {
			keys = append(keys, c)
		}
	}
	if len(keys) == 0 {
		groups = append(groups, &group{env{}, in})
	} else {
		for _, e := range in {
			values := env{}
			for _, c := range keys {
				values[c.name] = c.value.eval(e)
			}
			text := rowText(keys, values)
			if byKey[text] == nil {
				byKey[text] = &group{keys: values}
				groups = append(groups, byKey[text])
			}
			byKey[text].rows = append(byKey[text].rows, e)
		}
	}
	var out []env
	for _, one := range groups {
		e := one.keys
		for _, c := range columns {
			if c.aggregate != "" {
				e = e.with(c.name, c.over(one.rows))
			}
		}
		out = append(out, e)
	}
	return out
}

// over computes the aggregate of rows.
func (c *bruteColumn) over(rows []env) any {
	if c.aggregate == "count(*)" {
		return int64(len(rows))
	}
	values := []any{}
	seen := map[any]bool{}
	for _, e := range rows {
		v := c.value.eval(e)
		if v == nil || c.distinct && seen[v] {
			continue
		}
		seen[v] = true
		values = append(values, v)
	}
	sum, least, most := int64(0), any(nil), any(nil)
	for _, v := range values {
		n := v.(int64)
		sum += n
		if least == nil || n < least.(int64) {
			least = n
		}
		if most == nil || n > most.(int64) {
			most = n
		}
	}
	switch c.aggregate {
	case "count":
		return int64(len(values))
	case "sum":
		return sum
	case "min":
		return least
	case "max":
		return most
	}
	return values
}
