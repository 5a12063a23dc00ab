package cypher_test

import (
	"fmt"
	"slices"
	"strings"
)

// brutePattern is patterns as text, and how they are matched.
type brutePattern struct {
	text string
	rows func(e env) []env
}

// bruteClause is a clause as text, and what it makes of rows.
type bruteClause struct {
	text string
	rows func(in []env) []env
}

// bruteHop is an edge of a pattern and the node after it.
type bruteHop struct {
	edge       string // variable
	dir        int    // 1 along the arrow, -1 against it, 0 either
	types      []string
	long       bool
	min, max   int
	w          *bruteExpr
	node       string
	labels     []string
	n          *bruteExpr
	where      *bruteExpr
	boundEdge  bool
	startsHere bool // the first node of a pattern, without an edge
}

// patterns makes patterns of at least some nodes, with commas between them. Their variables are in scope after
// it.
func (g *bruteGen) patterns(n, least int) brutePattern {
	const named = true
	outer, used := g.vars, g.used
	g.used = nil
	defer func() { g.used = used }()
	var hops []*bruteHop
	var texts []string
	for range n {
		text := ""
		for i := range least + g.IntN(4-least) {
			h := &bruteHop{startsHere: i == 0}
			if i > 0 {
				text += g.edgeText(h, outer, named)
			}
			text += g.nodeText(h, outer, named)
			hops = append(hops, h)
		}
		texts = append(texts, text)
	}
	return brutePattern{strings.Join(texts, ", "), func(e env) []env {
		var out []env
		g.matchHops(hops, 0, nil, e, map[*bruteEdge]bool{}, func(e env) { out = append(out, e) })
		return out
	}}
}

// nodeText writes a node and what it asks for.
func (g *bruteGen) nodeText(h *bruteHop, outer []bruteVar, named bool) string {
	text := ""
	if vs := g.of('n'); len(vs) > 0 && g.chance(0.45) {
		h.node = pick(g, vs).name
		text = h.node
	} else if named && g.chance(0.7) {
		h.node = g.name()
		g.vars = append(g.vars, bruteVar{h.node, 'n'})
		text = h.node
	}
	if g.chance(0.3) {
		h.labels = []string{pick(g, []string{"A", "B"})}
		text += ":" + h.labels[0]
		if g.chance(0.2) {
			h.labels = append(h.labels, "B")
			text += ":B"
		}
	}
	if g.chance(0.15) {
		x := g.before(outer)
		h.n = &x
		text += " {n: " + x.text + "}"
	}
	if named && h.node != "" && g.chance(0.1) {
		x := g.boolean(1)
		h.where = &x
		text += " WHERE " + x.text
	}
	return "(" + text + ")"
}

// before makes an integer of the variables that are bound before a clause.
func (g *bruteGen) before(outer []bruteVar) bruteExpr {
	inner := g.vars
	g.vars = outer[:len(outer):len(outer)]
	defer func() { g.vars = inner }()
	return g.integer(0)
}

func (g *bruteGen) edgeText(h *bruteHop, outer []bruteVar, named bool) string {
	h.dir = g.IntN(3) - 1
	text := ""
	switch vs := g.of('e'); {
	case len(vs) > 0 && g.chance(0.1) && slices.Contains(outer, vs[0]):
		h.edge, h.boundEdge = vs[0].name, true
		text = h.edge
		if slices.ContainsFunc(g.used, func(name string) bool { return name == h.edge }) {
			h.edge, h.boundEdge, text = "", false, ""
		}
		g.used = append(g.used, h.edge)
	case named && g.chance(0.4):
		h.edge = g.name()
		text = h.edge
	}
	if g.chance(0.6) {
		h.types = []string{pick(g, []string{"R", "S"})}
		text += ":" + h.types[0]
		if g.chance(0.2) {
			h.types = []string{"R", "S"}
			text = strings.TrimSuffix(strings.TrimSuffix(text, ":R"), ":S") + ":R|S"
		}
	}
	behind := ""
	h.min, h.max = 1, 1
	if !h.boundEdge && g.chance(0.2) {
		h.long, h.min, h.max = true, g.IntN(2), 1+g.IntN(2)
		if g.chance(0.5) {
			behind = fmt.Sprintf("{%d,%d}", h.min, h.max)
		} else {
			text += fmt.Sprintf("*%d..%d", h.min, h.max)
		}
	}
	if g.chance(0.15) {
		x := g.before(outer)
		h.w = &x
		text += " {w: " + x.text + "}"
	}
	if h.edge != "" && !h.boundEdge {
		kind := byte('e')
		if h.long {
			kind = 'v'
		}
		g.vars = append(g.vars, bruteVar{h.edge, kind})
	}
	left, right := "-", "-"
	if h.dir > 0 {
		right = "->"
	} else if h.dir < 0 {
		left = "<-"
	}
	return left + "[" + text + "]" + right + behind
}

// matchHops calls found for each way to go on with the hops from the i-th.
func (g *bruteGen) matchHops(hops []*bruteHop, i int, at *bruteNode, e env, used map[*bruteEdge]bool, found func(env)) {
	if i == len(hops) {
		for _, h := range hops {
			if h.where != nil && h.where.eval(e) != true {
				return
			}
		}
		found(e)
		return
	}
	h := hops[i]
	if h.startsHere {
		for _, n := range g.g.nodes {
			if in, ok := h.takesNode(n, e); ok {
				g.matchHops(hops, i+1, n, in, used, found)
			}
		}
		return
	}
	var trail []*bruteEdge
	var walk func(from *bruteNode)
	walk = func(from *bruteNode) {
		if len(trail) >= h.min {
			in := e
			if h.edge != "" && !h.boundEdge {
				list := []any{}
				for _, edge := range trail {
					list = append(list, edge)
				}
				if in = e.with(h.edge, list); !h.long {
					in = e.with(h.edge, trail[0])
				}
			}
			if in, ok := h.takesNode(from, in); ok {
				g.matchHops(hops, i+1, from, in, used, found)
			}
		}
		if len(trail) == h.max {
			return
		}
		for _, edge := range g.g.edges {
			if used[edge] || !h.takesEdge(edge, e) {
				continue
			}
			for _, end := range edge.ends(from, h.dir) {
				used[edge] = true
				trail = append(trail, edge)
				walk(end)
				trail = trail[:len(trail)-1]
				used[edge] = false
			}
		}
	}
	walk(at)
}

// ends returns where an edge leads from a node in a direction.
func (b *bruteEdge) ends(from *bruteNode, dir int) []*bruteNode {
	switch {
	case dir >= 0 && b.from == from:
		return []*bruteNode{b.to}
	case dir <= 0 && b.to == from:
		return []*bruteNode{b.from}
	}
	return nil
}

func (h *bruteHop) takesNode(n *bruteNode, e env) (env, bool) {
	for _, l := range h.labels {
		if !n.labels[l] {
			return nil, false
		}
	}
	if h.n != nil && compared("=", n.props["n"], h.n.eval(e)) != true {
		return nil, false
	}
	if h.node == "" {
		return e, true
	}
	if have, ok := e[h.node]; ok {
		return e, have == any(n)
	}
	return e.with(h.node, n), true
}

func (h *bruteHop) takesEdge(edge *bruteEdge, e env) bool {
	if h.types != nil && !slices.Contains(h.types, edge.kind) || h.boundEdge && e[h.edge] != any(edge) {
		return false
	}
	return h.w == nil || compared("=", edge.props["w"], h.w.eval(e)) == true
}

// predicate makes a pattern between nodes in scope that binds nothing.
func (g *bruteGen) predicate(vs []bruteVar) brutePattern {
	a := &bruteHop{startsHere: true, node: pick(g, vs).name}
	b := &bruteHop{}
	text := "(" + a.node + ")" + g.edgeText(b, nil, false)
	b.n = nil
	if g.chance(0.4) {
		b.node = pick(g, vs).name
	}
	text += "(" + b.node + ")"
	return brutePattern{text, func(e env) []env {
		var out []env
		g.matchHops([]*bruteHop{a, b}, 0, nil, e, map[*bruteEdge]bool{}, func(e env) { out = append(out, e) })
		return out
	}}
}

// match makes MATCH or OPTIONAL MATCH.
func (g *bruteGen) match(depth int, mayBeOptional bool) bruteClause {
	outer := g.vars
	p := g.patterns(1+g.IntN(2), 1)
	var where *bruteExpr
	text := "MATCH " + p.text
	if g.chance(0.5) {
		x := g.condition(depth)
		where = &x
		text += " WHERE " + x.text
	}
	optional := mayBeOptional && g.chance(0.35)
	if optional {
		text = "OPTIONAL " + text
	}
	fresh := g.vars[len(outer):]
	return bruteClause{text, func(in []env) []env {
		var out []env
		for _, e := range in {
			some := false
			for _, found := range p.rows(e) {
				if where == nil || where.eval(found) == true {
					out, some = append(out, found), true
				}
			}
			if optional && !some {
				for _, v := range fresh {
					e = e.with(v.name, nil)
				}
				out = append(out, e)
			}
			if len(out) > bruteRows {
				panic(tooMany{})
			}
		}
		return out
	}}
}

// unwind makes UNWIND.
func (g *bruteGen) unwind(depth int) bruteClause {
	l, name := g.list(depth), g.name()
	g.vars = append(g.vars, bruteVar{name, 'i'})
	return bruteClause{"UNWIND " + l.text + " AS " + name, func(in []env) []env {
		var out []env
		for _, e := range in {
			list, _ := l.eval(e).([]any)
			for _, item := range list {
				out = append(out, e.with(name, item))
			}
			if len(out) > bruteRows {
				panic(tooMany{})
			}
		}
		return out
	}}
}

// subquery makes the query of EXISTS and COUNT.
func (g *bruteGen) subquery(depth int) brutePattern {
	defer g.scope()()
	m := g.match(depth, false)
	clauses := []bruteClause{m}
	text := m.text
	if g.chance(0.4) {
		w := g.projection("WITH", depth-1, nil)
		text += " " + w.text
		clauses = append(clauses, w)
		if g.chance(0.3) {
			m := g.match(depth-1, false)
			text += " " + m.text
			clauses = append(clauses, m)
		}
		text += " RETURN 1 AS one"
	}
	return brutePattern{text, func(e env) []env {
		rows := []env{e}
		for _, c := range clauses {
			rows = c.rows(rows)
			for i := range rows { // what stands around is known in all clauses
				for k, v := range e {
					if _, ok := rows[i][k]; !ok {
						rows[i] = rows[i].with(k, v)
					}
				}
			}
		}
		return rows
	}}
}
