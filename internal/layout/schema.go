package layout

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/kv"
)

// The names that a store keeps and checks at open. They change only with the
// format number.
const (
	ComparerName = "ragdb.cmp.v1"
	MergerName   = "ragdb.merge.v1"
)

// Schema returns what a store must know of ragdb's keys.
func Schema() *kv.Schema {
	return &kv.Schema{
		ComparerName: ComparerName,
		MergerName:   MergerName,
		Split:        Split,
		Validate:     Validate,
		Format:       Format,
		NewFold:      NewFold,
		Dense:        Dense,
	}
}

// Dense reports whether key is among those of vector indexes, whose values are
// numbers that hardly compress, and the key at which that ends.
func Dense(key []byte) (dense bool, end []byte) {
	switch {
	case len(key) == 0 || Tag(key[0]) < TagVector:
		return false, []byte{byte(TagVector)}
	case Tag(key[0]) <= TagIndexMeta:
		return true, []byte{byte(TagIndexMeta) + 1}
	}
	return false, nil
}

// Split returns the length of the key's prefix for point filters: to the node
// for what belongs to a node, to the value or term for what an index holds
// under it, the whole key for single records. It accepts bare prefixes, for
// which it returns their length.
func Split(key []byte) int {
	if len(key) == 0 {
		return 0
	}
	f, ok := familyOf(Tag(key[0]))
	if !ok {
		return len(key)
	}
	if f.shape == escaped48 || f.shape == escapedEdge {
		if len(key) <= 1+f.fixed {
			return len(key)
		}
		n := escapedLen(key[1+f.fixed:])
		if n < 0 {
			return len(key)
		}
		return 1 + f.fixed + n
	}
	if f.split == 0 || len(key) < 1+f.split {
		return len(key)
	}
	return 1 + f.split
}

// Validate returns an error for a key that no builder of this package makes.
func Validate(key []byte) error {
	if len(key) == 0 {
		return fmt.Errorf("empty key")
	}
	f, ok := familyOf(Tag(key[0]))
	if !ok {
		return fmt.Errorf("key %x: unknown tag", key)
	}
	body := key[1:]
	if len(body) < f.fixed {
		return fmt.Errorf("key %x: %s key of %d bytes is too short", key, f.name, len(key))
	}
	tail := body[f.fixed:]
	good := false
	switch f.shape {
	case exact:
		good = len(tail) == 0
	case rest:
		good = true
	case optional48:
		good = len(tail) == 0 || len(tail) == 6
	case optional32:
		good = len(tail) == 0 || len(tail) == 4 && tail[0]|tail[1]|tail[2]|tail[3] != 0
	case escaped48:
		n := escapedLen(tail)
		good = n >= 0 && len(tail) == n+6
	case escapedEdge:
		n := escapedLen(tail)
		good = n >= 0 && len(tail) == n+edgeEntry
	case namePair:
		good = len(tail) > 1 && tail[0] != 0 && strings.Count(string(tail), "\x00") == 1
	}
	if !good {
		return fmt.Errorf("key %x: malformed %s key", key, f.name)
	}
	return nil
}

// Format renders a key for people: out(g1,17,e3,c0). Bytes that are not a valid
// key are rendered in hexadecimal.
func Format(key []byte) string {
	if Validate(key) != nil {
		return fmt.Sprintf("%x", key)
	}
	return formatFields(Tag(key[0]), key[1:])
}

func formatFields(t Tag, b []byte) string {
	var out []string
	u := func(prefix string, width int) {
		var v uint64
		switch width {
		case 1:
			v = uint64(b[0])
		case 2:
			v = uint64(binary.BigEndian.Uint16(b))
		case 4:
			v = uint64(binary.BigEndian.Uint32(b))
		case 6:
			v = get48(b)
		case 8:
			v = binary.BigEndian.Uint64(b)
		}
		b = b[width:]
		out = append(out, prefix+strconv.FormatUint(v, 10))
	}
	text := func() { out = append(out, strconv.Quote(string(b))); b = nil }
	esc := func() {
		n := escapedLen(b)
		out = append(out, strconv.Quote(string(unescape(nil, b[:n]))))
		b = b[n:]
	}
	hex := func() {
		if len(b) > 0 {
			out = append(out, fmt.Sprintf("%x", b))
		}
		b = nil
	}
	if f, _ := familyOf(t); f.fixed >= 4 {
		u("g", 4)
	}
	switch t {
	case TagMeta, TagGraphMeta:
		text()
	case TagCatalog:
		u("k", 1)
		u("", 4)
	case TagName:
		u("k", 1)
		text()
	case TagDirectory:
		ns, g := DirectoryName(append([]byte{0}, b...))
		out = append(out, strconv.Quote(ns), strconv.Quote(g))
	case TagNode:
		u("", 8)
	case TagExternalKey:
		u("t", 4)
		text()
	case TagNodesOfType:
		u("t", 4)
		u("c", 6)
	case TagNodeBlock:
		u("", 4)
		if len(b) > 0 {
			u("n", 4)
		}
	case TagText:
		u("", 8)
		u("p", 4)
		u("", 2)
	case TagOut, TagIn:
		u("", 8)
		u("e", 4)
		if len(b) > 0 {
			u("c", 6)
		}
	case TagPromoted:
		u("d", 1)
		u("e", 4)
		u("c", 6)
	case TagParallel:
		u("d", 1)
		u("", 8)
		u("e", 4)
		u("", 8)
		u("n", 4)
	case TagEdge, TagEdgeBlock:
		u("e", 4)
		u("", 8)
		u("", 8)
		if len(b) > 0 {
			u("n", 4)
		}
	case TagContribution, TagSources:
		if t == TagContribution {
			u("s", 8)
		}
		u("k", 1)
		u("", 8)
		u("e", 4)
		u("", 8)
		if t == TagSources {
			u("c", 6)
		}
	case TagSetIndex:
		u("i", 4)
		esc()
		u("c", 6)
	case TagEdgeIndex:
		u("i", 4)
		esc()
		u("", 8)
		u("e", 4)
		u("", 8)
		u("#", 4)
	case TagSpace:
		u("v", 4)
	case TagVector, TagCode, TagLinks, TagSlot, TagSlotOf, TagPending, TagIndexMeta:
		u("v", 4)
		u("n", 2)
		hex()
	case TagPostings:
		u("f", 4)
		esc()
		u("c", 6)
	case TagLexSum:
		u("f", 4)
		text()
	case TagTermsOf:
		u("f", 4)
		u("", 8)
	case TagChange:
		u("", 8)
	case TagBucket:
		u("b", 4)
		hex()
	}
	return t.String() + "(" + strings.Join(out, ",") + ")"
}

// NewFold starts folding the operands of a merged key. Keys of families that
// are never merged fold to their newest operand, so that no input makes it
// fail.
func NewFold(key, first []byte) kv.Fold {
	kind := mergeNone
	if len(key) > 0 {
		if f, ok := familyOf(Tag(key[0])); ok {
			kind = f.merge
		}
	}
	switch kind {
	case mergeSum:
		return newSumFold(first)
	case mergePostings:
		return newPostingsFold(first)
	case mergeSet:
		return newSetFold(first)
	}
	return &lastFold{newest: append([]byte(nil), first...)}
}

// lastFold keeps the newest operand.
type lastFold struct{ newest []byte }

func (f *lastFold) Newer(op []byte)    { f.newest = append(f.newest[:0], op...) }
func (f *lastFold) Older([]byte)       {}
func (f *lastFold) Finish(bool) []byte { return f.newest }
