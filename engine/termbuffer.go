package engine

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
)

// termBuffer holds what a transaction changes of the postings of a graph. It has
// no map and no allocation for each term: texts are in one arena, found by a table
// of hashes, and changes are a log, which is put in order of term and node at the
// end.
type termBuffer struct {
	seed      maphash.Seed
	texts     []byte
	terms     []bufferedTerm
	table     []uint64 // by hash, linear probing: hash << 32 | place in terms + 1, 0 for none
	ops       []postingsOp
	positions []byte
	fields    []fieldSum // in order of their ids
	removes   bool       // some node loses a term

	order   []termRef // the terms in order, once they are sorted
	sorted  []uint32  // places in ops, by term in that order and then as they came
	builder layout.PostingsBuilder
	remove  []uint16
}

// bufferedTerm is a distinct term of a field.
type bufferedTerm struct {
	sum      [2]int64 // nodes, occurrences
	at       int      // its text in the arena
	field    uint32
	size     uint16
	removed  bool   // some node loses it
	ops, end uint32 // how many; where they end in sorted
}

// postingsOp adds, replaces or removes the posting of one node. Positions go on
// to where those of the next one begin.
type postingsOp struct {
	positions uint64
	term      uint32
	node      uint32
	freq      uint32 // 0 removes
	words     uint32
}

// fieldSum is a change of the sums of a field: nodes, words.
type fieldSum struct {
	field uint32
	sum   [2]int64
}

// What a buffered term and each change count towards a transaction's size,
// beside texts and positions.
const (
	bufferedTermBytes = 48 + 32 + 24 // with its places in the table and in order
	postingsOpBytes   = 32 + 4
)

func (b *termBuffer) empty() bool { return len(b.ops) == 0 && len(b.fields) == 0 }

func (b *termBuffer) text(t *bufferedTerm) []byte { return b.texts[t.at : t.at+int(t.size)] }

// addField counts a change of a field's sums.
func (b *termBuffer) addField(field uint32, nodes, words int64) {
	i, ok := slices.BinarySearchFunc(b.fields, field, func(s fieldSum, f uint32) int { return cmp.Compare(s.field, f) })
	if !ok {
		b.fields = slices.Insert(b.fields, i, fieldSum{field: field})
	}
	b.fields[i].sum[0] += nodes
	b.fields[i].sum[1] += words
}

// add notes a change of a term and returns the bytes that it takes.
func (b *termBuffer) add(field uint32, term string, op postingsOp, positions []byte, sum [2]int64) int {
	size := postingsOpBytes + len(positions)
	i, isNew := b.find(field, term)
	if isNew {
		size += bufferedTermBytes + len(term)
	}
	t := &b.terms[i]
	t.ops++
	t.sum[0] += sum[0]
	t.sum[1] += sum[1]
	if op.freq == 0 {
		t.removed, b.removes = true, true
	}
	op.term, op.positions = i, uint64(len(b.positions))
	b.positions = append(b.positions, positions...)
	b.ops = append(b.ops, op)
	return size
}

// find returns the place of a term, adding it if it is new.
func (b *termBuffer) find(field uint32, term string) (i uint32, isNew bool) {
	if 4*len(b.terms) >= 3*len(b.table) {
		b.grow()
	}
	h := maphash.String(b.seed, term) + uint64(field)*0x9E3779B97F4A7C15
	hash := uint32(h >> 32)
	mask := uint32(len(b.table) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := b.table[at]
		if slot == 0 {
			i := uint32(len(b.terms))
			b.terms = append(b.terms, bufferedTerm{at: len(b.texts), field: field, size: uint16(len(term))})
			b.texts = append(b.texts, term...)
			b.table[at] = uint64(hash)<<32 | uint64(i+1)
			return i, true
		}
		if uint32(slot>>32) != hash {
			continue
		}
		i := uint32(slot) - 1
		if t := &b.terms[i]; t.field == field && string(b.text(t)) == term {
			return i, false
		}
	}
}

// grow doubles the table.
func (b *termBuffer) grow() {
	if b.table == nil {
		b.seed = maphash.MakeSeed()
	}
	old := b.table
	b.table = make([]uint64, max(16, 2*len(old)))
	mask := uint32(len(b.table) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		at := uint32(slot>>32) & mask
		for b.table[at] != 0 {
			at = (at + 1) & mask
		}
		b.table[at] = slot
	}
}

// termRef is a term in the order of field and text.
type termRef struct {
	prefix uint64 // the first eight bytes of the text
	field  uint32
	term   uint32
}

// sort puts terms and changes in order: the terms by comparison, the changes by
// counting, since they know their terms.
func (b *termBuffer) sort() {
	b.order = slices.Grow(b.order[:0], len(b.terms))
	for i := range b.terms {
		var prefix [8]byte
		copy(prefix[:], b.text(&b.terms[i]))
		b.order = append(b.order, termRef{binary.BigEndian.Uint64(prefix[:]), b.terms[i].field, uint32(i)})
	}
	slices.SortFunc(b.order, func(x, y termRef) int {
		switch {
		case x.field != y.field:
			return cmp.Compare(x.field, y.field)
		case x.prefix != y.prefix:
			return cmp.Compare(x.prefix, y.prefix)
		}
		return bytes.Compare(b.text(&b.terms[x.term]), b.text(&b.terms[y.term]))
	})
	from := uint32(0)
	for _, o := range b.order {
		t := &b.terms[o.term]
		t.end = from // it moves on to the end as the changes are put in place
		from += t.ops
	}
	b.sorted = slices.Grow(b.sorted[:0], len(b.ops))[:len(b.ops)]
	for i := range b.ops {
		t := &b.terms[b.ops[i].term]
		b.sorted[t.end] = uint32(i)
		t.end++
	}
}

// containerChange is what changes of one container of a term.
type containerChange struct {
	field     uint32
	container uint64
	key       []byte // of the postings
	value     []byte // operand
	term      *bufferedTerm
	removes   bool // some node loses the term
}

// each calls fn with the changed containers of graph g in the order of their keys,
// once the buffer is sorted. Key and value are valid until fn returns.
func (b *termBuffer) each(g uint32, fn func(c *containerChange) error) error {
	var c containerChange
	for _, o := range b.order {
		c.term, c.field = &b.terms[o.term], o.field
		ops := b.sorted[c.term.end-c.term.ops : c.term.end]
		if !slices.IsSortedFunc(ops, b.compareNodes) {
			slices.SortStableFunc(ops, b.compareNodes)
		}
		c.key = layout.AppendPostingsTerm(c.key[:0], g, o.field, b.text(c.term))
		prefix := len(c.key)
		for len(ops) > 0 {
			c.container = layout.Container(uint64(b.ops[ops[0]].node))
			n := 1
			for n < len(ops) && layout.Container(uint64(b.ops[ops[n]].node)) == c.container {
				n++
			}
			b.encode(&c, ops[:n])
			ops = ops[n:]
			c.key = layout.AppendContainer(c.key[:prefix], c.container)
			if err := fn(&c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *termBuffer) compareNodes(x, y uint32) int {
	return cmp.Compare(b.ops[x].node, b.ops[y].node)
}

// encode makes the operand of a container's changes, of which the last of a node
// counts.
func (b *termBuffer) encode(c *containerChange, ops []uint32) {
	b.builder.Reset()
	c.removes = false
	remove := b.remove[:0]
	for i, at := range ops {
		op := &b.ops[at]
		switch {
		case i+1 < len(ops) && b.ops[ops[i+1]].node == op.node:
		case op.freq == 0:
			remove = append(remove, uint16(op.node))
		default:
			end := uint64(len(b.positions))
			if int(at)+1 < len(b.ops) {
				end = b.ops[at+1].positions
			}
			b.builder.Add(uint16(op.node), op.freq, op.words, b.positions[op.positions:end])
		}
		c.removes = c.removes || op.freq == 0
	}
	b.remove = remove
	c.value = b.builder.AppendDelta(c.value[:0], remove)
}

// eachSum calls fn with the sums that change of graph g in the order of their
// keys, once the buffer is sorted. term is nil for those of a field. The key is valid
// until fn returns.
func (b *termBuffer) eachSum(g uint32, fn func(key []byte, sum [2]int64, term *bufferedTerm) error) error {
	order := b.order
	var key []byte
	for _, f := range b.fields {
		if err := fn(layout.LexSum(g, f.field, ""), f.sum, nil); err != nil {
			return err
		}
		for ; len(order) > 0 && order[0].field == f.field; order = order[1:] {
			t := &b.terms[order[0].term]
			key = layout.AppendLexSum(key[:0], g, f.field, b.text(t))
			if err := fn(key, t.sum, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// clear empties the buffer and keeps its memory.
func (b *termBuffer) clear() {
	b.texts, b.terms, b.ops, b.positions = b.texts[:0], b.terms[:0], b.ops[:0], b.positions[:0]
	b.fields, b.removes, b.order, b.sorted = b.fields[:0], false, b.order[:0], b.sorted[:0]
	clear(b.table)
}
