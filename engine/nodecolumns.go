package engine

import (
	"errors"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/text/unicode/norm"

	"github.com/ragdb/ragdb/internal/layout"
)

// NodeColumns reads some properties of many nodes, by blocks of 1,024 ids: a scan of a
// block takes the time of a few calls of [Reader.Node]. The first nodes of a block that
// are asked for are read one by one, so a few nodes here and there cost no more than
// they do by their records. It keeps what it has read, at most some 64 MiB of it.
// It is good as long as what it reads, shows a transaction's own writes, and is not
// safe for concurrent use.
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

	fill vectorFill
}

// NodeColumn is a property of [NodeColumns].
type NodeColumn struct {
	set    *NodeColumns
	name   string
	place  int             // in the set
	blocks []*columnVector // nil for those that are not in memory
}

const (
	// blockBits says how many ids a block of columns spans.
	blockBits = 10
	blockIDs  = 1 << blockBits
	// blockMisses is how many nodes of a block are read one by one.
	blockMisses = 8
	// columnBytes bounds the vectors of a NodeColumns.
	columnBytes = 64 << 20
)

// NodeColumns implements [Reader].
func (r *reader) NodeColumns(only *roaring.Bitmap) *NodeColumns {
	s := &NodeColumns{r: r, only: only, missed: map[uint64]int{}}
	s.forget()
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

// Value returns the property of a node as [Node.Prop] does: null if it has none of the
// name or there is no such node, and a long string as [KindText].
func (c *NodeColumn) Value(id NodeID) (Value, error) {
	s := c.set
	s.settle()
	b := uint64(id) >> blockBits
	if b < uint64(len(c.blocks)) && c.blocks[b] != nil {
		return c.blocks[b].value(int(id % blockIDs)), nil
	}
	switch {
	case s.pids[c.place] == 0 || id >= idLimit:
		return Value{}, nil
	case s.at == id:
		return s.row[c.place], nil
	}
	if s.missed[b] < blockMisses {
		s.missed[b]++
		err := s.readRow(id)
		return s.row[c.place], s.wrap(err)
	}
	if err := s.readBlock(b); err != nil {
		return Value{}, s.wrap(err)
	}
	return c.blocks[b].value(int(id % blockIDs)), nil
}

func (s *NodeColumns) wrap(err error) error { return s.r.wrap("columns of nodes", err) }

// readRow reads the values of one node.
func (s *NodeColumns) readRow(id NodeID) error {
	clear(s.row)
	s.at = 0
	if s.only == nil || s.only.Contains(uint32(id)) {
		k := layout.Node(s.r.g, uint64(id))
		v, err := s.r.kv.Get(s.r.ctx, k, make([]byte, 0, 256))
		if errors.Is(err, ErrNotFound) {
			err = nil
		} else if err == nil {
			if _, err = decodeValues(v, s.pids, s.row); err != nil {
				err = corrupt(k, err)
			}
		}
		if err != nil {
			return err
		}
	}
	s.at = id
	return nil
}

// readBlock reads a block of all columns.
func (s *NodeColumns) readBlock(b uint64) error {
	if s.bytes > columnBytes {
		s.forget()
	}
	s.fill.begin(s.pids)
	lo, hi := layout.Node(s.r.g, b<<blockBits), layout.Node(s.r.g, (b+1)<<blockBits)
	for p, err := range scanRange(s.r.ctx, s.r.kv, lo, hi) {
		if err != nil {
			return err
		}
		id := layout.NodeID(p.key)
		if s.only != nil && !s.only.Contains(uint32(id)) {
			continue
		}
		if err := s.fill.add(int(id%blockIDs), p.value); err != nil {
			return corrupt(p.key, err)
		}
	}
	for i, v := range s.fill.vectors {
		c := s.list[i]
		if n := int(b) + 1 - len(c.blocks); n > 0 {
			c.blocks = append(c.blocks, make([]*columnVector, n)...)
		}
		c.blocks[b] = v
		s.bytes += v.size()
	}
	return nil
}
