package layout

import (
	"encoding/binary"
	"slices"
)

// The kinds of a postings value of more than blockPostings postings.
const (
	postingsBlocksBase  = 5
	postingsBlocksDelta = 7
)

// blockPostings is how many postings a block has; the last one may have fewer.
// Values of no more than that many have columns of uvarints instead.
const blockPostings = 128

// A value in blocks has a directory of them, so that a reader reads those that it
// wants:
//
//	kind u8 | n | directory bytes | blocks bytes | directory | blocks | bytes | positions [| removed]
//
// n, the bytes and the numbers of the directory are uvarints. An entry of the
// directory is
//
//	last node u16 | widths u8 | least words | k | k * (freq, words less the least)
//
// where the pairs bound the block ([Impact]), and a block is
//
//	nodes | freq less 1 | words less the least
//
// Nodes are u16, or, if bit 0 of widths is set, differences of a byte from the node
// before, at first from the last one of the block before or from 0. The other
// columns are little-endian numbers of 0, 4, 8, 16 or 32 bits: bits 1 to 3 of
// widths say which for freq, bits 4 to 6 for words. Widths are the least that do.

// Impact is a pair of frequency and length that bounds postings: each one of a
// block has, for one of the block's pairs, no greater frequency and no smaller
// length, so its score by BM25 is no higher.
type Impact struct{ Freq, Words uint32 }

// blockImpacts is the greatest number of pairs of a block.
const blockImpacts = 4

// block is an entry of a directory.
type block struct {
	from    int // of its data in the value
	before  uint16
	last    uint16
	n       uint8
	widths  uint8
	impacts uint8 // how many there are from Blocks.impacts[first] on
	least   uint32
	first   int
}

func (b *block) freqWidth() uint8  { return b.widths >> 1 & 7 }
func (b *block) wordsWidth() uint8 { return b.widths >> 4 & 7 }

// widthBits returns the bits of a width, ok being false for one that is none.
func widthBits(w uint8) (bits int, ok bool) {
	switch w {
	case 0:
		return 0, true
	case 1, 2, 3, 4:
		return 2 << w, true
	}
	return 0, false
}

// widthOf returns the least width for numbers up to x.
func widthOf(x uint32) uint8 {
	switch {
	case x == 0:
		return 0
	case x < 1<<4:
		return 1
	case x < 1<<8:
		return 2
	case x < 1<<16:
		return 3
	}
	return 4
}

// size returns the lengths of the columns; ok is false for impossible widths.
func (b *block) size() (nodes, freq, words int, ok bool) {
	n := int(b.n)
	if nodes = 2 * n; b.widths&1 != 0 {
		nodes = n
	}
	f, ok1 := widthBits(b.freqWidth())
	w, ok2 := widthBits(b.wordsWidth())
	return nodes, (n*f + 7) / 8, (n*w + 7) / 8, ok1 && ok2 && b.widths < 1<<7
}

// addImpact adds a posting to the pairs that bound some, which ascend in both.
func addImpact(pairs []Impact, p Impact) []Impact {
	i := len(pairs)
	for i > 0 && pairs[i-1].Freq >= p.Freq {
		i--
	}
	// Those from i on have no smaller frequency: the first is the shortest.
	if i < len(pairs) && pairs[i].Words <= p.Words {
		return pairs
	}
	from := i // p makes the pairs before i that are no shorter superfluous
	for from > 0 && pairs[from-1].Words >= p.Words {
		from--
	}
	if i < len(pairs) && pairs[i].Freq == p.Freq {
		i++
	}
	return slices.Replace(pairs, from, i, p)
}

// boundImpacts makes the pairs at most blockImpacts: the last ones become one.
func boundImpacts(pairs []Impact) []Impact {
	if n := len(pairs); n > blockImpacts {
		pairs[blockImpacts-1].Freq = pairs[n-1].Freq
		pairs = pairs[:blockImpacts]
	}
	return pairs
}

// impactsOf returns the pairs of postings; it appends to pairs[:0].
func impactsOf(pairs []Impact, freq, words []uint32) []Impact {
	pairs = pairs[:0]
	for i, f := range freq {
		// Mostly one of the pairs at hand bounds it: the shortest or the last.
		if n := len(pairs); n > 0 && (f <= pairs[0].Freq && words[i] >= pairs[0].Words ||
			f <= pairs[n-1].Freq && words[i] >= pairs[n-1].Words) {
			continue
		}
		pairs = addImpact(pairs, Impact{f, words[i]})
	}
	return boundImpacts(pairs)
}

// appendBlocks appends what a value in blocks has between kind and positions.
func (b *PostingsBuilder) appendBlocks(dst []byte) []byte {
	dst = appendUvarint(dst, uint64(len(b.nodes)))
	b.directory, b.data = b.directory[:0], b.data[:0]
	before := uint16(0)
	for from := 0; from < len(b.nodes); from += blockPostings {
		to := min(from+blockPostings, len(b.nodes))
		b.appendBlock(b.nodes[from:to], b.freq[from:to], b.words[from:to], before)
		before = b.nodes[to-1]
	}
	dst = appendUvarint(dst, uint64(len(b.directory)))
	dst = appendUvarint(dst, uint64(len(b.data)))
	dst = append(dst, b.directory...)
	return append(dst, b.data...)
}

func (b *PostingsBuilder) appendBlock(nodes []uint16, freq, words []uint32, before uint16) {
	least, most, rest := words[0], words[0], uint32(0)
	for _, w := range words {
		least, most = min(least, w), max(most, w)
	}
	for _, f := range freq {
		rest = max(rest, f-1)
	}
	small := uint8(1)
	for at, i := before, 0; i < len(nodes); i++ {
		if nodes[i]-at > 0xFF {
			small = 0
			break
		}
		at = nodes[i]
	}
	fw, ww := widthOf(rest), widthOf(most-least)
	d := binary.LittleEndian.AppendUint16(b.directory, nodes[len(nodes)-1])
	d = append(d, small|fw<<1|ww<<4)
	d = appendUvarint(d, uint64(least))
	b.impacts = impactsOf(b.impacts, freq, words)
	d = appendUvarint(d, uint64(len(b.impacts)))
	for _, p := range b.impacts {
		d = appendUvarint(d, uint64(p.Freq))
		d = appendUvarint(d, uint64(p.Words-least))
	}
	b.directory = d
	for _, node := range nodes {
		if small != 0 {
			b.data = append(b.data, byte(node-before))
			before = node
		} else {
			b.data = binary.LittleEndian.AppendUint16(b.data, node)
		}
	}
	b.data = appendWidth(b.data, fw, freq, 1)
	b.data = appendWidth(b.data, ww, words, least)
}

// appendWidth appends numbers less base in a width.
func appendWidth(dst []byte, width uint8, x []uint32, base uint32) []byte {
	switch width {
	case 1:
		for i := 0; i < len(x); i += 2 {
			c := byte(x[i] - base)
			if i+1 < len(x) {
				c |= byte(x[i+1]-base) << 4
			}
			dst = append(dst, c)
		}
	case 2:
		for _, v := range x {
			dst = append(dst, byte(v-base))
		}
	case 3:
		for _, v := range x {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(v-base))
		}
	case 4:
		for _, v := range x {
			dst = binary.LittleEndian.AppendUint32(dst, v-base)
		}
	}
	return dst
}

// readWidth decodes a column of numbers.
func readWidth(b []byte, width uint8, dst []uint32, base uint32) {
	switch width {
	case 0:
		for i := range dst {
			dst[i] = base
		}
	case 1:
		b = b[:(len(dst)+1)/2]
		for i, c := range b[:len(dst)/2] {
			pair := dst[2*i : 2*i+2]
			pair[0], pair[1] = base+uint32(c&15), base+uint32(c>>4)
		}
		if n := len(dst); n%2 != 0 {
			dst[n-1] = base + uint32(b[n/2]&15)
		}
	case 2:
		b = b[:len(dst)]
		for i := range dst {
			dst[i] = base + uint32(b[i])
		}
	case 3:
		for i := range dst {
			dst[i] = base + uint32(binary.LittleEndian.Uint16(b[2*i:]))
		}
	case 4:
		for i := range dst {
			dst[i] = base + binary.LittleEndian.Uint32(b[4*i:])
		}
	}
}

// Blocks read a container's value block by block. The zero value is ready for
// Read, and reading again reuses its memory. They alias the value.
type Blocks struct {
	v       []byte
	n       int
	blocks  []block
	impacts []Impact
	small   Columns // of a value without blocks
	end     int     // of the blocks in the value
}

// Read reads the directory of a value, or of an operand as what it adds. A value
// without a directory is one block, if it has postings.
func (s *Blocks) Read(v []byte) error {
	s.v, s.n, s.blocks, s.impacts = v, 0, s.blocks[:0], s.impacts[:0]
	if len(v) == 0 || v[0] != postingsBlocksBase && v[0] != postingsBlocksDelta {
		if err := s.small.Read(v); err != nil || len(s.small.Nodes) == 0 {
			return err
		}
		n := len(s.small.Nodes)
		s.n, s.impacts = n, impactsOf(s.impacts, s.small.Freq, s.small.Words)
		s.blocks = append(s.blocks, block{last: s.small.Nodes[n-1], impacts: uint8(len(s.impacts))})
		return nil
	}
	if !s.readDirectory() {
		s.n, s.blocks = 0, s.blocks[:0]
		return errPostings("bad directory of blocks")
	}
	return nil
}

func (s *Blocks) readDirectory() bool {
	at := 1
	ok := true
	number := func(limit uint64) uint64 {
		x, k := uvarint(s.v[at:])
		if k <= 0 || x > limit {
			ok = false
			return 0
		}
		at += k
		return x
	}
	n := int(number(1 << 16))
	size, dataSize := int(number(uint64(len(s.v)))), int(number(uint64(len(s.v))))
	if !ok || n <= blockPostings || size+dataSize > len(s.v)-at {
		return false
	}
	s.n = n
	data := at + size
	s.end = data + dataSize
	before := uint16(0)
	for left := n; left > 0; left -= blockPostings {
		if data-at < 3 {
			return false
		}
		b := block{
			from: data, before: before, n: uint8(min(left, blockPostings)), first: len(s.impacts),
			last: binary.LittleEndian.Uint16(s.v[at:]), widths: s.v[at+2],
		}
		at += 3
		b.least = uint32(number(1<<32 - 1))
		b.impacts = uint8(number(blockImpacts))
		for range b.impacts {
			f, w := uint32(number(1<<32-1)), uint32(number(1<<32-1))
			s.impacts = append(s.impacts, Impact{f, b.least + w})
		}
		nodes, freq, words, good := b.size()
		data += nodes + freq + words
		if !ok || !good || b.impacts == 0 || data > s.end || len(s.blocks) > 0 && b.last <= before {
			return false
		}
		before = b.last
		s.blocks = append(s.blocks, b)
	}
	return at == s.blocks[0].from && data == s.end
}

// Postings returns the number of postings.
func (s *Blocks) Postings() int { return s.n }

// Len returns the number of blocks.
func (s *Blocks) Len() int { return len(s.blocks) }

// Last returns the last node of a block, its lower 16 bits.
func (s *Blocks) Last(i int) uint16 { return s.blocks[i].last }

// Impacts returns the pairs that bound a block.
func (s *Blocks) Impacts(i int) []Impact {
	b := &s.blocks[i]
	return s.impacts[b.first : b.first+int(b.impacts)]
}

// Block is a decoded block, column by column.
type Block struct {
	Nodes       []uint16
	Freq, Words []uint32

	nodes       [blockPostings]uint16
	freq, words [blockPostings]uint32
}

// Load decodes a block.
func (s *Blocks) Load(i int, dst *Block) error {
	b := &s.blocks[i]
	if b.n == 0 {
		dst.Nodes, dst.Freq, dst.Words = s.small.Nodes, s.small.Freq, s.small.Words
		return nil
	}
	n := int(b.n)
	dst.Nodes, dst.Freq, dst.Words = dst.nodes[:n], dst.freq[:n], dst.words[:n]
	if !s.loadNodes(b, dst.Nodes) {
		return errPostings("bad block")
	}
	s.loadNumbers(b, dst.Freq, dst.Words)
	return nil
}

// BlockSearch looks up nodes of a block, ascending, without decoding it. The zero
// value stands at the start of a block.
type BlockSearch struct {
	j    int // a place
	node int // the node at it, once begun
}

// Find moves on to the first node that is not less than one of which the block's
// last node is no less, and reports whether it is that one. At reads its numbers.
func (s *Blocks) Find(i int, at *BlockSearch, node uint16) (j int, ok bool) {
	b := &s.blocks[i]
	want := int(node)
	switch {
	case b.n == 0:
		nodes := s.small.Nodes[at.j:]
		n, found := slices.BinarySearch(nodes, node)
		at.j += min(n, len(nodes)-1)
		return at.j, found
	case b.widths&1 != 0:
		data := s.v[b.from:][:b.n]
		x := at.node
		j = at.j
		if x == 0 && j == 0 {
			x = int(b.before) + int(data[0])
		}
		for x < want && j+1 < len(data) {
			j++
			x += int(data[j])
		}
		at.j, at.node = j, x
		return j, x == want
	}
	data := s.v[b.from:][:2*int(b.n)]
	lo, step := at.j, 1
	for lo+step < int(b.n) && int(binary.LittleEndian.Uint16(data[2*(lo+step):])) < want {
		lo += step
		step *= 2
	}
	hi := min(lo+step, int(b.n)-1)
	for lo < hi {
		if mid := (lo + hi) / 2; int(binary.LittleEndian.Uint16(data[2*mid:])) < want {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	at.j = lo
	return lo, int(binary.LittleEndian.Uint16(data[2*lo:])) == want
}

// At returns frequency and length of the j-th posting of a block.
func (s *Blocks) At(i, j int) (freq, words uint32) {
	b := &s.blocks[i]
	if b.n == 0 {
		return s.small.Freq[j], s.small.Words[j]
	}
	nodesSize, freqSize, _, _ := b.size()
	data := s.v[b.from+nodesSize:]
	return 1 + numberAt(data, b.freqWidth(), j), b.least + numberAt(data[freqSize:], b.wordsWidth(), j)
}

// numberAt returns the j-th number of a column of a width.
func numberAt(b []byte, width uint8, j int) uint32 {
	switch width {
	case 1:
		return uint32(b[j/2]>>(j&1*4)) & 15
	case 2:
		return uint32(b[j])
	case 3:
		return uint32(binary.LittleEndian.Uint16(b[2*j:]))
	case 4:
		return binary.LittleEndian.Uint32(b[4*j:])
	}
	return 0
}

// loadNodes decodes the nodes of a block; ok is false if they do not ascend to the
// last one.
func (s *Blocks) loadNodes(b *block, nodes []uint16) (ok bool) {
	at := int(b.before)
	if b.from == s.blocks[0].from {
		at = -1 // the first node may be 0
	}
	ok = true
	if b.widths&1 != 0 {
		x := int(b.before)
		data := s.v[b.from:][:len(nodes)]
		for i := range nodes {
			x += int(data[i])
			ok = ok && x > at
			at = x
			nodes[i] = uint16(x)
		}
	} else {
		data := s.v[b.from:][:2*len(nodes)]
		for i := range nodes {
			x := int(binary.LittleEndian.Uint16(data[2*i:]))
			ok = ok && x > at
			at = x
			nodes[i] = uint16(x)
		}
	}
	return ok && at == int(b.last)
}

// loadNumbers decodes the other columns of a block.
func (s *Blocks) loadNumbers(b *block, freq, words []uint32) {
	nodesSize, freqSize, wordsSize, _ := b.size()
	data := s.v[b.from+nodesSize:][:freqSize+wordsSize]
	readWidth(data[:freqSize], b.freqWidth(), freq, 1)
	readWidth(data[freqSize:], b.wordsWidth(), words, b.least)
}
