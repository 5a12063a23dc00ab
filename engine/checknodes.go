package engine

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// nodeSets are the nodes of the graph at work, by what their records say.
type nodeSets struct {
	live, derived *roaring.Bitmap
	byType        map[uint32]*roaring.Bitmap
}

func (n *nodeSets) has(id uint64) bool {
	return id > 0 && id < idLimit && n.live.Contains(uint32(id))
}

func (n *nodeSets) ofType(t uint32) *roaring.Bitmap {
	rb := n.byType[t]
	if rb == nil {
		rb = roaring.New()
		n.byType[t] = rb
	}
	return rb
}

// checkNodes reads the records with their texts, fills n, and verifies that
// each record's key leads back to it.
func (c *checker) checkNodes(v *View, n *nodeSets) (err error) {
	*n = nodeSets{live: roaring.New(), derived: roaring.New(), byType: map[uint32]*roaring.Bitmap{}}
	prefix := layout.GraphPrefix(layout.TagText, v.g)
	it, err := v.kv.Iter(v.ctx, prefix, layout.Next(prefix))
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, it.Err(), it.Close()) }()
	texts := textCheck{c: c, it: it, ok: it.First()}
	var keys [][]byte
	var ids []uint64
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagNode, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagNode); err != nil {
			return err
		}
		id := layout.NodeID(p.key)
		if id == 0 || id >= idLimit {
			if err := c.find(p.key, fix{}, "no node has such an id"); err != nil {
				return err
			}
			continue
		}
		rec, err := decodeRecord(p.value, true)
		if err != nil {
			// Found by checkKeys; its texts cannot be checked.
			if err := texts.skip(v.g, id); err != nil {
				return err
			}
			continue
		}
		n.live.Add(uint32(id))
		for _, t := range rec.types() {
			n.ofType(t).Add(uint32(id))
		}
		if rec.flags&flagDerived != 0 {
			n.derived.Add(uint32(id))
		}
		if err := c.checkRecord(v, &rec, p.key, &texts); err != nil {
			return err
		}
		keys, ids = append(keys, layout.ExternalKey(v.g, rec.ntype, rec.key)), append(ids, id)
		if len(keys) == refPage {
			if err := c.checkKeysOf(v, keys, ids); err != nil {
				return err
			}
			keys, ids = keys[:0], ids[:0]
		}
	}
	if err := c.checkKeysOf(v, keys, ids); err != nil {
		return err
	}
	return texts.stray(nil)
}

// checkRecord verifies the names and the texts of a record.
func (c *checker) checkRecord(v *View, rec *record, key []byte, texts *textCheck) error {
	for _, t := range rec.types() {
		if t != uint32(NoType) && v.nameOf(layout.KindNodeType, t) == "" {
			if err := c.find(key, fix{}, "node type %d has no name", t); err != nil {
				return err
			}
		}
	}
	if len(rec.labels) > 0 && !v.graph.st.labelled.Load() {
		if err := c.find(layout.GraphMeta(v.g, metaLabels), fix{}, "node %d has further labels, which the graph does not say", layout.NodeID(key)); err != nil {
			return err
		}
	}
	for _, p := range rec.props {
		if v.nameOf(layout.KindProperty, p.id) == "" {
			if err := c.find(key, fix{}, "property %d has no name", p.id); err != nil {
				return err
			}
		}
		if p.value.kind == KindText {
			if err := texts.expect(v.g, layout.NodeID(key), p); err != nil {
				return err
			}
		}
		if err := c.checkProp(v, rec, key, p); err != nil {
			return err
		}
	}
	return nil
}

// checkProp reads the value of a property that has an encoding.
func (c *checker) checkProp(v *View, rec *record, key []byte, p prop) error {
	name := v.nameOf(layout.KindProperty, p.id)
	e := propEncoding(c.encodings, c.at.name, name)
	if e == nil {
		return nil
	}
	value := p.value.encoded()
	if p.value.kind == KindText {
		s, err := v.Text(NodeID(layout.NodeID(key)), name)
		if err != nil {
			return nil // found with the texts
		}
		value = []byte(s)
	}
	if _, err := e.Decode([]byte(rec.key), value); err != nil {
		return c.find(key, fix{}, "property %s: %v", name, err)
	}
	return nil
}

// checkKeysOf verifies that external keys lead to the nodes whose records name
// them.
func (c *checker) checkKeysOf(v *View, keys [][]byte, ids []uint64) error {
	right := make([]bool, len(keys))
	err := v.kv.MultiGet(v.ctx, keys, func(i int, b []byte) error {
		right[i] = len(b) == 8 && layout.Uint64(b) == ids[i]
		return nil
	})
	if err != nil {
		return err
	}
	for i, ok := range right {
		if ok {
			continue
		}
		if err := c.find(keys[i], fix{}, "the key does not lead to node %d, whose record names it", ids[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkTypes compares the sets of the nodes of a type with the records.
func (c *checker) checkTypes(v *View, n *nodeSets) error {
	missing := map[uint32]*roaring.Bitmap{}
	for t, rb := range n.byType {
		missing[t] = rb.Clone()
	}
	var set layout.Set
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagNodesOfType, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagNodesOfType); err != nil {
			return err
		}
		set.Reset()
		if layout.ReadSet(p.value, &set) != nil {
			continue // found by checkKeys
		}
		t, base := typeOfKey(p.key), layout.LastContainer(p.key)<<16
		for _, low := range set.IDs {
			id := base + low
			if rb := missing[t]; rb != nil && id < idLimit && rb.CheckedRemove(uint32(id)) {
				continue
			}
			err := c.find(p.key, c.mergeOne(layout.TagNode, p.key, low, false), "node %d is listed, but its record is missing or of another type", id)
			if err != nil {
				return err
			}
		}
	}
	for _, t := range slices.Sorted(maps.Keys(missing)) {
		err := eachID(missing[t], func(id uint64) error {
			key := layout.NodesOfType(v.g, t, layout.Container(id))
			return c.find(key, c.mergeOne(layout.TagNode, key, id&0xFFFF, true), "node %d is not listed", id)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// typeOfKey reads the node type from a key of the sets of nodes.
func typeOfKey(key []byte) uint32 { return binary.BigEndian.Uint32(key[5:]) }

// checkExternal verifies that no two keys lead to one node and none to a node
// that is not there. That each record's key leads to it is known.
func (c *checker) checkExternal(v *View, n *nodeSets) error {
	seen := roaring.New()
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagExternalKey, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagExternalKey); err != nil {
			return err
		}
		if len(p.value) != 8 {
			continue // found by checkKeys
		}
		why := ""
		switch id := layout.Uint64(p.value); {
		case !n.has(id):
			why = "the key leads to node %d, which is not there"
		case !seen.CheckedAdd(uint32(id)):
			why = "the key leads to node %d, and so does another"
		default:
			continue
		}
		if err := c.find(p.key, fix{}, why, layout.Uint64(p.value)); err != nil {
			return err
		}
	}
	return nil
}

// textCheck walks the parts of long texts beside the records that they belong
// to: both are in order of node and property.
type textCheck struct {
	c  *checker
	it kv.Iterator
	ok bool
}

// stray reports the parts before key, or all for a nil key: nothing has asked
// for them.
func (t *textCheck) stray(key []byte) error {
	for ; t.ok && (key == nil || string(t.it.Key()) < string(key)); t.ok = t.it.Next() {
		if layout.Validate(t.it.Key()) != nil {
			continue // found by checkKeys
		}
		if err := t.c.find(t.it.Key(), fix{}, "part of a text that no record has"); err != nil {
			return err
		}
	}
	return nil
}

// skip passes over the texts of a node whose record cannot be read.
func (t *textCheck) skip(g uint32, id uint64) error {
	err := t.stray(layout.NodeTextPrefix(g, id))
	if err == nil && t.ok {
		t.ok = t.it.SeekGE(layout.NodeTextPrefix(g, id+1))
	}
	return err
}

// expect verifies the parts of one text.
func (t *textCheck) expect(g uint32, id uint64, p prop) error {
	if err := t.stray(layout.Text(g, id, p.id, 0)); err != nil {
		return err
	}
	want, have, unread := p.value.Size(), 0, false
	for part := 0; part*textPart < want; part++ {
		key := layout.Text(g, id, p.id, uint16(part))
		if !t.ok || string(t.it.Key()) != string(key) {
			return t.c.find(key, fix{}, "part of a text is missing")
		}
		if err := t.c.step(layout.TagText); err != nil {
			return err
		}
		b, err := appendTextPart(t.c.db.zdec, nil, t.it.Value())
		have += len(b)
		unread = unread || err != nil // found by checkKeys
		t.ok = t.it.Next()
	}
	if have != want && !unread {
		return t.c.find(layout.Text(g, id, p.id, 0), fix{}, "a text of %d bytes, its record says %d", have, want)
	}
	return nil
}
