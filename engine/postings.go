package engine

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/layout"
)

// The terms of a field are kept under three kinds of keys:
//
//	postings:  g | field | term | 00 00 | container -> nodes, freq, words, positions
//	lexsum:    g | field | term -> nodes that have it, occurrences
//	           g | field        -> nodes with terms, words
//	termsof:   g | field | node -> forward list of the node's terms
//
// The forward list is written at once. Postings and sums are buffered in the
// transaction and written when it commits, one merge operand for each term and
// container and one for each sum. If they outgrow their memory they are sorted
// in files ([termSpill]).

// postingsChange is what a transaction does to one container of one term.
type postingsChange struct {
	ops []postingsOp // in the order of the calls: the last of a node counts
	sum [2]int64     // nodes, occurrences
}

// postingsOp adds, replaces or removes the posting of one node.
type postingsOp struct {
	positions []byte
	freq      uint32 // 0 removes
	words     uint32
	node      uint16
}

// What a buffered change of a term's container, and each of its operations,
// count towards a transaction's size.
const (
	postingsChangeBytes = 128
	postingsOpBytes     = 40
)

// bufferKey appends the key under which a transaction buffers the change of a
// term's container: field u32, container u48, term.
func bufferKey(dst []byte, field uint32, container uint64, term string) []byte {
	dst = binary.BigEndian.AppendUint32(dst, field)
	dst = binary.BigEndian.AppendUint16(dst, uint16(container>>32))
	dst = binary.BigEndian.AppendUint32(dst, uint32(container))
	return append(dst, term...)
}

// bufferKeyOf reads a buffer key back.
func bufferKeyOf(k string) (field uint32, container uint64, term string) {
	b := []byte(k[:10])
	field = binary.BigEndian.Uint32(b)
	container = uint64(binary.BigEndian.Uint16(b[4:]))<<32 | uint64(binary.BigEndian.Uint32(b[6:]))
	return field, container, k[10:]
}

// PutTerms makes terms the terms of a node in a field, in place of those that
// it had there; none at all is DeleteTerms. They need no order. The field must
// have been made ([TxView.MakeField]) and the node must exist. Searches see
// the terms after the commit.
func (v *TxView) PutTerms(field string, id NodeID, terms []text.Term) error {
	return v.wrap(fmt.Sprintf("put terms of node %d", id), v.putTerms(field, id, terms))
}

func (v *TxView) putTerms(field string, id NodeID, terms []text.Term) error {
	if err := v.check(); err != nil {
		return err
	}
	fid, o, err := v.field(field)
	if err != nil {
		return err
	}
	if ok, err := v.exists(id); err != nil {
		return err
	} else if !ok {
		return ErrNotFound
	}
	if len(terms) > math.MaxInt32 {
		return phase.Mark(ErrInvalid, "%d terms", len(terms))
	}
	sorted := slices.Clone(terms)
	slices.SortFunc(sorted, func(a, b text.Term) int {
		if c := strings.Compare(a.Text, b.Text); c != 0 {
			return c
		}
		return cmp.Compare(a.Pos, b.Pos)
	})
	list, ops, err := groupTerms(sorted, o.Positions)
	if err != nil {
		return err
	}
	return v.replaceTerms(fid, id, list, ops)
}

// groupTerms returns the distinct terms of a sorted list with what is to be
// written of each.
func groupTerms(sorted []text.Term, positions bool) ([]TermFreq, []postingsOp, error) {
	distinct := 0
	for i, t := range sorted {
		if t.Text == "" || len(t.Text) > maxTermBytes {
			return nil, nil, phase.Mark(ErrInvalid, "a term has 1 to %d bytes, not %d", maxTermBytes, len(t.Text))
		}
		if i == 0 || sorted[i-1].Text != t.Text {
			distinct++
		}
	}
	list := make([]TermFreq, 0, distinct)
	ops := make([]postingsOp, 0, distinct)
	var room []byte // all positions of the node
	var pos []uint32
	if positions {
		room = make([]byte, 0, 2*len(sorted))
	}
	for i := 0; i < len(sorted); {
		term := sorted[i].Text
		pos = pos[:0]
		for ; i < len(sorted) && sorted[i].Text == term; i++ {
			pos = append(pos, sorted[i].Pos)
		}
		op := postingsOp{freq: uint32(len(pos)), words: uint32(len(sorted))}
		if positions {
			from := len(room)
			room = layout.AppendPositions(room, pos)
			op.positions = room[from:len(room):len(room)]
		}
		list = append(list, TermFreq{term, op.freq})
		ops = append(ops, op)
	}
	return list, ops, nil
}

// DeleteTerms removes all terms of a node from a field.
func (v *TxView) DeleteTerms(field string, id NodeID) error {
	return v.wrap(fmt.Sprintf("delete terms of node %d", id), v.deleteTerms(field, id))
}

func (v *TxView) deleteTerms(field string, id NodeID) error {
	if err := v.check(); err != nil {
		return err
	}
	fid, _, err := v.field(field)
	if err != nil {
		return err
	}
	return v.replaceTerms(fid, id, nil, nil)
}

// deleteAllTerms removes all terms of a node from all fields.
func (v *TxView) deleteAllTerms(id NodeID) error {
	for _, fid := range v.idsOf(layout.KindField) {
		if err := v.replaceTerms(fid, id, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// replaceTerms brings a node from the terms that it has in a field to those of
// list, for each of which ops holds the posting.
func (v *TxView) replaceTerms(field uint32, id NodeID, list []TermFreq, ops []postingsOp) error {
	key := layout.TermsOf(v.g, field, uint64(id))
	var old []TermFreq
	var oldWords uint32
	b, err := v.termList(key)
	switch {
	case errors.Is(err, ErrNotFound):
		if len(list) == 0 {
			return nil
		}
	case err != nil:
		return err
	default:
		if old, oldWords, err = decodeForward(b); err != nil {
			return corrupt(key, err)
		}
	}
	v.sumTerms(field, old, oldWords, list, ops)
	var scratch [64]byte
	for i, j := 0, 0; i < len(old) || j < len(list); {
		c := 0
		switch {
		case i == len(old):
			c = 1
		case j == len(list):
			c = -1
		default:
			c = strings.Compare(old[i].Term, list[j].Term)
		}
		var op postingsOp
		var sum [2]int64
		var term string
		if c <= 0 {
			term = old[i].Term
			sum[0]--
			sum[1] -= int64(old[i].Freq)
			i++
		}
		if c >= 0 {
			term, op = list[j].Term, ops[j]
			sum[0]++
			sum[1] += int64(op.freq)
			j++
		}
		op.node = uint16(id)
		v.bufferPosting(bufferKey(scratch[:0], field, layout.Container(uint64(id)), term), op, sum)
	}
	b = nil
	if len(list) > 0 {
		b = encodeForward(list)
	}
	if err := v.setTermList(key, b); err != nil {
		return err
	}
	return v.transact.spillTerms()
}

// sumTerms counts the change of a node's terms in the sums of the field.
func (v *TxView) sumTerms(field uint32, old []TermFreq, oldWords uint32, list []TermFreq, ops []postingsOp) {
	nodes, words := int64(0), -int64(oldWords)
	if len(old) > 0 {
		nodes--
	}
	if len(list) > 0 {
		nodes++
		words += int64(ops[0].words)
	}
	v.addLexSum(field, "", [2]int64{nodes, words})
}

func (v *TxView) addLexSum(field uint32, term string, sum [2]int64) {
	k := string(layout.LexSum(v.g, field, term))
	s := v.lexsums[k]
	if s == nil {
		s = new([2]int64)
		v.lexsums[k] = s
	}
	s[0] += sum[0]
	s[1] += sum[1]
}

func (v *TxView) bufferPosting(key []byte, op postingsOp, sum [2]int64) {
	c := v.postings[string(key)]
	if c == nil {
		c = &postingsChange{}
		v.postings[string(key)] = c
		v.countTerms(postingsChangeBytes + len(key))
	}
	c.ops = append(c.ops, op)
	c.sum[0] += sum[0]
	c.sum[1] += sum[1]
	v.countTerms(postingsOpBytes + len(op.positions))
}

// countTerms counts bytes of buffered postings.
func (v *TxView) countTerms(n int) {
	v.termBytes += n
	v.transact.termBytes += n
	v.transact.bulky += n
}

// clearPostings forgets the buffered postings.
func (v *TxView) clearPostings() {
	clear(v.postings)
	v.countTerms(-v.termBytes)
}

// removes reports whether a node loses the term.
func (c *postingsChange) removes() bool {
	return slices.ContainsFunc(c.ops, func(op postingsOp) bool { return op.freq == 0 })
}

// flushPostings moves the buffered postings and sums into the overlay, in
// order of their keys. The keys of a term go with its last node, because they
// contain the term.
func (v *TxView) flushPostings() error {
	if s := v.transact.spill; s != nil {
		v.spillPostings()
		return s.err()
	}
	o := v.transact.overlay
	var value []byte
	shrunk := map[string][][]byte{} // key of sums -> keys of containers
	for _, k := range slices.Sorted(maps.Keys(v.postings)) {
		c := v.postings[k]
		field, container, term := bufferKeyOf(k)
		value = c.appendDelta(value[:0])
		key := layout.Postings(v.g, field, term, container)
		o.Merge(key, value)
		v.addLexSum(field, term, c.sum)
		if c.removes() {
			sum := string(layout.LexSum(v.g, field, term))
			shrunk[sum] = append(shrunk[sum], key)
		}
	}
	v.clearPostings()
	for _, k := range slices.Sorted(maps.Keys(v.lexsums)) {
		s := v.lexsums[k]
		if *s != [2]int64{} {
			o.Merge([]byte(k), layout.AppendSum(nil, s[0], s[1]))
		}
		if s[0] < 0 && shrunk[k] == nil {
			shrunk[k] = nil // a field's own
		}
	}
	clear(v.lexsums)
	for _, sum := range slices.Sorted(maps.Keys(shrunk)) {
		if err := v.dropUnusedTerm([]byte(sum), shrunk[sum]); err != nil {
			return err
		}
	}
	return nil
}

// dropUnusedTerm removes a term's sums and containers if no node has it any
// more. changed are the containers that the transaction changes.
func (v *TxView) dropUnusedTerm(sum []byte, changed [][]byte) error {
	b, err := v.kv.Get(v.ctx, sum, make([]byte, 0, 16))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	n, err := decodeLexSum(sum, b)
	if err != nil {
		return err
	}
	if n[0] > 0 {
		return v.dropEmptyPostings(changed, n[0])
	}
	o := v.transact.overlay
	o.Delete(sum)
	for _, k := range changed {
		o.Delete(k)
	}
	field, term := layout.LexSumOf(sum)
	for p, err := range scan(v.ctx, v.transact.base, layout.PostingsTerm(v.g, field, term)) {
		if err != nil {
			return err
		}
		o.Delete(p.key)
	}
	return nil
}

// fewPostings is the number of nodes up to which a term's containers are looked
// at when they lose one: reading those of a frequent term costs too much.
const fewPostings = 1024

// dropEmptyPostings removes the changed containers that hold no node any more of
// a term that some nodes have still. Those of a frequent term stay until
// [DB.Compact]: there is at most one for each 65,536 node ids.
func (v *TxView) dropEmptyPostings(changed [][]byte, nodes uint64) error {
	if nodes > fewPostings || v.nextNode <= 1<<16 {
		return nil // there is but one container: it holds those nodes
	}
	var b []byte
	for _, key := range changed {
		var err error
		if b, err = v.kv.Get(v.ctx, key, b[:0]); errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if layout.IsEmpty(layout.TagPostings, b) {
			v.transact.overlay.Delete(key)
		}
	}
	return nil
}

// appendDelta appends the merge operand of a change.
func (c *postingsChange) appendDelta(dst []byte) []byte {
	slices.SortStableFunc(c.ops, func(a, b postingsOp) int { return cmp.Compare(a.node, b.node) })
	put := make([]layout.Posting, 0, len(c.ops))
	var remove []uint64
	for i, op := range c.ops {
		switch {
		case i+1 < len(c.ops) && c.ops[i+1].node == op.node:
		case op.freq == 0:
			remove = append(remove, uint64(op.node))
		default:
			put = append(put, layout.Posting{
				Node: uint64(op.node), Freq: op.freq, Words: op.words, Positions: op.positions,
			})
		}
	}
	return layout.AppendPostingsDelta(dst, put, remove)
}
