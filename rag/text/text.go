// Package text is the part of ragdb's reading of natural language that programs
// and retrieval methods of their own use: how documents are cut into chunks, what
// counts as a token, and the keys of names.
package text

import "github.com/ragdb/ragdb/rag/internal/text"

// A ChunkSet says how documents are cut into chunks. Two equal values give equal
// chunks of equal text; its string names the set in a database. The zero value is
// the default: pieces of up to 300 tokens that begin at headings and keep paragraphs whole.
type ChunkSet = text.ChunkSet

// Paragraph and Window are the rules of a [ChunkSet]: cut between paragraphs, or
// after a fixed number of tokens.
const (
	Paragraph = text.Paragraph
	Window    = text.Window
)

// ErrChunkSet says that a chunk set is not possible, or is not spelled as
// [ChunkSet.String] spells it.
var ErrChunkSet = text.ErrChunkSet

// ParseChunkSet reads a chunk set as [ChunkSet.String] writes it, such as
// "cl100k/150" or "cl100k/w1200-100".
func ParseChunkSet(s string) (ChunkSet, error) { return text.ParseChunkSet(s) }

// A Tokenizer counts and cuts text in the tokens of a model. It is safe for
// concurrent use.
type Tokenizer = text.Tokenizer

// NewCL100K returns the tokenizer cl100k_base. It takes some time to make: a
// program needs one.
func NewCL100K() *Tokenizer { return text.NewCL100K() }

// Key returns what equal names have in common: their letters and digits without
// case, accents, punctuation and leading article.
func Key(name string) string { return text.Key(name) }
