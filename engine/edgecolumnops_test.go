package engine_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// readEdgeColumns reads the properties of all edges of a type by blocks.
func (g *graphOps) readEdgeColumns(name string) step {
	names := propNames[:4]
	t := g.m.edgeTypes[name]
	var edges []modelEdge
	for e := range g.m.edgeProps {
		if e.typ == t {
			edges = append(edges, e)
		}
	}
	slices.SortFunc(edges, func(a, b modelEdge) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.n, b.n))
	})
	show := func(e engine.Edge, value func(i int) engine.Value) string {
		some := engine.Props{}
		for i, name := range names {
			if v := value(i); !v.IsNull() {
				some[name] = v
			}
		}
		return fmt.Sprintf("%d-%d#%d{%s}", e.From, e.To, e.N, showProps(some))
	}
	var want []string
	for _, e := range edges {
		want = append(want, show(e.edge(), func(i int) engine.Value { return g.m.edgeProps[e][names[i]] }))
	}
	return g.readStep("columns of edges "+name, strings.Join(want, " "), func(r graphReader) string {
		var out []string
		for b, err := range r.EdgeColumns(t, names) {
			if err != nil {
				return fault(err)
			}
			for row := range b.Rows() {
				out = append(out, show(b.Edge(row), func(i int) engine.Value { return b.Column(i).At(row) }))
			}
		}
		return strings.Join(out, " ")
	})
}
