package load

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// Document is one record of a corpus.
type Document struct {
	// Key names the document in the corpus; see the package comment.
	Key string
	// Path is the file within the file system that was walked. Line is the
	// line a JSONL or CSV record starts at, from 1, and 0 for a whole file.
	Path string
	Line int
	// Title is empty if the source gives none.
	Title string
	// Text is valid UTF-8: the title, a line break and the body, or what of
	// the two there is. With [Options.NoTitle] it is the body.
	Text string
	// Lang is the language tag that the source states, as it is written there,
	// or else the language that [text.Language] reads off the text, "" where
	// that is not clear.
	Lang string
	// Meta is nil if there is none.
	Meta map[string]Value
	// Format is one of txt, md, html, jsonl, csv, pdf.
	Format string
	// Digest is the SHA-256 of title, text, stated language and metadata. The
	// key and the place of the file have no part in it.
	Digest [32]byte
	// Blocks are ascending and disjoint, and hold every character of Text
	// but white space. There are at most 262,144 beside the title's; the last
	// of so many is the rest of the document.
	Blocks []Block
}

// Block is a piece of a document's text that has one origin.
type Block struct {
	// Start and End delimit the block in Text, in bytes.
	Start, End int
	// Heading is the path of headings the block stands under, without the
	// document's title: "Install > Linux". A heading's own block includes it.
	Heading string
	// Page counts from 1; 0 if the format has no pages. A title has that of
	// what follows it.
	Page int
	// Kind is text.Prose, unless the format tells that the block is code, the header of a table or a row
	// below one.
	Kind text.PartKind
	// Source is the span of the file (of its uncompressed bytes) that the
	// block was made of, {-1, -1} if unknown.
	Source [2]int64
}

// unknown is the Source of a block that stands nowhere in the file.
var unknown = [2]int64{-1, -1}

// hull returns the smallest span that covers two, of which one may be unknown.
func hull(a, b [2]int64) [2]int64 {
	switch {
	case a == unknown:
		return b
	case b == unknown:
		return a
	}
	return [2]int64{min(a[0], b[0]), max(a[1], b[1])}
}

// digest hashes the content in a canonical form: each string after its length,
// metadata by ascending name.
func (d *Document) digest() (sum [32]byte) {
	h := sha256.New()
	hashString(h, d.Title)
	hashString(h, d.Text)
	hashString(h, d.Lang)
	for _, name := range slices.Sorted(maps.Keys(d.Meta)) {
		v := d.Meta[name]
		hashString(h, name)
		list, _ := v.Typed.([]string)
		hashString(h, v.kind())
		hashString(h, v.Text)
		hashString(h, strconv.Itoa(len(list)))
		for _, s := range list {
			hashString(h, s)
		}
	}
	h.Sum(sum[:0])
	return sum
}

// kind is the digit of the value's type in digests.
func (v Value) kind() string {
	switch v.Typed.(type) {
	case float64:
		return "1"
	case bool:
		return "2"
	case time.Time:
		return "3"
	case []string:
		return "4"
	}
	return "0"
}

func hashString(h hash.Hash, s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	io.WriteString(h, s)
}
