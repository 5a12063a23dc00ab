package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// Outline is the title of a document and where its headings and pages begin.
type Outline struct {
	Title  string
	blocks []block
}

// Outline reads the outline of a document.
func (c *Corpus) Outline(v engine.Reader, doc string) (*Outline, error) {
	d, err := c.Document(v, doc)
	if err != nil {
		return nil, err
	}
	raw, err := v.Text(d.ID, propBlocks)
	if err != nil {
		return nil, err
	}
	o := &Outline{Title: d.Title}
	if err := json.Unmarshal([]byte(raw), &o.blocks); err != nil {
		return nil, fmt.Errorf("document %s: %w", doc, errors.Join(engine.ErrCorrupt, err))
	}
	return o, nil
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

// Headings returns the headings above the parts of the bytes from start to end,
// counted from start.
func (o *Outline) Headings(start, end int) []selection.Heading {
	var out []selection.Heading
	add := func(at int, path string) {
		if path != "" || len(out) > 0 {
			out = append(out, selection.Heading{At: at, Path: pathOf(path)})
		}
	}
	add(0, o.Place(start).Heading)
	for _, b := range o.blocks {
		if b.Start > start && b.Start < end {
			add(b.Start-start, b.Heading)
		}
	}
	return out
}

// pathOf splits the path of headings of a block.
func pathOf(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, " > ")
}
