package vecindex

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
)

// The records of a flat index. Keys are those of layout.Table; numbers in
// values are little-endian.
//
//	TagVector     slot32   the vector: dim x f32 or f16
//	TagSlot       slot32   offset 0   node u64
//	                              8   layer u8
//	                              9   born u48, sequence of the commit
//	TagSlotOf     node64   slot u32
//	TagIndexMeta  "index"  offset 0   version u8 = 1
//	                              1   kind u8
//	                              2   metric u8
//	                              3   flags u8: bit 0 = normalised, bit 1 = f16
//	                              4   dimension u32
//	                              8   next slot u32
//	                             12   vectors u32
//	                             16   sequence of the last commit u64
//	                             24   model, UTF-8, to the end
//
// Only live vectors have records: the commit in which a vector dies deletes
// them, and snapshots taken before keep what they saw. Slots are given out in
// ascending order. A graph also gives out again a slot that was taken out of it
// and that no View sees; a flat index gives out again what holds nothing, once
// all 2^31 were given out. Every commit that changes the index rewrites the
// meta record, so a snapshot holds the sequence and the number of its vectors.
const (
	metaVersion = 1
	metaName    = "index"
	metaFixed   = 24
	slotSize    = 15
	slotOfSize  = 4
	maxSeq      = 1<<48 - 1
	maxSlots    = hnsw.MaxSlots

	flagNormalised = 1
	flagHalf       = 2
)

// meta is the index's record of itself.
type meta struct {
	stamp stamp
	next  uint32 // first slot not given out yet
	live  uint32 // vectors
	seq   uint64 // last commit that changed the index, 0 for none
}

func appendMeta(dst []byte, m *meta) []byte {
	flags := byte(0)
	if m.stamp.Normalised {
		flags |= flagNormalised
	}
	if m.stamp.Element == F16 {
		flags |= flagHalf
	}
	dst = append(dst, metaVersion, byte(m.stamp.Kind), byte(m.stamp.Metric), flags)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(m.stamp.Dim))
	dst = binary.LittleEndian.AppendUint32(dst, m.next)
	dst = binary.LittleEndian.AppendUint32(dst, m.live)
	dst = binary.LittleEndian.AppendUint64(dst, m.seq)
	return append(dst, m.stamp.Model...)
}

func readMeta(key, b []byte) (m meta, err error) {
	if len(b) < metaFixed {
		return m, corrupt(key, "index record of %d bytes", len(b))
	}
	if b[0] != metaVersion {
		return m, corrupt(key, "index record of version %d", b[0])
	}
	if b[3]&^(flagNormalised|flagHalf) != 0 {
		return m, corrupt(key, "unknown flags %02x", b[3])
	}
	m.stamp = stamp{
		Model:      string(b[metaFixed:]),
		Dim:        int(binary.LittleEndian.Uint32(b[4:])),
		Metric:     Metric(b[2]),
		Kind:       Kind(b[1]),
		Normalised: b[3]&flagNormalised != 0,
	}
	if b[3]&flagHalf != 0 {
		m.stamp.Element = F16
	}
	m.next = binary.LittleEndian.Uint32(b[8:])
	m.live = binary.LittleEndian.Uint32(b[12:])
	m.seq = binary.LittleEndian.Uint64(b[16:])
	switch s := m.stamp; {
	case s.Dim < 1 || s.Dim > maxDim:
		return m, corrupt(key, "dimension %d", s.Dim)
	case s.Metric > L2 || s.Kind > IVF:
		return m, corrupt(key, "%s %s", s.Kind, s.Metric)
	case s.Model == "" || len(s.Model) > maxModelBytes || !utf8.ValidString(s.Model):
		return m, corrupt(key, "malformed model name")
	case m.live > m.next || m.next > maxSlots:
		return m, corrupt(key, "%d vectors in %d slots", m.live, m.next)
	case m.seq == 0 || m.seq > maxSeq:
		return m, corrupt(key, "sequence %d", m.seq)
	}
	return m, nil
}

// slotRecord is what a slot holds beside its vector.
type slotRecord struct {
	id    uint64
	layer uint8
	born  uint64
}

func appendSlot(dst []byte, s slotRecord) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, s.id)
	dst = append(dst, s.layer)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(s.born))
	return binary.LittleEndian.AppendUint16(dst, uint16(s.born>>32))
}

func readSlot(key, b []byte) (s slotRecord, err error) {
	if len(b) != slotSize {
		return s, corrupt(key, "slot record of %d bytes", len(b))
	}
	s.id = binary.LittleEndian.Uint64(b)
	s.layer = b[8]
	s.born = uint64(binary.LittleEndian.Uint32(b[9:])) | uint64(binary.LittleEndian.Uint16(b[13:]))<<32
	return s, nil
}

func readSlotOf(key, b []byte) (uint32, error) {
	if len(b) != slotOfSize {
		return 0, corrupt(key, "slot number of %d bytes", len(b))
	}
	return binary.LittleEndian.Uint32(b), nil
}

// keySlot reads the slot from a key of a table keyed by slot.
func keySlot(key []byte) (uint32, error) {
	if rest := layout.TableRest(key); len(rest) == 4 {
		return binary.BigEndian.Uint32(rest), nil
	}
	return 0, corrupt(key, "key of %d bytes", len(key))
}

// keyNode reads the node from a key of the table keyed by node.
func keyNode(key []byte) (uint64, error) {
	if rest := layout.TableRest(key); len(rest) == 8 {
		return binary.BigEndian.Uint64(rest), nil
	}
	return 0, corrupt(key, "key of %d bytes", len(key))
}
