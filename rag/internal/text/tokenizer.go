package text

import (
	_ "embed" // the encoding
	"hash/maphash"
	"sync"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// cl100kSize is the number of ordinary tokens of cl100k_base. The special
// tokens above them are never produced from text.
const cl100kSize = 100256

// A Tokenizer counts and cuts text in the tokens of a byte-pair encoding.
// Token ids equal those of the tiktoken library for the same encoding, with
// special tokens read as plain text. Bytes that are not UTF-8 are counted as
// U+FFFD, one for each byte.
//
// A Tokenizer is safe for concurrent use. It holds a megabyte of what it has
// met; the 10 MB of the encoding are held once for the process.
type Tokenizer struct {
	name  string
	cache pieces
}

// NewCL100K returns the tokenizer of the encoding cl100k_base. The first use of
// any such tokenizer takes some tens of milliseconds, in which it unpacks the
// encoding that is compiled in.
func NewCL100K() *Tokenizer {
	t := &Tokenizer{name: "cl100k"}
	t.cache.seed = maphash.MakeSeed()
	return t
}

// cl100kPacked holds the tokens of cl100k_base in the order of their ids, zstd of the
// length of each, a byte, and after all lengths the bytes of all tokens.
// TestRanks -args -rewrite makes it from the reference implementation.
//
//go:embed cl100k.zst
var cl100kPacked []byte

// cl100kRanks returns the id of each token by its bytes; smaller ids merge
// first. It unpacks the encoding at its first call: a process that counts no
// tokens does not pay for that. TestRanks proves that it is whole.
var cl100kRanks = sync.OnceValue(func() map[string]uint32 {
	ranks := make(map[string]uint32, cl100kSize)
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return ranks
	}
	defer d.Close()
	b, err := d.DecodeAll(cl100kPacked, nil)
	if err != nil || len(b) < cl100kSize {
		return ranks
	}
	lengths, tokens := b[:cl100kSize], string(b[cl100kSize:])
	for id, n := range lengths {
		ranks[tokens[:n]] = uint32(id)
		tokens = tokens[n:]
	}
	return ranks
})

// Name returns "cl100k", the name used in a [ChunkSet].
func (t *Tokenizer) Name() string { return t.name }

// Count returns the number of tokens of s. O(n log n) in the longest run
// without a word border, else linear, on any input.
func (t *Tokenizer) Count(s string) int {
	n := 0
	t.each(s, func(uint32, int) bool { n++; return true })
	return n
}

// Encode returns the token ids of s.
func (t *Tokenizer) Encode(s string) []uint32 {
	ids := make([]uint32, 0, len(s)/4+1)
	t.each(s, func(id uint32, _ int) bool { ids = append(ids, id); return true })
	return ids
}

// Ends returns for each token of s the byte offset at which it ends; it
// starts where the one before ends. A character of several bytes may be cut
// by a token's border. The last end is len(s).
func (t *Tokenizer) Ends(s string) []int {
	ends := make([]int, 0, len(s)/4+1)
	t.each(s, func(_ uint32, end int) bool { ends = append(ends, end); return true })
	return ends
}

// each calls fn with the id and the end of every token of s, until it returns
// false.
func (t *Tokenizer) each(s string, fn func(id uint32, end int) bool) {
	valid, ranks := utf8.ValidString(s), cl100kRanks()
	var m merger
	for start := 0; start < len(s); {
		end := nextPiece(s, start)
		piece := s[start:end]
		if !valid && !utf8.ValidString(piece) {
			if !t.eachInvalid(&m, piece, start, fn) {
				return
			}
		} else if id, ok := ranks[piece]; ok {
			if !fn(id, end) {
				return
			}
		} else {
			for _, x := range t.tokens(&m, piece) {
				if !fn(x.id, start+int(x.end)) {
					return
				}
			}
		}
		start = end
	}
}

// eachInvalid calls fn with the tokens of a piece that is not UTF-8 and
// starts at the given offset. It encodes the piece with U+FFFD for each wrong
// byte, and maps the ends back.
func (t *Tokenizer) eachInvalid(m *merger, piece string, start int, fn func(id uint32, end int) bool) bool {
	var fixed []byte
	var origin []int // for each length of fixed: bytes of piece it covers
	for i := 0; i < len(piece); {
		r, n := utf8.DecodeRuneInString(piece[i:])
		before := len(fixed)
		fixed = utf8.AppendRune(fixed, r)
		for k := range len(fixed) - before {
			origin = append(origin, i+min(k, n))
		}
		i += n
	}
	origin = append(origin, len(piece))
	p, ranks := string(fixed), cl100kRanks()
	m.merge(ranks, p)
	for i := int32(0); i < int32(len(p)); i = m.parts[i].next {
		next := m.parts[i].next
		if !fn(ranks[p[i:next]], start+origin[next]) {
			return false
		}
	}
	return true
}
