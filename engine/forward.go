package engine

import (
	"encoding/binary"
	"errors"
	"math"
)

// TermFreq is a term and how often a node has it.
type TermFreq struct {
	Term string
	Freq uint32
}

// maxTermBytes bounds a term; the analyzers of package text stay below it.
const maxTermBytes = 1 << 10

// A forward list holds the terms of one node in one field, so that deleting
// them is exact and needs no text:
//
//	words | n | n * (shared | length | bytes | freq)
//
// Numbers are uvarints. Terms are in byte order and each once; shared is the
// length of what a term has in common with the one before it, bytes is the
// rest. words is the sum of freq: the length of the node's text.

// appendForward appends the forward list of terms in order.
func appendForward(b []byte, terms []TermFreq) []byte {
	words := uint64(0)
	for _, t := range terms {
		words += uint64(t.Freq)
	}
	b = binary.AppendUvarint(b, words)
	b = binary.AppendUvarint(b, uint64(len(terms)))
	prev := ""
	for _, t := range terms {
		shared := 0
		for shared < len(prev) && shared < len(t.Term) && prev[shared] == t.Term[shared] {
			shared++
		}
		b = binary.AppendUvarint(b, uint64(shared))
		b = binary.AppendUvarint(b, uint64(len(t.Term)-shared))
		b = append(b, t.Term[shared:]...)
		b = binary.AppendUvarint(b, uint64(t.Freq))
		prev = t.Term
	}
	return b
}

// decodeForward reads a forward list and the length of the node's text.
func decodeForward(b []byte) (terms []TermFreq, words uint32, err error) {
	bad := errors.New("malformed list of terms")
	number := func(limit uint64) uint64 {
		x, k := binary.Uvarint(b)
		if k <= 0 || x > limit {
			err = bad
			return 0
		}
		b = b[k:]
		return x
	}
	total := number(math.MaxUint32)
	n := number(uint64(len(b)) / 3)
	if err != nil {
		return nil, 0, err
	}
	terms = make([]TermFreq, 0, n)
	var term []byte
	sum, prev := uint64(0), ""
	for range n {
		shared := number(uint64(len(term)))
		rest := number(uint64(len(b)))
		if err != nil || rest > uint64(len(b)) || shared+rest > maxTermBytes {
			return nil, 0, bad
		}
		term = append(term[:shared], b[:rest]...)
		b = b[rest:]
		freq := number(math.MaxUint32)
		t := TermFreq{string(term), uint32(freq)}
		if err != nil || freq == 0 || t.Term <= prev {
			return nil, 0, bad
		}
		sum, prev = sum+freq, t.Term
		terms = append(terms, t)
	}
	if sum != total || len(b) != 0 {
		return nil, 0, bad
	}
	return terms, uint32(total), nil
}
