package load

import (
	"context"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxTitleBytes bounds a title taken from markup.
const maxTitleBytes = 500

// html reads a page in the encoding of its byte order mark, else in the one that it
// declares, else as UTF-8.
func (w *walker) html(in *input) (*draft, error) {
	b, err := in.all(w.opt.MaxDocBytes)
	if err != nil {
		return nil, err
	}
	var size func(string) int64
	if !in.wide && in.bom == 0 {
		if b, size, err = decodeHTML(b); err != nil {
			return nil, err
		}
		if int64(len(b)) > w.opt.MaxDocBytes {
			return nil, tooLarge(0, "text", w.opt.MaxDocBytes)
		}
	}
	if err := checkText(b, 1); err != nil {
		return nil, err
	}
	o := normalise(b, in)
	if size != nil {
		o.size = size
	}
	return readHTML(w.ctx, o)
}

// readHTML reads the text of a page.
func readHTML(ctx context.Context, o *origin) (*draft, error) {
	h := &htmlReader{out: newBody(len(o.text)), outline: newOutline(len(o.text)), span: o.span, wantTitle: true}
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

	wantTitle bool // of a page, not of a fragment in Markdown
	title     string
	titleSrc  [2]int64
	lang      string

	stack     []element
	open      map[atom.Atom]int // how often an element is on the stack
	drop      int               // open elements whose text is dropped
	pre       int
	lists     []int        // numbers of the open lists' next items, -1 for bullets
	level     int          // of the open heading, 0 for none
	depth     int          // open descriptions of terms
	described bool         // a description stands above in the list
	hangs     bool         // nothing of the open description was added yet
	cells     int          // cells of the open row so far, if it is a line
	tables    []*htmlTable // that are open

	links             int  // open links
	around, navigates bool // one in the block leads to the neighbours of the page
	linked            int  // bytes of the block that are links

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

func (h *htmlReader) startTag(z *html.Tokenizer, a atom.Atom, attrs, selfClosing bool, from, to int) {
	r := roleOf(a)
	if h.drop > 0 {
		if n := len(h.stack) - 1; (r == roleCell || r == roleItem) && h.stack[n].name == a {
			h.closeTo(n) // the next cell or item
			h.startTag(z, a, attrs, selfClosing, from, to)
			return
		}
		if !isVoid(a) && !selfClosing {
			h.push(a, min(r, roleDrop))
		}
		return
	}
	at := attributes(z, attrs)
	switch {
	case isVoid(a) || selfClosing && r == roleInline:
	case isNavigation(a, &at):
		r = roleDrop
	case a == atom.A:
		h.around = h.around || isPrevNext(&at)
		h.links++
		h.push(a, roleLink)
		return
	}
	if h.inCell() && h.startInCell(a, r) {
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
		if at.alt != "" {
			h.space = true
			h.words(at.alt, from, to)
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
			if isLanguageTag(at.lang) {
				h.lang = at.lang
			}
		}
		if r == rolePre {
			h.pre++
		}
	case roleLine:
		h.flush(newLine)
	case roleTerm:
		h.endDescription()
		h.flush(newLine)
		if h.described {
			h.out.separate(newParagraph)
		}
		h.described = false
	case roleDescription:
		h.endDescription()
		h.flush(newLine)
		h.depth++
		h.hangs = true
	case roleTable:
		h.flush(newParagraph)
		h.tables = append(h.tables, &htmlTable{})
	case roleRows:
		h.endRow()
		if t := h.table(); t != nil {
			t.thead = a == atom.Thead
		}
	case roleRow:
		h.startRow()
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
			if n, err := strconv.ParseInt(at.start, 10, 32); err == nil {
				first = max(int(n), 0)
			}
		}
		h.lists = append(h.lists, first)
	case roleItem:
		h.flush(newLine)
		h.marker = h.nextMarker()
	case roleCell:
		h.startCell(a, at)
	}
	h.push(a, r)
}

// tagAttributes are the attributes of a tag that tell something of its text.
type tagAttributes struct {
	alt, lang, start, colspan, rowspan, class, id, role, rel string
}

// endDescription closes a term or description that the next one of its list ends.
func (h *htmlReader) endDescription() {
	for n := len(h.stack) - 1; n >= max(0, len(h.stack)-maxOpen) && h.stack[n].name != atom.Dl; n-- {
		if r := h.stack[n].role; r == roleDescription || r == roleTerm {
			h.closeTo(n)
			return
		}
	}
}

// maxOpen bounds the elements that may be open in a description that has no end tag.
const maxOpen = 64

// attributes returns the attributes of the current tag; more says that it has any.
func attributes(z *html.Tokenizer, more bool) (at tagAttributes) {
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		var to *string
		switch string(key) {
		case "alt":
			to = &at.alt
		case "lang":
			to = &at.lang
		case "start":
			to = &at.start
		case "colspan":
			to = &at.colspan
		case "rowspan":
			to = &at.rowspan
		case "class":
			to = &at.class
		case "id":
			to = &at.id
		case "role":
			to = &at.role
		case "rel":
			to = &at.rel
		default:
			continue
		}
		if *to == "" {
			*to = strings.TrimSpace(string(value))
		}
	}
	return at
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
		if r := roleOf(a); h.drop == 0 && r != roleInline && r != roleDrop && r != roleCell && !h.inCell() {
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
		case roleDescription:
			h.flush(newParagraph)
			h.depth--
			h.described = true
		case roleTerm:
			h.flush(newLine)
		case roleTable:
			h.endTable()
		case roleLink:
			h.links--
		case roleInnerTable:
			h.table().inner--
		case roleRows:
			h.endRow()
			if t := h.table(); t != nil {
				t.thead = false
			}
		case roleRow:
			h.endRow()
		case roleCell:
			h.endCell()
		case roleItem:
			h.flush(newLine)
			h.marker = ""
		}
	}
}

// maxIndent bounds the levels by which lists and descriptions move to the right.
const maxIndent = 8

// nextMarker returns what stands before a list item.
func (h *htmlReader) nextMarker() string {
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
