// Package pdf reads the text of PDF files, page by page.
//
// # What it reads
//
// It reads the text of every page in the order in which the page draws it, which
// is the reading order in files of word processors and typesetters. Glyphs
// become characters by the ToUnicode map of their font, by its encoding (with
// Adobe's glyph list for named differences) or by the predefined encodings of
// Chinese, Japanese and Korean. Runs on one base line form a line, with blanks
// in gaps; lines form paragraphs by their distance, indent, size and ends; words
// hyphenated at the end of a line are joined. Arabic and Hebrew, which are drawn
// from left to right, are put into reading order. Pictures, drawings,
// annotations and forms are not read.
//
// # What it refuses
//
// It refuses encrypted files, even with an empty password ([ErrEncrypted]); files
// that are cut off or damaged ([ErrDamaged]), even if only a part of the text
// would be lost, because a half document looks like a whole one; and files that
// need more work or text than is allowed ([ErrLimit]).
//
// # How it stays safe
//
// It does not use the cross-reference table: one pass over the file finds the
// objects, and the last definition of a number counts. So circles are possible
// only in references, which are followed 32 deep, and in the tree of pages, where
// a node counts once. Nesting and the elements of an object are limited.
// Everything that costs time or memory (bytes decoded, objects read, operators)
// is paid from one account, see [Options.Work]. No input panics; the file's size,
// the account and the text limit memory.
//
// Section numbers in this package refer to ISO 32000-1:2008.
package pdf

import "errors"

// Errors of reading wrap one of these, or the context's error.
var (
	ErrNotPDF    = errors.New("no PDF file")
	ErrEncrypted = errors.New("encrypted")
	ErrDamaged   = errors.New("damaged")
	ErrLimit     = errors.New("beyond the limit")
)

// Options limit what reading a file may cost.
type Options struct {
	// Work is about the number of bytes that may be read, decoded ones
	// included: 64 MiB takes some seconds. 0 means 128 MiB plus 16 times the
	// file's size.
	Work int64
	// Text is the most bytes of text that a file may give; 0 means 16 MiB.
	Text int64
}
