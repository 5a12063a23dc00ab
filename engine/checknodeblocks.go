package engine

import (
	"bytes"

	"github.com/ragdb/ragdb/internal/column"
	"github.com/ragdb/ragdb/internal/layout"
)

// verifyNodeBlock returns what is wrong with the value of a key of blocks of nodes.
func verifyNodeBlock(key, value []byte) error {
	if _, node := layout.NodeBlockOf(key); node != 0 {
		return length(value, 0)
	}
	b := nodeBlock{value: value, stale: map[int]struct{}{}}
	if err := b.decode(); err != nil {
		return err
	}
	var v Vector
	for _, pid := range b.columns.IDs() {
		if err := b.column(pid, &v); err != nil {
			return err
		}
	}
	return nil
}

// checkNodeBlocks verifies that blocks of nodes have what the records have.
func (c *checker) checkNodeBlocks(v *View) error {
	next, err := getUint64(v.ctx, v.kv, layout.GraphMeta(v.g, "next_node"))
	if err != nil {
		return err
	}
	var at nodeBlock
	var atKey []byte // of the block at hand, nil if there is none
	end := func() error {
		if atKey == nil {
			return nil
		}
		key := atKey
		atKey = nil
		block, _ := layout.NodeBlockOf(key)
		if (block+1)*blockIDs > next {
			return c.find(key, c.deleteKey(key), "a block of nodes that are not there yet")
		}
		if at.decode() != nil {
			return nil // found by checkKeys
		}
		same, err := c.sameAsRecords(v, block, &at)
		if err != nil || same {
			return err
		}
		return c.find(key, c.deleteKey(key), "the block has other values than the records of its nodes")
	}
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagNodeBlock, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagNodeBlock); err != nil {
			return err
		}
		block, node := layout.NodeBlockOf(p.key)
		switch {
		case node == 0:
			if err := end(); err != nil {
				return err
			}
			atKey = bytes.Clone(p.key)
			at.value, at.stale = append(at.value[:0], p.value...), map[int]struct{}{}
		case node/blockIDs != block:
			if err := c.find(p.key, c.deleteKey(p.key), "a node of another block"); err != nil {
				return err
			}
		default:
			if atKey != nil && !bytes.HasPrefix(p.key, atKey) {
				if err := end(); err != nil {
					return err
				}
			}
			if atKey != nil {
				at.stale[int(node%blockIDs)] = struct{}{}
			}
		}
	}
	return end()
}

// sameAsRecords reports whether a block that is decoded has what the records of its nodes
// have, leaving out stale nodes and those whose records cannot be read.
func (c *checker) sameAsRecords(v *View, block uint64, b *nodeBlock) (bool, error) {
	var m nodeBlockMaker
	for p, err := range scanRange(v.ctx, v.kv, layout.Node(v.g, block*blockIDs), layout.Node(v.g, (block+1)*blockIDs)) {
		if err != nil {
			return false, err
		}
		row := int(layout.NodeID(p.key) % blockIDs)
		rec, err := decodeRecord(p.value, true)
		if err != nil {
			b.stale[row] = struct{}{}
		}
		if _, stale := b.stale[row]; !stale {
			m.set(row, rec.props)
		}
	}
	if len(b.stale) > 0 {
		var values column.Vector
		for _, pid := range b.columns.IDs() {
			if b.columns.Column(pid, &values) != nil {
				return true, nil // found by checkKeys
			}
			col := m.column(pid)
			for row := range b.stale {
				col.Values[row] = values.At(row)
			}
		}
	}
	return bytes.Equal(m.finish(nil), b.value), nil
}
