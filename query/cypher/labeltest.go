package cypher

import (
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// labels are the labels in a pattern's node: the node must have one label of
// each group.
type labels [][]string

// add adds the labels of a node pattern.
func (l *labels) add(names []string, any bool) {
	if len(names) == 0 {
		return
	}
	if any {
		*l = append(*l, names)
		return
	}
	for _, name := range names {
		*l = append(*l, []string{name})
	}
}

// String writes the labels as a pattern has them.
func (l labels) String() string {
	var b strings.Builder
	for _, group := range l {
		b.WriteString(":" + strings.Join(group, "|"))
	}
	return b.String()
}

// types returns the node types with the labels in ascending order. Without
// labels it returns all node types.
func (l labels) types(r query.Reader) []engine.TypeID {
	if len(l) == 0 {
		return r.NodeTypes()
	}
	var out []engine.TypeID
	for i, group := range l {
		var some []engine.TypeID
		for _, name := range group {
			some = append(some, typesOf(r, name)...)
		}
		if i == 0 {
			slices.Sort(some)
			out = slices.Compact(some)
			continue
		}
		out = slices.DeleteFunc(out, func(t engine.TypeID) bool { return !slices.Contains(some, t) })
	}
	return out
}

// labelTest tests nodes for labels. It looks up the first few nodes one by one;
// for more it reads the sets of the types.
type labelTest struct {
	labels labels

	stamp  uint32 // of the graph that the rest is of
	types  []engine.TypeID
	set    *roaring.Bitmap
	lookup int
}

// fewLookups is how many records a test reads before it reads sets of nodes,
// which the statements of a session share.
const fewLookups = 24

// has reports whether a node has the labels, as any node has if there are none.
func (t *labelTest) has(x *exec, id engine.NodeID) (bool, error) {
	if len(t.labels) == 0 {
		return true, nil
	}
	if t.stamp != x.graph.stamp+1 {
		*t = labelTest{labels: t.labels, stamp: x.graph.stamp + 1, types: t.labels.types(x.graph.r)}
	}
	if t.set == nil && t.lookup < fewLookups {
		t.lookup++
		n, err := x.graph.record(id)
		return err == nil && slices.Contains(t.types, n.Type), err
	}
	if t.set == nil {
		set, err := x.graph.nodesOfTypes(t.types)
		if err != nil {
			return false, err
		}
		t.set = set
	}
	return t.set.Contains(uint32(id)), nil
}

// nodesOfTypes returns the nodes of some types, which the caller must not
// change.
func (g *graph) nodesOfTypes(types []engine.TypeID) (*roaring.Bitmap, error) {
	if len(types) == 1 {
		return g.nodesOf(types[0])
	}
	out := roaring.New()
	for _, t := range types {
		set, err := g.nodesOf(t)
		if err != nil {
			return nil, err
		}
		out.Or(set)
	}
	return out, nil
}
