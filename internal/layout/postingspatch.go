package layout

import (
	"encoding/binary"
	"slices"
)

// patchShare is the share of a value's postings, 1 in so many, up to which changes are
// folded block by block: blocks of which nothing changes are copied.
const patchShare = 8

// fewChanges reports whether operands after the first one have so few postings beside
// it that it is patched.
func fewChanges(ops [][]byte) bool {
	whole, err := PostingsLen(ops[0])
	if err != nil || len(ops) == 1 {
		return false
	}
	n := 0
	for _, op := range ops[1:] {
		n += len(op) / 3 // a posting or a removal takes that many bytes, or a few less
	}
	return n <= whole/patchShare
}

// postingsPatch folds few changes into a value in blocks. The result is the same as
// that of a builder to which all postings are added.
type postingsPatch struct {
	old       Blocks
	positions []byte // of the blocks not read yet
	out       PostingsBuilder
	block     Block

	parts []patchPart // of the result, ascending
	// The result: blocks that stay are not copied one by one.
	directory, data, places pieces
	loose                   PostingsBuilder
	ends                    []int // where the positions of each loose posting end
}

// patchPart is a block that stays, or some loose postings.
type patchPart struct {
	block     int // -1 for loose ones
	from, to  int // of the loose ones, or 0 and the number of postings
	start     uint16
	level     uint8
	positions []byte // of a block
}

func (p *patchPart) len() int { return p.to - p.from }

// patchPostings folds operands, of which the first one has blocks.
func patchPostings(ops [][]byte, hasBase bool) []byte {
	all, order, ok := collectPostings(ops[1:])
	if !ok {
		return keepDamaged(ops)
	}
	order = newestChanges(order)
	p := &postingsPatch{}
	tail, ok := p.read(ops[0])
	var removed []uint64
	if ok && !isPostingsBase(ops[0]) {
		_, err := readList(tail, &removed)
		ok = err == nil
	}
	if !ok || !p.merge(ops[1:], all, order) {
		return keepDamaged(ops)
	}
	value, ok := p.build(hasBase)
	if !ok {
		return keepDamaged(ops)
	}
	if hasBase {
		return value
	}
	return appendRemoved(value, removedAfter(removed, order))
}

// newestChanges keeps the last change of each node.
func newestChanges(order []postingsChange) []postingsChange {
	n := 0
	for i, x := range order {
		if i+1 == len(order) || order[i+1].node() != x.node() {
			order[n] = x
			n++
		}
	}
	return order[:n]
}

// removedAfter returns the nodes that an operand removes once changes are folded in.
func removedAfter(removed []uint64, order []postingsChange) []uint16 {
	var out []uint16
	for len(removed) > 0 || len(order) > 0 {
		if len(order) == 0 || len(removed) > 0 && removed[0] < order[0].node() {
			out = append(out, uint16(removed[0]))
			removed = removed[1:]
			continue
		}
		if order[0].removes() {
			out = append(out, uint16(order[0].node()))
		}
		if len(removed) > 0 && removed[0] == order[0].node() {
			removed = removed[1:]
		}
		order = order[1:]
	}
	return out
}

// read reads the directory of the value and returns what follows its positions.
func (p *postingsPatch) read(v []byte) (tail []byte, ok bool) {
	if p.old.Read(v) != nil {
		return nil, false
	}
	b := v[p.old.end:]
	size, k := binary.Uvarint(b)
	if k <= 0 || size > uint64(len(b)-k) || size != p.old.positions {
		return nil, false
	}
	p.positions = b[k : k+int(size)]
	return b[k+int(size):], true
}

// merge makes the parts of the result; ok is false if a block that changes is damaged.
func (p *postingsPatch) merge(ops [][]byte, all []foldedPosting, order []postingsChange) (ok bool) {
	p.parts = make([]patchPart, 0, len(p.old.blocks)+len(order))
	for i := range p.old.blocks {
		b := &p.old.blocks[i]
		first, last := p.old.Tile(i)
		n := 0 // changes before the block
		for n < len(order) && uint16(order[n].node()) < first {
			n++
		}
		p.add(ops, all, order[:n])
		order = order[n:]
		for n = 0; n < len(order) && uint16(order[n].node()) <= last; n++ {
		}
		positions := p.positions[:b.positions]
		p.positions = p.positions[b.positions:]
		if n == 0 {
			p.parts = append(p.parts, patchPart{block: i, to: int(b.n), start: b.start, level: b.level, positions: positions})
			continue
		}
		if !p.mix(i, positions, ops, all, order[:n]) {
			return false
		}
		order = order[n:]
	}
	p.add(ops, all, order)
	return true
}

// add adds postings of which the value has none of the nodes.
func (p *postingsPatch) add(ops [][]byte, all []foldedPosting, order []postingsChange) {
	from := len(p.loose.nodes)
	for _, x := range order {
		p.addChange(ops, all, x)
	}
	p.addLoose(from)
}

func (p *postingsPatch) addChange(ops [][]byte, all []foldedPosting, x postingsChange) {
	if x.removes() {
		return
	}
	c := &all[x.index()]
	p.loose.Add(uint16(x.node()), c.freq, c.words, c.positions(ops))
	p.ends = append(p.ends, len(p.loose.positions))
}

// addLoose adds the loose postings from a place on as a part.
func (p *postingsPatch) addLoose(from int) {
	if to := len(p.loose.nodes); to > from {
		p.parts = append(p.parts, patchPart{block: -1, from: from, to: to})
	}
}

// mix adds the postings of a block with changes of its nodes.
func (p *postingsPatch) mix(i int, positions []byte, ops [][]byte, all []foldedPosting, order []postingsChange) (ok bool) {
	if p.old.Load(i, &p.block) != nil {
		return false
	}
	from := len(p.loose.nodes)
	for j, node := range p.block.Nodes {
		size := 0
		if len(positions) > 0 {
			if size, ok = skipNumbers(positions, uint64(p.block.Freq[j])); !ok {
				return false
			}
		}
		for len(order) > 0 && uint16(order[0].node()) < node {
			p.addChange(ops, all, order[0])
			order = order[1:]
		}
		if len(order) > 0 && uint16(order[0].node()) == node {
			p.addChange(ops, all, order[0])
			order = order[1:]
		} else {
			p.loose.Add(node, p.block.Freq[j], p.block.Words[j], positions[:size])
			p.ends = append(p.ends, len(p.loose.positions))
		}
		positions = positions[size:]
	}
	for _, x := range order {
		p.addChange(ops, all, x)
	}
	p.addLoose(from)
	return len(positions) == 0
}

// build makes the value of the parts.
func (p *postingsPatch) build(hasBase bool) (value []byte, ok bool) {
	n := 0
	for i := range p.parts {
		n += p.parts[i].len()
	}
	kind := byte(postingsBlocksDelta)
	if hasBase {
		kind = postingsBlocksBase
	}
	if n <= blockPostings {
		p.out.Reset()
		if !p.gather(p.parts) {
			return nil, false
		}
		if hasBase {
			return p.out.AppendBase(nil), true
		}
		return p.out.append(nil, postingsDelta, postingsBlocksDelta), true
	}
	if !p.tiles(p.parts, n, 0, wholeLevel) {
		return nil, false
	}
	value = make([]byte, 0, 64+p.directory.size+p.data.size+p.places.size)
	value = appendUvarint(append(value, kind), uint64(n))
	value = appendUvarint(value, uint64(p.directory.size))
	value = appendUvarint(value, uint64(p.data.size))
	value = p.data.appendTo(p.directory.appendTo(value))
	value = appendUvarint(value, uint64(p.places.size))
	return p.places.appendTo(value), true
}

// tiles makes the blocks of the parts, of n postings, which are those of a tile.
func (p *postingsPatch) tiles(parts []patchPart, n int, start uint16, level uint8) (ok bool) {
	switch {
	case n == 0:
		return true
	case n > blockPostings:
		level--
		half := start + 1<<level
		lower, upper := p.split(parts, half)
		below := 0
		for i := range lower {
			below += lower[i].len()
		}
		return p.tiles(lower, below, start, level) && p.tiles(upper, n-below, half, level)
	case len(parts) == 1 && parts[0].block >= 0 && parts[0].level == level:
		p.copy(&parts[0])
		return true
	}
	p.out.Reset()
	if !p.gather(parts) {
		return false
	}
	at, from := len(p.out.directory), len(p.out.data)
	p.out.appendBlock(p.out.nodes, p.out.freq, p.out.words, start, level, len(p.out.positions))
	p.directory.add(p.out.directory[at:])
	p.data.add(p.out.data[from:])
	p.places.add(slices.Clone(p.out.positions))
	return true
}

// split divides parts at a node. A part that has nodes of both sides is loose, and is
// divided too.
func (p *postingsPatch) split(parts []patchPart, half uint16) (lower, upper []patchPart) {
	i := 0
	for ; i < len(parts); i++ {
		x := &parts[i]
		if x.block >= 0 {
			if x.start >= half {
				break
			}
			continue
		}
		n, _ := slices.BinarySearch(p.loose.nodes[x.from:x.to], half)
		switch n {
		case 0:
			return parts[:i], parts[i:]
		case x.len():
			continue
		}
		lower = append(slices.Clone(parts[:i]), patchPart{block: -1, from: x.from, to: x.from + n})
		x.from += n
		return lower, parts[i:]
	}
	return parts[:i], parts[i:]
}

// copy copies a block as it is.
func (p *postingsPatch) copy(x *patchPart) {
	b := &p.old.blocks[x.block]
	end := p.old.blocks[0].from // of the entry
	if x.block+1 < len(p.old.blocks) {
		end = p.old.blocks[x.block+1].entry
	}
	p.directory.add(p.old.v[b.entry:end])
	p.data.add(p.old.v[b.from : int(b.words)+sizeOf(b.wordsWidth, int(b.n))])
	p.places.add(x.positions)
}

// gather adds the postings of parts to out.
func (p *postingsPatch) gather(parts []patchPart) (ok bool) {
	for i := range parts {
		x := &parts[i]
		if x.block < 0 {
			at := 0
			if x.from > 0 {
				at = p.ends[x.from-1]
			}
			p.out.nodes = append(p.out.nodes, p.loose.nodes[x.from:x.to]...)
			p.out.freq = append(p.out.freq, p.loose.freq[x.from:x.to]...)
			p.out.words = append(p.out.words, p.loose.words[x.from:x.to]...)
			p.out.positions = append(p.out.positions, p.loose.positions[at:p.ends[x.to-1]]...)
			continue
		}
		if p.old.Load(x.block, &p.block) != nil {
			return false
		}
		p.out.nodes = append(p.out.nodes, p.block.Nodes...)
		p.out.freq = append(p.out.freq, p.block.Freq...)
		p.out.words = append(p.out.words, p.block.Words...)
		p.out.positions = append(p.out.positions, x.positions...)
	}
	return true
}

// pieces are parts of a value one after the other.
type pieces struct {
	list [][]byte
	size int
}

// add adds a piece. One that follows the last piece in memory becomes part of it.
func (p *pieces) add(b []byte) {
	if len(b) == 0 {
		return
	}
	p.size += len(b)
	if n := len(p.list); n > 0 {
		last := p.list[n-1]
		if more := last[len(last):cap(last)]; len(more) >= len(b) && &more[:1][0] == &b[0] {
			p.list[n-1] = last[:len(last)+len(b)]
			return
		}
	}
	p.list = append(p.list, b)
}

func (p *pieces) appendTo(dst []byte) []byte {
	for _, b := range p.list {
		dst = append(dst, b...)
	}
	return dst
}
