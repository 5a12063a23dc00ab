package cypher

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// ruleScan looks values up in the index of a rule.
type ruleScan struct {
	planned
	rule   string
	equal  []evaluator
	bounds []evaluatedBound
	list   bool // the last of equal is a list of alternatives
}

type evaluatedBound struct {
	op    engine.Op
	value evaluator
}

// spans returns what to look up for a row, nothing if no value can be within. complete
// is false if the index cannot tell, because of a value that is not stored.
func (s *ruleScan) spans(x *exec, r row) (spans []engine.Span, complete bool, err error) {
	span := engine.Span{}
	var last []Value // alternatives of the last value
	for i, ev := range s.equal {
		v, err := ev(x, r)
		if err != nil {
			return nil, false, err
		}
		if s.list && i == len(s.equal)-1 {
			last = v.AsList()
			break
		}
		if v.IsNull() {
			return nil, true, nil // which nothing equals
		}
		stored, err := toStored(0, v)
		if err != nil {
			return nil, false, nil
		}
		span.Equal = append(span.Equal, stored)
	}
	for _, b := range s.bounds {
		v, err := b.value(x, r)
		if err != nil {
			return nil, false, err
		}
		if v.IsNull() {
			return nil, true, nil
		}
		stored, err := toStored(0, v)
		if err != nil || !boundable(b.op, stored) {
			return nil, false, nil
		}
		span.Bounds = append(span.Bounds, engine.Bound{Op: b.op, Value: stored})
	}
	if !s.list {
		return []engine.Span{span}, true, nil
	}
	for _, v := range last {
		if v.IsNull() {
			continue
		}
		stored, err := toStored(0, v)
		if err != nil {
			return nil, false, nil
		}
		equal := append(span.Equal[:len(span.Equal):len(span.Equal)], stored)
		spans = append(spans, engine.Span{Equal: equal})
	}
	return spans, true, nil
}

// nodeIndexScan binds a variable to the nodes for which the index of a rule may hold
// conditions: filters after it decide.
type nodeIndexScan struct {
	ruleScan
	slot   int
	labels *labelExpr
}

func (s *nodeIndexScan) open(x *exec, next sink) sink {
	test := nodeTest{labels: s.labels}
	return stream(next, func(r row) error {
		spans, complete, err := s.spans(x, r)
		if err != nil || complete && len(spans) == 0 {
			return err
		}
		if !complete {
			nodes, err := x.graph.nodesWith(s.labels)
			if err != nil {
				return err
			}
			return eachNode(x, nodes, s.slot, r, next)
		}
		var set *roaring.Bitmap
		for _, span := range spans {
			some, err := x.graph.r.IndexedNodes(s.rule, span)
			if err != nil {
				return err
			}
			if set == nil {
				set = some
			} else {
				set.Or(some)
			}
		}
		if s.labels.Op == labelName {
			return eachNode(x, set, s.slot, r, next) // the index is of the label
		}
		for it := set.Iterator(); it.HasNext(); {
			id := it.Next()
			if ok, err := test.has(x, engine.NodeID(id)); err != nil {
				return err
			} else if !ok {
				set.Remove(id)
			}
		}
		return eachNode(x, set, s.slot, r, next)
	})
}

// edgeIndexScan binds an edge and its ends to the edges for which the index of a
// rule may hold conditions: filters after it decide.
type edgeIndexScan struct {
	ruleScan
	foundEdge
}

func (s *edgeIndexScan) open(x *exec, next sink) sink {
	s.foundEdge.open()
	return stream(next, func(r row) error {
		spans, complete, err := s.spans(x, r)
		if err != nil {
			return err
		}
		if !complete { // all edges with the first property
			spans = []engine.Span{{Bounds: []engine.Bound{{Op: engine.OpExists}}}}
		}
		seen := map[engine.Edge]bool{}
		for _, span := range spans {
			var edges []engine.Edge
			for e, err := range x.graph.r.IndexedEdges(s.rule, span) {
				if err != nil {
					return err
				}
				if len(spans) > 1 && seen[e] {
					continue
				}
				if len(spans) > 1 {
					seen[e] = true
				}
				edges = append(edges, e)
			}
			for _, e := range edges {
				value := Null
				if s.edge >= 0 {
					var err error
					if e, err = weighed(x, e); err != nil {
						return err
					}
					value = newEdge(x.graph, identity(e))
				}
				if err := s.push(x, e, value, r, next); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// weighed returns an edge, as an index has it, with its weight.
func weighed(x *exec, e engine.Edge) (engine.Edge, error) {
	w, ok, err := x.graph.r.HasEdge(e.From, e.To, e.Type)
	if err != nil || !ok {
		return e, err
	}
	all, err := x.graph.r.Parallel(e.From, []engine.Edge{{From: e.From, To: e.To, Type: e.Type, Weight: w}})
	if err != nil {
		return e, err
	}
	for _, one := range all {
		if one.N == e.N {
			return one, nil
		}
	}
	return e, nil
}
