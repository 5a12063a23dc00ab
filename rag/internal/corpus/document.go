package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/load"
)

// Document is a document as the base graph holds it.
type Document struct {
	Key    string
	ID     engine.NodeID
	Title  string
	Lang   string
	Format string
	Bytes  int
	Digest []byte
	// Sets are the chunk sets that it is cut by.
	Sets []string
	// Meta is the document's metadata by name.
	Meta engine.Props

	Epoch uint64 // commit that wrote it
}

// Documents yields all documents in order of id.
func (c *Corpus) Documents(v *engine.View) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		if err := Readable(v); err != nil {
			yield(Document{}, err)
			return
		}
		t, ok := v.NodeType(TypeDocument)
		if !ok {
			return
		}
		ids, err := v.Nodes(t)
		if err != nil {
			yield(Document{}, err)
			return
		}
		for it := ids.Iterator(); it.HasNext(); {
			d, err := c.DocumentAt(v, engine.NodeID(it.Next()))
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// Document returns the document of a key.
func (c *Corpus) Document(v engine.Reader, key string) (Document, error) {
	if err := Readable(v); err != nil {
		return Document{}, err
	}
	t, ok := v.NodeType(TypeDocument)
	if !ok {
		return Document{}, phase.Mark(engine.ErrNotFound, "there is no document %q", key)
	}
	id, err := v.Lookup(t, key)
	switch {
	case IsMissing(err):
		return Document{}, phase.Mark(engine.ErrNotFound, "there is no document %q", key)
	case err != nil:
		return Document{}, phase.Errorf("document %s: %w", key, err)
	}
	return c.DocumentAt(v, id)
}

// DocumentAt returns the document of a node.
func (c *Corpus) DocumentAt(v engine.Reader, id engine.NodeID) (Document, error) {
	if err := Readable(v); err != nil {
		return Document{}, err
	}
	n, err := v.Node(id)
	if err != nil {
		return Document{}, err
	}
	d := Document{
		Key: n.Key, ID: id,
		Title: n.Prop(propTitle).AsString(), Lang: n.Prop("lang").AsString(), Format: n.Prop(propFormat).AsString(),
		Bytes: n.Prop(PropText).Size(), Digest: n.Prop(propDigest).AsBytes(), Sets: n.Prop(PropSets).AsStrings(),
		Meta: engine.Props{}, Epoch: n.Epoch,
	}
	for name, val := range n.Props() {
		if name[0] != '_' {
			d.Meta[name] = val
		}
	}
	return d, nil
}

// Put writes a document in place of the one that its key had, which the caller
// has removed, and makes the metadata findable. sets are the chunk sets that
// the caller cuts it by in the same transaction.
func (c *Corpus) Put(v *engine.TxView, d *load.Document, sets []string) (engine.NodeID, error) {
	t, err := v.MakeNodeType(TypeDocument)
	if err != nil {
		return 0, err
	}
	blocks, err := json.Marshal(packBlocks(d.Blocks))
	if err != nil {
		return 0, err
	}
	props := engine.Props{
		PropText:   engine.String(d.Text),
		propFormat: engine.String(d.Format),
		propDigest: engine.Bytes(d.Digest[:]),
		propBlocks: engine.String(string(blocks)),
		PropSets:   engine.Strings(sets...),
	}
	if d.Title != "" {
		props[propTitle] = engine.String(d.Title)
	}
	if d.Lang != "" {
		props["lang"] = engine.String(d.Lang)
	}
	for name, val := range d.Meta {
		if name == "" || name[0] == '_' {
			continue
		}
		props[name] = metaValue(val)
	}
	for name := range props {
		if name[0] == '_' {
			continue
		}
		if err := v.MakeIndex(name); err != nil {
			return 0, err
		}
	}
	id, _, err := v.PutNode(t, d.Key, props)
	return id, err
}

func metaValue(val load.Value) engine.Value {
	switch x := val.Typed.(type) {
	case float64:
		if n := int64(x); float64(n) == x {
			return engine.Int(n)
		}
		return engine.Float(x)
	case bool:
		return engine.Bool(x)
	case time.Time:
		return engine.Time(x)
	case []string:
		return engine.Strings(x...)
	}
	return engine.String(val.Text)
}

// block is where a heading, a page, a table or code begins in a document's text, or what is
// behind it.
type block struct {
	Start   int           `json:"s"`
	Heading string        `json:"h,omitempty"`
	Page    int           `json:"p,omitempty"`
	Kind    text.PartKind `json:"k,omitempty"`
}

// packBlocks keeps of a document's blocks where the heading, page or kind changes, and
// where each table and each piece of code begins.
func packBlocks(blocks []load.Block) []block {
	out := []block{}
	for _, b := range blocks {
		var above block
		if n := len(out); n > 0 {
			above = out[n-1]
		}
		same := b.Kind == text.Row || b.Kind == text.Prose && above.Kind == text.Prose
		if same && above.Heading == b.Heading && above.Page == b.Page {
			continue
		}
		out = append(out, block{Start: b.Start, Heading: b.Heading, Page: b.Page, Kind: b.Kind})
	}
	return out
}

// Span says where a piece of text stands in a document.
type Span struct {
	Doc     string   `json:"doc"`
	Page    int      `json:"page,omitempty"`
	Heading string   `json:"heading,omitempty"`
	Bytes   [2]int64 `json:"bytes"`
}

// Locate returns where a byte span of a document's text stands. [Corpus.Outlines]
// locates several.
func (c *Corpus) Locate(v engine.Reader, doc string, start, end int) (Span, error) {
	return c.Outlines(v).Locate(doc, start, end)
}

// CutDocument is a document to which chunks are added.
type CutDocument struct {
	Key, Lang, Text string
	ID              engine.NodeID
	Outline         *Outline
}

// AddChunks adds to a document the chunks that a set cuts its text into, with the
// postings of their words, of what they stand under, and of their names.
func (c *Corpus) AddChunks(v *engine.TxView, d CutDocument, set text.ChunkSet, chunks []text.Chunk) error {
	t, err := v.MakeNodeType(ChunkType(set))
	if err != nil {
		return err
	}
	has, err := v.MakeEdgeType(edgeHas, true)
	if err != nil {
		return err
	}
	lang := languageOf(d.Text, d.Lang)
	field, above := TextField(set), pathField(set)
	if err := v.MakeField(field, engine.FieldOptions{Analyzer: lang.Name(), Positions: true}); err != nil {
		return err
	}
	if err := v.MakeField(above, engine.FieldOptions{Analyzer: lang.Name()}); err != nil {
		return err
	}
	opening := opening{o: d.Outline, text: d.Text}
	for i, ch := range chunks {
		body := d.Text[ch.Start:ch.End]
		props := engine.Props{
			PropText: engine.String(body), propStart: engine.Int(int64(ch.Start)), propEnd: engine.Int(int64(ch.End)),
			propTokens: engine.Int(int64(ch.Tokens)), propOrder: engine.Int(int64(i)),
		}
		opening := opening.of(ch.Start)
		if opening != "" {
			props[propOpening] = engine.String(opening)
		}
		cid, _, err := v.PutNode(t, chunkKey(d.Key, i), props)
		if err != nil {
			return err
		}
		if err := v.AddEdge(d.ID, cid, has, 1); err != nil {
			return err
		}
		if err := v.PutTerms(field, cid, lang.Terms(body)); err != nil {
			return err
		}
		if err := v.PutTerms(above, cid, lang.Terms(d.Outline.path(d.Key, ch.End)+"\n"+opening)); err != nil {
			return err
		}
		if err := putNames(v, set, cid, d.Text, lang, ch.Start, ch.End); err != nil {
			return err
		}
	}
	return nil
}

// ChunksOf returns the chunks of a document, of all sets.
func (c *Corpus) ChunksOf(v engine.Reader, doc Document) (map[string][]Chunk, error) {
	if err := Readable(v); err != nil {
		return nil, err
	}
	out := map[string][]Chunk{}
	has, ok := v.EdgeType(edgeHas)
	if !ok {
		return out, nil
	}
	for after := engine.NodeID(0); ; {
		page, err := v.Neighbors(doc.ID, engine.EdgeFilter{Types: []engine.EdgeType{has}}, after, nil)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			return out, nil
		}
		for _, e := range page {
			after = e.To
			n, err := v.Node(e.To)
			if err != nil {
				return nil, err
			}
			ch, err := c.Chunk(v, e.To)
			if err != nil {
				return nil, err
			}
			name := v.NodeTypeName(n.Type)
			out[name] = append(out[name], ch)
		}
	}
}

// SameDigest reports whether a document is the one that is stored.
func SameDigest(d Document, l *load.Document) bool { return bytes.Equal(d.Digest, l.Digest[:]) }

// HasDocuments reports documents of which one is not there.
func HasDocuments(v *engine.TxView, keys []string) error {
	t, ok := v.NodeType(TypeDocument)
	if !ok && len(keys) > 0 {
		return fmt.Errorf("document %s: %w", keys[0], engine.ErrNotFound)
	}
	ids, err := v.Lookups(t, keys)
	if i := slices.Index(ids, 0); err == nil && i >= 0 {
		err = fmt.Errorf("document %s: %w", keys[i], engine.ErrNotFound)
	}
	return err
}

// HasDocument reports a document that is not there.
func HasDocument(v engine.Reader, key string) error {
	t, ok := v.NodeType(TypeDocument)
	if !ok {
		return fmt.Errorf("document %s: %w", key, engine.ErrNotFound)
	}
	_, err := v.Lookup(t, key)
	return err
}
