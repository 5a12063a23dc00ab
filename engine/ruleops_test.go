package engine_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
)

// rule makes an index or a constraint in a commit of its own, which is refused if the
// graph does not hold for it, or drops one.
func (r *round) rule() {
	id, ok := r.graph(r.state)
	if !ok {
		return
	}
	next := r.state.successor()
	m := r.state.graphs[id].begin(next.epoch)
	if names := sortedKeys(m.rules); len(names) > 0 && r.rnd.IntN(5) < 2 {
		r.dropRule(id, m, next, pick(r.rnd, names))
		return
	}
	x := (&graphOps{rnd: r.rnd, m: m}).newRule()
	want := "ok"
	switch {
	case m.rules[x.Name] != nil:
		want = fault(engine.ErrExists)
	case !m.holds(&x):
		want = fault(engine.ErrInvalid)
	default:
		for _, name := range x.Types {
			if x.Edges {
				m.makeEdgeType(name, isDirected(name))
			} else {
				m.makeNodeType(name)
			}
		}
		m.rules[x.Name] = &x
		m.commit()
		next.graphs[id] = m
		r.committed(next, kv.Sync)
	}
	r.note("rule %v of graph %d: %s", x, id, want)
	for _, s := range r.subjects {
		r.line(s, "make rule "+x.Name, want, fault(s.db.MakeRule(background, s.graphs[id], x)))
	}
}

func (r *round) dropRule(id uint32, m *modelGraph, next *modelState, name string) {
	delete(m.rules, name)
	m.commit()
	next.graphs[id] = m
	r.committed(next, kv.Sync)
	r.note("drop rule %s of graph %d", name, id)
	for _, s := range r.subjects {
		r.line(s, "drop rule "+name, "ok", fault(s.db.DropRule(background, s.graphs[id], name)))
	}
}

// newRule returns a random rule: more indexes than constraints, which refuse most of
// what is random.
func (g *graphOps) newRule() engine.Rule {
	x := engine.Rule{Name: fmt.Sprint("rule", g.rnd.IntN(4)), Kind: engine.RangeIndex, Properties: []string{pick(g.rnd, propNames[:4])}}
	if g.rnd.IntN(3) == 0 {
		x.Kind = pick(g.rnd, []engine.RuleKind{engine.Unique, engine.UniqueKey, engine.NotNull, engine.OfType})
	}
	if x.Edges = g.rnd.IntN(2) == 0; x.Edges {
		x.Types = []string{pick(g.rnd, []string{"links", "links", "causes"})}
		if g.m.edgeTypes["near"] != 0 && g.rnd.IntN(3) == 0 {
			x.Types = []string{"near"}
		}
	} else {
		x.Types = []string{pick(g.rnd, nodeTypeNames)}
	}
	switch other := pick(g.rnd, propNames[:4]); {
	case x.Kind == engine.OfType:
		x.ValueType = "STRING"
	case x.Kind == engine.RangeIndex && x.Edges && g.rnd.IntN(3) == 0:
		x.Kind, x.Properties = engine.FulltextIndex, []string{"text", "b"}
	case x.Kind != engine.NotNull && other != x.Properties[0] && g.rnd.IntN(2) == 0:
		x.Properties = append(x.Properties, other)
	}
	return x
}

// things returns the properties of what a rule is about: nodes, and edges with each
// of parallel ones.
func (m *modelGraph) things(x *engine.Rule) (nodes map[engine.NodeID]engine.Props, edges map[modelEdge]engine.Props) {
	nodes, edges = map[engine.NodeID]engine.Props{}, map[modelEdge]engine.Props{}
	if x.Edges {
		t, ok := m.edgeTypes[x.Types[0]]
		for e := range m.edges {
			if ok && e.typ == t {
				edges[e] = m.edgeProps[e]
			}
		}
		return nodes, edges
	}
	t, ok := m.nodeTypes[x.Types[0]]
	for id, n := range m.nodes {
		if ok && (n.typ == t || slices.Contains(n.labels, t)) {
			nodes[id] = n.props
		}
	}
	return nodes, edges
}

// holds reports whether the graph holds for a rule.
func (m *modelGraph) holds(x *engine.Rule) bool {
	if x.Kind == engine.RangeIndex || x.Kind == engine.FulltextIndex {
		return true
	}
	var all []engine.Props
	nodes, edges := m.things(x)
	for _, p := range nodes {
		all = append(all, p)
	}
	for _, p := range edges {
		all = append(all, p)
	}
	for i, p := range all {
		for _, name := range x.Properties {
			v := p[name]
			if v.IsNull() && (x.Kind == engine.NotNull || x.Kind == engine.UniqueKey) {
				return false
			}
			if !v.IsNull() && x.Kind == engine.OfType && v.Kind() != engine.KindString && v.Kind() != engine.KindText {
				return false
			}
		}
		if x.Kind != engine.Unique && x.Kind != engine.UniqueKey {
			continue
		}
		for _, q := range all[:i] {
			same := func(name string) bool { return !p[name].IsNull() && equalStored(p[name], q[name]) }
			if !slices.ContainsFunc(x.Properties, func(name string) bool { return !same(name) }) {
				return false
			}
		}
	}
	return true
}

// broken reports whether a rule does not hold.
func (m *modelGraph) broken() bool {
	for _, x := range m.rules {
		if !m.holds(x) {
			return true
		}
	}
	return false
}

// strict reports whether there are constraints.
func (m *modelGraph) strict() bool {
	for _, x := range m.rules {
		if x.Kind != engine.RangeIndex && x.Kind != engine.FulltextIndex {
			return true
		}
	}
	return false
}

// ofEdges returns whether edges of a type have a rule, and one that asks for a
// property.
func (m *modelGraph) ofEdges(name string) (ruled, required bool) {
	for _, x := range m.rules {
		if x.Edges && x.Types[0] == name {
			ruled, required = true, required || x.Kind == engine.NotNull || x.Kind == engine.UniqueKey
		}
	}
	return ruled, required
}

// span returns a random search of an index, with values that something has.
func (g *graphOps) span(x *engine.Rule) engine.Span {
	var have []engine.Props
	nodes, edges := g.m.things(x)
	for _, id := range sortedNodes(nodes) {
		have = append(have, nodes[id])
	}
	for _, e := range sortedEdges(edges) {
		have = append(have, edges[e])
	}
	like := engine.Props{}
	if len(have) > 0 {
		like = pick(g.rnd, have)
	}
	var w engine.Span
	for _, name := range x.Properties {
		v := like[name]
		if v.IsNull() {
			v = g.value()
		}
		if v.IsNull() || g.rnd.IntN(3) == 0 {
			break
		}
		w.Equal = append(w.Equal, v)
	}
	if n := len(w.Equal); n == 0 || n < len(x.Properties) && g.rnd.IntN(2) == 0 {
		w.Bounds = []engine.Bound{{Op: engine.OpExists}}
		if g.rnd.IntN(2) == 0 {
			w.Bounds = []engine.Bound{{
				Op:    pick(g.rnd, []engine.Op{engine.OpLess, engine.OpLessEqual, engine.OpGreater, engine.OpGreaterEqual}),
				Value: engine.Int(int64(g.rnd.IntN(7) - 3)),
			}}
		}
	}
	return w
}

// readRule searches the index of a rule.
func (g *graphOps) readRule(x *engine.Rule) step {
	w := g.span(x)
	in := func(p engine.Props) bool {
		ok := !p[x.Properties[0]].IsNull()
		for i, v := range w.Equal {
			ok = ok && equalStored(p[x.Properties[i]], v)
		}
		for _, b := range w.Bounds {
			c := engine.Comparison{Op: b.Op}
			if b.Op != engine.OpExists {
				c.Values, c.Whole = []engine.Value{b.Value}, true
			}
			ok = ok && c.Holds(p[x.Properties[len(w.Equal)]])
		}
		return ok
	}
	var want []string
	nodes, edges := g.m.things(x)
	for _, id := range sortedNodes(nodes) {
		if in(nodes[id]) {
			want = append(want, showNode(id))
		}
	}
	for e, p := range edges {
		if in(p) {
			want = append(want, showIndexed(e.edge()))
		}
	}
	if x.Edges {
		slices.Sort(want)
	}
	name := fmt.Sprintf("index of %v: %.300v", *x, w)
	return g.readStep(name, fmt.Sprint(len(want), " ", strings.Join(want, " ")), func(r graphReader) string {
		n, err := r.IndexedCount(x.Name, w, 1<<30)
		if err != nil {
			return fault(err)
		}
		if !x.Edges {
			return fmt.Sprint(n, " ", showSet(r.IndexedNodes(x.Name, w)))
		}
		var got []string
		for e, err := range r.IndexedEdges(x.Name, w) {
			if err != nil {
				return fault(err)
			}
			got = append(got, showIndexed(e))
		}
		slices.Sort(got)
		return fmt.Sprint(n, " ", strings.Join(got, " "))
	})
}

func sortedNodes(m map[engine.NodeID]engine.Props) []engine.NodeID {
	return slices.Sorted(maps.Keys(m))
}

func sortedEdges(m map[modelEdge]engine.Props) []modelEdge {
	return slices.SortedFunc(maps.Keys(m), func(a, b modelEdge) int {
		return cmp.Or(compareTargets(a.target(), b.target()), cmp.Compare(a.n, b.n))
	})
}

func showIndexed(e engine.Edge) string { return fmt.Sprintf("%d-%d/%d#%d", e.From, e.To, e.Type, e.N) }

// readRules lists the rules.
func (g *graphOps) readRules() step {
	show := func(x engine.Rule) string {
		return fmt.Sprint(x.Name, x.Kind, x.Edges, x.Types, x.Properties, x.ValueType)
	}
	var want []string
	for _, name := range sortedKeys(g.m.rules) {
		want = append(want, show(*g.m.rules[name]))
	}
	return g.readStep("rules", strings.Join(want, " "), func(r graphReader) string {
		rules, err := r.Rules()
		if err != nil {
			return fault(err)
		}
		var got []string
		for _, x := range rules {
			got = append(got, show(x))
		}
		slices.Sort(got)
		return strings.Join(got, " ")
	})
}

// indexed returns the rules with an index, in order.
func (m *modelGraph) indexed() []*engine.Rule {
	var out []*engine.Rule
	for _, name := range sortedKeys(m.rules) {
		if x := m.rules[name]; x.Indexed() {
			out = append(out, x)
		}
	}
	return out
}
