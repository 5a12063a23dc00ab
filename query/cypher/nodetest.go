package cypher

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// nodeTest tests nodes for labels and for conditions on single properties. It looks up
// the first few nodes one by one; for more it finds all nodes that pass.
type nodeTest struct {
	labels *labelExpr
	values []*valueTest

	stamp    uint32 // of the graph that the rest is of
	looked   int
	labelled *roaring.Bitmap // nodes with the labels, nil until wanted
	passing  *roaring.Bitmap // nodes that pass, nil until wanted
	one      bool            // nodes are tested one by one
}

// valueTest is a condition on one property of a node.
type valueTest struct {
	name  string // of the property
	holds condition
	row   row // of holds: the value of the property
}

// fewLookups is how many records a test reads before it reads sets of nodes,
// which the statements of a session share.
const fewLookups = 24

// any reports whether every node passes.
func (t *nodeTest) any() bool { return t.labels == nil && len(t.values) == 0 }

// fresh returns a test of the same that knows nothing yet.
func (t *nodeTest) fresh() nodeTest { return nodeTest{labels: t.labels, values: t.values} }

// and returns the test that both pass.
func (t *nodeTest) and(o *nodeTest) nodeTest {
	return nodeTest{labels: t.labels.and(o.labels), values: slices.Concat(t.values, o.values)}
}

// has reports whether a node passes.
func (t *nodeTest) has(x *exec, id engine.NodeID) (bool, error) {
	if t.any() {
		return true, nil
	}
	if t.stamp != x.graph.stamp+1 {
		*t = t.fresh()
		t.stamp = x.graph.stamp + 1
	}
	if t.passing != nil {
		return t.passing.Contains(uint32(id)), nil
	}
	t.looked++
	if len(t.values) > 0 && !t.one {
		worth, err := x.graph.worthAll(t.looked)
		if err != nil {
			return false, err
		}
		if worth {
			// A condition may fail for a node that never is asked for.
			if set, err := t.all(x); err == nil {
				return set.Contains(uint32(id)), nil
			}
			t.one = true
		}
	}
	if ok, err := t.hasLabels(x, id); err != nil || !ok {
		return false, err
	}
	return t.hasValues(x, id)
}

// hasLabels reports whether a node has the labels.
func (t *nodeTest) hasLabels(x *exec, id engine.NodeID) (bool, error) {
	if t.labels == nil {
		return true, nil
	}
	if t.labelled == nil && t.looked <= fewLookups {
		n, err := x.graph.record(id)
		return err == nil && x.graph.labelled(&n, t.labels), err
	}
	if t.labelled == nil {
		set, err := x.graph.nodesWith(t.labels)
		if err != nil {
			return false, err
		}
		t.labelled = set
	}
	return t.labelled.Contains(uint32(id)), nil
}

// hasValues reports whether the conditions on properties hold for a node.
func (t *nodeTest) hasValues(x *exec, id engine.NodeID) (bool, error) {
	for _, v := range t.values {
		value, err := x.nodeProperty(x.graph, id, v.name)
		if err != nil {
			return false, err
		}
		v.row[0] = value
		if ok, err := v.holds(x, v.row); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// all returns the nodes that pass, which the caller must not change.
func (t *nodeTest) all(x *exec) (*roaring.Bitmap, error) {
	if t.passing != nil {
		return t.passing, nil
	}
	set, err := x.graph.nodesWith(t.labels)
	if err != nil {
		return nil, err
	}
	if len(t.values) > 0 {
		out := roaring.New()
		err := eachID(x, set, func(id engine.NodeID) error {
			ok, err := t.hasValues(x, id)
			if ok {
				out.Add(uint32(id))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		set = out
	}
	t.passing = set
	return set, nil
}

// valueTest returns a condition as one on the value of a single property of a node,
// nil if it depends on anything else.
func (pl *planner) valueTest(cond expr, node string) (*valueTest, error) {
	const value = " value"
	name, whole := "", true
	over := rewrite(cond, func(part expr, bound []string) expr {
		if ps, beside := patternParts(part); len(ps)+len(beside) > 0 {
			whole = false
		}
		p, ok := part.(*property)
		if !ok || slices.Contains(bound, node) {
			return nil
		}
		if v, ok := p.X.(*variable); !ok || v.Name != node || name != "" && name != p.Name {
			return nil
		}
		name = p.Name
		return &variable{Pos: p.Pos, Name: value}
	})
	if free := freeNames(over); !whole || name == "" || len(free) != 1 || free[0] != value {
		return nil, nil
	}
	c := pl.compiler()
	c.scope = &scope{names: []string{value}}
	holds, err := c.condition(over)
	if err != nil {
		return nil, err
	}
	return &valueTest{name: name, holds: holds, row: make(row, 1)}, nil
}

// tests gives a step that binds a node the conditions on single properties of it.
func (g *patternGraph) tests(next step) error {
	var slot int
	var test *nodeTest
	switch s := next.(type) {
	case *scan:
		slot, test = s.slot, &s.test
	case *expand:
		if s.into {
			return nil
		}
		slot, test = s.to, &s.label
	default:
		return nil
	}
	at := slices.IndexFunc(g.nodes, func(n *patNode) bool { return n.slot == slot })
	for _, c := range g.conds {
		if c.done || c.volatile || c.nodes != 1<<at || c.edges|c.paths != 0 {
			continue
		}
		v, err := g.pl.valueTest(c.expr, g.nodes[at].name)
		if err != nil {
			return err
		}
		if v == nil {
			continue
		}
		c.done = true
		test.values = append(test.values, v)
		next.plan().Args = append(next.plan().Args, shownExpr(c.expr))
	}
	return nil
}
