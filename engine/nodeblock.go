package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/internal/column"
	"github.com/ragdb/ragdb/internal/layout"
)

// A node block holds the properties of 1,024 nodes column by column, beside their
// records, which stay what counts. It is written when all its ids are given out. A
// transaction that writes or deletes the record of one of its nodes says so by a key of
// its own, or deletes the block if there are many.

const (
	// blockPatches is how many nodes of a block may have to be read by their records.
	blockPatches = 64
	// blockText is the length in bytes of a text up to which blocks have it.
	blockText = 64
	// columnRecord is the kind of a value that the record alone has.
	columnRecord = column.Number | 63
)

// nodeBlock is a stored block that is read.
type nodeBlock struct {
	value   []byte
	columns column.Block
	stale   map[int]struct{} // rows whose values are those of their records
}

// read reads a block; ok is false if it is not stored.
func (b *nodeBlock) read(r *reader, block uint64) (ok bool, err error) {
	b.value, b.stale = b.value[:0], map[int]struct{}{}
	for p, err := range scan(r.ctx, r.kv, layout.NodeBlock(r.g, block)) {
		if err != nil {
			return false, err
		}
		if _, node := layout.NodeBlockOf(p.key); node != 0 {
			if !ok {
				return false, nil
			}
			b.stale[int(node%blockIDs)] = struct{}{}
			continue
		}
		ok, b.value = true, append(b.value, p.value...)
	}
	if !ok {
		return false, nil
	}
	if err := b.decode(); err != nil {
		return false, corrupt(layout.NodeBlock(r.g, block), err)
	}
	return true, nil
}

func (b *nodeBlock) decode() error {
	if err := b.columns.Read(b.value); err != nil {
		return err
	}
	if n := b.columns.Rows(); n != blockIDs {
		return fmt.Errorf("%w: %d rows", errNodeBlock, n)
	}
	return nil
}

var errNodeBlock = fmt.Errorf("malformed block of nodes")

// column reads the values of a property. Rows that the record alone has are stale from
// then on, and have no value.
func (b *nodeBlock) column(pid uint32, v *Vector) error {
	if err := b.columns.Column(pid, &v.values); err != nil {
		return err
	}
	if v.Some() == 0 || v.values.Kind != 0 && v.values.Kind != columnRecord {
		return v.verify(pid)
	}
	values := make([]column.Value, blockIDs)
	for row := range values {
		x := v.values.At(row)
		switch {
		case x.Kind == columnRecord:
			b.stale[row] = struct{}{}
			continue
		case x.Kind != 0 && verifyColumn(x) != nil:
			return fmt.Errorf("property %d: %w", pid, errNoValue)
		}
		values[row] = x
	}
	v.values.Fill(values)
	return nil
}

// nodeBlockMaker makes the value of a block.
type nodeBlockMaker struct {
	columns []column.Column // by id
}

// set adds the properties of a row.
func (m *nodeBlockMaker) set(row int, props []prop) {
	for _, p := range props {
		m.column(p.id).Values[row] = blockValue(p.value)
	}
}

// column returns the column of a property.
func (m *nodeBlockMaker) column(id uint32) *column.Column {
	i, ok := slices.BinarySearchFunc(m.columns, id, func(c column.Column, id uint32) int { return cmp.Compare(c.ID, id) })
	if !ok {
		m.columns = slices.Insert(m.columns, i, column.Column{ID: id, Values: make([]column.Value, blockIDs)})
	}
	return &m.columns[i]
}

// blockValue returns a value as blocks have it.
func blockValue(v Value) column.Value {
	c := toColumn(v)
	if c.Kind.Class() == column.Text && len(c.Str) > blockText {
		return column.Value{Kind: columnRecord}
	}
	return c
}

// finish appends the block to dst and begins another.
func (m *nodeBlockMaker) finish(dst []byte) []byte {
	dst = column.Append(dst, blockIDs, m.columns)
	for _, c := range m.columns {
		clear(c.Values)
	}
	return dst
}

// staleNode says that the record of a node changes.
func (v *TxView) staleNode(id NodeID) {
	block := uint64(id) / blockIDs
	if !v.st.columned.Load() || (block+1)*blockIDs > v.st.nextNode {
		return // there is no such block
	}
	if v.stale == nil {
		v.stale = map[uint64]int{}
	}
	v.stale[block]++
	switch n := v.stale[block]; {
	case n < blockPatches:
		v.transact.overlay.Set(layout.StaleNode(v.g, uint64(id)), nil)
	case n == blockPatches:
		v.transact.overlay.Delete(layout.NodeBlock(v.g, block))
	}
}
