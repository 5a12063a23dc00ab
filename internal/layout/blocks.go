package layout

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// block is an entry of a directory.
type block struct {
	from, freq, words uint32 // of its columns in the value
	entry             uint32 // of its entry in the value
	positions         uint32 // bytes of positions
	least             uint32
	first             uint32 // its pairs, from Blocks.impacts[first] on
	start             uint16 // of the tile
	level             uint8  // of the tile
	n                 uint8  // postings; 0 for those of a value without blocks
	freqWidth         uint8
	wordsWidth        uint8
	impacts           uint8
}

// Blocks read a container's value block by block. The zero value is ready for
// Read, and reading again reuses its memory. They alias the value.
type Blocks struct {
	v         []byte
	n         int
	blocks    []block
	impacts   []Impact
	small     Columns // of a value without blocks
	end       int     // of the blocks in the value
	positions uint64  // bytes of all

	// at tells for each 128 ids the block that may have them, and 0 if none has: it is
	// counted from 1.
	at [1 << (wholeLevel - leastLevel)]uint16
}

// Read reads the directory of a value, or of an operand as what it adds. A value
// without a directory is one block, if it has postings.
func (s *Blocks) Read(v []byte) error {
	s.v, s.n, s.blocks, s.impacts = v, 0, s.blocks[:0], s.impacts[:0]
	if !inBlocks(v) {
		if err := s.small.Read(v); err != nil || len(s.small.Nodes) == 0 {
			return err
		}
		s.n, s.impacts = len(s.small.Nodes), impactsOf(s.impacts, s.small.Freq, s.small.Words)
		s.blocks = append(s.blocks, block{level: wholeLevel, impacts: uint8(len(s.impacts))})
		return nil
	}
	if !s.readDirectory() {
		s.n, s.blocks = 0, s.blocks[:0]
		return errPostings("bad directory of blocks")
	}
	return nil
}

// inBlocks reports whether a value or an operand has blocks.
func inBlocks(v []byte) bool {
	return len(v) > 0 && (v[0] == postingsBlocksBase || v[0] == postingsBlocksDelta)
}

func (s *Blocks) readDirectory() bool {
	at := 1
	ok := true
	number := func(limit uint64) int {
		x, k := uvarint(s.v[at:])
		if k <= 0 || x > limit {
			ok = false
			return 0
		}
		at += k
		return int(x)
	}
	n, limit := number(1<<wholeLevel), min(uint64(len(s.v)), 1<<32-1)
	size, dataSize := number(limit), number(limit)
	if !ok || n <= blockPostings || size+dataSize > int(limit)-at {
		return false
	}
	entries := at + size // the end of the directory
	data := entries
	s.end, s.positions = data+dataSize, 0
	clear(s.at[:])
	free := 0 // the first id after the tiles before
	for at < entries {
		var b block
		if at, ok = s.readEntry(&b, at, entries); !ok || int(b.start) < free {
			return false
		}
		b.from = uint32(data)
		data = b.place()
		if data > s.end {
			return false
		}
		free = int(b.start) + 1<<b.level
		s.blocks = append(s.blocks, b)
		s.n += int(b.n)
		s.positions += uint64(b.positions)
		for i := int(b.start) >> leastLevel; i < free>>leastLevel; i++ {
			s.at[i] = uint16(len(s.blocks))
		}
	}
	return s.n == n && at == entries && data == s.end
}

// readEntry reads an entry of the directory, which ends at end, and returns where the
// next one begins.
func (s *Blocks) readEntry(b *block, at, end int) (next int, ok bool) {
	if end-at < 4 {
		return 0, false
	}
	b.entry = uint32(at)
	tile, widths := binary.LittleEndian.Uint16(s.v[at:]), s.v[at+3]
	b.level = uint8(tile & 15)
	b.start = tile &^ 15
	b.n = s.v[at+2] + 1
	b.freqWidth, b.wordsWidth, b.impacts = widths&7, widths>>3&7, widths>>6+1
	if b.level < leastLevel || b.start&(1<<b.level-1) != 0 || b.n == 0 || b.n > blockPostings {
		return 0, false
	}
	at += 4
	ok = true
	dir := s.v[:end]
	number := func() uint32 {
		if at < len(dir) && dir[at] < 0x80 {
			at++
			return uint32(dir[at-1])
		}
		x, k := binary.Uvarint(dir[at:])
		if k <= 0 || x > 1<<32-1 {
			ok = false
			return 0
		}
		at += k
		return uint32(x)
	}
	b.least, b.positions, b.first = number(), number(), uint32(len(s.impacts))
	for range b.impacts {
		f, w := number(), number()
		s.impacts = append(s.impacts, Impact{f, b.least + w})
	}
	return at, ok && b.freqWidth <= 4 && b.wordsWidth <= 4
}

// place puts the columns one after the other from b.from on and returns their end.
func (b *block) place() int {
	n := int(b.n)
	b.freq = b.from + uint32(nodesSize(b.level, n))
	b.words = b.freq + uint32(sizeOf(b.freqWidth, n))
	return int(b.words) + sizeOf(b.wordsWidth, n)
}

// Postings returns the number of postings.
func (s *Blocks) Postings() int { return s.n }

// Len returns the number of blocks.
func (s *Blocks) Len() int { return len(s.blocks) }

// Tile returns the first and the last node that a block may have, their lower 16 bits.
func (s *Blocks) Tile(i int) (first, last uint16) {
	b := &s.blocks[i]
	return b.start, uint16(int(b.start) + 1<<b.level - 1)
}

// Impacts returns the pairs that bound a block.
func (s *Blocks) Impacts(i int) []Impact {
	b := &s.blocks[i]
	return s.impacts[b.first : b.first+uint32(b.impacts)]
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

// NodeSet is a set of nodes of a container, by their lower 16 bits.
type NodeSet [1 << wholeLevel / 64]uint64

// AddTo adds the nodes of a block to a set.
func (s *Blocks) AddTo(i int, set *NodeSet) error {
	b := &s.blocks[i]
	switch {
	case b.n == 0:
		for _, node := range s.small.Nodes {
			set[node>>6] |= 1 << (node & 63)
		}
	case isBitmap(b.level, int(b.n)):
		n := 0
		data := s.v[b.from:b.freq]
		words := set[b.start>>6:][:len(data)/8]
		for j := range words {
			x := binary.LittleEndian.Uint64(data[8*j:])
			n += bits.OnesCount64(x)
			words[j] |= x
		}
		if n != int(b.n) {
			return errPostings("bad block")
		}
	default:
		for data := s.v[b.from:b.freq]; len(data) >= 2; data = data[2:] {
			node := binary.LittleEndian.Uint16(data)
			set[node>>6] |= 1 << (node & 63)
		}
	}
	return nil
}

// Seek returns the block that may have a node; it is -1 if none has.
func (s *Blocks) Seek(node uint16) int {
	if len(s.blocks) > 0 && s.blocks[0].n == 0 {
		return 0
	}
	return int(s.at[node>>leastLevel]) - 1
}

// Find returns the place of a node in the block that [Blocks.Seek] returns for it, ok
// being false if the block does not have it. At reads its numbers.
func (s *Blocks) Find(i int, node uint16) (j int, ok bool) {
	b := &s.blocks[i]
	switch {
	case b.n == 0:
		return slices.BinarySearch(s.small.Nodes, node)
	case isBitmap(b.level, int(b.n)):
		data := s.v[b.from:b.freq]
		bit := node - b.start
		at := int(bit>>6) * 8
		if len(data) < at+8 {
			return 0, false
		}
		x := binary.LittleEndian.Uint64(data[at:])
		if x>>(bit&63)&1 == 0 {
			return 0, false
		}
		j = bits.OnesCount64(x & (1<<(bit&63) - 1))
		for ; at > 0; at -= 8 {
			j += bits.OnesCount64(binary.LittleEndian.Uint64(data[at-8:]))
		}
		return j, j < int(b.n)
	}
	data := s.v[b.from:b.freq]
	lo, hi := 0, int(b.n)-1
	for lo < hi {
		if mid := (lo + hi) / 2; binary.LittleEndian.Uint16(data[2*mid:]) < node {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, binary.LittleEndian.Uint16(data[2*lo:]) == node
}

// At returns frequency and length of the j-th posting of a block.
func (s *Blocks) At(i, j int) (freq, words uint32) {
	b := &s.blocks[i]
	if b.n == 0 {
		return s.small.Freq[j], s.small.Words[j]
	}
	return 1 + numberAt(s.v[b.freq:], b.freqWidth, j), b.least + numberAt(s.v[b.words:], b.wordsWidth, j)
}

// loadNodes decodes the nodes of a block; ok is false if they are not as many
// ascending ones of the tile.
func (s *Blocks) loadNodes(b *block, nodes []uint16) (ok bool) {
	data := s.v[b.from:b.freq]
	if !isBitmap(b.level, len(nodes)) {
		at := int(b.start) - 1
		ok = true
		for i := range nodes {
			x := int(binary.LittleEndian.Uint16(data[2*i:]))
			ok = ok && x > at
			at = x
			nodes[i] = uint16(x)
		}
		return ok && at < int(b.start)+1<<b.level
	}
	i := 0
	for at := b.start; len(data) >= 8; at, data = at+64, data[8:] {
		x := binary.LittleEndian.Uint64(data)
		if i+bits.OnesCount64(x) > len(nodes) {
			return false
		}
		for ; x != 0; x &= x - 1 {
			nodes[i] = at + uint16(bits.TrailingZeros64(x))
			i++
		}
	}
	return i == len(nodes)
}

// loadNumbers decodes the other columns of a block.
func (s *Blocks) loadNumbers(b *block, freq, words []uint32) {
	readWidth(s.v[b.freq:b.words], b.freqWidth, freq, 1)
	readWidth(s.v[b.words:], b.wordsWidth, words, b.least)
}
