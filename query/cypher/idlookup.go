package cypher

import (
	"errors"

	"github.com/ragdb/ragdb/engine"
)

// idLookup binds a variable to the nodes of one id, or of a list of them, in
// the list's order and each once.
type idLookup struct {
	planned
	slot   int
	labels *labelExpr
	id     evaluator
	list   bool
}

func (s *idLookup) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		v, err := s.id(x, r)
		if err != nil {
			return err
		}
		ids := []Value{v}
		if s.list {
			ids = v.AsList()
		}
		seen := make(map[engine.NodeID]bool, len(ids))
		for _, v := range ids {
			id, ok := wholeID(v)
			if !ok || seen[id] {
				continue // no node has such an id
			}
			seen[id] = true
			if err := x.tick(); err != nil {
				return err
			}
			n, err := x.graph.r.Node(id)
			if errors.Is(err, engine.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if !x.graph.labelled(&n, s.labels) {
				continue
			}
			r[s.slot] = node(x.graph, id)
			if err := next.push(r); err != nil {
				return err
			}
		}
		return nil
	})
}

// wholeID returns the id that a number is equal to: 7.0 is 7.
func wholeID(v Value) (engine.NodeID, bool) {
	switch x := v.AsFloat(); {
	case v.Kind() == KindInt && v.AsInt() > 0:
		return engine.NodeID(v.AsInt()), true
	case v.Kind() == KindFloat && x >= 1 && x < 1<<53 && x == float64(int64(x)):
		return engine.NodeID(x), true
	}
	return 0, false
}
