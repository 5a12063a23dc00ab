package layout

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// The kinds of a postings value, in its first byte.
const (
	postingsBase  = 1
	postingsDelta = 3
)

// Posting says that a node has a term: how often, in a text of how many words,
// and where. Node is the lower 16 bits inside a container's value.
type Posting struct {
	Node  uint64
	Freq  uint32
	Words uint32 // length of the node's text in the field
	// Positions holds Freq word positions as uvarint deltas, or is empty if
	// the field keeps none. In a decoded value it aliases the value.
	Positions []byte
}

// AppendPositions appends word positions, ascending, as a Posting holds them.
func AppendPositions(dst []byte, pos []uint32) []byte {
	prev := uint32(0)
	for _, p := range pos {
		dst = binary.AppendUvarint(dst, uint64(p-prev))
		prev = p
	}
	return dst
}

// ReadPositions appends the positions of p to dst.
func (p *Posting) ReadPositions(dst []uint32) []uint32 {
	at := uint32(0)
	for b := p.Positions; len(b) > 0; {
		d, n := binary.Uvarint(b)
		if n <= 0 {
			return dst
		}
		at += uint32(d)
		dst = append(dst, at)
		b = b[n:]
	}
	return dst
}

// PostingsBuilder makes the value of a container of a term's postings. The zero
// value is empty.
type PostingsBuilder struct {
	nodes       []uint16
	freq, words []uint32
	positions   []byte
}

// Reset empties the builder and keeps its memory.
func (b *PostingsBuilder) Reset() {
	b.nodes, b.freq, b.words, b.positions = b.nodes[:0], b.freq[:0], b.words[:0], b.positions[:0]
}

// Add adds the posting of a node greater than all before. Either all postings of a
// value have positions, as [AppendPositions] makes them, or none.
func (b *PostingsBuilder) Add(node uint16, freq, words uint32, positions []byte) {
	b.nodes = append(b.nodes, node)
	b.freq = append(b.freq, freq)
	b.words = append(b.words, words)
	b.positions = append(b.positions, positions...)
}

// AppendDelta appends a merge operand that adds or replaces the postings that were
// added, and removes those of other nodes, strictly ascending. The columns follow
// one another, so that a reader that wants no positions does not touch them; all
// numbers are uvarints:
//
//	kind u8 | n | n node deltas | n freq | n words | bytes | positions | removed
//
// The value of a whole container has another kind and ends after the positions.
func (b *PostingsBuilder) AppendDelta(dst []byte, remove []uint16) []byte {
	dst = b.appendColumns(append(dst, postingsDelta))
	dst = appendUvarint(dst, uint64(len(remove)))
	prev := uint16(0)
	for _, node := range remove {
		dst = appendUvarint(dst, uint64(node-prev))
		prev = node
	}
	return dst
}

// AppendBase appends the value of a whole container.
func (b *PostingsBuilder) AppendBase(dst []byte) []byte {
	return b.appendColumns(append(dst, postingsBase))
}

func (b *PostingsBuilder) appendColumns(dst []byte) []byte {
	dst = slices.Grow(dst, 16+6*len(b.nodes)+len(b.positions))
	dst = appendUvarint(dst, uint64(len(b.nodes)))
	prev := uint16(0)
	for _, node := range b.nodes {
		dst = appendUvarint(dst, uint64(node-prev))
		prev = node
	}
	for _, f := range b.freq {
		dst = appendUvarint(dst, uint64(f))
	}
	for _, w := range b.words {
		dst = appendUvarint(dst, uint64(w))
	}
	dst = appendUvarint(dst, uint64(len(b.positions)))
	return append(dst, b.positions...)
}

func errPostings(why string) error { return fmt.Errorf("malformed postings: %s", why) }

// ReadPostings appends the postings of a value to dst; an operand reads as
// what it adds. With positions false they are left out and not decoded.
// Positions alias v.
func ReadPostings(v []byte, dst []Posting, positions bool) ([]Posting, error) {
	dst, _, err := readPostings(v, dst, positions)
	return dst, err
}

func readPostings(v []byte, dst []Posting, positions bool) (ps []Posting, tail []byte, err error) {
	if len(v) == 0 || v[0] != postingsBase && v[0] != postingsDelta {
		return dst, nil, errPostings("unknown kind")
	}
	b := v[1:]
	count, k := binary.Uvarint(b)
	if k <= 0 || count > uint64(len(b)-k) {
		return dst, nil, errPostings("bad count")
	}
	b = b[k:]
	from := len(dst)
	node := uint64(0)
	for i := range count {
		d, k := uvarint(b)
		if k <= 0 || i > 0 && d == 0 || node+d < node {
			return dst[:from], nil, errPostings("bad node")
		}
		node += d
		dst = append(dst, Posting{Node: node})
		b = b[k:]
	}
	for i := from; i < len(dst); i++ {
		x, k := uvarint(b)
		if k <= 0 || x > 1<<32-1 {
			return dst[:from], nil, errPostings("bad frequency")
		}
		dst[i].Freq = uint32(x)
		b = b[k:]
	}
	for i := from; i < len(dst); i++ {
		x, k := uvarint(b)
		if k <= 0 || x > 1<<32-1 {
			return dst[:from], nil, errPostings("bad length")
		}
		dst[i].Words = uint32(x)
		b = b[k:]
	}
	size, k := binary.Uvarint(b)
	if k <= 0 || size > uint64(len(b)-k) {
		return dst[:from], nil, errPostings("bad positions")
	}
	b = b[k:]
	pos, tail := b[:size], b[size:]
	if !positions || size == 0 {
		return dst, tail, nil
	}
	for i := from; i < len(dst); i++ {
		end := 0
		for range dst[i].Freq {
			_, k := uvarint(pos[end:])
			if k <= 0 {
				return dst[:from], nil, errPostings("positions cut short")
			}
			end += k
		}
		dst[i].Positions, pos = pos[:end:end], pos[end:]
	}
	return dst, tail, nil
}

// uvarint is [binary.Uvarint], inlined for the one byte that most take.
func uvarint(b []byte) (x uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}

// PostingsLen returns the number of postings of a value.
func PostingsLen(v []byte) (int, error) {
	if len(v) == 0 || v[0] != postingsBase && v[0] != postingsDelta {
		return 0, errPostings("unknown kind")
	}
	n, k := binary.Uvarint(v[1:])
	if k <= 0 || n > uint64(len(v)) {
		return 0, errPostings("bad count")
	}
	return int(n), nil
}
