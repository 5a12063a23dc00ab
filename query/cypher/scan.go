package cypher

import (
	"errors"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// scan binds a variable to each node that has some labels.
type scan struct {
	planned
	slot   int
	labels labels
	count  bool // rows are counted and not made
}

func (s *scan) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		set, err := x.graph.nodesOfTypes(s.labels.types(x.graph.r))
		if err != nil {
			return err
		}
		if s.count {
			return x.pushTimes(int64(set.GetCardinality()), r, next)
		}
		return eachNode(x, set, s.slot, r, next)
	})
}

// eachNode binds a variable to each node of a set, which is not changed.
func eachNode(x *exec, set *roaring.Bitmap, slot int, r row, next sink) error {
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
			r[slot] = node(x.graph, engine.NodeID(id))
			if err := next.push(r); err != nil {
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
	labels labels
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
			for _, t := range k.labels.types(x.graph.r) {
				id, err := x.graph.r.Lookup(t, key.AsString())
				if errors.Is(err, engine.ErrNotFound) || k.list && seen[id] {
					continue
				}
				if err != nil {
					return err
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

// indexScan binds a variable to the nodes for which the index of a property
// may hold a condition: a filter after it decides.
type indexScan struct {
	planned
	slot     int
	labels   labels
	property string
	op       engine.Op
	values   []evaluator
	list     bool // the one value is a list of alternatives
}

func (s *indexScan) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		cmp := engine.Comparison{Property: s.property, Op: s.op}
		for _, value := range s.values {
			v, err := value(x, r)
			if err != nil {
				return err
			}
			if s.list {
				for _, item := range v.AsList() {
					cmp.Values = appendComparable(cmp.Values, item, s.op)
				}
			} else {
				cmp.Values = appendComparable(cmp.Values, v, s.op)
			}
		}
		if len(cmp.Values) == 0 {
			return nil // nothing compares with such values
		}
		set, err := x.graph.r.Where(cmp)
		if err != nil {
			return err
		}
		if len(s.labels) > 0 {
			of, err := x.graph.nodesOfTypes(s.labels.types(x.graph.r))
			if err != nil {
				return err
			}
			set.And(of)
		}
		return eachNode(x, set, s.slot, r, next)
	})
}

// appendComparable appends a value that an index can look for, and leaves
// others out: no stored value equals them.
func appendComparable(dst []engine.Value, v Value, op engine.Op) []engine.Value {
	if op == engine.OpPrefix && v.Kind() != KindString {
		return dst
	}
	switch v.Kind() {
	case KindBool, KindInt, KindFloat, KindString, KindTime:
		if s, err := toStored(0, v); err == nil {
			dst = append(dst, s)
		}
	}
	return dst
}

// bound lets a row pass whose variable, bound before, is a node with some
// labels.
type bound struct {
	planned
	slot int
	test labelTest
}

func (b *bound) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		v := r[b.slot]
		if v.kind != KindNode {
			return nil
		}
		if len(b.test.labels) > 0 {
			ok, err := b.test.has(x, v.AsNode())
			if err != nil || !ok {
				return err
			}
		}
		return next.push(r)
	})
}

// filter lets the rows pass for which a condition is true.
type filter struct {
	planned
	holds condition
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
