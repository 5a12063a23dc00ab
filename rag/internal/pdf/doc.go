// Package pdf reads the text of PDF files, page by page.
//
// # What it reads
//
// Text of every page in the order in which the page draws it, which is the
// order of reading for what word processors and typesetters write. Glyphs
// become characters by the ToUnicode map of their font, by its encoding (with
// Adobe's glyph list for named differences) or by the predefined encodings of
// Chinese, Japanese and Korean. Runs on one base line are a line, with blanks
// where there are gaps; lines are put together to paragraphs by their
// distance, indent, size and ends; a word that is hyphenated at the end of a
// line is joined. Arabic and Hebrew, which are drawn from left to right, are
// put in their order of reading. Pictures, drawings, annotations and forms are
// not read.
//
// # What it refuses
//
// Encrypted files, those with an empty password too ([ErrEncrypted]); files
// that are cut off or damaged ([ErrDamaged]), also where only a part of the
// text would be lost, because a half document looks like a whole one; files
// that need more work or text than is allowed ([ErrLimit]).
//
// # How it stays safe
//
// The cross-reference table is not used: objects are found by going through
// the file once, the last definition of a number counts. So there is nothing
// to follow in circles but references, which are followed 32 deep, and the
// tree of pages, where a node counts once. Nesting is bounded, the elements of
// an object are. Everything that costs time or memory (bytes decoded, objects
// read, operators) is paid from one account, see [Options.Work]. No input
// panics; memory is bounded by the file's size, the account and the text.
//
// PDF is described in ISO 32000-1:2008, to which the numbers of sections in
// this package refer.
package pdf

import "errors"

// What keeps a file from being read; errors wrap one of these, or the
// context's.
var (
	ErrNotPDF    = errors.New("no PDF file")
	ErrEncrypted = errors.New("encrypted")
	ErrDamaged   = errors.New("damaged")
	ErrLimit     = errors.New("beyond the limit")
)

// Options bound what reading a file may cost.
type Options struct {
	// Work is about the number of bytes that may be looked at, decoded ones
	// included: 64 MiB takes some seconds. 0 means 128 MiB and 16 times the
	// file's size.
	Work int64
	// Text is the number of bytes of text that may come of a file; 0 means
	// 16 MiB.
	Text int64
}
