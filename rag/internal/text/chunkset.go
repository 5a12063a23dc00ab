package text

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrChunkSet is returned for a chunk set that is not possible or not
// spelled as [ChunkSet.String] does.
var ErrChunkSet = errors.New("invalid chunk set")

// A Rule says where text may be cut into chunks.
type Rule uint8

const (
	// Paragraph cuts at headings and between paragraphs, and inside one that is too long at
	// the ends of sentences. It is the default.
	Paragraph Rule = iota
	// Window cuts after a fixed number of tokens, wherever that is.
	Window
)

// String returns "paragraph" or "window".
func (r Rule) String() string {
	switch r {
	case Paragraph:
		return "paragraph"
	case Window:
		return "window"
	}
	return "Rule(" + strconv.Itoa(int(r)) + ")"
}

// DefaultChunkSize is the size of a chunk, in tokens, if none is given.
const DefaultChunkSize = 300

// The limits of [ChunkSet.Size] and [ChunkSet.Sub]. A single character has up
// to four tokens, so that anything fits a chunk of the smallest size.
const (
	MinChunkSize = 8
	MaxChunkSize = 1 << 20
)

// A ChunkSet says how documents are cut into chunks. Two equal values give
// equal chunks of equal text; its string names the set in a database. The
// zero value is the default: pieces of up to 300 tokens of cl100k that begin at headings and keep
// paragraphs whole if they fit, without overlap.
type ChunkSet struct {
	// Size is the largest number of tokens of a chunk; 0 means 300. With
	// Window it is the length of the window.
	Size int
	// Overlap is the number of tokens that a window shares with the one
	// before, less than Size. It must be 0 with Paragraph.
	Overlap int
	// Rule is where text is cut; the default is Paragraph.
	Rule Rule
	// Sub, if not 0, cuts every window again into pieces of Sub tokens, which
	// then are the chunks. It must be 0 with Paragraph.
	Sub int
}

// Normal returns the set with its defaults filled in, or an error that is
// [ErrChunkSet] and says what is wrong.
func (c ChunkSet) Normal() (ChunkSet, error) {
	if c.Size == 0 {
		c.Size = DefaultChunkSize
	}
	fail := func(format string, args ...any) (ChunkSet, error) {
		return ChunkSet{}, phase.Errorf("%w: "+format, append([]any{ErrChunkSet}, args...)...)
	}
	switch {
	case c.Rule > Window:
		return fail("unknown rule %d", c.Rule)
	case c.Size < MinChunkSize || c.Size > MaxChunkSize:
		return fail("size %d is not between %d and %d", c.Size, MinChunkSize, MaxChunkSize)
	case c.Overlap < 0 || c.Overlap >= c.Size:
		return fail("overlap %d is not between 0 and the size %d", c.Overlap, c.Size)
	case c.Sub != 0 && (c.Sub < MinChunkSize || c.Sub > MaxChunkSize):
		return fail("sub-chunk size %d is not 0 and not between %d and %d", c.Sub, MinChunkSize, MaxChunkSize)
	case c.Rule == Paragraph && (c.Overlap != 0 || c.Sub != 0):
		return fail("overlap and sub-chunks need the rule window")
	}
	return c, nil
}

// String returns the name of the set: the tokenizer, size, overlap and rule,
// and the size of sub-chunks if there are any. Examples are
// "cl100k/300/0/paragraph" and "cl100k/1200/100/window/150". Defaults are
// filled in.
func (c ChunkSet) String() string {
	if c.Size == 0 {
		c.Size = DefaultChunkSize
	}
	s := fmt.Sprintf("cl100k/%d/%d/%s", c.Size, c.Overlap, c.Rule)
	if c.Sub != 0 {
		s += "/" + strconv.Itoa(c.Sub)
	}
	return s
}

// ParseChunkSet returns the chunk set that [ChunkSet.String] writes as s, with
// its defaults filled in. The error for anything else is [ErrChunkSet].
func ParseChunkSet(s string) (ChunkSet, error) {
	var c ChunkSet
	var err [3]error
	fields := strings.Split(s, "/")
	if len(fields) == 4 || len(fields) == 5 {
		c.Size, err[0] = strconv.Atoi(fields[1])
		c.Overlap, err[1] = strconv.Atoi(fields[2])
		if fields[3] == Window.String() {
			c.Rule = Window
		}
		if len(fields) == 5 {
			c.Sub, err[2] = strconv.Atoi(fields[4])
		}
	}
	if errors.Join(err[:]...) != nil || c.String() != s {
		return ChunkSet{}, phase.Errorf("%w: %q is not like %q or %q", ErrChunkSet, s,
			ChunkSet{}, ChunkSet{Size: 1200, Overlap: 100, Rule: Window, Sub: 150})
	}
	return c.Normal()
}
