package engine

import (
	"errors"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/text/unicode/norm"

	"github.com/ragdb/ragdb/internal/column"
	"github.com/ragdb/ragdb/internal/layout"
)

// NodeColumns reads some properties of many nodes, by blocks of 1,024 ids: a scan costs
// some ten nanoseconds a value where a load or [DB.Compact] wrote blocks, and some hundred
// elsewhere. The first nodes of a block that are asked for are read one by one, so a few
// nodes here and there cost no more than they do by their records. It keeps what it has
// read, at most some 64 MiB of it. It is good as long as what it reads, shows a
// transaction's own writes, and is not safe for concurrent use.
type NodeColumns struct {
	r    *reader
	only *roaring.Bitmap
	list []*NodeColumn
	pids []uint32 // of list, 0 for a name that the graph does not have

	missed map[uint64]int // nodes of a block that were read one by one
	bytes  int            // of the vectors in memory
	writes int            // of the transaction to records when they were read

	at  NodeID  // the node that was read last by itself
	row []Value // its values, by column

	stored nodeBlock
	fill   columnFill
}

// NodeColumn is a property of [NodeColumns].
type NodeColumn struct {
	set    *NodeColumns
	name   string
	place  int       // in the set
	blocks []*Vector // nil for those that are not in memory
}

const (
	// blockIDs is how many ids a block of nodes spans.
	blockIDs = 1 << layout.NodeBlockBits
	// blockMisses is how many nodes of a block are read one by one.
	blockMisses = 8
	// columnBytes bounds the vectors of a NodeColumns.
	columnBytes = 64 << 20
)

// NodeColumns implements [Reader].
func (r *reader) NodeColumns(only *roaring.Bitmap) *NodeColumns {
	s := &NodeColumns{r: r, only: only, missed: map[uint64]int{}}
	s.settle()
	return s
}

// Column returns the column of a property, the same for the same name. A block is read
// for all columns that there are, so they are best made before the first value is read.
func (s *NodeColumns) Column(property string) *NodeColumn {
	property = norm.NFC.String(property)
	for _, c := range s.list {
		if c.name == property {
			return c
		}
	}
	c := &NodeColumn{set: s, name: property, place: len(s.list)}
	s.list, s.pids, s.row = append(s.list, c), append(s.pids, 0), append(s.row, Value{})
	s.at = 0
	s.identify()
	return c
}

// identify looks up the names of properties.
func (s *NodeColumns) identify() {
	for i, c := range s.list {
		s.pids[i], _ = s.r.lookupName(layout.KindProperty, c.name)
	}
}

// forget drops what was read.
func (s *NodeColumns) forget() {
	for _, c := range s.list {
		c.blocks = nil
	}
	clear(s.missed)
	s.bytes, s.at = 0, 0
}

// settle drops what was read if the transaction has written since.
func (s *NodeColumns) settle() {
	if tx := s.r.tx; tx != nil && tx.wrote != s.writes {
		s.writes = tx.wrote
		s.forget()
		s.identify()
	}
}

func (s *NodeColumns) wrap(err error) error { return s.r.wrap("columns of nodes", err) }

// kept returns the vector of a block, nil if it is not in memory.
func (c *NodeColumn) kept(block uint64) *Vector {
	if block < uint64(len(c.blocks)) {
		return c.blocks[block]
	}
	return nil
}

// Value returns the property of a node as [Node.Prop] does: null if it has none of the
// name or there is no such node, and a long string as [KindText].
func (c *NodeColumn) Value(id NodeID) (Value, error) {
	s := c.set
	s.settle()
	block, row := uint64(id)/blockIDs, int(id%blockIDs)
	if v := c.kept(block); v != nil {
		return v.At(row), nil
	}
	switch {
	case s.pids[c.place] == 0 || id >= idLimit:
		return Value{}, nil
	case s.at == id:
		return s.row[c.place], nil
	}
	if s.missed[block] < blockMisses {
		s.missed[block]++
		err := s.readRow(id)
		return s.row[c.place], s.wrap(err)
	}
	if err := s.read(block); err != nil {
		return Value{}, s.wrap(err)
	}
	return c.kept(block).At(row), nil
}

// Block returns the property of the 1,024 nodes with the same id / 1,024 as a node, in
// order of their ids: that of a node is at id % 1,024.
func (c *NodeColumn) Block(id NodeID) (*Vector, error) {
	s := c.set
	s.settle()
	block := uint64(id) / blockIDs
	if v := c.kept(block); v != nil {
		return v, nil
	}
	if id >= idLimit {
		v := &Vector{}
		v.values.Fill(make([]column.Value, blockIDs))
		return v, nil
	}
	if err := s.read(block); err != nil {
		return nil, s.wrap(err)
	}
	return c.kept(block), nil
}

// readRow reads the values of one node.
func (s *NodeColumns) readRow(id NodeID) error {
	clear(s.row)
	s.at = 0
	if s.has(id) {
		k := layout.Node(s.r.g, uint64(id))
		v, err := s.r.kv.Get(s.r.ctx, k, make([]byte, 0, 256))
		if err == nil {
			if _, err = decodeValues(v, s.pids, s.row); err != nil {
				return corrupt(k, err)
			}
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	s.at = id
	return nil
}

// has reports whether a node may be read.
func (s *NodeColumns) has(id NodeID) bool { return s.only == nil || s.only.Contains(uint32(id)) }

// read reads a block of all columns.
func (s *NodeColumns) read(block uint64) error {
	if s.bytes > columnBytes {
		s.forget()
	}
	vectors, err := s.readStored(block)
	if err == nil && vectors == nil {
		vectors, err = s.readRecords(block)
	}
	if err != nil {
		return err
	}
	for i, v := range vectors {
		c := s.list[i]
		if n := int(block) + 1 - len(c.blocks); n > 0 {
			c.blocks = append(c.blocks, make([]*Vector, n)...)
		}
		c.blocks[block] = v
		s.bytes += v.size()
	}
	return nil
}

// readRecords makes the vectors of a block from the records of its nodes.
func (s *NodeColumns) readRecords(block uint64) ([]*Vector, error) {
	s.fill.begin(s.pids)
	lo, hi := layout.Node(s.r.g, block*blockIDs), layout.Node(s.r.g, (block+1)*blockIDs)
	for p, err := range scanRange(s.r.ctx, s.r.kv, lo, hi) {
		if err != nil {
			return nil, err
		}
		id := layout.NodeID(p.key)
		if !s.has(NodeID(id)) {
			continue
		}
		if err := s.fill.add(int(id%blockIDs), p.value); err != nil {
			return nil, corrupt(p.key, err)
		}
	}
	vectors := make([]*Vector, len(s.pids))
	for i := range vectors {
		vectors[i] = s.fill.vector(i)
	}
	return vectors, nil
}

// readStored makes the vectors of a block from what is stored of it. It returns nil if
// nothing is, or if too many of its nodes have changed since.
func (s *NodeColumns) readStored(block uint64) ([]*Vector, error) {
	if !s.r.graph.st.columned.Load() {
		return nil, nil
	}
	b := &s.stored
	switch ok, err := b.read(s.r, block); {
	case err != nil:
		return nil, err
	case !ok || len(b.stale) > blockPatches:
		return nil, nil
	}
	vectors := make([]*Vector, len(s.pids))
	for i, pid := range s.pids {
		v := &Vector{}
		if pid == 0 {
			v.values.Fill(make([]column.Value, blockIDs))
		} else if err := b.column(pid, v); err != nil {
			return nil, corrupt(layout.NodeBlock(s.r.g, block), err)
		}
		vectors[i] = v
	}
	switch {
	case len(b.stale) > blockPatches:
		return nil, nil
	case len(b.stale) == 0 && s.only == nil:
		return vectors, nil
	}
	return vectors, s.patch(block, vectors)
}

// patch puts the values of stale nodes in their places, and takes out those of nodes
// that may not be read.
func (s *NodeColumns) patch(block uint64, vectors []*Vector) error {
	values := make([][]column.Value, len(vectors))
	for i, v := range vectors {
		values[i] = make([]column.Value, blockIDs)
		for row := range values[i] {
			if s.has(NodeID(block*blockIDs + uint64(row))) {
				values[i][row] = v.values.At(row)
			}
		}
	}
	var keys [][]byte
	var rows []int
	for row := range s.stored.stale {
		id := block*blockIDs + uint64(row)
		for i := range values {
			values[i][row] = column.Value{}
		}
		if s.has(NodeID(id)) {
			keys, rows = append(keys, layout.Node(s.r.g, id)), append(rows, row)
		}
	}
	now := make([]Value, len(s.pids))
	err := s.r.kv.MultiGet(s.r.ctx, keys, func(k int, b []byte) error {
		if b == nil {
			return nil
		}
		if _, err := decodeValues(b, s.pids, now); err != nil {
			return corrupt(keys[k], err)
		}
		for i, x := range now {
			values[i][rows[k]] = toColumn(x)
		}
		return nil
	})
	for i, v := range vectors {
		v.values.Fill(values[i])
	}
	return err
}
