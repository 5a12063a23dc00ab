package load

import (
	"strings"

	"github.com/ragdb/ragdb/rag/internal/text"
)

// draft is a document in the making: what a format's reader finds.
type draft struct {
	title    string
	titleSrc [2]int64
	lang     string
	meta     map[string]Value
	// text is the body, without title; blocks are spans of it.
	text   string
	blocks []Block
}

// empty reports whether there is nothing to index.
func (d *draft) empty() bool {
	return isBlank(d.title) && isBlank(d.text)
}

// document puts title and body together.
func (d *draft) document(noTitle bool) *Document {
	doc := &Document{Title: d.title, Text: d.text, Lang: d.lang, Meta: d.meta, Blocks: d.blocks}
	if noTitle || d.title == "" {
		return doc
	}
	doc.Text = d.title
	if d.text != "" {
		doc.Text += "\n" + d.text
	}
	shift := len(d.title) + 1
	blocks := make([]Block, 0, len(d.blocks)+1)
	first := 0 // page
	if len(d.blocks) > 0 {
		first = d.blocks[0].Page
	}
	blocks = append(blocks, Block{End: len(d.title), Page: first, Source: d.titleSrc})
	for _, b := range d.blocks {
		b.Start, b.End = b.Start+shift, b.End+shift
		blocks = append(blocks, b)
	}
	doc.Blocks = blocks
	return doc
}

// What separates two blocks of a composed body; the stronger one wins.
type separator int

const (
	newLine      separator = 1 // items of a list, rows of a table
	newParagraph separator = 2
)

// body composes the text of a format whose markup is left out.
type body struct {
	text   strings.Builder
	blocks []Block
	sep    separator
	page   int           // of the next block
	kind   text.PartKind // of the next block
	left   int           // bytes that rows of tables may still repeat
}

// newBody returns the body of a document of some size.
func newBody(size int) *body { return &body{left: pathFloor + size} }

// repeat takes bytes of what tables repeat, and reports whether that many were left.
func (b *body) repeat(n int) bool {
	if b.left < n {
		return false
	}
	b.left -= n
	return true
}

// separate asks for at least this separator before the next block.
func (b *body) separate(s separator) { b.sep = max(b.sep, s) }

// add appends a block; blank ones leave no trace.
func (b *body) add(s, heading string, src [2]int64) {
	kind := b.kind
	b.kind = text.Prose
	if isBlank(s) {
		return
	}
	if b.text.Len() > 0 {
		b.text.WriteString("\n\n"[:max(b.sep, newLine)])
	}
	b.sep = 0
	start := b.text.Len()
	b.text.WriteString(s)
	b.blocks = addBlock(b.blocks, Block{Start: start, End: b.text.Len(), Heading: heading, Page: b.page, Kind: kind, Source: src})
}

// maxBlocks bounds the blocks of a document, which can weigh twenty times its
// text. The last one takes what comes after.
const maxBlocks = 1 << 18

func addBlock(blocks []Block, b Block) []Block {
	if len(blocks) < maxBlocks {
		return append(blocks, b)
	}
	last := &blocks[len(blocks)-1]
	last.End = b.End
	last.Source = hull(last.Source, b.Source)
	return blocks
}

// Bounds of a heading path: a heading is cut to headingBytes in it, and all
// paths of a document have pathFloor bytes plus its size together. Beyond that
// a block has no heading.
const (
	headingBytes = 120
	pathFloor    = 1 << 20
)

// outline is the stack of headings above the current position.
type outline struct {
	level [6]string
	path  string
	left  int
}

func newOutline(size int) *outline { return &outline{left: pathFloor + size} }

// enter opens a heading of level 1 to 6 and closes those it ends.
func (o *outline) enter(level int, heading string) {
	o.level[level-1] = cut(heading, headingBytes)
	for i := level; i < len(o.level); i++ {
		o.level[i] = ""
	}
	parts := make([]string, 0, len(o.level))
	for _, h := range o.level {
		if h != "" {
			parts = append(parts, h)
		}
	}
	path := strings.Join(parts, " > ")
	if path == o.path {
		return
	}
	if o.left -= len(path); o.left < 0 {
		path = ""
	}
	o.path = path
}
