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

// Slot returns the key of a slot in a table keyed by slot: [TagVector],
// [TagCode] or [TagSlot].
func (t Table) Slot(tag Tag, slot uint32) []byte { return put32(t.Prefix(tag), slot) }

// SlotOf returns the key that leads from a node to its slot.
func (t Table) SlotOf(node uint64) []byte { return put64(t.Prefix(TagSlotOf), node) }

// Links returns the key of a slot's neighbours on a level.
func (t Table) Links(level uint8, slot uint32) []byte {
	return put32(append(t.Prefix(TagLinks), level), slot)
}

// Pending returns the key of a pending marker.
func (t Table) Pending(seq uint64) []byte { return put64(t.Prefix(TagPending), seq) }

// Meta returns the key of a fact about the index.
func (t Table) Meta(name string) []byte { return append(t.Prefix(TagIndexMeta), name...) }

// TableRest returns what follows the table prefix in a key, aliasing it.
func TableRest(key []byte) []byte { return key[11:] }
