package engine

import (
	"encoding/binary"
	"errors"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/vecindex"
)

// checkSpaces verifies the vector spaces: their names, that their tables agree
// with each other, and that every vector's node is there.
func (c *checker) checkSpaces(v *View, n *nodeSets) error {
	known := map[layout.Table]bool{}
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagSpace, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagSpace); err != nil {
			return err
		}
		s, err := decodeSpace(p.value)
		if err != nil {
			continue // found by checkKeys
		}
		id := binary.BigEndian.Uint32(p.key[5:])
		known[layout.Table{Graph: v.g, Space: id, Generation: s.generation}] = true
		if v.nameOf(layout.KindSpace, id) != s.name {
			if err := c.find(p.key, fix{}, "the space is named %q, its catalog entry %q", s.name, v.nameOf(layout.KindSpace, id)); err != nil {
				return err
			}
		}
		if err := c.checkVectors(v, id, &s, n); err != nil {
			return err
		}
	}
	for tag := layout.TagVector; tag <= layout.TagIndexMeta; tag++ {
		if err := c.checkTables(v, tag, known); err != nil {
			return err
		}
	}
	return nil
}

// checkVectors verifies the tables of one space. Reading all vectors follows
// every node to its slot and every slot to its vector; equal numbers of keys
// then leave none over.
func (c *checker) checkVectors(v *View, id uint32, s *space, n *nodeSets) error {
	if s.config(v.g, id).Validate() != nil {
		return nil // found by checkKeys
	}
	view, err := v.storedVectors(id, s)
	if err != nil {
		return c.vectorError(err)
	}
	defer view.Close()
	ix, err := vecindex.Open(v.ctx, v.graph.ns.db.store, s.config(v.g, id), &vecindex.Options{MaxMirrorBytes: -1})
	if err == nil {
		err = ix.CheckGraph(v.ctx, v.kv)
	}
	if err != nil {
		if err := c.vectorError(err); err != nil {
			return err
		}
	}
	table := layout.Table{Graph: v.g, Space: id, Generation: s.generation}
	for e, err := range view.All(v.ctx) {
		if err != nil {
			return c.vectorError(err)
		}
		if err := c.step(layout.TagVector); err != nil {
			return err
		}
		if !n.has(e.ID) {
			if err := c.find(table.SlotOf(e.ID), fix{}, "a vector of node %d, which is not there", e.ID); err != nil {
				return err
			}
		}
	}
	for _, tag := range []layout.Tag{layout.TagSlot, layout.TagVector} {
		count := 0
		for _, err := range scan(v.ctx, v.kv, table.Prefix(tag)) {
			if err != nil {
				return err
			}
			count++
		}
		if count != view.Len() {
			if err := c.find(table.Meta("index"), fix{}, "%d keys of %s for %d vectors", count, tag, view.Len()); err != nil {
				return err
			}
		}
	}
	return nil
}

// vectorError reports what the vector index found wrong with itself. Nothing
// is repaired from vectors, so the damage says nothing about other families.
func (c *checker) vectorError(err error) error {
	for _, damage := range []error{ErrCorrupt, vecindex.ErrModelMismatch, vecindex.ErrSequence} {
		if errors.Is(err, damage) {
			return c.emit(corruptFinding(layout.TagSpace, err))
		}
	}
	return err
}

// checkTables verifies that the keys of a vector table are of a space and
// generation that there is.
func (c *checker) checkTables(v *View, tag layout.Tag, known map[layout.Table]bool) (err error) {
	prefix := layout.GraphPrefix(tag, v.g)
	it, err := v.kv.Iter(v.ctx, prefix, layout.Next(prefix))
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, it.Err(), it.Close()) }()
	for ok := it.First(); ok; {
		if layout.Validate(it.Key()) != nil {
			ok = it.Next() // found by checkKeys
			continue
		}
		if err := c.step(tag); err != nil {
			return err
		}
		t := layout.Table{
			Graph:      v.g,
			Space:      binary.BigEndian.Uint32(it.Key()[5:]),
			Generation: binary.BigEndian.Uint16(it.Key()[9:]),
		}
		if !known[t] {
			if err := c.find(it.Key(), fix{}, "there is no such space or generation"); err != nil {
				return err
			}
		}
		ok = it.SeekGE(layout.Next(t.Prefix(tag)))
	}
	return nil
}
