package cypher

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// hashScan binds a variable to the nodes whose property may equal a value that other
// variables give: a filter after it decides. For the second row it puts the nodes in a
// table by their values, so that rows and nodes are looked at once each.
type hashScan struct {
	planned
	slot     int
	labels   *labelExpr
	property string
	value    evaluator

	stamp uint32 // of the graph that the rest is of
	rows  int    // that came
	table *nodeTable
}

// nodesPerStep is how many nodes are put in a table in the time of a row of another step.
const nodesPerStep = 4

// nodeTable holds nodes by a value.
type nodeTable struct {
	first map[string]int32 // place of the last node of a value
	ids   []uint32
	next  []int32 // the place of another node of the value, -1 for none
}

// tableBytes estimates the bytes of a node in a table, and of a value without its key.
const (
	tableBytes = 8
	valueEntry = 48
)

func (s *hashScan) open(x *exec, next sink) sink {
	var key []byte
	return stream(next, func(r row) error {
		value, err := s.value(x, r)
		if err != nil || value.IsNull() {
			return err
		}
		nodes, err := x.graph.nodesWith(s.labels)
		if err != nil {
			return err
		}
		if s.stamp != x.graph.stamp+1 {
			s.stamp, s.rows, s.table = x.graph.stamp+1, 0, nil
		}
		if s.rows++; s.rows == 2 {
			if err := s.fill(x, nodes); err != nil {
				return err
			}
		}
		if s.table == nil {
			return eachNode(x, nodes, s.slot, r, next)
		}
		key = value.appendKey(key[:0])
		at, ok := s.table.first[string(key)]
		if !ok {
			return nil
		}
		for ; at >= 0; at = s.table.next[at] {
			if err := x.tick(); err != nil {
				return err
			}
			r[s.slot] = node(x.graph, engine.NodeID(s.table.ids[at]))
			if err := next.push(r); err != nil {
				return err
			}
		}
		return nil
	})
}

// fill makes the table. If the memory of the statement does not suffice, there is none.
func (s *hashScan) fill(x *exec, nodes *roaring.Bitmap) error {
	t := &nodeTable{first: map[string]int32{}}
	var key []byte
	held := int64(0)
	err := eachID(x, nodes, func(id engine.NodeID) error {
		v, err := x.nodeProperty(x.graph, id, s.property)
		if err != nil || v.IsNull() {
			return err
		}
		key = v.appendKey(key[:0])
		last, ok := t.first[string(key)]
		if !ok {
			last = -1
			held += int64(len(key)) + valueEntry
		}
		if held += tableBytes; x.limits.Bytes > 0 && x.held+held > x.limits.Bytes/2 {
			return errEnough
		}
		t.first[string(key)] = int32(len(t.ids))
		t.ids, t.next = append(t.ids, uint32(id)), append(t.next, last)
		return nil
	})
	if err != nil {
		return enough(err)
	}
	s.table = t
	return x.hold(held)
}
