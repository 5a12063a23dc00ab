package layout

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// The kinds of a postings value of more than blockPostings postings.
const (
	postingsBlocksBase  = 5
	postingsBlocksDelta = 7
)

// blockPostings is the greatest number of postings of a block. Values of no more than
// that many have columns of uvarints instead.
const blockPostings = 128

// A value in blocks has a directory of them, so that a reader reads those that it
// wants:
//
//	kind u8 | n | directory bytes | blocks bytes | directory | blocks | bytes | positions [| removed]
//
// n, the bytes and the numbers of the directory are uvarints. Each block has the
// postings of a tile: 2^level ids from a multiple of that on. Tiles are halved from
// the whole container on, as long as they have more than blockPostings postings; one
// without postings has no block. The tiles follow from the postings alone, and a
// change of one posting changes the block of its tile, or divides or joins it.
// An entry of the directory is
//
//	(start | level) u16 | n less 1 u8 | widths u8 | least words | positions bytes | k * (freq, words less the least)
//
// where the pairs bound the block ([Impact]), and a block is
//
//	nodes | freq less 1 | words less the least
//
// Nodes are a bitmap of the tile if it has at most bitsPerNode bits for each, else u16.
// The other columns are little-endian numbers of 0, 4, 8, 16 or 32 bits: bits 0 to 2 of
// widths say which for freq, bits 3 to 5 for words; bits 6 and 7 are k less 1. Widths
// are the least that do.

const (
	// wholeLevel is the level of the tile that is the whole container.
	wholeLevel = 16
	// leastLevel is the lowest level of a block: a tile that is halved has more than
	// blockPostings ids.
	leastLevel = 7
	// bitsPerNode bounds the bitmap of a block.
	bitsPerNode = 32
)

// isBitmap reports whether the nodes of a block are a bitmap.
func isBitmap(level uint8, n int) bool { return 1<<level <= bitsPerNode*n }

// nodesSize returns the bytes of the nodes of a block.
func nodesSize(level uint8, n int) int {
	if isBitmap(level, n) {
		return 1 << level / 8
	}
	return 2 * n
}

// appendBlocks appends what a value in blocks has between kind and positions.
func (b *PostingsBuilder) appendBlocks(dst []byte) []byte {
	b.directory, b.data = b.directory[:0], b.data[:0]
	rest := b.positions
	b.tiles(0, len(b.nodes), 0, wholeLevel, &rest)
	return b.appendDirectory(dst, len(b.nodes))
}

// appendDirectory appends the blocks that were made, of n postings in all.
func (b *PostingsBuilder) appendDirectory(dst []byte, n int) []byte {
	dst = appendUvarint(dst, uint64(n))
	dst = appendUvarint(dst, uint64(len(b.directory)))
	dst = appendUvarint(dst, uint64(len(b.data)))
	dst = append(dst, b.directory...)
	return append(dst, b.data...)
}

// tiles makes the blocks of the postings from one place to another, which are those
// of a tile. rest begins with their positions and moves on.
func (b *PostingsBuilder) tiles(from, to int, start uint16, level uint8, rest *[]byte) {
	if from == to {
		return
	}
	if to-from > blockPostings {
		level--
		half := start + 1<<level
		n, _ := slices.BinarySearch(b.nodes[from:to], half)
		b.tiles(from, from+n, start, level, rest)
		b.tiles(from+n, to, half, level, rest)
		return
	}
	size := 0
	if len(*rest) > 0 {
		count := uint64(0)
		for _, f := range b.freq[from:to] {
			count += uint64(f)
		}
		size, _ = skipNumbers(*rest, count)
		*rest = (*rest)[size:]
	}
	b.appendBlock(b.nodes[from:to], b.freq[from:to], b.words[from:to], start, level, size)
}

// appendBlock makes the block of the postings of a tile, which have some bytes of
// positions.
func (b *PostingsBuilder) appendBlock(nodes []uint16, freq, words []uint32, start uint16, level uint8, positions int) {
	least, most, rest := words[0], words[0], uint32(0)
	for _, w := range words {
		least, most = min(least, w), max(most, w)
	}
	for _, f := range freq {
		rest = max(rest, f-1)
	}
	fw, ww := widthOf(rest), widthOf(most-least)
	b.impacts = impactsOf(b.impacts, freq, words)
	d := binary.LittleEndian.AppendUint16(b.directory, start|uint16(level))
	d = append(d, uint8(len(nodes)-1), fw|ww<<3|uint8(len(b.impacts)-1)<<6)
	d = appendUvarint(d, uint64(least))
	d = appendUvarint(d, uint64(positions))
	for _, p := range b.impacts {
		d = appendUvarint(d, uint64(p.Freq))
		d = appendUvarint(d, uint64(p.Words-least))
	}
	b.directory = d
	b.appendNodes(nodes, start, level)
	b.data = appendWidth(b.data, fw, freq, 1)
	b.data = appendWidth(b.data, ww, words, least)
}

func (b *PostingsBuilder) appendNodes(nodes []uint16, start uint16, level uint8) {
	if !isBitmap(level, len(nodes)) {
		for _, node := range nodes {
			b.data = binary.LittleEndian.AppendUint16(b.data, node)
		}
		return
	}
	from := len(b.data)
	b.data = slices.Grow(b.data, 1<<level/8)[:from+1<<level/8]
	set := b.data[from:]
	clear(set)
	for _, node := range nodes {
		set[(node-start)>>3] |= 1 << (node & 7)
	}
}

// skipNumbers returns the length of n uvarints at the start of b.
func skipNumbers(b []byte, n uint64) (length int, ok bool) {
	const last = 0x8080808080808080 // bits that the last byte of a number lacks
	for n >= 8 && len(b)-length >= 8 {
		n -= uint64(bits.OnesCount64(^binary.LittleEndian.Uint64(b[length:]) & last))
		length += 8
	}
	for ; n > 0; length++ {
		if length == len(b) {
			return 0, false
		}
		if b[length] < 0x80 {
			n--
		}
	}
	return length, true
}
