package cypher

import "github.com/ragdb/ragdb/engine"

// patNode is a node of the patterns of a MATCH. The places of a pattern that
// bear one variable are one node.
type patNode struct {
	name   string // its variable, or a name that no query can write
	slot   int
	labels *labelExpr
	bound  bool // before the MATCH
}

// patEdge is an edge of the patterns of a MATCH.
type patEdge struct {
	*edgePattern
	name     string // its variable; empty if no clause reads its value
	slot     int    // -1 if its value is not used
	from, to int    // places of its nodes, as written
	bound    bool   // before the MATCH
	shortest shortestKind
	reversed bool       // steps lead from to to from
	tests    *edgeTests // of each edge; nil for none
}

// patPath is a pattern whose path has a variable.
type patPath struct {
	name  string
	slot  int
	first int   // place of its first node
	edges []int // places of its edges
	bound bool
}

// conjunct is a part of a WHERE, or a property of a pattern, that steps
// may take over or that becomes a filter as soon as all that it names is bound.
type conjunct struct {
	expr  expr
	nodes uint64 // bits of the nodes that it names, and of the edges and paths
	edges uint64
	paths uint64
	done  bool
	// volatile is set if the condition may give another result for each match.
	volatile bool
}

// patternGraph is the graph of nodes, edges and conditions in the patterns of a
// MATCH and its WHERE.
type patternGraph struct {
	pl    *planner
	nodes []*patNode
	edges []*patEdge
	paths []*patPath
	conds []*conjunct
	named map[string]int // node by variable
	m     *matched
	// pending are the conditions within the patterns, until all is named.
	pending []expr
}

// maxPattern is how many nodes and edges the patterns of one MATCH may have.
const maxPattern = 60

// newPatternGraph reads patterns, giving their variables places in the scope.
func (pl *planner) newPatternGraph(patterns []*pattern, where expr) (*patternGraph, error) {
	g := &patternGraph{pl: pl, named: map[string]int{}, m: &matched{}}
	before := pl.scope.size()
	for _, p := range patterns {
		if err := g.pattern(p, before); err != nil {
			return nil, err
		}
		if g.full() {
			return nil, refuse(pl.text, patterns[0].Pos, "more than %d nodes or edges in the patterns of one MATCH", maxPattern)
		}
	}
	g.m.edges = make([][]engine.Edge, len(g.edges))
	for _, e := range g.pending {
		g.addConjunct(e)
	}
	if err := g.edgeTests(); err != nil {
		return nil, err
	}
	for _, e := range conjuncts(where, nil) {
		g.addConjunct(e)
	}
	return g, nil
}

// full reports whether there are more nodes or edges than there may be.
func (g *patternGraph) full() bool { return len(g.nodes) > maxPattern || len(g.edges) > maxPattern }

// conjuncts appends the parts of an expression that AND joins.
func conjuncts(e expr, dst []expr) []expr {
	if e == nil {
		return dst
	}
	if b, ok := e.(*binaryExpr); ok && b.Op == opAnd {
		return conjuncts(b.R, conjuncts(b.L, dst))
	}
	return append(dst, e)
}

// place returns the place of a variable, and gives it one if it has none. bound
// reports whether it had one among the first places.
func (pl *planner) place(name string, before int) (slot int, bound bool) {
	if slot, ok := pl.scope.slot(name); ok {
		return slot, slot < before
	}
	return pl.scope.add(name), false
}

func (g *patternGraph) pattern(p *pattern, before int) error {
	if p.Shortest != notShortest {
		e := p.Edges
		if len(e) != 1 {
			return refuse(g.pl.text, p.Pos, "a shortest path over a pattern of other than one edge")
		}
		if e[0].Var && e[0].Min > 1 {
			return refuse(g.pl.text, e[0].Pos, "a shortest path of at least %d edges", e[0].Min)
		}
	}
	last := -1
	path := &patPath{name: p.Variable}
	for i, n := range p.Nodes {
		at, err := g.node(n, before)
		if err != nil {
			return err
		}
		if i == 0 {
			path.first = at
		} else if err := g.edge(p, p.Edges[i-1], last, at, before); err != nil {
			return err
		} else {
			path.edges = append(path.edges, len(g.edges)-1)
		}
		if last = at; g.full() {
			return nil
		}
	}
	if g.pl.uses.wanted(p.Variable) {
		path.slot, path.bound = g.pl.place(p.Variable, before)
		if path.bound {
			return refuse(g.pl.text, p.Pos, "a path variable that is bound already")
		}
		g.paths = append(g.paths, path)
	}
	return nil
}

// node adds a node of a pattern, or merges it with the node of the same
// variable, and returns its place.
func (g *patternGraph) node(n *nodePattern, before int) (int, error) {
	at, ok := g.named[n.Variable]
	if !ok || n.Variable == "" {
		node := &patNode{name: n.Variable}
		if node.name == "" {
			node.name = g.pl.hidden()
		}
		node.slot, node.bound = g.pl.place(node.name, before)
		at = len(g.nodes)
		g.nodes = append(g.nodes, node)
		g.named[node.name] = at
	}
	g.nodes[at].labels = g.nodes[at].labels.and(n.Labels)
	g.pl.noticeLabels(n.Labels)
	if n.Where != nil {
		g.pending = append(g.pending, conjuncts(n.Where, nil)...)
	}
	return at, g.properties(g.nodes[at].name, n.Props, n.Pos)
}

// properties adds the properties of a pattern as conditions.
func (g *patternGraph) properties(name string, props expr, at Pos) error {
	switch props := props.(type) {
	case nil:
	case *mapLit:
		for i, key := range props.Keys {
			g.pending = append(g.pending, propertyTest(name, key, props.Values[i], at))
		}
	default:
		return refuse(g.pl.text, props.At(), "a parameter as all properties of a pattern that is matched")
	}
	return nil
}

func (g *patternGraph) edge(p *pattern, e *edgePattern, from, to, before int) error {
	edge := &patEdge{edgePattern: e, from: from, to: to, slot: -1, shortest: p.Shortest}
	g.edges = append(g.edges, edge)
	g.pl.noticeTypes(e.Types)
	wanted := g.pl.uses.wanted(e.Variable)
	if e.Variable != "" {
		if slot, ok := g.pl.scope.slot(e.Variable); ok {
			if slot >= before {
				return refuse(g.pl.text, e.Pos, "an edge variable that stands twice in one MATCH")
			}
			if p.Shortest != notShortest {
				return refuse(g.pl.text, e.Pos, "edges of a shortest path that are bound already")
			}
			edge.name, edge.slot, edge.bound = e.Variable, slot, true
		}
	}
	each := e.Var || p.Shortest != notShortest // Props and Where are about each edge
	if !edge.bound && (wanted || (e.Props != nil || e.Where != nil) && p.Shortest == notShortest) {
		edge.name = e.Variable
		if edge.name == "" {
			edge.name = g.pl.hidden()
		}
		edge.slot = g.pl.scope.add(edge.name)
	}
	if each {
		return nil // see edgeTests
	}
	if e.Where != nil {
		g.pending = append(g.pending, conjuncts(e.Where, nil)...)
	}
	return g.properties(edge.name, e.Props, e.Pos)
}

// propertyTest returns the condition that a property is a value.
func propertyTest(name, key string, value expr, at Pos) expr {
	return &binaryExpr{
		Pos: value.At(), Op: opEqual, R: value,
		L: &property{Pos: at, X: &variable{Pos: at, Name: name}, Name: key},
	}
}

// addConjunct adds a conjunct. Labels go to their node at once.
func (g *patternGraph) addConjunct(e expr) {
	if l, ok := e.(*labelsExpr); ok {
		if v, ok := l.X.(*variable); ok {
			if at, ok := g.named[v.Name]; ok {
				g.nodes[at].labels = g.nodes[at].labels.and(l.Labels)
				return
			}
		}
	}
	names := map[string]bool{}
	variablesOf(e, names)
	c := &conjunct{expr: e, volatile: isVolatile(e)}
	for i, n := range g.nodes {
		if names[n.name] {
			c.nodes |= 1 << i
		}
	}
	for i, edge := range g.edges {
		if edge.name != "" && names[edge.name] {
			c.edges |= 1 << i
		}
	}
	for i, p := range g.paths {
		if names[p.name] {
			c.paths |= 1 << i
		}
	}
	if c.volatile {
		c.nodes = 1<<len(g.nodes) - 1
	}
	g.conds = append(g.conds, c)
}
