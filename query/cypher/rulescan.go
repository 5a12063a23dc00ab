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
	from, to, edge       int // places; edge is -1 if it is not used
	dir                  direction
	names                []string
	fromLabels, toLabels nodeTest
	m                    *matched
	place                int
}

func (s *edgeIndexScan) open(x *exec, next sink) sink {
	if s.m.edges[s.place] == nil {
		s.m.edges[s.place] = make([]engine.Edge, 1)
	}
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
				if err := s.push(x, e, r, next); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// push binds an edge in the directions that the pattern allows.
func (s *edgeIndexScan) push(x *exec, e engine.Edge, r row, next sink) error {
	if s.edge >= 0 {
		var err error
		if e, err = weighed(x, e); err != nil {
			return err
		}
	}
	either := s.dir == dirBoth || !e.Type.Directed()
	for _, turned := range [2]bool{false, true} {
		if !either && turned != (s.dir == dirIn) || either && turned && e.From == e.To {
			continue
		}
		if err := x.tick(); err != nil {
			return err
		}
		from, to := e.From, e.To
		if turned {
			from, to = to, from
		}
		if ok, err := s.fromLabels.has(x, from); err != nil {
			return err
		} else if !ok {
			continue
		}
		if ok, err := s.toLabels.has(x, to); err != nil {
			return err
		} else if !ok {
			continue
		}
		s.m.edges[s.place][0] = identity(e)
		r[s.from], r[s.to] = node(x.graph, from), node(x.graph, to)
		if s.edge >= 0 {
			r[s.edge] = newEdge(x.graph, identity(e))
		}
		if err := next.push(r); err != nil {
			return err
		}
	}
	return nil
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
