package engine

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/internal/layout"
)

// ErrNoIndex says that a predicate names a property that has no index. The
// error is a [*NoIndexError].
var ErrNoIndex = errors.New("property has no index")

// NoIndexError names a property that has no index and those that have one.
type NoIndexError struct {
	Property string
	Indexed  []string // in order
}

// Error names the property and what there is instead.
func (e *NoIndexError) Error() string {
	if len(e.Indexed) == 0 {
		return fmt.Sprintf("property %q has no index, and no other has one", e.Property)
	}
	return fmt.Sprintf("property %q has no index; there are indexes of %s",
		e.Property, strings.Join(e.Indexed, ", "))
}

// Is reports whether target is [ErrNoIndex] or [ErrInvalid].
func (e *NoIndexError) Is(target error) bool { return target == ErrNoIndex || target == ErrInvalid }

// An index of a property holds, under each value, the set of the nodes that
// have it:
//
//	set index key: g | index | value | 00 00 | container -> set of node ids
//
// value is Value.appendOrdered, whose first byte says the kind. Two more kinds
// stand for values that have no place in the order, so that an index holds
// each node that has the property.
const (
	// orderLong holds the nodes with a string longer than maxIndexedString;
	// comparisons read the string itself.
	orderLong = 5
	// orderElement is added for the elements of lists of other than strings, so that
	// scalars are found without a look at the nodes.
	orderElement = 0x40
	// orderOther holds the nodes whose value compares with nothing: bytes and
	// the empty list.
	orderOther = 6
)

// maxIndexedString is the length in bytes up to which a string is kept in the
// keys of an index.
const maxIndexedString = 256

// indexedValues calls fn with every value under which v is indexed. fn must
// not keep the value.
func indexedValues(v Value, fn func(value []byte)) {
	var room [maxIndexedString + 1]byte
	if v.kind == KindList {
		_ = v.eachElement(func(x Value) error {
			value, _ := x.appendOrdered(room[:0])
			value[0] |= orderElement
			fn(value)
			return nil
		})
		return
	}
	text := func(s string) {
		if len(s) > maxIndexedString {
			fn(append(room[:0], orderLong))
			return
		}
		value, _ := String(s).appendOrdered(room[:0])
		fn(value)
	}
	switch v.kind {
	case kindNull:
	case KindString:
		text(v.str)
	case KindText:
		fn(append(room[:0], orderLong))
	case KindStrings:
		for _, s := range v.list {
			text(s)
		}
		if len(v.list) == 0 {
			fn(append(room[:0], orderOther))
		}
	default:
		value, ok := v.appendOrdered(room[:0])
		if !ok {
			value = append(room[:0], orderOther)
		}
		fn(value)
	}
}

// propertyIndex returns the index of a property, ok being false if there is
// none at the state that is read.
func (r *reader) propertyIndex(property string) (index uint32, ok bool) {
	index, _, ok = r.catalogued(layout.KindIndex, property)
	return index, ok
}

// catalogued returns a name's id and entry, ok being false if the state
// that is read does not have it: the catalog in memory is that of the last
// commit, and an older snapshot lacks what was added since and has what was
// dropped.
func (r *reader) catalogued(k layout.Kind, name string) (id uint32, e catalogEntry, ok bool) {
	if r.tx != nil {
		if id, ok := r.tx.names.ids[kindName{k, name}]; ok {
			return id, r.tx.names.entries[kindID{k, id}], true
		}
	}
	id, e, ok = r.graph.st.lookupAt(k, name, r.epoch)
	if r.tx != nil && slices.Contains(r.tx.unnamed, kindID{k, id}) {
		return 0, catalogEntry{}, false
	}
	return id, e, ok
}

// cataloguedNames returns the names of a kind that the state has, in order.
func (r *reader) cataloguedNames(k layout.Kind) []string {
	var out []string
	for _, id := range r.idsOf(k) {
		name := r.nameOf(k, id)
		if has, _, ok := r.catalogued(k, name); ok && has == id {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Indexes returns the names of the indexed properties, in order.
func (r *reader) Indexes() []string { return r.cataloguedNames(layout.KindIndex) }

// MakeIndex indexes a property of all nodes, of whichever type, from now on,
// and those that there are already, until [TxView.DropIndex]. The whole index is part of the transaction: that of a great graph is made before
// the nodes are, or in a transaction of its own. Strings of up to 256 bytes
// are kept in the index; for longer ones a comparison reads the node.
func (v *TxView) MakeIndex(property string) error {
	return v.wrap(fmt.Sprintf("make index of %q", property), v.makeIndex(property))
}

func (v *TxView) makeIndex(property string) error {
	if err := v.check(); err != nil {
		return err
	}
	property, err := checkName("property", property)
	if err != nil {
		return err
	}
	if _, ok := v.propertyIndex(property); ok {
		return nil
	}
	sets, err := v.valueSets(property)
	if err != nil {
		return err
	}
	index := v.addName(layout.KindIndex, property, nil, nil)
	keys := slices.SortedFunc(maps.Keys(sets), func(a, b valueSet) int {
		return cmp.Or(strings.Compare(a.value, b.value), cmp.Compare(a.container, b.container))
	})
	for _, k := range keys {
		v.transact.overlay.Merge(layout.SetIndex(v.g, index, []byte(k.value), k.container), layout.AppendDelta(nil, sets[k], nil, nil))
	}
	return v.check()
}

// DropIndex removes the index of a property; the nodes keep the property, and
// snapshots from before the commit the index. A property that has no index is
// a [*NoIndexError].
func (v *TxView) DropIndex(property string) error {
	return v.wrap(fmt.Sprintf("drop index of %q", property), v.dropIndex(property))
}

func (v *TxView) dropIndex(property string) error {
	if err := v.check(); err != nil {
		return err
	}
	property, err := checkName("property", property)
	if err != nil {
		return err
	}
	index, ok := v.propertyIndex(property)
	if !ok {
		return &NoIndexError{Property: property, Indexed: v.Indexes()}
	}
	if _, ours := v.names.entries[kindID{layout.KindIndex, index}]; ours {
		delete(v.names.entries, kindID{layout.KindIndex, index})
		delete(v.names.ids, kindName{layout.KindIndex, property})
	} else {
		v.unnamed = append(v.unnamed, kindID{layout.KindIndex, index})
	}
	o, prefix := v.transact.overlay, layout.SetIndexPrefix(v.g, index)
	o.Delete(layout.Catalog(v.g, layout.KindIndex, index))
	o.Delete(layout.Name(v.g, layout.KindIndex, property))
	o.DeleteRange(prefix, layout.Next(prefix))
	return nil
}

// retire notes which commit ends the names that the transaction drops, 0
// if the commit failed. It comes before the commit: a snapshot of the commit must
// not find an index that has lost its entries.
func (v *TxView) retire(epoch uint64) {
	v.st.mu.Lock()
	defer v.st.mu.Unlock()
	for _, k := range v.unnamed {
		e := v.st.names.entries[k]
		e.gone = epoch
		v.st.names.entries[k] = e
	}
}

// valueSet names a container of the nodes that have a value.
type valueSet struct {
	value     string
	container uint64
}

// valueSets returns, for the nodes that there are, the lower 16 bits of those
// that have each value of a property.
func (v *TxView) valueSets(property string) (map[valueSet][]uint64, error) {
	sets := map[valueSet][]uint64{}
	pid, ok := v.lookupName(layout.KindProperty, property)
	if !ok {
		return sets, nil
	}
	for p, err := range scan(v.ctx, v.kv, layout.GraphPrefix(layout.TagNode, v.g)) {
		if err != nil {
			return nil, err
		}
		rec, err := decodeRecord(p.value, true)
		if err != nil {
			return nil, corrupt(p.key, err)
		}
		id := layout.NodeID(p.key)
		for _, x := range rec.props {
			if x.id != pid {
				continue
			}
			indexedValues(x.value, func(value []byte) {
				k := valueSet{string(value), layout.Container(id)}
				if ids := sets[k]; len(ids) == 0 || ids[len(ids)-1] != id&0xFFFF {
					sets[k] = append(ids, id&0xFFFF)
				}
			})
		}
	}
	return sets, nil
}

// indexKeys appends the keys of the containers that a value puts a node into,
// in order and each once.
func (r *reader) indexKeys(dst [][]byte, index uint32, id NodeID, value Value) [][]byte {
	from := len(dst)
	indexedValues(value, func(value []byte) {
		dst = append(dst, layout.SetIndex(r.g, index, value, layout.Container(uint64(id))))
	})
	slices.SortFunc(dst[from:], bytes.Compare)
	return dst[:from+len(slices.CompactFunc(dst[from:], bytes.Equal))]
}

// reindex brings the indexes from a node's old properties to its new ones,
// writing only what differs.
func (v *TxView) reindex(id NodeID, old, now []prop) error {
	if !v.hasIndexes() {
		return nil
	}
	was, is := v.indexKeysOf(id, old), v.indexKeysOf(id, now)
	o, low := v.transact.overlay, uint64(id)&0xFFFF
	for len(was) > 0 || len(is) > 0 {
		c := 0
		switch {
		case len(was) == 0:
			c = 1
		case len(is) == 0:
			c = -1
		default:
			c = bytes.Compare(was[0], is[0])
		}
		if c < 0 {
			o.Merge(was[0], layout.AppendRemove(nil, low))
			v.shrunk[string(was[0])] = struct{}{}
		}
		if c > 0 {
			o.Merge(is[0], layout.AppendAdd(nil, low, 1))
		}
		if c <= 0 {
			was = was[1:]
		}
		if c >= 0 {
			is = is[1:]
		}
	}
	return nil
}

// hasIndexes reports whether the graph has any index.
func (v *TxView) hasIndexes() bool {
	if v.names.next[layout.KindIndex] > 0 {
		return true
	}
	v.st.mu.RLock()
	defer v.st.mu.RUnlock()
	return v.st.names.next[layout.KindIndex] > 0
}

// indexKeysOf returns the keys of the containers that a node's properties put
// it into, in order.
func (r *reader) indexKeysOf(id NodeID, props []prop) [][]byte {
	var out [][]byte
	for _, p := range props {
		if index, ok := r.propertyIndex(r.nameOf(layout.KindProperty, p.id)); ok {
			out = r.indexKeys(out, index, id, p.value)
		}
	}
	slices.SortFunc(out, bytes.Compare)
	return out
}
