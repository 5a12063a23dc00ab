package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/load"
)

// Outline is the title of a document and where its headings and pages begin.
type Outline struct {
	Title  string
	blocks []block
}

// OutlineOf returns the outline of a document that was read.
func OutlineOf(d *load.Document) *Outline { return &Outline{d.Title, packBlocks(d.Blocks)} }

// Parts returns the headings, the tables and the code, ascending.
func (o *Outline) Parts() (out []text.Part) {
	above := ""
	for _, b := range o.blocks {
		p := text.Part{Start: b.Start, Kind: b.Kind}
		if b.Kind == text.Prose && b.Heading != above {
			p.Kind = text.Heading
		}
		out = append(out, p)
		above = b.Heading
	}
	return out
}

// path returns what a chunk of a document stands under: the name of its file, the
// title, and the headings above what is before a byte, each on a line of its own.
func (o *Outline) path(doc string, end int) string {
	name := path.Base(doc)
	lines := []string{strings.TrimSuffix(name, path.Ext(name))}
	for _, s := range append([]string{o.Title}, pathOf(o.Place(max(0, end-1)).Heading)...) {
		if s != "" && !slices.Contains(lines, s) {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, "\n")
}

// Outlines reads the outlines of documents, each once. It serves one goroutine.
type Outlines struct {
	c     *Corpus
	v     engine.Reader
	known map[string]*Outline
}

// Outlines returns a reader of the outlines of documents.
func (c *Corpus) Outlines(v engine.Reader) *Outlines { return &Outlines{c, v, map[string]*Outline{}} }

// Of returns the outline of a document.
func (x *Outlines) Of(doc string) (*Outline, error) {
	if o := x.known[doc]; o != nil {
		return o, nil
	}
	d, err := x.c.Document(x.v, doc)
	if err != nil {
		return nil, err
	}
	raw, err := x.v.Text(d.ID, propBlocks)
	if err != nil {
		return nil, err
	}
	o := &Outline{Title: d.Title}
	if err := json.Unmarshal([]byte(raw), &o.blocks); err != nil {
		return nil, fmt.Errorf("document %s: %w", doc, errors.Join(engine.ErrCorrupt, err))
	}
	x.known[doc] = o
	return o, nil
}

// Locate returns where a byte span of a document's text stands.
func (x *Outlines) Locate(doc string, start, end int) (Span, error) {
	s := Span{Doc: doc, Bytes: [2]int64{int64(start), int64(end)}}
	o, err := x.Of(doc)
	if err != nil {
		return s, err
	}
	b := o.Place(start)
	s.Heading, s.Page = b.Heading, b.Page
	return s, nil
}

// Place returns the block that a byte of the document is in.
func (o *Outline) Place(at int) (b block) {
	for _, next := range o.blocks {
		if next.Start > at {
			break
		}
		b = next
	}
	b.Heading = text.HeadingText(b.Heading)
	return b
}

// Shape returns the headings above the parts of the bytes from start to end, and what
// the parts are: places counted from start, behind a number of bytes that belong to the first.
func (o *Outline) Shape(start, end, before int) (headings []selection.Heading, blocks []selection.Block) {
	add := func(at int, b block) {
		if b.Heading != "" || len(headings) > 0 {
			headings = append(headings, selection.Heading{At: at, Path: pathOf(b.Heading)})
		}
		if b.Kind != text.Prose || len(blocks) > 0 {
			blocks = append(blocks, selection.Block{At: at, Kind: b.Kind})
		}
	}
	add(0, o.Place(start))
	for _, b := range o.blocks {
		if b.Start > start && b.Start < end {
			add(before+b.Start-start, b)
		}
	}
	return headings, blocks
}

// pathOf splits the path of headings of a block.
func pathOf(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, " > ")
}
