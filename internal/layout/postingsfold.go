package layout

import (
	"encoding/binary"
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

func isPostingsBase(v []byte) bool { return len(v) > 0 && v[0] == postingsBase }

func (f *postingsFold) Finish(hasBase bool) []byte {
	ops := f.all()
	if isPostingsBase(ops[0]) {
		if len(ops) == 1 {
			return ops[0]
		}
		hasBase = true
	}
	all, order, ok := collectPostings(ops)
	if !ok {
		return keepDamaged(ops)
	}
	var b PostingsBuilder
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

// appendUvarint is [binary.AppendUvarint], inlined for one byte.
func appendUvarint(dst []byte, x uint64) []byte {
	if x < 0x80 {
		return append(dst, byte(x))
	}
	return binary.AppendUvarint(dst, x)
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
		if op[0] == postingsDelta {
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
