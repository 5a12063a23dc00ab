package cypher

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// scan binds a variable to each node that has some labels.
type scan struct {
	planned
	slot int
	test nodeTest
	rows *int64 // if rows are counted and not made, how many the one at hand stands for
}

// show describes the step in the plan.
func (s *scan) show(name string) {
	shown := "(" + shownName(name) + s.test.labels.String() + ")"
	if s.describe("Scan", shown); s.test.labels == nil {
		s.describe("ScanAll", shown)
	}
}

func (s *scan) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		set, err := x.graph.nodesWith(s.test.labels)
		if err != nil {
			return err
		}
		switch {
		case s.rows != nil:
			if err := s.count(x, set); err != nil || *s.rows == 0 {
				return err
			}
			return next.push(r)
		case len(s.test.values) == 0:
			return eachNode(x, set, s.slot, r, next)
		}
		return s.test.batches(x, set, func(ids []uint32) error {
			for _, id := range ids {
				r[s.slot] = node(x.graph, engine.NodeID(id))
				if err := next.push(r); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// count sets rows to the number of nodes with the labels that pass.
func (s *scan) count(x *exec, labelled *roaring.Bitmap) error {
	if len(s.test.values) == 0 {
		*s.rows = int64(labelled.GetCardinality())
		return nil
	}
	*s.rows = 0
	return s.test.batches(x, labelled, func(ids []uint32) error {
		*s.rows += int64(len(ids))
		return nil
	})
}

// eachNode binds a variable to each node of a set. It does not change the set.
func eachNode(x *exec, set *roaring.Bitmap, slot int, r row, next sink) error {
	return eachID(x, set, func(id engine.NodeID) error {
		r[slot] = node(x.graph, id)
		return next.push(r)
	})
}

// eachID calls fn with each node of a set. It does not change the set.
func eachID(x *exec, set *roaring.Bitmap, fn func(engine.NodeID) error) error {
	var buf [256]uint32
	it := set.ManyIterator()
	for {
		n := it.NextMany(buf[:])
		if n == 0 {
			return nil
		}
		for _, id := range buf[:n] {
			if err := x.tick(); err != nil {
				return err
			}
			if err := fn(engine.NodeID(id)); err != nil {
				return err
			}
		}
	}
}

// keyLookup binds a variable to the node that has a key, or to those of a list
// of keys.
type keyLookup struct {
	planned
	slot   int
	labels *labelExpr
	key    evaluator
	list   bool
}

func (k *keyLookup) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		v, err := k.key(x, r)
		if err != nil {
			return err
		}
		keys := []Value{v}
		if k.list {
			keys = v.AsList()
		}
		seen := map[engine.NodeID]bool{}
		for _, key := range keys {
			if key.Kind() != KindString {
				continue // no node has such a key
			}
			ids, err := k.keyed(x, key.AsString())
			if err != nil {
				return err
			}
			for _, id := range ids {
				if k.list && seen[id] {
					continue
				}
				if k.list {
					seen[id] = true
				}
				if err := x.tick(); err != nil {
					return err
				}
				r[k.slot] = node(x.graph, id)
				if err := next.push(r); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// keyed returns the nodes with a key and the labels.
func (k *keyLookup) keyed(x *exec, key string) ([]engine.NodeID, error) {
	types := []engine.TypeID{engine.AnyType}
	label := k.labels.one()
	if label != "" {
		types = typesOf(x.graph.r, label)
	}
	var out []engine.NodeID
	for _, t := range types {
		ids, err := x.graph.r.Keyed(t, key)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			n, err := x.graph.record(id)
			if err != nil {
				return nil, err
			}
			if x.graph.labelled(&n, k.labels) && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out, nil
}

// indexScan binds a variable to the nodes for which the index of a property
// may hold a condition: a filter after it decides.
type indexScan struct {
	planned
	slot     int
	labels   *labelExpr
	property string
	op       engine.Op
	value    evaluator
	list     bool // value is a list of alternatives
}

func (s *indexScan) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		values, complete, err := s.wanted(x, r)
		if err != nil || complete && len(values) == 0 {
			return err
		}
		nodes, err := x.graph.nodesWith(s.labels)
		if err != nil {
			return err
		}
		if !complete {
			return eachNode(x, nodes, s.slot, r, next)
		}
		set, err := x.graph.r.Where(engine.Comparison{Property: s.property, Op: s.op, Values: values})
		if err != nil {
			return err
		}
		if s.labels != nil {
			set.And(nodes)
		}
		return eachNode(x, set, s.slot, r, next)
	})
}

// wanted returns the values to look up in the index. complete is false if one
// of them cannot be stored, or is a list, since an index holds only the
// elements of lists. Values that equal no stored value are left out.
func (s *indexScan) wanted(x *exec, r row) (values []engine.Value, complete bool, err error) {
	v, err := s.value(x, r)
	if err != nil {
		return nil, false, err
	}
	items := []Value{v}
	if s.list {
		items = v.AsList()
	}
	for _, item := range items {
		switch item.Kind() {
		case KindList:
			return nil, false, nil
		case KindBool, KindInt, KindFloat, KindString, KindTemporal, KindPoint:
			if s.op == engine.OpPrefix && item.Kind() != KindString {
				continue
			}
			v, err := toStored(0, item)
			if err != nil {
				return nil, false, nil // infinity is greater than what is stored
			}
			values = append(values, v)
		}
	}
	return values, true, nil
}

// bound passes the rows whose variable, already bound, is a node with some
// labels.
type bound struct {
	planned
	slot int
	test nodeTest
}

func (b *bound) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		v := r[b.slot]
		if v.kind != KindNode {
			return nil
		}
		if ok, err := b.test.has(x, v.AsNode()); err != nil || !ok {
			return err
		}
		return next.push(r)
	})
}

// filter lets the rows pass for which a condition is true.
type filter struct {
	planned
	holds condition
	names map[string]bool // variables in the condition
	// volatile is set if the condition may give another result for the same row.
	volatile bool
}

func (f *filter) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		ok, err := f.holds(x, r)
		if err != nil || !ok {
			return err
		}
		return next.push(r)
	})
}
