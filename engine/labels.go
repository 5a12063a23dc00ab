package engine

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
)

// metaLabels is the name of the graph's record that says that nodes have had
// further labels.
const metaLabels = "labels"

// maxLabels bounds the labels of a node.
const maxLabels = 1000

// All returns the node's own type and its further labels: none if it has no
// label.
func (n *Node) All() []TypeID {
	if n.Type == NoType {
		return nil
	}
	return append([]TypeID{n.Type}, n.Labels...)
}

// Has reports whether the node has a type as its own or as a further label.
// Every node has [AnyType].
func (n *Node) Has(t TypeID) bool {
	return n.Type == t || t == AnyType || slices.Contains(n.Labels, t)
}

func typeIDs(labels []uint32) []TypeID {
	if len(labels) == 0 {
		return nil
	}
	out := make([]TypeID, len(labels))
	for i, l := range labels {
		out[i] = TypeID(l)
	}
	return out
}

// Keyed implements [Reader]. It costs a read for the type, and one for every other
// type of the graph if nodes have further labels.
func (r *reader) Keyed(t TypeID, key string) ([]NodeID, error) {
	ids, err := r.keyed(t, key)
	return ids, r.wrap(fmt.Sprintf("node %.64q", key), err)
}

func (r *reader) keyed(t TypeID, key string) ([]NodeID, error) {
	types := []TypeID{t}
	if t == AnyType || t != NoType && r.graph.st.labelled.Load() {
		types = append([]TypeID{NoType}, r.NodeTypes()...)
	}
	var out []NodeID
	for _, own := range types {
		id, err := r.Lookup(own, key)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if own != t && t != AnyType {
			rec, err := r.record(id, false)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(rec.labels, uint32(t)) {
				continue
			}
		}
		out = append(out, id)
	}
	return out, nil
}

// SetLabels gives a node exactly these labels; without any it gets [NoType]. If
// the node's own type is not among them, the first becomes its own, and its key
// one of that type: [ErrExists] if the type has another node of the key. Labels
// that the graph does not have are [ErrInvalid], and so are more than 1,000.
func (v *TxView) SetLabels(id NodeID, labels []TypeID) error {
	return v.wrap(fmt.Sprintf("set labels of node %d", id), v.setLabels(id, labels))
}

func (v *TxView) setLabels(id NodeID, labels []TypeID) error {
	if err := v.check(); err != nil {
		return err
	}
	if len(labels) > maxLabels {
		return phase.Mark(ErrInvalid, "%d labels, at most %d", len(labels), maxLabels)
	}
	for _, l := range labels {
		if v.nameOf(layout.KindNodeType, uint32(l)) == "" {
			return phase.Mark(ErrInvalid, "unknown node type %d", l)
		}
	}
	old, err := v.record(id, true)
	if err != nil {
		return err
	}
	rec := old
	switch {
	case len(labels) == 0:
		rec.ntype = uint32(NoType)
	case !slices.Contains(labels, TypeID(old.ntype)):
		rec.ntype = uint32(labels[0])
	}
	rec.labels = nil
	for _, l := range labels {
		if uint32(l) != rec.ntype {
			rec.labels = append(rec.labels, uint32(l))
		}
	}
	slices.Sort(rec.labels)
	rec.labels = slices.Compact(rec.labels)
	if rec.ntype == old.ntype && slices.Equal(rec.labels, old.labels) {
		return nil
	}
	if rec.props, err = v.inline(id, old.props); err != nil {
		return err
	}
	if rec.ntype != old.ntype {
		if err := v.moveKey(id, old, rec); err != nil {
			return err
		}
	}
	v.changeSets(id, old, rec)
	return v.writeRecord(id, old, rec)
}

// moveKey makes the key of a node one of another type.
func (v *TxView) moveKey(id NodeID, old, rec record) error {
	_, err := v.Lookup(TypeID(rec.ntype), rec.key)
	switch {
	case err == nil:
		return phase.Mark(ErrExists, "there is a %s with the key %q", v.nameOf(layout.KindNodeType, rec.ntype), rec.key)
	case !errors.Is(err, ErrNotFound):
		return err
	}
	o := v.transact.overlay
	o.Delete(layout.ExternalKey(v.g, old.ntype, rec.key))
	o.Set(layout.ExternalKey(v.g, rec.ntype, rec.key), appendUint64(nil, uint64(id)))
	return nil
}

// changeSets brings the sets of nodes by type from a node's old types to its new
// ones.
func (v *TxView) changeSets(id NodeID, old, rec record) {
	had, has := old.types(), rec.types()
	for _, t := range had {
		if !slices.Contains(has, t) {
			v.leaveSet(id, t)
		}
	}
	for _, t := range has {
		if !slices.Contains(had, t) {
			v.enterSet(id, t)
		}
	}
	if len(rec.labels) > 0 {
		// Before the commit, so that it holds for every snapshot. It stays if the
		// transaction fails, which costs reads and no more.
		v.st.labelled.Store(true)
		v.transact.overlay.Set(layout.GraphMeta(v.g, metaLabels), []byte{1})
	}
}

// types returns the types that a record is listed under.
func (r *record) types() []uint32 { return append([]uint32{r.ntype}, r.labels...) }

func (v *TxView) enterSet(id NodeID, t uint32) {
	key := layout.NodesOfType(v.g, t, layout.Container(uint64(id)))
	v.transact.overlay.Merge(key, layout.AppendAdd(nil, uint64(id)&0xFFFF, 1))
}

func (v *TxView) leaveSet(id NodeID, t uint32) {
	key := layout.NodesOfType(v.g, t, layout.Container(uint64(id)))
	v.transact.overlay.Merge(key, layout.AppendRemove(nil, uint64(id)&0xFFFF))
	v.shrunk[string(key)] = struct{}{}
}

// inline returns properties with the long strings that are kept outside the
// record.
func (v *TxView) inline(id NodeID, props []prop) ([]prop, error) {
	out := slices.Clone(props)
	for i, p := range out {
		if p.value.kind != KindText {
			continue
		}
		s, err := v.externalText(id, p.id, p.value.Size())
		if err != nil {
			return nil, err
		}
		out[i].value = String(s)
	}
	return out, nil
}
