package vecindex

import (
	"encoding/binary"
	"math"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/vecindex/internal/ivf"
)

// The records of an index with lists, beside those of format.go. They are kept in
// one of two editions, so that new ones are written beside the old.
//
//	TagCode      edition8 list32           offset 0   layer u8
//	                                              1   group u32
//	                                              5   scale of the centroid f32
//	                                              9   centroid: i8 x dim
//	TagLinks     edition8 0 list32 slot32  a posting: node u64, code (ivf.Coder)
//	TagLinks     edition8 1 slot32         the lists of a slot, nearest first: u32 each, one or two
//	TagPending   0 slot32                  to be put into lists: no value
//	TagPending   1 slot32                  to be taken out of them: 0 u8
//	TagIndexMeta "codec0", "codec1"        codec (quant.Codec) of an edition, which rotates
//	TagIndexMeta "lists"  offset 0         version u8 = 1
//	                             1         edition u8
//	                             2         flags u8: listsImpure
//	                             3         0 u8
//	                             4         next list u32
//	                             8         next group u32
//	                            12         state u64: one more for each change
//	                            20         state in which the lists last changed u64
//	                            28         vectors in lists u32, those to be taken out included
//	                            32         vectors that the lists were made of u32
//
// A list never changes: one that is too long or too short is removed, and its
// vectors go to new ones or to its neighbours. Numbers of lists are not given out again in an
// edition. A posting whose slot has no vector in a snapshot is of one that died:
// there is a mark that it has to be taken out.
const (
	listsName    = "lists"
	listsVersion = 1
	listsSize    = 36
	listFixed    = 9
	postingFixed = 8

	// listsImpure says that the lists are not those that the vectors alone lead
	// to: vectors were put into them or taken out since they were made.
	listsImpure = 1

	postingLevel, placeLevel = 0, 1
)

// listsRecord is what the index records of its lists.
type listsRecord struct {
	edition   uint8
	flags     uint8
	nextList  uint32
	nextGroup uint32
	state     uint64
	made      uint64 // state in which the lists last changed
	listed    uint32
	madeOf    uint32
}

func appendLists(b []byte, r *listsRecord) []byte {
	b = append(b, listsVersion, r.edition, r.flags, 0)
	b = binary.LittleEndian.AppendUint32(b, r.nextList)
	b = binary.LittleEndian.AppendUint32(b, r.nextGroup)
	b = binary.LittleEndian.AppendUint64(b, r.state)
	b = binary.LittleEndian.AppendUint64(b, r.made)
	b = binary.LittleEndian.AppendUint32(b, r.listed)
	return binary.LittleEndian.AppendUint32(b, r.madeOf)
}

func readLists(key, b []byte) (r listsRecord, err error) {
	if len(b) != listsSize || b[0] != listsVersion || b[1] > 1 || b[2]&^listsImpure != 0 || b[3] != 0 {
		return r, corrupt(key, "malformed record of lists of %d bytes", len(b))
	}
	return listsRecord{
		edition: b[1], flags: b[2],
		nextList: binary.LittleEndian.Uint32(b[4:]), nextGroup: binary.LittleEndian.Uint32(b[8:]),
		state: binary.LittleEndian.Uint64(b[12:]), made: binary.LittleEndian.Uint64(b[20:]),
		listed: binary.LittleEndian.Uint32(b[28:]), madeOf: binary.LittleEndian.Uint32(b[32:]),
	}, nil
}

func appendList(b []byte, l *ivf.List) []byte {
	b = append(b, l.Layer)
	b = binary.LittleEndian.AppendUint32(b, l.Group)
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(l.Row.Scale))
	for _, q := range l.Row.Q {
		b = append(b, byte(q))
	}
	return b
}

func readList(key, b []byte, id uint32, dim int) (l ivf.List, err error) {
	if len(b) != listFixed+dim {
		return l, corrupt(key, "list of %d bytes for %d elements", len(b), dim)
	}
	l = ivf.List{ID: id, Layer: b[0], Group: binary.LittleEndian.Uint32(b[1:])}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(b[5:]))
	if s := float64(scale); !(s >= 0) || math.IsInf(s, 0) {
		return l, corrupt(key, "centroid of scale %v", scale)
	}
	l.Row = ivf.NewRow(b[listFixed:], scale)
	return l, nil
}

// posting is what a list has of a vector.
type posting struct {
	slot uint32
	id   uint64
	code []byte
}

// readPosting decodes a posting, whose code aliases b.
func readPosting(key, b []byte, coder *ivf.Coder) (p posting, err error) {
	rest := layout.TableRest(key)
	if len(rest) != 10 || len(b) != postingFixed+coder.Size() || !coder.Valid(b[postingFixed:]) {
		return p, corrupt(key, "malformed posting of %d bytes", len(b))
	}
	return posting{slot: binary.BigEndian.Uint32(rest[6:]), id: binary.LittleEndian.Uint64(b), code: b[postingFixed:]}, nil
}

// placed are the lists of a slot, nearest first; there are n.
type placed struct {
	lists [2]uint32
	n     int
}

func (p placed) has(list uint32) bool {
	return p.n > 0 && p.lists[0] == list || p.n > 1 && p.lists[1] == list
}

func appendPlaced(b []byte, p placed) []byte {
	for _, l := range p.lists[:p.n] {
		b = binary.LittleEndian.AppendUint32(b, l)
	}
	return b
}

func readPlaced(key, b []byte) (p placed, err error) {
	if len(b) != 4 && len(b) != 8 {
		return p, corrupt(key, "lists of a slot of %d bytes", len(b))
	}
	for ; len(b) > 0; b = b[4:] {
		p.lists[p.n] = binary.LittleEndian.Uint32(b)
		p.n++
	}
	return p, nil
}
