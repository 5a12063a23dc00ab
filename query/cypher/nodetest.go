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
		if is, err := v.of(x, value); err != nil || is != passed {
			return false, err
		}
	}
	return true, nil
}

// blockIDs is how many nodes a block of a column has.
const blockIDs = 1024

// batches calls fn with those of a set of nodes for which the conditions on properties
// hold, some at a time in their order: few at first, and then those of a block.
func (t *nodeTest) batches(x *exec, set *roaring.Bitmap, fn func(ids []uint32) error) error {
	ids := make([]uint32, 0, blockIDs)
	size := 16
	for it := set.Iterator(); it.HasNext(); {
		if err := x.tick(); err != nil {
			return err
		}
		id := it.Next()
		ids = append(ids, id)
		if it.HasNext() && len(ids) < size && it.PeekNext()/blockIDs == id/blockIDs {
			continue
		}
		for _, v := range t.values {
			var err error
			if ids, err = t.passingOf(x, v, ids); err != nil {
				return err
			}
		}
		if len(ids) > 0 {
			if err := fn(ids); err != nil {
				return err
			}
		}
		ids, size = ids[:0], min(4*size, blockIDs)
	}
	return nil
}

// passingOf keeps those of some nodes of a block for which a condition holds.
func (t *nodeTest) passingOf(x *exec, v *valueTest, ids []uint32) ([]uint32, error) {
	passing := ids[:0]
	for _, id := range ids {
		value, err := x.nodeProperty(x.graph, engine.NodeID(id), v.name)
		if err != nil {
			return nil, err
		}
		is, err := v.of(x, value)
		if err != nil {
			return nil, err
		}
		if is == passed {
			passing = append(passing, id)
		}
	}
	return passing, nil
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
		err := t.batches(x, set, func(ids []uint32) error { out.AddMany(ids); return nil })
		if err != nil {
			return nil, err
		}
		set = out
	}
	t.passing = set
	return set, nil
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
