package cypher

import (
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// boundEdges follows the edges of a list that is bound before the MATCH, from a node
// that is bound.
type boundEdges struct {
	planned
	hop
	min, max int
	tests    *edgeTests
	reversed bool // steps lead from the pattern's right end to its left
}

func (b *boundEdges) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		from, list := r[b.from], r[b.edge]
		if from.kind != KindNode || b.into && r[b.to].kind != KindNode || list.kind != KindList {
			return nil
		}
		f, ok := b.test.filter(x)
		if n := len(list.AsList()); n < b.min || b.max >= 0 && n > b.max || !ok && n > 0 {
			return nil
		}
		b.tests.begin(r)
		edges := b.m.edges[b.place][:0]
		id := from.AsNode()
		for i := range list.AsList() {
			v := list.AsList()[i]
			if b.reversed {
				v = list.AsList()[len(list.AsList())-1-i]
			}
			if v.kind != KindEdge {
				return nil
			}
			e := identity(v.AsEdge().Edge)
			forth := e.From == id && (!e.Type.Directed() || f.Direction != engine.In)
			back := e.To == id && (!e.Type.Directed() || f.Direction != engine.Out)
			if !forth && !back || f.Types != nil && !slices.Contains(f.Types, e.Type) || !b.m.free(e, b.others) ||
				slices.ContainsFunc(edges, func(other engine.Edge) bool { return sameEdge(e, other) }) {
				return nil
			}
			if ok, err := b.tests.fit(x, e); err != nil || !ok {
				return err
			}
			edges = append(edges, e)
			id = e.Other(id)
		}
		b.m.edges[b.place] = edges
		if b.into && r[b.to].AsNode() != id {
			return nil
		}
		if ok, err := b.label.has(x, id); err != nil || !ok {
			return err
		}
		if !b.into {
			r[b.to] = node(x.graph, id)
		}
		return next.push(r)
	})
}
