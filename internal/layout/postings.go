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

	directory, data []byte // of blocks
	impacts         []Impact
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
// With more than blockPostings postings there are blocks in place of the columns
// before the positions ([Blocks]).
func (b *PostingsBuilder) AppendDelta(dst []byte, remove []uint16) []byte {
	return appendRemoved(b.append(dst, postingsDelta, postingsBlocksDelta), remove)
}

// appendRemoved appends the nodes that an operand removes.
func appendRemoved(dst []byte, remove []uint16) []byte {
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
	return b.append(dst, postingsBase, postingsBlocksBase)
}

func (b *PostingsBuilder) append(dst []byte, columns, blocks byte) []byte {
	dst = slices.Grow(dst, 16+6*len(b.nodes)+len(b.positions))
	if len(b.nodes) > blockPostings {
		dst = b.appendBlocks(append(dst, blocks))
	} else {
		dst = b.appendColumns(append(dst, columns))
	}
	dst = appendUvarint(dst, uint64(len(b.positions)))
	return append(dst, b.positions...)
}

func (b *PostingsBuilder) appendColumns(dst []byte) []byte {
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
	return dst
}

func errPostings(why string) error { return fmt.Errorf("malformed postings: %s", why) }

// ReadPostings appends the postings of a value to dst; an operand reads as
// what it adds. With positions false they are left out and not decoded.
// Positions alias v.
func ReadPostings(v []byte, dst []Posting, positions bool) ([]Posting, error) {
	var c Columns
	if err := c.Read(v); err != nil {
		return dst, err
	}
	from, pos := len(dst), c.positions
	for i, node := range c.Nodes {
		p := Posting{Node: uint64(node), Freq: c.Freq[i], Words: c.Words[i]}
		if positions && len(c.positions) > 0 {
			end := 0
			for range p.Freq {
				_, k := uvarint(pos[end:])
				if k <= 0 {
					return dst[:from], errPostings("positions cut short")
				}
				end += k
			}
			p.Positions, pos = pos[:end:end], pos[end:]
		}
		dst = append(dst, p)
	}
	return dst, nil
}

// uvarint is [binary.Uvarint], inlined for the one byte that most take.
func uvarint(b []byte) (x uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}

// isPostings reports whether a value has a kind of postings, whole or operand.
func isPostings(v []byte) bool { return len(v) > 0 && (v[0]|6) == 7 && v[0]&1 == 1 }

// mostPostings returns a number of postings that a value does not exceed: each takes
// a bit at least, which is its bit in the bitmap of a block of equal numbers.
func mostPostings(v []byte) uint64 { return 8 * uint64(len(v)) }

// PostingsLen returns the number of postings of a value.
func PostingsLen(v []byte) (int, error) {
	if !isPostings(v) {
		return 0, errPostings("unknown kind")
	}
	n, k := binary.Uvarint(v[1:])
	if k <= 0 || n > mostPostings(v) {
		return 0, errPostings("bad count")
	}
	return int(n), nil
}

// appendUvarint is [binary.AppendUvarint], inlined for one byte.
func appendUvarint(dst []byte, x uint64) []byte {
	if x < 0x80 {
		return append(dst, byte(x))
	}
	return binary.AppendUvarint(dst, x)
}
