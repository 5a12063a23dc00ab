package load

import (
	"context"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxTitleBytes bounds a title taken from markup.
const maxTitleBytes = 500

// readHTML reads a page.
func readHTML(ctx context.Context, o *origin) (*draft, error) {
	h := &htmlReader{out: new(body), outline: newOutline(len(o.text)), span: o.span, wantTitle: true}
	if err := h.read(ctx, o.text); err != nil {
		return nil, err
	}
	d := &draft{title: h.title, titleSrc: h.titleSrc, lang: h.lang, text: h.out.text.String(), blocks: h.out.blocks}
	if d.title == "" {
		d.titleSrc = unknown
	}
	return d, nil
}

// htmlReader turns the token stream of HTML into blocks. It keeps a stack of
// the open elements that matter, without the tree construction rules of the
// standard: time is linear in the input however deep or broken the nesting.
type htmlReader struct {
	out     *body
	outline *outline
	// span maps the input to the file.
	span func(start, end int) [2]int64

	wantTitle       bool // of a page, not of a fragment in Markdown
	title, headline string
	titleSrc        [2]int64
	lang            string

	stack []element
	open  map[atom.Atom]int // how often an element is on the stack
	drop  int               // open elements whose text is dropped
	pre   int
	lists []int // numbers of the open lists' next items, -1 for bullets
	level int   // of the open heading, 0 for none
	cells int   // cells of the current row so far

	line       strings.Builder // the block being collected
	marker     string          // of the list item that begins with it
	space      bool            // white space is due before the next word
	start, end int             // its span in the input
	headings   int             // seen so far
}

// element is an open element.
type element struct {
	name atom.Atom
	role role
}

// read consumes the input. The context is looked at every few thousand tokens.
func (h *htmlReader) read(ctx context.Context, input string) error {
	h.open = make(map[atom.Atom]int)
	z := html.NewTokenizer(strings.NewReader(input))
	pos := 0
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		kind := z.Next()
		if kind == html.ErrorToken {
			if err := z.Err(); err != io.EOF {
				return refuse(0, err, "is not readable HTML: %v", err)
			}
			break
		}
		from := pos
		pos += len(z.Raw())
		switch kind {
		case html.TextToken:
			if h.drop == 0 {
				h.words(string(z.Text()), from, pos)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, attrs := z.TagName()
			h.startTag(z, atom.Lookup(name), attrs, kind == html.SelfClosingTagToken, from, pos)
		case html.EndTagToken:
			name, _ := z.TagName()
			h.endTag(atom.Lookup(name))
		}
	}
	h.closeTo(0)
	h.flush(newParagraph)
	return nil
}

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

func (h *htmlReader) startTag(z *html.Tokenizer, a atom.Atom, attrs, selfClosing bool, from, to int) {
	r := roleOf(a)
	if h.drop > 0 {
		if r == roleDrop && !selfClosing || r != roleInline && r < roleBreak {
			h.push(a, r)
		}
		return
	}
	if h.level > 0 && r != roleInline && r < roleBreak && r != roleDrop {
		h.closeHeading()
	}
	switch r {
	case roleInline:
		return
	case roleDrop:
		// A dropped element that closes itself has no content, except those
		// whose content the tokenizer reads as raw text all the same.
		if selfClosing && a != atom.Script && a != atom.Style {
			return
		}
	case roleTitle:
		h.flush(newParagraph)
	case roleImage:
		if alt := attr(z, attrs, "alt"); alt != "" {
			h.space = true
			h.words(alt, from, to)
			h.space = true
		}
		return
	case roleBreak:
		if h.line.Len() > 0 {
			h.line.WriteByte('\n')
		}
		h.space = false
		return
	case roleRule:
		h.flush(newParagraph)
		return
	case roleParagraph, rolePre:
		h.flush(newParagraph)
		if a == atom.Html && h.lang == "" {
			if lang := attr(z, attrs, "lang"); isLanguageTag(lang) {
				h.lang = lang
			}
		}
		if r == rolePre {
			h.pre++
		}
	case roleLine:
		h.flush(newLine)
		h.cells = 0
	case roleHeading:
		h.flush(newParagraph)
		h.level = int(a.String()[1] - '0')
	case roleList:
		sep := newParagraph
		if len(h.lists) > 0 {
			sep = newLine
		}
		h.flush(sep)
		first := -1
		if a == atom.Ol {
			first = 1
			if n, err := strconv.ParseInt(attr(z, attrs, "start"), 10, 32); err == nil {
				first = max(int(n), 0)
			}
		}
		h.lists = append(h.lists, first)
	case roleItem:
		h.flush(newLine)
		h.marker = h.nextMarker()
	case roleCell:
		if h.cells > 0 && h.line.Len() > 0 {
			h.line.WriteString(" |")
			h.space = true
		}
		h.cells++
	}
	h.push(a, r)
}

// attr returns an attribute of the current tag.
func attr(z *html.Tokenizer, more bool, name string) string {
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if string(key) == name {
			return strings.TrimSpace(string(value))
		}
	}
	return ""
}

func (h *htmlReader) push(a atom.Atom, r role) {
	h.stack = append(h.stack, element{a, r})
	h.open[a]++
	if r == roleDrop {
		h.drop++
	}
}

// endTag closes the innermost element of that name and everything in it. An
// end tag without its start closes the line at most.
func (h *htmlReader) endTag(a atom.Atom) {
	if h.open[a] == 0 {
		if r := roleOf(a); h.drop == 0 && r != roleInline && r != roleDrop && r != roleCell {
			h.flush(newLine)
		}
		return
	}
	n := len(h.stack) - 1
	for h.stack[n].name != a {
		n--
	}
	h.closeTo(n)
}

// closeTo closes all but the outer n elements.
func (h *htmlReader) closeTo(n int) {
	for len(h.stack) > n {
		e := h.stack[len(h.stack)-1]
		h.stack = h.stack[:len(h.stack)-1]
		h.open[e.name]--
		if e.role == roleDrop {
			h.drop--
			continue
		}
		if h.drop > 0 {
			continue
		}
		switch e.role {
		case roleTitle:
			h.closeTitle()
		case roleHeading:
			h.flush(newParagraph)
		case rolePre:
			h.flush(newParagraph)
			h.pre--
		case roleList:
			h.lists = h.lists[:len(h.lists)-1]
			if len(h.lists) > 0 {
				h.flush(newLine)
			} else {
				h.flush(newParagraph)
			}
		case roleParagraph:
			h.flush(newParagraph)
		case roleLine:
			h.flush(newLine)
		case roleItem:
			h.flush(newLine)
			h.marker = ""
		}
	}
}

// nextMarker returns what stands before a list item.
func (h *htmlReader) nextMarker() string {
	const maxIndent = 8 // deeper lists do not move further to the right
	if len(h.lists) == 0 {
		return "- "
	}
	indent := strings.Repeat("  ", min(len(h.lists)-1, maxIndent))
	n := &h.lists[len(h.lists)-1]
	if *n < 0 {
		return indent + "- "
	}
	*n++
	return indent + strconv.Itoa(*n-1) + ". "
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
	h.space = false
	return s
}

// flush ends the current block; sep is what separates it from the next.
func (h *htmlReader) flush(sep separator) {
	if h.level > 0 {
		h.closeHeading()
	}
	if s := h.take(); !isBlank(s) {
		h.out.add(h.marker+s, h.outline.path, h.span(h.start, h.end))
		h.marker = ""
	}
	if h.marker == "" { // else a list item's mark waits for its text
		h.out.separate(sep)
	}
}

// closeTitle takes the page's title; another title is ignored.
func (h *htmlReader) closeTitle() {
	s := cut(oneLine(h.take()), maxTitleBytes)
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
	s := withoutPermalink(oneLine(h.take()))
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
