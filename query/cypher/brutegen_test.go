package cypher_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// env holds the values of variables: nil, bool, int64, string, []any, *bruteNode or
// *bruteEdge.
type env map[string]any

// with returns a copy with one variable more.
func (e env) with(name string, v any) env {
	out := make(env, len(e)+1)
	for k, x := range e {
		out[k] = x
	}
	if name != "" {
		out[name] = v
	}
	return out
}

// bruteExpr is an expression as text, and how it is computed by the letter of the
// language.
type bruteExpr struct {
	text string
	eval func(e env) any
}

// bruteVar is a variable in scope. Its type is one of n (node), e (edge), i (integer), s
// (string), b (boolean), l (list of integers) and v (list of edges).
type bruteVar struct {
	name string
	kind byte
}

// bruteGen makes random queries over a graph, and their results by brute force.
type bruteGen struct {
	*rand.Rand
	g    *bruteGraph
	vars []bruteVar
	next int      // of the names of variables
	used []string // edges of the MATCH at hand that were bound before it
}

// tooMany ends the evaluation of a query that makes too many rows.
type tooMany struct{}

const bruteRows = 3000

func (g *bruteGen) chance(p float64) bool { return g.Float64() < p }

func (g *bruteGen) name() string {
	g.next++
	return fmt.Sprintf("v%d", g.next)
}

// of returns the variables of a kind.
func (g *bruteGen) of(kind byte) []bruteVar {
	var out []bruteVar
	for _, v := range g.vars {
		if v.kind == kind {
			out = append(out, v)
		}
	}
	return out
}

func pick[T any](g *bruteGen, list []T) T { return list[g.IntN(len(list))] }

func constantly(text string, v any) bruteExpr {
	return bruteExpr{text, func(env) any { return v }}
}

func variableExpr(name string) bruteExpr {
	return bruteExpr{name, func(e env) any { return e[name] }}
}

// expr makes an expression of a kind.
func (g *bruteGen) expr(kind byte, depth int) bruteExpr {
	switch kind {
	case 'i':
		return g.integer(depth)
	case 's':
		return g.str(depth)
	case 'b':
		return g.boolean(depth)
	case 'l':
		return g.list(depth)
	}
	if vs := g.of(kind); len(vs) > 0 {
		return variableExpr(pick(g, vs).name)
	}
	return constantly("null", nil)
}

// property reads a property of a node or an edge, if there is one in scope.
func (g *bruteGen) property(names ...string) (bruteExpr, bool) {
	vs := append(g.of('n'), g.of('e')...)
	if len(vs) == 0 {
		return bruteExpr{}, false
	}
	v, name := pick(g, vs), pick(g, names)
	if v.kind == 'e' {
		name = names[len(names)-1]
	}
	return bruteExpr{v.name + "." + name, func(e env) any { return propertyIn(e[v.name], name) }}, true
}

func (g *bruteGen) integer(depth int) bruteExpr {
	n := 4
	if depth > 0 {
		n = 11
	}
	switch g.IntN(n) {
	case 0:
		if vs := g.of('i'); len(vs) > 0 {
			return variableExpr(pick(g, vs).name)
		}
	case 1, 2:
		if p, ok := g.property("n", "n", "w"); ok {
			return p
		}
	case 3:
		if vs := g.of('v'); len(vs) > 0 {
			v := pick(g, vs).name
			return bruteExpr{"size(" + v + ")", func(e env) any { return sizeOf(e[v]) }}
		}
		if g.chance(0.1) {
			return constantly("null", nil)
		}
	case 4, 5:
		a, b, op := g.integer(depth-1), g.integer(depth-1), pick(g, []string{"+", "-", "*"})
		return bruteExpr{"(" + a.text + " " + op + " " + b.text + ")", func(e env) any { return arithmetic(op, a.eval(e), b.eval(e)) }}
	case 6:
		l := g.list(depth - 1)
		return bruteExpr{"size(" + l.text + ")", func(e env) any { return sizeOf(l.eval(e)) }}
	case 7:
		a, b := g.integer(depth-1), g.integer(depth-1)
		return bruteExpr{"coalesce(" + a.text + ", " + b.text + ")", func(e env) any {
			if v := a.eval(e); v != nil {
				return v
			}
			return b.eval(e)
		}}
	case 8:
		c, a, b := g.boolean(depth-1), g.integer(depth-1), g.integer(depth-1)
		return bruteExpr{"CASE WHEN " + c.text + " THEN " + a.text + " ELSE " + b.text + " END", func(e env) any {
			if c.eval(e) == true {
				return a.eval(e)
			}
			return b.eval(e)
		}}
	case 9:
		q := g.subquery(depth - 1)
		return bruteExpr{"COUNT { " + q.text + " }", func(e env) any { return int64(len(q.rows(e))) }}
	case 10:
		l, x, acc := g.list(depth-1), g.name(), g.name()
		defer g.scope()()
		g.vars = append(g.vars, bruteVar{x, 'i'}, bruteVar{acc, 'i'})
		v := g.integer(0)
		return bruteExpr{"reduce(" + acc + " = 0, " + x + " IN " + l.text + " | coalesce(" + v.text + ", 0) + " + acc + ")", func(e env) any {
			list, ok := l.eval(e).([]any)
			if !ok {
				return nil
			}
			sum := int64(0)
			for _, item := range list {
				n, _ := v.eval(e.with(x, item).with(acc, sum)).(int64)
				sum += n
			}
			return sum
		}}
	}
	v := int64(g.IntN(4))
	return constantly(fmt.Sprint(v), v)
}

func (g *bruteGen) str(depth int) bruteExpr {
	switch g.IntN(4) {
	case 0:
		if vs := g.of('s'); len(vs) > 0 {
			return variableExpr(pick(g, vs).name)
		}
	case 1:
		if vs := g.of('n'); len(vs) > 0 {
			v := pick(g, vs).name
			return bruteExpr{v + ".s", func(e env) any { return propertyIn(e[v], "s") }}
		}
	case 2:
		if depth > 0 {
			a, b := g.str(depth-1), g.str(depth-1)
			return bruteExpr{"(" + a.text + " + " + b.text + ")", func(e env) any {
				x, y := a.eval(e), b.eval(e)
				if x == nil || y == nil {
					return nil
				}
				return x.(string) + y.(string)
			}}
		}
	}
	v := pick(g, []string{"x", "y", "xy"})
	return constantly("'"+v+"'", v)
}

// boolean makes a condition.
func (g *bruteGen) boolean(depth int) bruteExpr {
	n := 7
	if depth > 0 {
		n = 17
	}
	switch g.IntN(n) {
	case 0:
		if vs := g.of('b'); len(vs) > 0 {
			return variableExpr(pick(g, vs).name)
		}
	case 1, 2:
		a, b, op := g.integer(depth-1), g.integer(depth-1), pick(g, []string{"=", "<>", "<", "<=", ">", ">="})
		return bruteExpr{"(" + a.text + " " + op + " " + b.text + ")", func(e env) any { return compared(op, a.eval(e), b.eval(e)) }}
	case 3:
		a, b, op := g.str(depth-1), g.str(depth-1), pick(g, []string{"=", "<>", "<", "STARTS WITH", "CONTAINS"})
		return bruteExpr{"(" + a.text + " " + op + " " + b.text + ")", func(e env) any { return compared(op, a.eval(e), b.eval(e)) }}
	case 4:
		if vs := g.of('n'); len(vs) > 0 {
			v, label := pick(g, vs).name, pick(g, []string{"A", "B"})
			return bruteExpr{v + ":" + label, func(e env) any {
				if n, ok := e[v].(*bruteNode); ok {
					return n.labels[label]
				}
				return nil
			}}
		}
	case 5:
		if vs := g.of('n'); len(vs) > 1 {
			a, b, op := pick(g, vs).name, pick(g, vs).name, pick(g, []string{"=", "<>"})
			return bruteExpr{"(" + a + " " + op + " " + b + ")", func(e env) any {
				if e[a] == nil || e[b] == nil {
					return nil
				}
				return (e[a] == e[b]) == (op == "=")
			}}
		}
	case 6:
		x := g.expr(pick(g, []byte("iisnel")), depth-1)
		not := g.chance(0.5)
		text := x.text + " IS NULL"
		if not {
			text = x.text + " IS NOT NULL"
		}
		return bruteExpr{"(" + text + ")", func(e env) any { return (x.eval(e) == nil) != not }}
	case 7, 8, 9:
		a, b, op := g.boolean(depth-1), g.boolean(depth-1), pick(g, []string{"AND", "OR", "XOR"})
		return bruteExpr{"(" + a.text + " " + op + " " + b.text + ")", func(e env) any { return logical(op, a.eval(e), b.eval(e)) }}
	case 10:
		a := g.boolean(depth - 1)
		return bruteExpr{"(NOT " + a.text + ")", func(e env) any {
			if v, ok := a.eval(e).(bool); ok {
				return !v
			}
			return nil
		}}
	case 11:
		x, l := g.integer(depth-1), g.list(depth-1)
		return bruteExpr{"(" + x.text + " IN " + l.text + ")", func(e env) any { return inList(x.eval(e), l.eval(e)) }}
	case 12, 13:
		l, x, kind := g.list(depth-1), g.name(), pick(g, []string{"all", "any", "none", "single"})
		defer g.scope()()
		g.vars = append(g.vars, bruteVar{x, 'i'})
		c := g.boolean(depth - 1)
		return bruteExpr{kind + "(" + x + " IN " + l.text + " WHERE " + c.text + ")", func(e env) any {
			list, ok := l.eval(e).([]any)
			if !ok {
				return nil
			}
			yes, no, unknown := 0, 0, 0
			for _, item := range list {
				switch c.eval(e.with(x, item)) {
				case true:
					yes++
				case false:
					no++
				default:
					unknown++
				}
			}
			return quantified(kind, yes, no, unknown)
		}}
	case 14, 15:
		q := g.subquery(depth - 1)
		return bruteExpr{"EXISTS { " + q.text + " }", func(e env) any { return len(q.rows(e)) > 0 }}
	case 16:
		if vs := g.of('n'); len(vs) > 0 {
			p := g.predicate(vs)
			return bruteExpr{"EXISTS { " + p.text + " }", func(e env) any { return len(p.rows(e)) > 0 }}
		}
	}
	v := g.chance(0.7)
	return constantly(fmt.Sprint(v), v)
}

// condition makes the expression of a WHERE, where a pattern may stand alone.
func (g *bruteGen) condition(depth int) bruteExpr {
	x := g.boolean(depth)
	vs := g.of('n')
	if len(vs) == 0 || g.chance(0.7) {
		return x
	}
	p, op := g.predicate(vs), pick(g, []string{"AND", "OR"})
	text := p.text
	not := g.chance(0.4)
	if not {
		text = "NOT " + text
	}
	return bruteExpr{"(" + x.text + " " + op + " " + text + ")", func(e env) any {
		return logical(op, x.eval(e), (len(p.rows(e)) > 0) != not)
	}}
}

// list makes a list of integers.
func (g *bruteGen) list(depth int) bruteExpr {
	n := 3
	if depth > 0 {
		n = 7
	}
	switch g.IntN(n) {
	case 0:
		if vs := g.of('l'); len(vs) > 0 {
			return variableExpr(pick(g, vs).name)
		}
	case 1:
		a, b := int64(g.IntN(3)), int64(g.IntN(5))
		var list []any
		for i := a; i <= b; i++ {
			list = append(list, i)
		}
		if list == nil {
			list = []any{}
		}
		return constantly(fmt.Sprintf("range(%d, %d)", a, b), list)
	case 3, 4:
		l, x := g.list(depth-1), g.name()
		defer g.scope()()
		g.vars = append(g.vars, bruteVar{x, 'i'})
		c, v := g.boolean(depth-1), g.integer(depth-1)
		return bruteExpr{"[" + x + " IN " + l.text + " WHERE " + c.text + " | " + v.text + "]", func(e env) any {
			list, ok := l.eval(e).([]any)
			if !ok {
				return nil
			}
			out := []any{}
			for _, item := range list {
				if in := e.with(x, item); c.eval(in) == true {
					out = append(out, v.eval(in))
				}
			}
			return out
		}}
	case 5:
		defer g.scope()()
		p := g.patterns(1, 2)
		c, v := g.boolean(depth-1), g.integer(depth-1)
		return bruteExpr{"[" + p.text + " WHERE " + c.text + " | " + v.text + "]", func(e env) any {
			out := []any{}
			for _, in := range p.rows(e) {
				if c.eval(in) == true {
					out = append(out, v.eval(in))
				}
			}
			return out
		}}
	case 6:
		defer g.scope()()
		p := g.match(depth-1, false)
		v := g.integer(depth - 1)
		return bruteExpr{"COLLECT { " + p.text + " RETURN " + v.text + " }", func(e env) any {
			out := []any{}
			for _, in := range p.rows([]env{e}) {
				out = append(out, v.eval(in))
			}
			return out
		}}
	}
	var items []bruteExpr
	var texts []string
	for range g.IntN(4) {
		x := g.integer(0)
		if g.chance(0.15) {
			x = constantly("null", nil)
		}
		items = append(items, x)
		texts = append(texts, x.text)
	}
	return bruteExpr{"[" + strings.Join(texts, ", ") + "]", func(e env) any {
		out := []any{}
		for _, x := range items {
			out = append(out, x.eval(e))
		}
		return out
	}}
}

// scope returns a function that forgets the variables that are added from now on.
func (g *bruteGen) scope() func() {
	before := g.vars
	g.vars = before[:len(before):len(before)]
	return func() { g.vars = before }
}
