package cypher

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// labelled reports whether a label expression holds for a node.
func (g *graph) labelled(n *engine.Node, e *labelExpr) bool {
	return e.holds(func(name string) bool {
		if name == "" {
			return n.Type != engine.NoType
		}
		if g.typeLabel(n.Type) == name || g.r.NodeTypeName(n.Type) == name {
			return n.Type != engine.NoType
		}
		for _, t := range n.Labels {
			if g.typeLabel(t) == name || g.r.NodeTypeName(t) == name {
				return true
			}
		}
		return false
	})
}

// nodesWith returns the nodes for which a label expression holds, all for nil. The
// caller must not change the set.
func (g *graph) nodesWith(e *labelExpr) (*roaring.Bitmap, error) {
	switch {
	case e == nil:
		return g.nodesOf(engine.AnyType)
	case e.Op == labelName:
		return g.nodesOfTypes(typesOf(g.r, e.Name))
	case e.Op == labelAny:
		return g.without(engine.NoType)
	case e.Op == labelNot:
		all, err := g.nodesOf(engine.AnyType)
		if err != nil {
			return nil, err
		}
		some, err := g.nodesWith(e.Args[0])
		if err != nil {
			return nil, err
		}
		return roaring.AndNot(all, some), nil
	}
	var out *roaring.Bitmap
	for i, arg := range e.Args {
		set, err := g.nodesWith(arg)
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			out = set.Clone()
		case e.Op == labelAnd:
			out.And(set)
		default:
			out.Or(set)
		}
	}
	return out, nil
}

// without returns the nodes that do not have a type.
func (g *graph) without(t engine.TypeID) (*roaring.Bitmap, error) {
	all, err := g.nodesOf(engine.AnyType)
	if err != nil {
		return nil, err
	}
	some, err := g.nodesOf(t)
	if err != nil {
		return nil, err
	}
	return roaring.AndNot(all, some), nil
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
