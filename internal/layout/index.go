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

// tupleNext follows 00 between the components of a tuple. It is below FF, so
// that a component comes before those that it is the beginning of.
const tupleNext = 0x01

// ruleIDs is the bit that the ids of rules have: an index of a rule shares the
// families of those of a property.
const ruleIDs = 1 << 31

// RuleID returns the id of the n-th rule.
func RuleID(n uint32) uint32 { return n | ruleIDs }

// AppendComponent appends one component of a tuple to a key that begins with
// the prefix of an index ([SetIndexPrefix], [EdgeIndexPrefix]); last closes the tuple.
func AppendComponent(dst, value []byte, last bool) []byte {
	dst = appendEscaped(dst, value)
	if !last {
		dst[len(dst)-1] = tupleNext
	}
	return dst
}

// TupleHasGap reports whether a component of the tuple at the end of prefix, which
// ends with the value in a key of an index, is empty.
func TupleHasGap(prefix []byte) bool {
	start := true
	for i := 9; i+1 < len(prefix); i++ {
		if prefix[i] != 0 {
			start = false
			continue
		}
		if start {
			return true
		}
		i++
		start = prefix[i] == tupleNext
	}
	return false
}

// IndexOf reads the id of the index from a key of [TagSetIndex] or [TagEdgeIndex].
func IndexOf(key []byte) uint32 { return binary.BigEndian.Uint32(key[5:]) }

// EdgeIndexPrefix returns the prefix of all entries of an index of edges.
func EdgeIndexPrefix(g, index uint32) []byte {
	return put32(graphKey(TagEdgeIndex, g, 4), index)
}

// edgeEntry is the length of what follows the value in a key of an index of
// edges.
const edgeEntry = 24

// EdgeEntry names an edge in an index. Ordinal tells apart the edges of one
// type between the same nodes.
type EdgeEntry struct {
	From    uint64
	Type    uint32
	To      uint64
	Ordinal uint32
}

// AppendEdgeEntry completes the key of an edge in an index.
func AppendEdgeEntry(dst []byte, e EdgeEntry) []byte {
	return put32(put64(put32(put64(dst, e.From), e.Type), e.To), e.Ordinal)
}

// CutEdgeEntry parts the key of an entry into value and edge.
func CutEdgeEntry(key []byte) (value []byte, e EdgeEntry) {
	n := len(key) - edgeEntry
	b := key[n:]
	return key[:n], EdgeEntry{
		From: binary.BigEndian.Uint64(b), Type: binary.BigEndian.Uint32(b[8:]),
		To: binary.BigEndian.Uint64(b[12:]), Ordinal: binary.BigEndian.Uint32(b[20:]),
	}
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

// TuplePrefix returns the part of a key of an index up to the end of the n-th
// component of its value.
func TuplePrefix(key []byte, n int) []byte {
	for i := 9; i+1 < len(key); i++ {
		if key[i] != 0 {
			continue
		}
		i++
		if key[i] == 0xFF {
			continue
		}
		if n--; n == 0 || key[i] == 0 {
			return key[:i-1]
		}
	}
	return key
}
