package layout

import (
	"encoding/binary"
	"fmt"
	"math"
)

// SetIndex returns the key of one container of the nodes that have value.
func SetIndex(g, index uint32, value []byte, container uint64) []byte {
	return put48(SetIndexValue(g, index, value), container)
}

// SetIndexPrefix returns the prefix of all containers of an index.
func SetIndexPrefix(g, index uint32) []byte {
	return put32(graphKey(TagSetIndex, g, 4), index)
}

// SetIndexValue returns the prefix of the containers of one value.
func SetIndexValue(g, index uint32, value []byte) []byte {
	return appendEscaped(put32(graphKey(TagSetIndex, g, 12+len(value)), index), value)
}

// AppendInt appends v so that byte order is numeric order.
func AppendInt(dst []byte, v int64) []byte { return put64(dst, uint64(v)^(1<<63)) }

// AppendFloat appends v so that byte order is numeric order; -0 becomes 0. It
// refuses NaN.
func AppendFloat(dst []byte, v float64) ([]byte, error) {
	if math.IsNaN(v) {
		return dst, fmt.Errorf("NaN has no place in an order")
	}
	u := math.Float64bits(v + 0)
	if u>>63 == 1 {
		u = ^u
	} else {
		u |= 1 << 63
	}
	return put64(dst, u), nil
}

// Postings returns the key of one container of a term's postings.
func Postings(g, field uint32, term string, container uint64) []byte {
	return put48(PostingsTerm(g, field, term), container)
}

// PostingsTerm returns the prefix of a term's containers.
func PostingsTerm(g, field uint32, term string) []byte {
	return AppendPostingsTerm(make([]byte, 0, 17+len(term)), g, field, []byte(term))
}

// AppendPostingsTerm appends the prefix of the postings of a term to dst.
func AppendPostingsTerm(dst []byte, g, field uint32, term []byte) []byte {
	return appendEscaped(put32(put32(append(dst, byte(TagPostings)), g), field), term)
}

// AppendContainer appends the container that completes a prefix such as
// [PostingsTerm] or [SetIndexValue] to a key.
func AppendContainer(prefix []byte, container uint64) []byte { return put48(prefix, container) }

// PostingsPrefix returns the prefix of all postings of a field.
func PostingsPrefix(g, field uint32) []byte {
	return put32(graphKey(TagPostings, g, 4), field)
}

// PostingsOf reads field, term and container back from a postings key.
func PostingsOf(key []byte) (field uint32, term string, container uint64) {
	n := len(key) - 6
	return binary.BigEndian.Uint32(key[5:]), string(unescape(nil, key[9:n])), get48(key[n:])
}

// PostingsContainer reads field and container back from a postings key.
func PostingsContainer(key []byte) (field uint32, container uint64) {
	return binary.BigEndian.Uint32(key[5:]), get48(key[len(key)-6:])
}

// LexSum returns the key of a term's sums: nodes that have it and its
// occurrences. The empty term holds the field's: nodes and words.
func LexSum(g, field uint32, term string) []byte {
	return AppendLexSum(make([]byte, 0, 9+len(term)), g, field, []byte(term))
}

// AppendLexSum appends the key of the sums of a term, or of a field, to dst.
func AppendLexSum(dst []byte, g, field uint32, term []byte) []byte {
	return append(put32(put32(append(dst, byte(TagLexSum)), g), field), term...)
}

// LexSumOf reads field and term back from a lexical sums key.
func LexSumOf(key []byte) (field uint32, term string) {
	return binary.BigEndian.Uint32(key[5:]), string(key[9:])
}

// TermsOf returns the key of the list of a node's terms in a field.
func TermsOf(g, field uint32, node uint64) []byte {
	return put64(put32(graphKey(TagTermsOf, g, 12), field), node)
}

// TermsOfID reads field and node back from a terms key.
func TermsOfID(key []byte) (field uint32, node uint64) {
	return binary.BigEndian.Uint32(key[5:]), binary.BigEndian.Uint64(key[9:])
}
