package procedure

import (
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// weightError names the edge whose weight a procedure cannot use, among those of some
// types, nil for all, and the ways out. least says what weights it takes. Other errors it
// returns as they are.
func weightError(call *cypher.ProcedureCall, name, least string, types []engine.EdgeType, err error) error {
	var w interface {
		Edge() (from, to engine.NodeID, weight float32)
	}
	if !errors.As(err, &w) {
		return err
	}
	u, v, weight := w.Edge()
	if types == nil {
		types = call.View.EdgeTypes()
	}
	for _, t := range types {
		for _, ends := range [][2]engine.NodeID{{u, v}, {v, u}} {
			x, ok, found := call.View.HasEdge(ends[0], ends[1], t)
			if found != nil {
				return found
			}
			if !ok || x != weight {
				continue
			}
			from, to, found := edgeEnds(call.View, ends)
			if found != nil {
				return found
			}
			return invalid("%s takes weights %s, and the edge %s from %q to %q weighs %v: change its weight, leave its type out by the option types, or say weighted: false",
				name, least, call.View.EdgeTypeName(t), from, to, x)
		}
	}
	return fmt.Errorf("%s takes weights %s: %w", name, least, err)
}

// edgeEnds returns the keys of two nodes.
func edgeEnds(v *engine.View, ends [2]engine.NodeID) (from, to string, err error) {
	a, err := v.Node(ends[0])
	if err != nil {
		return "", "", err
	}
	b, err := v.Node(ends[1])
	return a.Key, b.Key, err
}
