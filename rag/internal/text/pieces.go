package text

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// Few words make most of a text, and those that are not a token as a whole are
// merged again and again: their tokens are kept.

const (
	cachedPieces = 1 << 13 // kept at most
	metBytes     = 32      // of a piece that is kept
)

// pieces keeps the tokens of pieces of text, of two with the same place the one
// met last. What is found does not depend on the places.
type pieces struct {
	seed maphash.Seed
	at   [cachedPieces]atomic.Pointer[tokenised]
}

// tokenised is a piece and its tokens.
type tokenised struct {
	piece  string
	tokens []pieceToken
}

// pieceToken is a token of a piece and where it ends there.
type pieceToken struct{ id, end uint32 }

// tokens returns the tokens of a piece that is UTF-8; the caller must not change
// them, and m may be used only when they are done with.
func (t *Tokenizer) tokens(m *merger, piece string) []pieceToken {
	if len(piece) > metBytes {
		m.merge(cl100kRanks(), piece)
		m.tokens = m.appendTokens(m.tokens[:0], cl100kRanks(), piece)
		return m.tokens
	}
	at := &t.cache.at[maphash.String(t.cache.seed, piece)%cachedPieces]
	if have := at.Load(); have != nil && have.piece == piece {
		return have.tokens
	}
	m.merge(cl100kRanks(), piece)
	made := &tokenised{piece: strings.Clone(piece)}
	made.tokens = m.appendTokens(nil, cl100kRanks(), piece)
	at.Store(made)
	return made.tokens
}

// appendTokens appends the tokens that a piece was merged to.
func (m *merger) appendTokens(out []pieceToken, ranks map[string]uint32, piece string) []pieceToken {
	for i := int32(0); i < int32(len(piece)); i = m.parts[i].next {
		next := m.parts[i].next
		out = append(out, pieceToken{ranks[piece[i:next]], uint32(next)})
	}
	return out
}
