package corpus

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// The names in the base graph. Properties that begin with an underscore are
// ragdb's own; all others are the documents' metadata.
const (
	TypeDocument = "document"
	edgeHas      = "has" // document -> chunk

	PropText   = "_text"   // document, chunk: the text
	propTitle  = "_title"  // document
	propFormat = "_format" // document
	propDigest = "_digest" // document: SHA-256 of content
	propBlocks = "_blocks" // document: where headings and pages begin
	PropSets   = "_sets"   // document: names of the chunk sets it is cut by
	propStart  = "_start"  // chunk: byte span in the document's text
	propEnd    = "_end"
	propTokens = "_tokens" // chunk
	propOrder  = "_order"  // chunk: place in its document
	// chunk: what stands above its text in the table or code in which it begins
	propOpening = "_opening"

	bucketMethods = "methods" // instance -> how it was indexed
)

// Corpus is a namespace with documents in it, cut into chunks. It holds no models. It
// is safe for concurrent use.
type Corpus struct {
	db        *engine.DB
	namespace *engine.Namespace
	base      *engine.Graph
	tokens    *text.Tokenizer

	graphsExist bool             // no graph is made
	at          *engine.Snapshot // that is read; nil reads the latest commit
}

// Open opens a namespace's corpus. If the namespace has no base graph, it makes
// one. Nil tokens are made.
func Open(ctx context.Context, db *engine.DB, namespace string, tokens *text.Tokenizer) (*Corpus, error) {
	if db == nil {
		return nil, phase.Errorf("%w: no database to open %q in", ErrArgument, namespace)
	}
	ns, err := db.Namespace(ctx, namespace)
	if err != nil {
		return nil, phase.At("", err)
	}
	base, err := ns.Graph(ctx, engine.Base)
	if err != nil {
		return nil, phase.At("", err)
	}
	if tokens == nil {
		tokens = text.NewCL100K()
	}
	return &Corpus{db: db, namespace: ns, base: base, tokens: tokens}, nil
}

// Ready refuses a corpus that was not opened.
func (c *Corpus) Ready() error {
	if c == nil || c.db == nil || c.namespace == nil || c.base == nil || c.tokens == nil {
		return phase.Errorf("%w: a corpus that OpenCorpus did not open", ErrArgument)
	}
	return nil
}

// Existing returns the corpus with a Graph that makes none.
func (c *Corpus) Existing() *Corpus {
	out := *c
	out.graphsExist = true
	return &out
}

// At returns the corpus as a snapshot shows it: View calls with it, and Graph makes none
// and finds what there was. It is used while the snapshot is open, and so is what a
// method opens on it.
func (c *Corpus) At(s *engine.Snapshot) *Corpus {
	out := &Corpus{}
	if c != nil {
		*out = *c
	}
	out.at = s
	return out
}

// View calls fn with the snapshot of [Corpus.At], or else with one of the latest commit.
func (c *Corpus) View(ctx context.Context, fn func(s *engine.Snapshot) error) error {
	if err := c.Ready(); err != nil {
		return err
	}
	if c.at != nil && fn != nil {
		return fn(c.at)
	}
	return c.db.View(ctx, fn)
}

// DB returns the database that the corpus is in.
func (c *Corpus) DB() *engine.DB { return c.db }

// Namespace returns the namespace that the corpus is.
func (c *Corpus) Namespace() *engine.Namespace { return c.namespace }

// Base returns the graph of documents, chunks, postings and metadata.
func (c *Corpus) Base() *engine.Graph { return c.base }

// Tokens returns what counts and cuts text.
func (c *Corpus) Tokens() *text.Tokenizer { return c.tokens }

// Graph returns the graph of a method's instance, and makes it if it is new.
func (c *Corpus) Graph(ctx context.Context, name string) (*engine.Graph, error) {
	if err := c.Ready(); err != nil {
		return nil, err
	}
	if c.at != nil {
		return c.namespace.GraphAt(ctx, c.at, name)
	}
	if c.graphsExist {
		names, err := c.namespace.Graphs(ctx)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("graph %s: %w", name, engine.ErrNotFound)
		}
	}
	return c.namespace.Graph(ctx, name)
}

// Chunk is a chunk as the base graph holds it.
type Chunk struct {
	// Key is the chunk's key, the same in every graph.
	Key string
	// ID is its node in the base graph.
	ID         engine.NodeID
	Doc        string
	Start, End int
	Tokens     int
	Order      int
	Text       string
	// Opening is what a reader of the text wants before it if the chunk begins inside a table or
	// code: the header of the table, the lines that its first line is nested in; else "".
	Opening string
}

// chunkKey returns the key of the n-th chunk of a document.
func chunkKey(doc string, n int) string { return doc + "#" + strconv.Itoa(n) }

// DocOf returns the document's key in a chunk's key.
func DocOf(chunk string) string {
	if i := strings.LastIndexByte(chunk, '#'); i >= 0 {
		return chunk[:i]
	}
	return chunk
}

// Chunks yields the chunks of a set in order of id, which is the order in
// which they were added.
func (c *Corpus) Chunks(v *engine.View, set text.ChunkSet) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if err := Readable(v); err != nil {
			yield(Chunk{}, err)
			return
		}
		t, ok := v.NodeType(ChunkType(set))
		if !ok {
			return
		}
		ids, err := v.Nodes(t)
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		for ch, err := range ChunksAt(v, idsOf(ids)) {
			if !yield(ch, err) || err != nil {
				return
			}
		}
	}
}

// ChunksAt yields the chunks that are some nodes, which exist, in their order.
func ChunksAt(v *engine.View, ids []engine.NodeID) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for batch := range slices.Chunk(ids, chunkBatch) {
			nodes := make([]engine.Node, len(batch))
			err := v.EachNode(batch, func(i int, n engine.Node) error { nodes[i] = n; return nil })
			for i, n := range nodes {
				var ch Chunk
				if err == nil && n.ID != batch[i] {
					err = engine.ErrNotFound
				}
				if err == nil {
					ch, err = ChunkWithText(v, n)
				}
				if !yield(ch, err) || err != nil {
					return
				}
			}
		}
	}
}

// chunkBatch is how many chunks are read together.
const chunkBatch = 128

func idsOf(set *roaring.Bitmap) []engine.NodeID {
	out := make([]engine.NodeID, 0, set.GetCardinality())
	for it := set.Iterator(); it.HasNext(); {
		out = append(out, engine.NodeID(it.Next()))
	}
	return out
}

// WithSiblings returns some chunks of a set and all others of their documents, ascending.
func WithSiblings(v *engine.View, set text.ChunkSet, chunks []engine.NodeID) ([]engine.NodeID, error) {
	t, ok := v.NodeType(ChunkType(set))
	has, linked := v.EdgeType(edgeHas)
	if !ok || !linked {
		return chunks, nil
	}
	all, err := v.Nodes(t)
	if err != nil || all.GetCardinality() == uint64(len(chunks)) {
		return chunks, err
	}
	docs := roaring.New()
	for _, id := range chunks {
		of, err := v.NeighborSet(id, engine.EdgeFilter{Types: []engine.EdgeType{has}, Direction: engine.In})
		if err != nil {
			return nil, err
		}
		docs.Or(of)
	}
	out := roaring.New()
	for it := docs.Iterator(); it.HasNext(); {
		of, err := v.NeighborSet(engine.NodeID(it.Next()), engine.EdgeFilter{Types: []engine.EdgeType{has}})
		if err != nil {
			return nil, err
		}
		out.Or(of)
	}
	out.And(all)
	return idsOf(out), nil
}

// CountChunks returns the number of chunks of a set.
func (c *Corpus) CountChunks(v *engine.View, set text.ChunkSet) (int, error) {
	if err := Readable(v); err != nil {
		return 0, err
	}
	t, ok := v.NodeType(ChunkType(set))
	if !ok {
		return 0, nil
	}
	ids, err := v.Nodes(t)
	if err != nil {
		return 0, err
	}
	return int(ids.GetCardinality()), nil
}

// Chunk reads a chunk of the base graph.
func (c *Corpus) Chunk(v engine.Reader, id engine.NodeID) (Chunk, error) {
	if err := Readable(v); err != nil {
		return Chunk{}, err
	}
	n, err := v.Node(id)
	if err != nil {
		return Chunk{}, err
	}
	return ChunkWithText(v, n)
}

// ChunkWithText reads a chunk's node, and its text if that is long.
func ChunkWithText(v engine.Reader, n engine.Node) (ch Chunk, err error) {
	s := n.Prop(PropText)
	ch = ChunkOf(n)
	ch.Text = s.AsString()
	if s.Kind() == engine.KindText {
		ch.Text, err = v.Text(n.ID, PropText)
	}
	return ch, err
}

// ChunkOf reads a chunk's node, without the text.
func ChunkOf(n engine.Node) Chunk {
	return Chunk{
		Key: n.Key, ID: n.ID, Doc: DocOf(n.Key),
		Start: int(n.Prop(propStart).AsInt()), End: int(n.Prop(propEnd).AsInt()),
		Tokens: int(n.Prop(propTokens).AsInt()), Order: int(n.Prop(propOrder).AsInt()),
		Opening: n.Prop(propOpening).AsString(),
	}
}

// ChunkByKey reads a chunk of a set by its key.
func (c *Corpus) ChunkByKey(v engine.Reader, set text.ChunkSet, key string) (Chunk, error) {
	if err := Readable(v); err != nil {
		return Chunk{}, err
	}
	t, ok := v.NodeType(ChunkType(set))
	if !ok {
		return Chunk{}, fmt.Errorf("chunk %s: %w", key, engine.ErrNotFound)
	}
	id, err := v.Lookup(t, key)
	if err != nil {
		return Chunk{}, err
	}
	return c.Chunk(v, id)
}

// ChunkNode returns a chunk's node in the base graph.
func (c *Corpus) ChunkNode(v engine.Reader, set text.ChunkSet, key string) (engine.NodeID, error) {
	if err := Readable(v); err != nil {
		return 0, err
	}
	t, ok := v.NodeType(ChunkType(set))
	if !ok {
		return 0, fmt.Errorf("chunk %s: %w", key, engine.ErrNotFound)
	}
	return v.Lookup(t, key)
}

// ChunkType returns the name of the node type of a set's chunks.
func ChunkType(set text.ChunkSet) string { return "chunk:" + set.String() }

// TextField returns the name of the field of a set's postings.
func TextField(set text.ChunkSet) string { return "text:" + set.String() }

// pathField returns the name of the field of what a set's chunks stand under: the name
// of the file, the title and the headings.
func pathField(set text.ChunkSet) string { return "path:" + set.String() }

// ChunkSpace returns the name of the vector space of a set's chunks for a
// model.
func ChunkSpace(set text.ChunkSet, model string) string {
	return "chunk:" + set.String() + "@" + model
}

// IsMissing reports whether something is not there.
func IsMissing(err error) bool { return errors.Is(err, engine.ErrNotFound) }

// ChunkNodeType is the node type that stands for the chunks in a method's
// graph; their keys are the chunks' keys.
const ChunkNodeType = "chunk"

// Graphs opens all graphs of the namespace.
func (c *Corpus) Graphs(ctx context.Context) ([]*engine.Graph, error) {
	names, err := c.namespace.Graphs(ctx)
	if err != nil {
		return nil, err
	}
	graphs := make([]*engine.Graph, len(names))
	for i, name := range names {
		if graphs[i], err = c.Graph(ctx, name); err != nil {
			return nil, err
		}
	}
	return graphs, nil
}
