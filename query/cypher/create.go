package cypher

import "strings"

// newPattern is a pattern as CREATE and MERGE make it.
type newPattern struct {
	nodes []newNode
	edges []newEdgeSpec
	path  int // place of the path, -1 for none
	// noNull refuses null as a property, since MERGE could never find such a
	// node.
	noNull bool
}

// newNode is a node of a created pattern. It may be bound already.
type newNode struct {
	at     Pos
	slot   int
	bound  bool
	labels []string
	props  evaluator // nil for none
}

// newEdgeSpec is an edge of a created pattern.
type newEdgeSpec struct {
	at       Pos
	slot     int // -1 if it is not used
	name     string
	backward bool // from the right node to the left
	props    evaluator
}

// newPattern compiles a pattern to create and gives its variables places.
// Variables among the first places are bound.
func (pl *planner) newPattern(p *pattern, before int) (*newPattern, error) {
	out := &newPattern{path: -1}
	made := map[int]bool{} // places of nodes to the left
	for i, n := range p.Nodes {
		if err := pl.watch.look(); err != nil {
			return nil, err
		}
		node := newNode{at: n.Pos}
		name := n.Variable
		if name == "" {
			name = pl.hidden()
		}
		node.slot, node.bound = pl.place(name, before)
		node.bound = node.bound || made[node.slot]
		made[node.slot] = true
		if err := pl.newNode(n, &node); err != nil {
			return nil, err
		}
		out.nodes = append(out.nodes, node)
		if i == 0 {
			continue
		}
		edge, err := pl.newEdge(p.Edges[i-1], before)
		if err != nil {
			return nil, err
		}
		out.edges = append(out.edges, edge)
	}
	if p.Variable != "" && pl.uses.wanted(p.Variable) {
		out.path, _ = pl.place(p.Variable, before)
	}
	return out, nil
}

func (pl *planner) newNode(n *nodePattern, node *newNode) (err error) {
	if node.bound {
		return nil
	}
	node.labels, _ = n.Labels.names()
	if err := pl.newLabels(node.labels, n.Pos); err != nil {
		return err
	}
	if n.Props != nil {
		node.props, err = pl.expr(n.Props)
	}
	return err
}

// newLabels refuses empty labels and those with a colon, which methods use.
func (pl *planner) newLabels(names []string, at Pos) error {
	for _, name := range names {
		if name == "" || strings.Contains(name, ":") {
			return refuse(pl.text, at, "a label that is empty or has a colon in it")
		}
	}
	return nil
}

func (pl *planner) newEdge(e *edgePattern, before int) (out newEdgeSpec, err error) {
	out = newEdgeSpec{at: e.Pos, slot: -1, backward: e.Dir == dirIn}
	if len(e.Types) != 1 || e.Var {
		return out, refuse(pl.text, e.Pos, "to make an edge without exactly one type")
	}
	out.name = e.Types[0]
	if pl.uses.wanted(e.Variable) {
		out.slot, _ = pl.place(e.Variable, before)
	}
	if e.Props != nil {
		out.props, err = pl.expr(e.Props)
	}
	return out, err
}

// make creates the unbound nodes and edges of the pattern and binds them.
func (p *newPattern) make(x *exec, r row) error {
	path := &Path{graph: x.graph}
	for i := range p.nodes {
		if err := x.tick(); err != nil {
			return err
		}
		n := &p.nodes[i]
		if !n.bound {
			props, err := p.propsOf(x, r, n.props, n.at)
			if err != nil {
				return err
			}
			id, err := writer{x, n.at}.createNode(n.labels, props)
			if err != nil {
				return err
			}
			r[n.slot] = node(x.graph, id)
		} else if r[n.slot].Kind() != KindNode {
			return typeError(n.at, "a pattern that is made needs a node here, not %s", aKind(r[n.slot]))
		}
		path.Nodes = append(path.Nodes, r[n.slot].AsNode())
	}
	for i := range p.edges {
		e := &p.edges[i]
		props, err := p.propsOf(x, r, e.props, e.at)
		if err != nil {
			return err
		}
		from, to := path.Nodes[i], path.Nodes[i+1]
		if e.backward {
			from, to = to, from
		}
		// A node that this pattern has just made has no edge yet.
		first := !p.nodes[i+1].bound || i == 0 && !p.nodes[0].bound
		made, err := writer{x, e.at}.createEdge(from, to, e.name, props, first)
		if err != nil {
			return err
		}
		v := &Edge{Edge: made, graph: x.graph}
		path.Edges = append(path.Edges, v)
		if e.slot >= 0 {
			r[e.slot] = edge(v)
		}
	}
	if p.path >= 0 {
		r[p.path] = Value{kind: KindPath, ref: path}
	}
	return nil
}

// propsOf evaluates the properties of a pattern.
func (p *newPattern) propsOf(x *exec, r row, props evaluator, at Pos) (map[string]Value, error) {
	if props == nil {
		return nil, nil
	}
	v, err := props(x, r)
	if err != nil {
		return nil, err
	}
	if v.Kind() != KindMap {
		return nil, typeError(at, "properties are a map, not %s", aKind(v))
	}
	if p.noNull {
		for _, name := range sortedKeys(v.AsMap()) {
			if v.AsMap()[name].IsNull() {
				return nil, evalError(at, codeSemantic, "MergeReadOwnWrites", "MERGE by a property that is null: %s", name)
			}
		}
	}
	return v.AsMap(), nil
}

// createStep makes patterns for each row.
type createStep struct {
	planned
	patterns []*newPattern
}

func (pl *planner) create(c *createClause) error {
	s := &createStep{}
	for _, p := range c.Patterns {
		// Each pattern sees the nodes and edges of the patterns before it.
		np, err := pl.newPattern(p, pl.scope.size())
		if err != nil {
			return err
		}
		s.patterns = append(s.patterns, np)
	}
	s.describe("Create")
	pl.add(s)
	return nil
}

func (s *createStep) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		if err := x.tick(); err != nil {
			return err
		}
		for _, p := range s.patterns {
			if err := x.tick(); err != nil {
				return err
			}
			if err := p.make(x, r); err != nil {
				return err
			}
		}
		return next.push(r)
	})
}

// mergeStep finds a pattern or makes it.
type mergeStep struct {
	planned
	find              []step
	pattern           *newPattern
	onCreate, onMatch []*setItem
}

func (pl *planner) merge(m *mergeClause) error {
	before := pl.scope.size()
	s := &mergeStep{}
	// What is made first has to have a place: finding gives the others theirs.
	var err error
	if s.find, err = pl.planMatch([]*pattern{m.Pattern}, nil); err != nil {
		return err
	}
	if s.pattern, err = pl.newPattern(m.Pattern, before); err != nil {
		return err
	}
	s.pattern.noNull = true
	if s.onCreate, err = pl.setItems(m.OnCreate); err != nil {
		return err
	}
	if s.onMatch, err = pl.setItems(m.OnMatch); err != nil {
		return err
	}
	s.onCreate, s.onMatch = together(s.onCreate), together(s.onMatch)
	s.describe("Merge")
	s.Inner = stepPlans(s.find)
	pl.add(s)
	return nil
}

func (s *mergeStep) open(x *exec, next sink) sink {
	var found []row
	find := openSteps(x, s.find, sink{
		push: func(r row) error {
			kept, err := x.keep(r)
			found = append(found, kept)
			return err
		},
		done: func() error { return nil },
	})
	return stream(next, func(r row) error {
		held := x.held
		found = found[:0]
		for _, n := range s.pattern.nodes {
			if n.bound && r[n.slot].Kind() != KindNode {
				return typeError(n.at, "MERGE needs a node here, not %s", aKind(r[n.slot]))
			}
		}
		if err := find.push(r); err != nil {
			return err
		}
		items := s.onMatch
		if len(found) == 0 {
			if err := s.pattern.make(x, r); err != nil {
				return err
			}
			found = append(found, r)
			items = s.onCreate
		}
		for _, f := range found {
			for _, item := range items {
				if err := item.apply(x, f); err != nil {
					return err
				}
			}
			if err := next.push(f); err != nil {
				return err
			}
		}
		x.held = held
		return nil
	})
}
