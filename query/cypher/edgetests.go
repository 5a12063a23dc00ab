package cypher

import "github.com/ragdb/ragdb/engine"

// edgeTests are the properties and the condition that each edge of a path of variable
// length, or of a shortest path, must satisfy.
type edgeTests struct {
	slot  int // of the edge in the row that conditions see
	conds []condition

	row row
}

// edgeTests compiles what the patterns say about each edge of a variable length. What
// depends on other parts of the MATCH becomes a condition on the list of the edges.
func (g *patternGraph) edgeTests() error {
	for _, e := range g.edges {
		if !e.Var && e.shortest == notShortest {
			continue
		}
		name := e.Variable
		if name == "" {
			name = " edge"
		}
		var conds []expr
		switch props := e.Props.(type) {
		case nil:
		case *mapLit:
			for i, key := range props.Keys {
				conds = append(conds, propertyTest(name, key, props.Values[i], e.Pos))
			}
		default:
			return refuse(g.pl.text, e.Props.At(), "a parameter as all properties of a pattern that is matched")
		}
		conds = conjuncts(e.Where, conds)
		c := g.pl.compiler()
		in, slot := c.inner(name)
		for _, cond := range conds {
			if g.entangled(cond, name) {
				if e.shortest != notShortest {
					return refuse(g.pl.text, cond.At(), "a condition on each edge of a shortest path that depends on the rest of its MATCH; bind that in a MATCH before")
				}
				at := cond.At()
				g.addConjunct(&quantifier{Pos: at, Kind: allOf, Variable: name, List: &variable{Pos: at, Name: e.name}, Where: cond})
				continue
			}
			holds, err := in.condition(cond)
			if err != nil {
				return err
			}
			if e.tests == nil {
				e.tests = &edgeTests{slot: slot}
			}
			e.tests.conds = append(e.tests.conds, holds)
		}
	}
	return nil
}

// entangled reports whether an expression names something that the MATCH itself binds,
// but for one name.
func (g *patternGraph) entangled(e expr, but string) bool {
	names := map[string]bool{}
	variablesOf(e, names)
	delete(names, but)
	for _, n := range g.nodes {
		if !n.bound && names[n.name] {
			return true
		}
	}
	for _, other := range g.edges {
		if !other.bound && other.name != "" && names[other.name] {
			return true
		}
	}
	for _, p := range g.paths {
		if names[p.name] {
			return true
		}
	}
	return false
}

// begin prepares the tests for the edges of a row.
func (t *edgeTests) begin(r row) {
	if t == nil {
		return
	}
	if t.row == nil {
		t.row = make(row, t.slot+1)
	}
	copy(t.row[:t.slot], r)
}

// fit reports whether an edge passes.
func (t *edgeTests) fit(x *exec, e engine.Edge) (bool, error) {
	if t == nil {
		return true, nil
	}
	t.row[t.slot] = newEdge(x.graph, e)
	for _, holds := range t.conds {
		if ok, err := holds(x, t.row); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}
