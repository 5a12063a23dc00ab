package layout

import (
	"encoding/binary"
	"slices"
)

// Columns are the postings of one container, column by column: what ranking
// and phrases read, without a [Posting] for each node. The zero value is ready
// for Read, and reading again reuses its memory.
type Columns struct {
	Nodes []uint16 // lower 16 bits of the ids, ascending
	Freq  []uint32 // occurrences of the term in each node
	Words []uint32 // length of each node's text in the field

	positions []byte
	tail      []byte // what follows: the removals of an operand

	blocks  *Blocks
	impacts []Impact
}

// Read decodes the value of a container in place of what c held. An operand
// reads as what it adds. The numbers are c's own; the positions, read by
// [PositionReader], alias v. After an error c is empty.
func (c *Columns) Read(v []byte) error {
	err := c.read(v)
	if err != nil {
		c.Nodes, c.Freq, c.Words = c.Nodes[:0], c.Freq[:0], c.Words[:0]
		c.positions, c.tail = nil, nil
	}
	return err
}

func (c *Columns) read(v []byte) error {
	if !isPostings(v) {
		return errPostings("unknown kind")
	}
	b := v[1:]
	var err error
	if inBlocks(v) {
		b, err = c.readBlocks(v)
	} else {
		b, err = c.readColumns(b)
	}
	if err != nil {
		return err
	}
	size, k := binary.Uvarint(b)
	if k <= 0 || size > uint64(len(b)-k) || inBlocks(v) && size != c.blocks.positions {
		return errPostings("bad positions")
	}
	end := k + int(size)
	c.positions, c.tail = b[k:end:end], b[end:]
	return nil
}

// size makes room for n postings.
func (c *Columns) size(n int) {
	c.Nodes = slices.Grow(c.Nodes[:0], n)[:n]
	c.Freq = slices.Grow(c.Freq[:0], n)[:n]
	c.Words = slices.Grow(c.Words[:0], n)[:n]
}

// readColumns reads columns of uvarints and returns what follows.
func (c *Columns) readColumns(b []byte) ([]byte, error) {
	// Each posting takes three bytes at least, so a count that passes cannot
	// make the columns larger than a few times the value.
	count, k := binary.Uvarint(b)
	if k <= 0 || count > uint64(len(b)-k)/3 {
		return nil, errPostings("bad count")
	}
	b = b[k:]
	c.size(int(count))
	b, ok := readNodes(b, c.Nodes)
	if !ok {
		return nil, errPostings("bad node")
	}
	for _, column := range [][]uint32{c.Freq, c.Words} {
		if b, ok = readNumbers(b, column); !ok {
			return nil, errPostings("bad column")
		}
	}
	return b, nil
}

// readBlocks reads all blocks of v and returns what follows. Searches rely on the
// bounds, so they are compared with the postings.
func (c *Columns) readBlocks(v []byte) ([]byte, error) {
	if c.blocks == nil {
		c.blocks = &Blocks{}
	}
	if err := c.blocks.Read(v); err != nil {
		return nil, err
	}
	c.size(c.blocks.n)
	from := 0
	for i := range c.blocks.blocks {
		b := &c.blocks.blocks[i]
		to := from + int(b.n)
		freq, words := c.Freq[from:to], c.Words[from:to]
		if !c.blocks.loadNodes(b, c.Nodes[from:to]) {
			return nil, errPostings("bad block")
		}
		c.blocks.loadNumbers(b, freq, words)
		if c.impacts = impactsOf(c.impacts, freq, words); !slices.Equal(c.impacts, c.blocks.Impacts(i)) {
			return nil, errPostings("bounds of other postings")
		}
		from = to
	}
	return v[c.blocks.end:], nil
}

// readNodes decodes node deltas into dst and returns what follows them.
func readNodes(b []byte, dst []uint16) (rest []byte, ok bool) {
	at, node := 0, uint64(0)
	for i := range dst {
		d, k := uint64(0), 1
		if at < len(b) && b[at] < 0x80 {
			d = uint64(b[at])
		} else if d, k = binary.Uvarint(b[at:]); k <= 0 {
			return nil, false
		}
		at += k
		if i > 0 && d == 0 || d > 1<<16-1 {
			return nil, false
		}
		if node += d; node > 1<<16-1 {
			return nil, false
		}
		dst[i] = uint16(node)
	}
	return b[at:], true
}

// readNumbers decodes a column into dst and returns what follows it.
func readNumbers(b []byte, dst []uint32) (rest []byte, ok bool) {
	at := 0
	for i := range dst {
		if at < len(b) && b[at] < 0x80 {
			dst[i] = uint32(b[at])
			at++
			continue
		}
		x, k := binary.Uvarint(b[at:])
		if k <= 0 || x > 1<<32-1 {
			return nil, false
		}
		dst[i] = uint32(x)
		at += k
	}
	return b[at:], true
}

// PositionReader reads the positions of some nodes of a container in
// ascending order, walking over those in between without decoding them. It is
// good until the Columns are read again or the value they alias is gone.
type PositionReader struct {
	c    *Columns
	next int // the posting that rest begins with
	rest []byte
}

// Positions returns a reader that stands before the first posting.
func (c *Columns) Positions() PositionReader { return PositionReader{c: c, rest: c.positions} }

// Append appends the positions of the i-th posting to dst. i must be greater
// than in the call before. A field without positions, and a damaged value,
// give an error.
func (p *PositionReader) Append(dst []uint32, i int) ([]uint32, error) {
	skip := uint64(0)
	for _, f := range p.c.Freq[p.next:i] {
		skip += uint64(f)
	}
	at, ok := skipNumbers(p.rest, skip)
	if !ok {
		return dst, errPostings("positions cut short")
	}
	pos := uint32(0)
	for range p.c.Freq[i] {
		d, k := binary.Uvarint(p.rest[at:])
		if k <= 0 {
			return dst, errPostings("positions cut short")
		}
		pos += uint32(d)
		dst = append(dst, pos)
		at += k
	}
	p.next, p.rest = i+1, p.rest[at:]
	return dst, nil
}
