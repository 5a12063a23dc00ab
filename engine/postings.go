package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
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

// PutTerms makes terms the terms of a node in a field, in place of those that
// it had there; none at all is DeleteTerms. They need no order. The field must
// have been made ([TxView.MakeField]) and the node must exist. Searches see
// the terms after the commit.
func (v *TxView) PutTerms(field string, id NodeID, terms []text.Term) error {
	if err := v.putTerms(field, id, terms); err != nil {
		return v.wrap(fmt.Sprintf("put terms of node %d", id), err)
	}
	return nil
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
	list := &v.terms.list
	if err := list.group(terms, o.Positions); err != nil {
		return err
	}
	return v.replaceTerms(fid, id, list)
}

// nodeTerms are the distinct terms of a node, in byte order.
type nodeTerms struct {
	terms     []TermFreq
	words     uint32
	positions []byte // of all terms
	ends      []int  // of those of each term, nil without positions

	sorted []text.Term
	at     []uint32
}

// group makes n the distinct terms of a list.
func (n *nodeTerms) group(list []text.Term, positions bool) error {
	n.terms, n.positions, n.ends = n.terms[:0], n.positions[:0], n.ends[:0]
	n.words = uint32(len(list))
	n.sorted = append(n.sorted[:0], list...)
	sorted := n.sorted
	slices.SortFunc(sorted, func(a, b text.Term) int {
		if c := strings.Compare(a.Text, b.Text); c != 0 {
			return c
		}
		return cmp.Compare(a.Pos, b.Pos)
	})
	for i := 0; i < len(sorted); {
		term := sorted[i].Text
		if term == "" || len(term) > maxTermBytes {
			return phase.Mark(ErrInvalid, "a term has 1 to %d bytes, not %d", maxTermBytes, len(term))
		}
		from := i
		n.at = n.at[:0]
		for ; i < len(sorted) && sorted[i].Text == term; i++ {
			n.at = append(n.at, sorted[i].Pos)
		}
		n.terms = append(n.terms, TermFreq{term, uint32(i - from)})
		if positions {
			n.positions = layout.AppendPositions(n.positions, n.at)
			n.ends = append(n.ends, len(n.positions))
		}
	}
	return nil
}

// positionsOf returns the positions of the i-th term.
func (n *nodeTerms) positionsOf(i int) []byte {
	switch {
	case len(n.ends) == 0:
		return nil
	case i == 0:
		return n.positions[:n.ends[0]]
	}
	return n.positions[n.ends[i-1]:n.ends[i]]
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
	return v.replaceTerms(fid, id, &nodeTerms{})
}

// deleteAllTerms removes all terms of a node from all fields.
func (v *TxView) deleteAllTerms(id NodeID) error {
	for _, fid := range v.idsOf(layout.KindField) {
		if err := v.replaceTerms(fid, id, &nodeTerms{}); err != nil {
			return err
		}
	}
	return nil
}

// replaceTerms brings a node from the terms that it has in a field to those of
// list.
func (v *TxView) replaceTerms(field uint32, id NodeID, list *nodeTerms) error {
	key := layout.TermsOf(v.g, field, uint64(id))
	var old []TermFreq
	var oldWords uint32
	isNew, err := v.unlisted(field, uint64(id))
	if err != nil {
		return err
	}
	if !isNew {
		b, err := v.termList(key)
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return err
		default:
			if old, oldWords, err = decodeForward(b); err != nil {
				return corrupt(key, err)
			}
		}
	}
	if len(old) == 0 && len(list.terms) == 0 {
		return nil
	}
	v.bufferTerms(field, uint32(id), old, oldWords, list)
	v.terms.forward = v.terms.forward[:0]
	if len(list.terms) > 0 {
		v.terms.forward = appendForward(v.terms.forward, list.terms)
	}
	if err := v.setTermList(key, v.terms.forward); err != nil {
		return err
	}
	return v.transact.spillTerms()
}

// bufferTerms buffers what changes if a node has the terms of list in place of
// old ones.
func (v *TxView) bufferTerms(field, node uint32, old []TermFreq, oldWords uint32, list *nodeTerms) {
	nodes, words := int64(0), int64(0)
	if len(old) > 0 {
		nodes, words = -1, -int64(oldWords)
	}
	if len(list.terms) > 0 {
		nodes, words = nodes+1, words+int64(list.words)
	}
	b := &v.terms.buffer
	b.addField(field, nodes, words)
	size := 0
	for i, j := 0, 0; i < len(old) || j < len(list.terms); {
		c := 0
		switch {
		case i == len(old):
			c = 1
		case j == len(list.terms):
			c = -1
		default:
			c = strings.Compare(old[i].Term, list.terms[j].Term)
		}
		op := postingsOp{node: node}
		var positions []byte
		var sum [2]int64
		var term string
		if c <= 0 {
			term = old[i].Term
			sum[0]--
			sum[1] -= int64(old[i].Freq)
			i++
		}
		if c >= 0 {
			term, op.freq, op.words = list.terms[j].Term, list.terms[j].Freq, list.words
			positions = list.positionsOf(j)
			sum[0]++
			sum[1] += int64(op.freq)
			j++
		}
		size += b.add(field, term, op, positions, sum)
	}
	v.countTerms(size)
}

// countTerms counts bytes of buffered postings.
func (v *TxView) countTerms(n int) {
	v.terms.bytes += n
	v.transact.termBytes += n
	v.transact.bulky += n
}

// clearPostings forgets the buffered postings.
func (v *TxView) clearPostings() {
	v.terms.buffer.clear()
	v.countTerms(-v.terms.bytes)
}

// flushPostings sorts the buffered postings. If nodes lose terms it moves them
// into the overlay, since the keys of a term go with its last node: they contain
// the term. Otherwise [TxView.appendPostings] writes them past the overlay.
func (v *TxView) flushPostings() error {
	b := &v.terms.buffer
	if b.empty() {
		return nil
	}
	if s := v.transact.spill; s != nil {
		return v.spillPostings()
	}
	b.sort()
	if !b.removes {
		return nil
	}
	o := v.transact.overlay
	shrunk := map[*bufferedTerm][][]byte{} // keys of containers
	err := b.each(v.g, func(c *containerChange) error {
		o.Merge(c.key, c.value)
		if c.removes {
			shrunk[c.term] = append(shrunk[c.term], slices.Clone(c.key))
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = b.eachSum(v.g, func(key []byte, sum [2]int64, _ *bufferedTerm) error {
		if sum != [2]int64{} {
			o.Merge(key, layout.AppendSum(nil, sum[0], sum[1]))
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = b.eachSum(v.g, func(key []byte, sum [2]int64, term *bufferedTerm) error {
		if term == nil && sum[0] >= 0 || term != nil && !term.removed {
			return nil
		}
		return v.dropUnusedTerm(key, shrunk[term])
	})
	v.clearPostings()
	return err
}

// appendPostings writes what flushPostings left of the postings into a batch.
func (v *TxView) appendPostings(b kv.Batch) error {
	err := v.terms.buffer.each(v.g, func(c *containerChange) error {
		if v.fresh(c.field, c.container) {
			b.Set(c.key, wholePostings(c.key, c.value))
		} else {
			b.Merge(c.key, c.value)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = v.terms.buffer.eachSum(v.g, func(key []byte, sum [2]int64, _ *bufferedTerm) error {
		if sum != [2]int64{} {
			b.Merge(key, layout.AppendSum(nil, sum[0], sum[1]))
		}
		return nil
	})
	v.clearPostings()
	return err
}

// wholePostings returns the value of a container that has no postings but those of an
// operand, in the operand's memory if it can.
func wholePostings(key, op []byte) []byte {
	if v, ok := layout.WholePostings(op); ok {
		return v
	}
	return layout.NewFold(key, op).Finish(true)
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
