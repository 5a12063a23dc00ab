package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// PutNode writes the node of a type with the caller's key and exactly these
// properties, and returns its id and whether it is new. Null properties are
// left out, further labels stay. A derived node of that key becomes the caller's own: it no longer
// vanishes with its sources.
func (v *TxView) PutNode(t TypeID, key string, props Props) (id NodeID, created bool, err error) {
	id, created, err = v.putNode(t, key, props)
	return id, created, v.wrap(fmt.Sprintf("put node %.64q", key), err)
}

func (v *TxView) putNode(t TypeID, key string, props Props) (NodeID, bool, error) {
	// First, so that properties that are refused leave no node behind.
	list, err := v.propsOf(props)
	if err != nil {
		return 0, false, err
	}
	id, created, old, err := v.claim(t, key)
	if err != nil {
		return 0, false, err
	}
	return id, created, v.writeRecord(id, old, record{ntype: uint32(t), key: key, props: list, labels: old.labels})
}

// DeriveNode returns the node of a type with the caller's key, and whether it is
// new. It creates the node if there is none. Such a node exists as long as a
// source supports it: the caller contributes to it in the same transaction
// ([TxView.Contribute]), and [TxView.Withdraw] of its last source removes it. It
// takes no properties, since these would depend on which source came first; its
// label and texts come from its contributions.
func (v *TxView) DeriveNode(t TypeID, key string) (id NodeID, created bool, err error) {
	id, created, _, err = v.claim(t, key)
	if err == nil && created {
		err = v.writeRecord(id, record{}, record{ntype: uint32(t), key: key, flags: flagDerived})
	}
	return id, created, v.wrap(fmt.Sprintf("derive node %.64q", key), err)
}

// ReadAhead reads the nodes of a type with some keys in two reads, so that Lookup, Node,
// PutNode and DeriveNode of them read nothing later in the transaction. What is read stays
// in memory until its end, and does not count towards the transaction's size.
func (v *TxView) ReadAhead(t TypeID, keys []string) error {
	return v.wrap("read ahead", v.readAhead(t, keys))
}

func (v *TxView) readAhead(t TypeID, keys []string) error {
	if err := v.check(); err != nil {
		return err
	}
	o := v.transact.overlay
	external := make([][]byte, 0, len(keys))
	for _, key := range keys {
		if len(key) <= maxKeyBytes {
			external = append(external, layout.ExternalKey(v.g, uint32(t), key))
		}
	}
	if err := o.ReadAhead(v.ctx, external); err != nil {
		return err
	}
	var records [][]byte
	for _, k := range external {
		switch id, err := o.Get(v.ctx, k, nil); {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return err
		case len(id) == 8:
			records = append(records, layout.Node(v.g, layout.Uint64(id)))
		}
	}
	return o.ReadAhead(v.ctx, records)
}

// claim returns the id for a type and key and the record it has, giving a new
// id if there is none.
func (v *TxView) claim(t TypeID, key string) (id NodeID, created bool, old record, err error) {
	if err := v.check(); err != nil {
		return 0, false, old, err
	}
	if t != NoType && v.nameOf(layout.KindNodeType, uint32(t)) == "" {
		return 0, false, old, phase.Mark(ErrInvalid, "unknown node type %d", t)
	}
	if key == "" || len(key) > maxKeyBytes {
		return 0, false, old, phase.Mark(ErrInvalid, "a key has 1 to %d bytes", maxKeyBytes)
	}
	k := layout.ExternalKey(v.g, uint32(t), key)
	b, err := v.kv.Get(v.ctx, k, make([]byte, 0, 8))
	if err == nil {
		if len(b) != 8 {
			return 0, false, old, corrupt(k, errors.New("wrong length"))
		}
		id = NodeID(layout.Uint64(b))
		old, err = v.record(id, true)
		return id, false, old, err
	}
	if !errors.Is(err, ErrNotFound) {
		return 0, false, old, err
	}
	if v.nextNode > math.MaxUint32-1 {
		return 0, false, old, phase.Mark(ErrInvalid, "out of node ids")
	}
	id = NodeID(v.nextNode)
	v.nextNode++
	o := v.transact.overlay
	o.Set(k, appendUint64(nil, uint64(id)))
	v.enterSet(id, uint32(t))
	if v.born == nil {
		v.born = roaring.New()
	}
	v.born.Add(uint32(id))
	v.noteNode(id)
	return id, true, old, nil
}

// writeRecord writes a node's record in place of old.
func (v *TxView) writeRecord(id NodeID, old, rec record) error {
	b, err := v.encodeRecord(id, old, &rec)
	if err != nil {
		return err
	}
	v.transact.overlay.Set(layout.Node(v.g, uint64(id)), b)
	v.staleNode(id)
	v.noteNode(id)
	return nil
}

// encodeRecord returns the record of a node that takes the place of old, moving
// long strings out of it and keeping the property indexes right.
func (v *TxView) encodeRecord(id NodeID, old record, rec *record) ([]byte, error) {
	o := v.transact.overlay
	if invariants {
		if err := v.verifyProps(rec); err != nil {
			return nil, err
		}
	}
	if err := v.reindexNode(id, &old, rec); err != nil {
		return nil, err
	}
	v.deleteTexts(id, old.props)
	rec.props = slices.Clone(rec.props)
	for i, p := range rec.props {
		if p.value.kind != KindString || len(p.value.str) <= inlineText {
			continue
		}
		s := p.value.str
		for part := 0; part*textPart < len(s); part++ {
			if part > math.MaxUint16 {
				return nil, phase.Mark(ErrInvalid, "text of %d bytes", len(s))
			}
			piece := s[part*textPart : min((part+1)*textPart, len(s))]
			o.Set(layout.Text(v.g, uint64(id), p.id, uint16(part)), encodeTextPart(v.transact.db.zenc, piece))
		}
		rec.props[i].value = Value{kind: KindText, num: int64(len(s))}
	}
	rec.epoch = v.transact.epoch
	return rec.encode(v.transact.fb), nil
}

// deleteTexts removes the external parts of properties.
func (v *TxView) deleteTexts(id NodeID, props []prop) {
	for _, p := range props {
		if p.value.kind != KindText {
			continue
		}
		for part := 0; part*textPart < p.value.Size(); part++ {
			v.transact.overlay.Delete(layout.Text(v.g, uint64(id), p.id, uint16(part)))
		}
	}
}

// SetProps changes some properties of a node and leaves the others; a null
// value removes one.
func (v *TxView) SetProps(id NodeID, props Props) error {
	return v.wrap(fmt.Sprintf("set properties of node %d", id), v.setProps(id, props))
}

func (v *TxView) setProps(id NodeID, props Props) error {
	if err := v.check(); err != nil {
		return err
	}
	props, err := props.normalized()
	if err != nil {
		return err
	}
	old, err := v.record(id, true)
	if err != nil {
		return err
	}
	all := Props{}
	for _, p := range old.props {
		name := v.nameOf(layout.KindProperty, p.id)
		if _, replaced := props[name]; replaced {
			continue
		}
		if all[name] = p.value; p.value.kind == KindText {
			s, err := v.externalText(id, p.id, p.value.Size())
			if err != nil {
				return err
			}
			all[name] = String(s)
		}
	}
	for name, val := range props {
		all[name] = val
	}
	list, err := v.propsOf(all)
	if err != nil {
		return err
	}
	return v.writeRecord(id, old, record{ntype: old.ntype, key: old.key, flags: old.flags, props: list, labels: old.labels})
}

// exists reports whether a node is there, in memory.
func (v *TxView) exists(id NodeID) (bool, error) {
	if id == 0 || id > math.MaxUint32 {
		return false, nil
	}
	switch n := uint32(id); {
	case v.died != nil && v.died.Contains(n):
		return false, nil
	case v.born != nil && v.born.Contains(n):
		return true, nil
	}
	if v.st.live == nil {
		live, err := committedNodes(v)
		if err != nil {
			return false, err
		}
		v.st.live = live
	}
	return v.st.live.Contains(uint32(id)), nil
}

// committedNodes returns all nodes of the graph before the transaction.
func committedNodes(v *TxView) (*roaring.Bitmap, error) {
	before := reader{ctx: v.ctx, kv: v.transact.base, graph: v.graph, g: v.g}
	return before.union(layout.GraphPrefix(layout.TagNodesOfType, v.g))
}
