package engine

import (
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/internal/layout"
)

// decodeEdgeBlock returns what is wrong with a block of edges.
func decodeEdgeBlock(key, value []byte) error {
	from, t, to, n := layout.EdgeOf(key)
	var b edgeBlock
	if err := b.read(EdgeType(t), value); err != nil {
		return err
	}
	if last := b.edge(b.rows() - 1); orderEdges(last, Edge{From: NodeID(from), To: NodeID(to), N: n}) != 0 {
		return fmt.Errorf("a block that ends with the edge %d-%d", last.From, last.To)
	}
	if err := b.decode(); err != nil {
		return err
	}
	for row := range b.rows() {
		if len(b.props(row)) == 0 {
			e := b.edge(row)
			return fmt.Errorf("the edge %d-%d has no property in its block", e.From, e.To)
		}
	}
	return nil
}

// checkEdgeBlocks verifies that blocks follow each other, and that their edges are
// there unless a record says what became of them.
func (c *checker) checkEdgeBlocks(v *View) error {
	var last Edge // of the block before
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagEdgeBlock, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagEdgeBlock); err != nil {
			return err
		}
		_, t, _, _ := layout.EdgeOf(p.key)
		var b edgeBlock
		if b.read(EdgeType(t), p.value) != nil {
			continue // found by checkKeys
		}
		for _, id := range b.properties() {
			if v.nameOf(layout.KindProperty, id) == "" {
				if err := c.find(p.key, fix{}, "property %d has no name", id); err != nil {
					return err
				}
			}
		}
		if last.Type == b.t && orderEdges(last, b.edge(0)) >= 0 {
			if err := c.find(p.key, fix{}, "a block that begins before the end of the one before it"); err != nil {
				return err
			}
		}
		last = b.edge(b.rows() - 1)
		for row := range b.rows() {
			if err := c.checkBlockRow(v, p.key, b.edge(row)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) checkBlockRow(v *View, key []byte, e Edge) error {
	_, ok, err := v.edge(e)
	if err == nil && !ok {
		if _, err = v.kv.Get(v.ctx, v.recordKey(e), nil); isNotFound(err) {
			err = c.find(key, fix{}, "properties of the edge %d-%d, which is not there", e.From, e.To)
		}
	}
	if errors.Is(err, ErrCorrupt) {
		return nil // found by checkKeys
	}
	return err
}
