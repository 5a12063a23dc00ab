package layout

import (
	"slices"
)

// postingsFold folds postings as setFold folds sets: the newest operand wins
// for each node, and one that cannot be read makes a damaged value of all. It does the
// work once, in Finish: reading a term that many
// commits added to since the last compaction is linear in what they added.
type postingsFold struct{ operands }

func newPostingsFold(first []byte) *postingsFold {
	return &postingsFold{newOperands(first, isPostingsBase)}
}

func isPostingsBase(v []byte) bool {
	return len(v) > 0 && (v[0] == postingsBase || v[0] == postingsBlocksBase)
}

func (f *postingsFold) Finish(hasBase bool) []byte {
	ops := f.all()
	if isPostingsBase(ops[0]) {
		if len(ops) == 1 {
			return ops[0]
		}
		hasBase = true
	}
	if len(ops) == 1 && hasBase {
		if v, ok := WholePostings(ops[0]); ok {
			return v
		}
	}
	if inBlocks(ops[0]) && fewChanges(ops) {
		return patchPostings(ops, hasBase)
	}
	var b PostingsBuilder
	if b.concat(ops) {
		if hasBase {
			return b.AppendBase(nil)
		}
		return b.AppendDelta(nil, nil)
	}
	b = PostingsBuilder{}
	all, order, ok := collectPostings(ops)
	if !ok {
		return keepDamaged(ops)
	}
	b.nodes, b.freq, b.words = make([]uint16, 0, len(order)), make([]uint32, 0, len(order)), make([]uint32, 0, len(order))
	var remove []uint16
	for i, x := range order {
		switch {
		case i+1 < len(order) && order[i+1].node() == x.node():
		case x.removes():
			remove = append(remove, uint16(x.node()))
		default:
			p := &all[x.index()]
			b.Add(uint16(x.node()), p.freq, p.words, p.positions(ops))
		}
	}
	if hasBase {
		return b.AppendBase(nil)
	}
	return b.AppendDelta(nil, remove)
}

// WholePostings makes an operand that removes nothing the value of a container that
// has no other postings, in its memory; ok is false for others.
func WholePostings(op []byte) (v []byte, ok bool) {
	end, ok := addsAlone(op)
	if !ok {
		return nil, false
	}
	op[0] &^= postingsBase ^ postingsDelta
	return op[:end], true
}

// addsAlone reports whether a well-formed operand removes nothing, and where a base
// of its postings ends. It decodes no posting.
func addsAlone(v []byte) (end int, ok bool) {
	n, at := uint64(0), 1
	number := func(limit uint64) uint64 {
		x, k := uvarint(v[at:])
		ok = ok && k > 0 && x <= limit
		at += max(k, 0)
		return x
	}
	limit := uint64(len(v))
	ok = isPostings(v) && !isPostingsBase(v)
	if !ok {
		return 0, false
	}
	n = number(mostPostings(v))
	if v[0] == postingsBlocksDelta {
		size := number(limit) + number(limit)
		if !ok || size > uint64(len(v)-at) {
			return 0, false
		}
		at += int(size)
	} else {
		length, enough := skipNumbers(v[at:], 3*n)
		ok = ok && enough
		at += length
	}
	if size := number(limit); ok && size <= uint64(len(v)-at) {
		at += int(size)
		return at, string(v[at:]) == "\x00"
	}
	return 0, false
}

// foldedPosting is a posting of an operand. It holds no pointer, as there are
// many of them for a moment.
type foldedPosting struct {
	freq, words uint32
	op          uint32 // the operand
	from, to    uint32 // of the positions in it
}

func (p *foldedPosting) positions(ops [][]byte) []byte { return ops[p.op][p.from:p.to] }

// postingsChange is one posting of an operand or one removal: node u16, place
// u47 in the order of the operands, removal u1. Sorted, the newest change of a
// node is its last.
type postingsChange uint64

func (x postingsChange) node() uint64  { return uint64(x >> 48) }
func (x postingsChange) index() int    { return int(x << 16 >> 17) }
func (x postingsChange) removes() bool { return x&1 != 0 }

// collectPostings returns the postings of all operands, the oldest first, with
// an empty one in place of a removal, and the order of the changes; ok is
// false if an operand cannot be read.
func collectPostings(ops [][]byte) (all []foldedPosting, order []postingsChange, ok bool) {
	n := 0
	for _, op := range ops {
		if k, err := PostingsLen(op); err == nil {
			n += k
		}
	}
	all = make([]foldedPosting, 0, n)
	order = make([]postingsChange, 0, n)
	var c Columns
	var removed []uint64
	for i, op := range ops {
		removed = removed[:0]
		if c.Read(op) != nil {
			return nil, nil, false
		}
		if !isPostingsBase(op) {
			_, err := readList(c.tail, &removed)
			if err != nil || len(removed) > 0 && removed[len(removed)-1] >= 1<<16 {
				return nil, nil, false
			}
		}
		from := len(all)
		if all, ok = appendFolded(all, &c, uint32(i), len(op)); !ok {
			return nil, nil, false
		}
		for j, node := range c.Nodes {
			order = append(order, postingsChange(uint64(node)<<48|uint64(from+j)<<1))
		}
		for _, id := range removed {
			order = append(order, postingsChange(id<<48|uint64(len(all))<<1|1))
			all = append(all, foldedPosting{})
		}
	}
	// Ids mostly ascend from commit to commit: then this is one pass.
	slices.Sort(order)
	return all, order, true
}

// appendFolded appends the postings of c, read from operand op of n bytes; ok
// is false if their positions are cut short.
func appendFolded(dst []foldedPosting, c *Columns, op uint32, n int) (out []foldedPosting, ok bool) {
	at := n - len(c.tail) - len(c.positions)
	rest := c.positions
	for i, freq := range c.Freq {
		length := 0
		if len(c.positions) > 0 {
			if length, ok = skipNumbers(rest, uint64(freq)); !ok {
				return dst, false
			}
			rest = rest[length:]
		}
		dst = append(dst, foldedPosting{freq, c.Words[i], op, uint32(at), uint32(at + length)})
		at += length
	}
	return dst, true
}
