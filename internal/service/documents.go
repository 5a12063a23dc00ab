package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
)

// DocumentKeys returns the keys of a corpus's documents, in order of id.
func DocumentKeys(ctx context.Context, c *rag.Corpus) (keys []string, err error) {
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		for doc, err := range c.Documents(s.Graph(c.Base()).WithContext(ctx)) {
			if err != nil {
				return err
			}
			keys = append(keys, doc.Key)
		}
		return nil
	})
	return keys, err
}

func countDocuments(ctx context.Context, c *rag.Corpus) (n int, err error) {
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base()).WithContext(ctx)
		t, ok := v.NodeType("document")
		if !ok {
			return nil
		}
		set, err := v.Nodes(t)
		if err == nil {
			n = int(set.GetCardinality())
		}
		return err
	})
	return n, err
}

// DocumentRow is a document in a list.
type DocumentRow struct {
	ID     string            `json:"id"`
	Title  string            `json:"title,omitempty"`
	Format string            `json:"format"`
	Bytes  int               `json:"bytes"`
	Lang   string            `json:"lang,omitempty"`
	Meta   map[string]string `json:"meta"`
}

// DocumentPage is a part of the list of documents.
type DocumentPage struct {
	V int `json:"v"`
	// Total counts all documents of the namespace.
	Total     int           `json:"total"`
	Documents []DocumentRow `json:"documents"`
	// Next is where the next page begins, "" if this is the last one.
	Next string `json:"next,omitempty"`
}

// PageOptions say which part of a list is wanted.
type PageOptions struct {
	// After is the Next of the page before; "" begins.
	After string
	// Limit bounds the page; 0 is 100, and 1,000 is the most.
	Limit int
	// Prefix is how the ids of the documents begin.
	Prefix string
}

// The bounds of a page.
const (
	usualPage = 100
	mostPage  = 1000
)

// Page lists documents in the order in which they came.
func (c *Corpus) Page(ctx context.Context, o PageOptions) (*DocumentPage, error) {
	after, err := strconv.ParseUint("0"+o.After, 10, 32)
	if err != nil {
		return nil, Usage("give what next was on the page before", "after is %q", o.After)
	}
	if o.Limit == 0 {
		o.Limit = usualPage
	}
	o.Limit = min(max(o.Limit, 1), mostPage)
	out := &DocumentPage{V: 1, Documents: []DocumentRow{}}
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base()).WithContext(ctx)
		t, ok := v.NodeType("document")
		if !ok {
			return nil
		}
		set, err := v.Nodes(t)
		if err != nil {
			return err
		}
		out.Total = int(set.GetCardinality())
		it := set.Iterator()
		it.AdvanceIfNeeded(uint32(after) + 1)
		for last := uint32(after); it.HasNext(); {
			id := it.Next()
			d, err := c.DocumentAt(v, engine.NodeID(id))
			if err != nil {
				return err
			}
			if !strings.HasPrefix(d.Key, o.Prefix) {
				continue
			}
			if len(out.Documents) == o.Limit {
				out.Next = strconv.FormatUint(uint64(last), 10)
				break
			}
			row := DocumentRow{ID: d.Key, Title: d.Title, Format: d.Format, Bytes: d.Bytes, Lang: d.Lang, Meta: map[string]string{}}
			for k, val := range d.Meta {
				row.Meta[k] = fmt.Sprint(val)
			}
			out.Documents, last = append(out.Documents, row), id
		}
		return nil
	})
	return out, err
}

// Document is a document to add.
type Document struct {
	// ID names the document; another one of that id is replaced. Its ending tells the
	// format: .md, .html, .pdf, .txt and so on.
	ID string `json:"id" schema:"minlen=1"`
	// Text is the content, as a file of the format would hold it.
	Text string `json:"text,omitempty"`
	// Content is the content in place of Text, as base64 of its bytes: of a PDF, or of a
	// text that is not UTF-8.
	Content []byte `json:"content,omitempty"`
	// Title and Lang are used if the content states none.
	Title string `json:"title,omitempty"`
	Lang  string `json:"lang,omitempty"`
	// Meta says more about the document: texts, numbers, bools and lists of texts.
	Meta map[string]any `json:"meta,omitempty"`
}

// Input returns the document as an indexer reads it.
func (d *Document) Input() (rag.Input, error) {
	src := &load.Source{Key: d.ID, Content: []byte(d.Text), Title: d.Title, Lang: d.Lang}
	switch {
	case d.ID == "":
		return rag.Input{}, Usage("name it", "a document has no id")
	case d.Text != "" && d.Content != nil:
		return rag.Input{}, Usage("leave one out", "document %s has a text and a content", d.ID)
	case d.Content != nil:
		src.Content = d.Content
	}
	for _, name := range slices.Sorted(maps.Keys(d.Meta)) {
		v, ok, err := load.ValueOf(d.Meta[name])
		if err != nil {
			return rag.Input{}, Usage("", "document %s: metadata %q: %s", d.ID, name, err)
		}
		if ok {
			if src.Meta == nil {
				src.Meta = map[string]load.Value{}
			}
			src.Meta[name] = v
		}
	}
	return rag.Input{Source: src}, nil
}

// Removed says what a removal took.
type Removed struct {
	V      int  `json:"v"`
	DryRun bool `json:"dry_run"`
	// Removed holds one entry a document.
	Removed []RemovedDocument `json:"removed"`
	Chunks  int               `json:"chunks"`
	Derived int               `json:"derived"`
	// Stale are the methods whose corpus-wide steps the next run does again.
	Stale []string `json:"stale"`
	// Purged says that nothing of the documents is in any file.
	Purged bool `json:"purged,omitempty"`
}

// RemovedDocument is a document that was removed.
type RemovedDocument struct {
	Doc string `json:"doc"`
	// Chunks and Derived count its chunks, and the nodes that nothing else supported.
	Chunks  int `json:"chunks"`
	Derived int `json:"derived"`
}

// RemoveDocuments removes documents by their ids, each in one commit. If one is not there
// none is removed. Beside another error the result tells of those that are gone.
func (c *Corpus) RemoveDocuments(ctx context.Context, ids []string, o rag.RemoveOptions) (*Removed, error) {
	out := &Removed{V: 1, DryRun: o.DryRun, Removed: []RemovedDocument{}, Stale: []string{}}
	removed, err := c.RemoveAll(ctx, c.Methods, ids, o)
	for _, r := range removed {
		out.Removed = append(out.Removed, RemovedDocument{r.Documents[0], r.Chunks, r.Derived})
		out.Chunks, out.Derived = out.Chunks+r.Chunks, out.Derived+r.Derived
		out.Stale = append(out.Stale[:0], r.Stale...)
	}
	if errors.Is(err, engine.ErrNotFound) {
		err = c.missing(ctx, ids, err)
	}
	return out, err
}

// missing is the error of a removal of documents of which one is not there.
func (c *Corpus) missing(ctx context.Context, ids []string, err error) error {
	for _, id := range ids {
		if _, terr := c.Text(ctx, id); terr != nil {
			return NotFound("the list of documents has their ids", "there is no document %q; nothing was removed", id)
		}
	}
	return err
}

// Text returns the text of a document and its place.
func (c *Corpus) Text(ctx context.Context, id string) (string, error) {
	var text string
	err := c.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base()).WithContext(ctx)
		t, ok := v.NodeType("document")
		if !ok {
			return c.unknownID(ctx, id)
		}
		n, err := v.Lookup(t, id)
		if err != nil {
			return c.unknownID(ctx, id)
		}
		text, err = v.Text(n, "_text")
		return err
	})
	return text, err
}

// MethodRow is a method in the list of methods.
type MethodRow struct {
	Name string `json:"name"`
	// Indexed are the instances of the method that documents are indexed by.
	Indexed []string `json:"indexed"`
	// Default says that questions which name no method are answered by it.
	Default bool `json:"default,omitempty"`
}

// ListMethods lists the methods that exist.
func (c *Corpus) ListMethods(ctx context.Context) ([]MethodRow, error) {
	have, err := Instances(ctx, c.Corpus)
	if err != nil {
		return nil, err
	}
	spec, err := c.usual(ctx)
	if err != nil {
		return nil, err
	}
	var out []MethodRow
	for _, name := range c.Methods.Names() {
		row := MethodRow{Name: name, Indexed: []string{}, Default: name == spec.Name}
		for _, in := range have {
			if s, err := method.ParseInstance(in); err == nil && s.Name == name {
				row.Indexed = append(row.Indexed, in)
			}
		}
		out = append(out, row)
	}
	return out, nil
}

// Askable names the methods that questions can name: those that the documents are indexed
// by and those that need no index of their own, that of the corpus first.
func (c *Corpus) Askable(ctx context.Context) ([]string, error) {
	first, err := c.usual(ctx)
	if err != nil {
		return nil, err
	}
	have, err := Instances(ctx, c.Corpus)
	if err != nil {
		return nil, err
	}
	out := []string{first.String()}
	add := func(spec method.Spec) error {
		_, err := c.Methods.OpenIndexed(ctx, c.Docs(), spec)
		if err == nil && !slices.Contains(out, spec.String()) {
			out = append(out, spec.String())
		}
		if errors.Is(err, method.ErrNotIndexed) || errors.Is(err, engine.ErrNotFound) || errors.Is(err, method.ErrMethod) {
			return nil
		}
		return err
	}
	for _, name := range have {
		spec, err := method.ParseInstance(name)
		if err == nil {
			err = add(spec)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, name := range c.Methods.Names() {
		if err := add(method.Spec{Name: name}); err != nil {
			return nil, err
		}
	}
	return out, nil
}
