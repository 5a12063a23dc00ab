package text

import (
	"context"
	"sort"
	"unicode/utf8"
)

// A Chunk is a piece of a text.
type Chunk struct {
	Start, End int // bytes of the text: text[Start:End]
	Tokens     int // of text[Start:End], encoded on its own
	Parent     int // number of the window it was cut from, counted from 0
}

// A Chunker cuts texts into the chunks of one [ChunkSet]. It is immutable and
// safe for concurrent use.
type Chunker struct {
	tok *Tokenizer
	set ChunkSet
}

// NewChunker returns a chunker for the set, or an error that is
// [ErrChunkSet].
func NewChunker(tok *Tokenizer, set ChunkSet) (*Chunker, error) {
	set, err := set.Normal()
	if err != nil {
		return nil, err
	}
	return &Chunker{tok, set}, nil
}

// Set returns the chunk set with its defaults filled in.
func (c *Chunker) Set() ChunkSet { return c.set }

// Chunks cuts text into chunks, in order. They hold every character of it
// that is not white space, never cut a character and are never empty. A text
// without any has no chunks. The only error is that of the context.
//
// Parent is the number of the window that a chunk is, or was cut from; with
// the rule Paragraph it is the number of the chunk.
//
// parts are the parts of the text that the document's format tells, ascending. Windows
// do not look at them.
//
// # Windows
//
// The text is encoded once. Windows of Size tokens start at every multiple of
// Size-Overlap below the number of tokens, so that the last one may lie
// wholly inside the one before (GraphRAG's rule, and KET-RAG's). With Sub,
// every window's text is encoded again and cut every Sub tokens; the last
// piece is short. A window or piece that would end with a heading, or with a
// question that its answer follows, ends before it, and the next one starts so
// much earlier; it keeps half of its length. If a token's border is inside a character, the cut is
// made before the character; windows lose the pieces of a character that
// GraphRAG decodes to U+FFFD. A window cut from a longer text and encoded on
// its own can have other tokens at its ends, so that Tokens may differ from
// Size by one or two. Windows keep their white space.
//
// # Paragraphs
//
// No chunk has more than Size tokens, and none starts or ends with white
// space. What is a paragraph, a heading and a title is said at [Sentences]:
// paragraphs are its borders.
//
//   - A heading, or several in a row, and the paragraph below it are one
//     paragraph to what follows. Headings of parts, those that open with # and the title open
//     a chunk. A line that stands alone without a mark at its end is a heading
//     here, too, and so is a line that ends with a question mark or a colon. If
//     the paragraph is too long, its beginning stays with the heading.
//   - A line that hangs, as the description of a term or an option does below it, is
//     indented deeper than the line above, and stays with that.
//   - Every line of a table and of code is a paragraph; the whole, with what announces it, is one
//     paragraph to what follows if it fits a chunk, and else is cut between lines.
//   - A paragraph that fits a chunk is never cut.
//   - A paragraph joins the chunk before it if both together fit and one of
//     the two is short: below a third of Size. So the lines of a list, a
//     dialogue or a form share a chunk, and two paragraphs that can stand
//     alone do not.
//   - A longer paragraph is cut at the ends of sentences into the fewest
//     pieces, of nearly equal length. A sentence longer than Size is cut in
//     the same way between words, and a word between characters.
//
// Both rules are linear in the text, with a factor that grows with Size for
// texts of very short lines.
func (c *Chunker) Chunks(ctx context.Context, text string, parts ...Part) ([]Chunk, error) {
	if c.set.Rule == Window {
		return c.windows(ctx, text)
	}
	return c.paragraphs(ctx, text, parts)
}

// windows implements the rule Window.
func (c *Chunker) windows(ctx context.Context, text string) ([]Chunk, error) {
	ends, err := c.ends(ctx, text)
	if err != nil {
		return nil, err
	}
	leads := leadSpans(paragraphs(text))
	var out []Chunk
	step := c.set.Size - c.set.Overlap
	for parent, first := 0, 0; first < len(ends); parent++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		last := windowEnd(ends, first, c.set.Size, 0, leads)
		w := tokenSpan(text, ends, first, last)
		first += max(1, step-(min(first+c.set.Size, len(ends))-last))
		if skipSpace(text[:w.End], w.Start) == w.End {
			continue
		}
		part := text[w.Start:w.End]
		if c.set.Sub == 0 {
			out = append(out, Chunk{w.Start, w.End, c.tok.Count(part), parent})
			continue
		}
		sub := c.tok.Ends(part)
		for k := 0; k < len(sub); {
			last := windowEnd(sub, k, c.set.Sub, w.Start, leads)
			p := tokenSpan(part, sub, k, last)
			k = last
			if skipSpace(part[:p.End], p.Start) < p.End {
				out = append(out, Chunk{w.Start + p.Start, w.Start + p.End, c.tok.Count(part[p.Start:p.End]), parent})
			}
		}
	}
	return out, nil
}

// windowEnd returns the token before which a window of size tokens ends that
// starts at token first; ends are the tokens' ends, counted from byte base. A
// window that would end in a heading or question, or behind it, ends before it,
// if at least half of the window is left.
func windowEnd(ends []int, first, size, base int, leads []Span) int {
	last := min(first+size, len(ends))
	if last == len(ends) {
		return last
	}
	end := base + ends[last-1]
	i := sort.Search(len(leads), func(i int) bool { return leads[i].End >= end })
	if i == len(leads) || leads[i].Start >= end {
		return last
	}
	before := first + sort.Search(last-first, func(k int) bool { return base+ends[first+k] > leads[i].Start })
	if before-first < (size+1)/2 {
		return last
	}
	return before
}

// ends is Tokenizer.Ends that stops when ctx ends.
func (c *Chunker) ends(ctx context.Context, text string) ([]int, error) {
	const every = 1 << 14 // tokens between two looks at ctx
	var err error
	ends := make([]int, 0, len(text)/4+1)
	c.tok.each(text, func(_ uint32, end int) bool {
		ends = append(ends, end)
		if len(ends)%every == 0 {
			err = ctx.Err()
		}
		return err == nil
	})
	return ends, err
}

// tokenSpan returns the bytes of the tokens first to last-1, of which there
// may be fewer. Borders inside a character move to its start.
func tokenSpan(s string, ends []int, first, last int) Span {
	start := 0
	if first > 0 {
		start = runeStart(s, ends[first-1])
	}
	return Span{start, runeStart(s, ends[min(last, len(ends))-1])}
}

// runeStart returns i, or if it is inside a character the offset at which
// that starts.
func runeStart(s string, i int) int {
	if i == len(s) || utf8.RuneStart(s[i]) {
		return i
	}
	for k := i - 1; k >= 0 && k > i-utf8.UTFMax; k-- {
		if utf8.RuneStart(s[k]) {
			if _, n := utf8.DecodeRuneInString(s[k:]); k+n > i {
				return k
			}
			break
		}
	}
	return i
}
