package graphops

import (
	"fmt"

	"github.com/ragdb/ragdb/engine"
)

// NodeTypes tells the types of nodes by their ids, for [TopPerType] on the
// store, where a Projection would know them. It takes 4 bytes for each id up
// to the greatest, and stays right while the graph's version does. It is
// immutable and safe for concurrent use.
type NodeTypes struct {
	of      []engine.TypeID
	version uint64
}

// ReadNodeTypes reads the types of all nodes: a few milliseconds for 170,000
// (BenchmarkLocalReads/types).
func ReadNodeTypes(v *engine.View) (*NodeTypes, error) {
	n, err := readNodeTypes(v)
	if err != nil {
		return nil, fmt.Errorf("graphops: node types of %s: %w", v.Graph().Name(), err)
	}
	return n, nil
}

func readNodeTypes(v *engine.View) (*NodeTypes, error) {
	version, err := v.Version()
	if err != nil {
		return nil, err
	}
	n := &NodeTypes{version: version}
	buf := make([]uint32, 1024)
	for _, t := range v.NodeTypes() {
		set, err := v.Nodes(t)
		if err != nil {
			return nil, err
		}
		if set.IsEmpty() {
			continue
		}
		n.of = widen(n.of, int(set.Maximum())+1)
		for it := set.ManyIterator(); ; {
			k := it.NextMany(buf)
			if k == 0 {
				break
			}
			for _, u := range buf[:k] {
				n.of[u] = t
			}
		}
	}
	return n, nil
}

// TypeOf returns the type of the node with the id u, 0 where there is none.
func (n *NodeTypes) TypeOf(u uint32) engine.TypeID {
	if int64(u) >= int64(len(n.of)) {
		return 0
	}
	return n.of[u]
}

// Version returns the version of the graph that was read.
func (n *NodeTypes) Version() uint64 { return n.version }
