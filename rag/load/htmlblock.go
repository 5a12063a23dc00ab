package load

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// words adds text to the current block.
func (h *htmlReader) words(s string, from, to int) {
	if h.pre > 0 {
		if !isBlank(s) || h.line.Len() > 0 {
			h.touch(from, to)
			h.line.WriteString(strings.Map(plainRune, s))
		}
		return
	}
	for i := 0; i < len(s); {
		word := i
		for word < len(s) && isHTMLSpace(s[word]) {
			word++
		}
		if word > i {
			h.space = true
		}
		end := word
		for end < len(s) && !isHTMLSpace(s[end]) {
			end++
		}
		if end > word {
			h.touch(from, to)
			if h.space && h.line.Len() > 0 && !endsInNewline(&h.line) {
				h.line.WriteByte(' ')
			}
			h.space = false
			h.line.WriteString(strings.Map(plainRune, s[word:end]))
			if h.links > 0 {
				h.linked += end - word + 1
			}
		}
		i = end
	}
}

func endsInNewline(b *strings.Builder) bool {
	s := b.String()
	return s[len(s)-1] == '\n'
}

// touch extends the span of the current block.
func (h *htmlReader) touch(from, to int) {
	if h.line.Len() == 0 {
		h.start = from
	}
	h.end = to
}

func isHTMLSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

// plainRune makes the no-break space a space and drops soft hyphens, which
// would hide a word from search.
func plainRune(r rune) rune {
	switch r {
	case '\u00a0':
		return ' '
	case '\u00ad':
		return -1
	}
	return r
}

// take returns the collected block and begins a new one. Leading blank lines
// and trailing white space go.
func (h *htmlReader) take() string {
	s := strings.TrimRightFunc(h.line.String(), unicode.IsSpace)
	for {
		i := strings.IndexByte(s, '\n')
		if i < 0 || !isBlank(s[:i]) {
			break
		}
		s = s[i+1:]
	}
	h.line.Reset()
	h.space, h.navigates, h.linked = false, h.around && 3*h.linked > len(s), 0
	h.around = false
	return s
}

// flush ends the current block; sep is what separates it from the next.
func (h *htmlReader) flush(sep separator) {
	if h.level > 0 {
		h.closeHeading()
	}
	if s := h.take(); !isBlank(s) && !h.navigates {
		if h.pre > 0 && !text.IsWrapped(s) {
			h.out.kind = text.Code
		}
		h.out.add(strings.Repeat("  ", min(h.depth, maxIndent))+h.marker+s, h.outline.path, h.span(h.start, h.end))
		h.marker, h.hangs = "", false
	}
	if h.marker == "" && !h.hangs { // else a list item's mark waits for its text
		h.out.separate(sep)
	}
}

// closeTitle takes the page's title; another title is ignored.
func (h *htmlReader) closeTitle() {
	s := cut(text.OneLine(h.take()), maxTitleBytes)
	if h.wantTitle && h.title == "" && s != "" {
		h.title, h.titleSrc = s, h.span(h.start, h.end)
	}
}

// closeHeading ends a heading. The first heading of a page is its title if it
// is of level one and there is none yet, and is left out of the body if it
// repeats the title.
func (h *htmlReader) closeHeading() {
	level := h.level
	h.level = 0
	s := withoutPermalink(text.OneLine(h.take()))
	h.marker = ""
	if s == "" {
		return
	}
	src := h.span(h.start, h.end)
	h.headings++
	if h.wantTitle && h.headings == 1 && level == 1 && len(s) <= maxTitleBytes && (h.title == "" || h.title == s) {
		h.title, h.titleSrc = s, src
		return
	}
	h.outline.enter(level, s)
	h.out.separate(newParagraph)
	h.out.add(s, h.outline.path, src)
	h.out.separate(newParagraph)
}

// withoutPermalink returns a heading without the mark at its end that generators
// of pages link to the heading itself.
func withoutPermalink(s string) string {
	for _, mark := range [...]string{"¶", "§", " #", "🔗"} {
		if rest, ok := strings.CutSuffix(s, mark); ok && rest != "" {
			return strings.TrimRight(rest, " ")
		}
	}
	return s
}

// isWide reports whether a character is written without spaces around it.
func isWide(r rune) bool {
	return r != utf8.RuneError && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff60
}
