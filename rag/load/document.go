package load

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"maps"
	"slices"
	"sort"
	"strconv"
)

// Document is one record of a corpus.
type Document struct {
	// Key names the document in the corpus; see the package comment.
	Key string
	// Path is the file within the file system that was walked. Line is the
	// line a JSONL or CSV record starts at, from 1, and 0 for a whole file.
	Path string
	Line int
	// Title is empty where the source gives none.
	Title string
	// Text is valid UTF-8: the title, a line break and the body, or what of
	// the two there is. With [Options.NoTitle] it is the body.
	Text string
	// Lang is the language tag that the source states, as it is written there,
	// or else the language that [text.Language] reads off the text, "" where
	// that is not clear.
	Lang string
	// Meta is nil where there is none.
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
	// Page counts from 1; 0 where the format has no pages. A title has that of
	// what follows it.
	Page int
	// Source is the span of the file (of its uncompressed bytes) that the
	// block was made of, {-1, -1} where unknown.
	Source [2]int64
}

// Place says where a span of a text comes from. The fields are those of
// [Block].
type Place struct {
	Heading string
	Page    int
	Source  [2]int64
}

// unknown is the Source of a block that no bytes of the file stand for.
var unknown = [2]int64{-1, -1}

// Locate traces the bytes [start, end) of Text: heading and page are those of
// the first block the span meets, Source is the smallest span of the file that
// covers all of them. ok is false where the span meets no block. O(log n) for n
// blocks, and linear in the blocks met.
func (d *Document) Locate(start, end int) (p Place, ok bool) {
	i := sort.Search(len(d.Blocks), func(i int) bool { return d.Blocks[i].End > start })
	p.Source = unknown
	for ; i < len(d.Blocks) && d.Blocks[i].Start < end; i++ {
		b := d.Blocks[i]
		if !ok {
			p.Heading, p.Page, ok = b.Heading, b.Page, true
		}
		p.Source = hull(p.Source, b.Source)
	}
	return p, ok
}

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
		hashString(h, string(rune('0'+v.Kind)))
		hashString(h, v.Text)
		hashString(h, strconv.Itoa(len(v.List)))
		for _, s := range v.List {
			hashString(h, s)
		}
	}
	h.Sum(sum[:0])
	return sum
}

func hashString(h hash.Hash, s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	io.WriteString(h, s)
}
