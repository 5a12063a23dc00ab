package layout

import "encoding/binary"

// Space returns the key of a vector space's catalog entry.
func Space(g, space uint32) []byte { return put32(graphKey(TagSpace, g, 4), space) }

// Table identifies the vector tables of one index: a generation of a space.
type Table struct {
	Graph      uint32
	Space      uint32
	Generation uint16
}

// Prefix returns the prefix of one of the index's tables, [TagVector] to
// [TagIndexMeta].
func (t Table) Prefix(tag Tag) []byte {
	return binary.BigEndian.AppendUint16(put32(graphKey(tag, t.Graph, 18), t.Space), t.Generation)
}

// Slot returns the key of a slot in a table keyed by slot: [TagVector] or
// [TagSlot].
func (t Table) Slot(tag Tag, slot uint32) []byte { return put32(t.Prefix(tag), slot) }

// SlotOf returns the key that leads from a node to its slot.
func (t Table) SlotOf(node uint64) []byte { return put64(t.Prefix(TagSlotOf), node) }

// Code returns the key of a slot's code in one of two editions, 0 and 1.
func (t Table) Code(edition uint8, slot uint32) []byte {
	return put32(append(t.Prefix(TagCode), edition), slot)
}

// Links returns the key of a slot's neighbours on a level, in one of two
// editions, 0 and 1.
func (t Table) Links(edition, level uint8, slot uint32) []byte {
	return put32(append(t.Prefix(TagLinks), edition, level), slot)
}

// Posting returns the key of a slot in a list, in one of two editions, 0 and 1.
func (t Table) Posting(edition uint8, list, slot uint32) []byte {
	return put32(t.Links(edition, 0, list), slot)
}

// Pending returns the key that says that a slot has to be linked, or that a
// dead one has to be taken out.
func (t Table) Pending(dead bool, slot uint32) []byte {
	kind := byte(0)
	if dead {
		kind = 1
	}
	return put32(append(t.Prefix(TagPending), kind), slot)
}

// Meta returns the key of a fact about the index.
func (t Table) Meta(name string) []byte { return append(t.Prefix(TagIndexMeta), name...) }

// TableRest returns what follows the table prefix in a key, aliasing it.
func TableRest(key []byte) []byte { return key[11:] }
