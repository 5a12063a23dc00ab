package knowledge

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// Profile says how documents are read. Methods with equal profiles and chunk sets
// share what was read.
type Profile struct {
	// Tokens is the number of tokens up to which chunks of a document that follow
	// each other are read as one text.
	Tokens int
	// Glean is how often a text is read again for what was missed.
	Glean int
	// Types are the types of the entities that a model lists; none leaves them open.
	// Rules give no types and do not heed them.
	Types []string
}

// The profile's parameters, as all methods name them.
const (
	ParamTokens = "unit"
	ParamGlean  = "glean"
	ParamTypes  = "types"
)

// ReadProfile reads the parameters of a profile.
func ReadProfile(r *method.ParamReader) Profile {
	return Profile{Tokens: r.Int(ParamTokens, 1200, 1, 100_000), Glean: r.Int(ParamGlean, 0, 0, 10), Types: r.Words(ParamTypes)}
}

// Reader is a [method.Stage] but for Apply, which gets a [Reading] as JSON.
type Reader struct {
	Corpus *method.Corpus
	System *method.Identity
	Profile
	// Wanted reports whether a chunk is wanted, by its key and the method's graph. It is nil
	// if all are. If that changes, [queue.Reopen] tells the stage.
	Wanted func(v *engine.View, chunk string) (bool, error)
	// Core reads the wanted chunks alone, in place of the texts that hold them.
	Core bool

	texts   map[string]*chunks // those that Items has yielded, by item
	aliases corpus.Aliases     // when Items yielded them
	tagger  string             // too
}

// chunks are those of one text, without their own texts.
type chunks struct {
	list   []method.Chunk
	wanted []bool
	any    bool
}

// Reading is what was found in a text, with the chunks that it has.
type Reading struct {
	Keys   []string `json:"keys"`
	Tokens []int    `json:"tokens"`
	Texts  []string `json:"texts"`
	// Wanted tells which chunks are wanted; it is nil if all are.
	Wanted []bool `json:"wanted,omitempty"`
	// Lang is the language of the document, "" if it is not known.
	Lang string `json:"lang,omitempty"`
	// Aliases are the names in the text that are read as others, by key.
	Aliases map[string]Canonical `json:"aliases,omitempty"`
	llm.Extraction
}

// Parse reads what Do returns.
func Parse(result []byte) (*Reading, error) {
	r := &Reading{}
	if err := json.Unmarshal(result, r); err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	return r, nil
}

// Wants reports whether a chunk is wanted.
func (r *Reading) Wants(i int) bool { return r.Wanted == nil || r.Wanted[i] }

// Finder returns a finder in the texts of the chunks.
func (r *Reading) Finder() *Finder {
	f := NewFinder(r.Texts, r.Wanted)
	f.aliases = r.Aliases
	return f
}

// gap stands in a text if chunks between two of it are left out.
const gap = "\n[…]\n"

// Name implements [method.Stage].
func (r *Reader) Name() string { return "extract" }

// Graph implements [method.Stage].
func (r *Reader) Graph() *engine.Graph { return r.System.Graph() }

// itemOf names the work on the text that begins with a chunk.
func itemOf(chunk string) string { return "unit:" + chunk }

// Items implements [method.Stage]: an item for each text, with the key of its first
// chunk. Texts that were read beside another tagger are pending.
func (r *Reader) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return r.Growth().All(s.Graph(r.Corpus.Base()).WithContext(ctx))
}

// Growth says that the texts of a document depend on it alone, and on which of its chunks
// are wanted.
func (r *Reader) Growth() *queue.Growth {
	set := r.System.ChunkSet()
	return &queue.Growth{
		Graph: r.Corpus.Base(), Type: method.ChunkType(set), Together: true,
		Digest: method.Digest("extract", strconv.Itoa(r.Profile.Tokens)),
		Beside: func(v *engine.View) (string, error) { return models.TaggerOf(v) },
		Items: func(v *engine.View, ids []engine.NodeID) (out []method.WorkItem, err error) {
			if err := r.begin(v); err != nil {
				return nil, err
			}
			ids, err = corpus.WithSiblings(v, set, ids)
			if err != nil {
				return nil, err
			}
			for w, err := range r.cut(corpus.ChunksAt(v, ids), v.Snapshot().Graph(r.Graph())) {
				if err != nil {
					return nil, err
				}
				out = append(out, w)
			}
			return out, nil
		},
	}
}

// begin forgets the texts of an earlier run.
func (r *Reader) begin(base *engine.View) (err error) {
	r.texts = map[string]*chunks{}
	if r.aliases, err = r.Corpus.Aliases(base); err == nil {
		r.tagger, err = models.TaggerOf(base)
	}
	return err
}

// cut yields an item for each text that some chunks make; v is the method's graph.
func (r *Reader) cut(of iter.Seq2[method.Chunk, error], v *engine.View) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		begin := []string{"extract"}
		if r.tagger != "" {
			begin = append(begin, "tagger", r.tagger)
		}
		text := &chunks{}
		digest := slices.Clone(begin)
		tokens := 0
		end := func() bool {
			done := text
			w := method.WorkItem{Digest: method.Digest(digest...)}
			text, digest, tokens = &chunks{}, slices.Clone(begin), 0
			if !done.any {
				return true
			}
			w.Key, w.Node = itemOf(done.list[0].Key), done.list[0].ID
			r.texts[w.Key] = done
			return yield(w, nil)
		}
		for ch, err := range of {
			if err != nil {
				yield(method.WorkItem{}, err)
				return
			}
			want := true
			if r.Wanted != nil {
				if want, err = r.Wanted(v, ch.Key); err != nil {
					yield(method.WorkItem{}, err)
					return
				}
			}
			if r.Core && !want {
				continue
			}
			if n := len(text.list); n > 0 && (text.list[0].Doc != ch.Doc || tokens+ch.Tokens > r.Profile.Tokens) && !end() {
				return
			}
			digest = append(digest, ch.Key, ch.Text)
			if !want {
				digest = append(digest, "not wanted")
			}
			tokens += ch.Tokens
			ch.Text = ""
			text.list, text.wanted, text.any = append(text.list, ch), append(text.wanted, want), text.any || want
		}
		end()
	}
}

// Do implements [method.Stage]: it reads a text that Items has yielded.
func (r *Reader) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	f, err := r.Read(ctx, s, m, w)
	if err != nil {
		return nil, err
	}
	return json.Marshal(f)
}

// Open returns a text that Items has yielded, before a model has read it, and what a
// model is to read: all chunks, and the title of their document.
func (r *Reader) Open(ctx context.Context, s *engine.Snapshot, w method.WorkItem) (*Reading, llm.ExtractInput, error) {
	base := s.Graph(r.Corpus.Base()).WithContext(ctx)
	text := r.texts[w.Key]
	if text == nil {
		return nil, llm.ExtractInput{}, fmt.Errorf("%s: %w", w.Key, engine.ErrNotFound)
	}
	f := &Reading{}
	if r.Wanted != nil {
		f.Wanted = text.wanted
	}
	var body strings.Builder
	for i, part := range text.list {
		ch, err := r.Corpus.Chunk(base, part.ID)
		if err != nil {
			return nil, llm.ExtractInput{}, err
		}
		f.Keys, f.Tokens, f.Texts = append(f.Keys, ch.Key), append(f.Tokens, ch.Tokens), append(f.Texts, ch.Text)
		switch {
		case i == 0:
		case ch.Order == text.list[i-1].Order+1:
			body.WriteByte('\n')
		default:
			body.WriteString(gap)
		}
		body.WriteString(ch.Text)
	}
	doc, err := r.Corpus.Document(base, text.list[0].Doc)
	if err != nil {
		return nil, llm.ExtractInput{}, err
	}
	f.Lang = doc.Lang
	return f, llm.ExtractInput{Text: body.String(), Title: doc.Title, Types: r.Types}, nil
}

// Found sets what was found in a text, with the names in it that are read as others.
func (r *Reader) Found(f *Reading, x llm.Extraction) {
	f.Extraction, f.Aliases = x, canonical(r.aliases, x)
}

// Read is Do, and returns what was read.
func (r *Reader) Read(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) (*Reading, error) {
	f, in, err := r.Open(ctx, s, w)
	if err != nil {
		return nil, err
	}
	item, docs := r.System.Item(w), []string{method.DocOf(f.Keys[0])}
	if err := m.DoJSON(ctx, item, docs, llm.Task{Kind: llm.Extract, Lang: f.Lang, Input: in}, &f.Extraction); err != nil {
		return nil, err
	}
	for range r.Glean {
		var more llm.Extraction
		t := llm.Task{Kind: llm.Glean, Lang: f.Lang, Input: llm.GleanInput{ExtractInput: in, Found: f.Extraction}}
		if err := m.DoJSON(ctx, item, docs, t, &more); err != nil {
			return nil, err
		}
		if len(more.Entities)+len(more.Relations) == 0 {
			break // a further request would be the same
		}
		f.Entities = append(f.Entities, more.Entities...)
		f.Relations = append(f.Relations, more.Relations...)
		f.Units = append(f.Units, more.Units...)
	}
	r.Found(f, f.Extraction)
	return f, nil
}

// Extract is the [method.Stage] that reads all texts and writes what was found.
type Extract struct {
	Reader
	Layer
}

// Apply implements [method.Stage].
func (e *Extract) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	r, err := Parse(result)
	if err != nil {
		return err
	}
	v := tx.Graph(e.Graph())
	for _, key := range r.Keys[1:] { // one may have begun a text
		if err := method.ForgetJobs(v, itemOf(key)); err != nil {
			return err
		}
	}
	return e.Write(v, r)
}

// Step returns the stage as a step that looks at documents which came in.
func (e *Extract) Step() method.Step {
	step := method.Steps(e)[0]
	step.Growth = e.Growth()
	return step
}

// ForgetTexts removes the marks of the work on the texts that hold some chunks, which
// are not wanted any more.
func (r *Reader) ForgetTexts(tx *engine.Tx, keys []string) error {
	base, v := tx.Graph(r.Corpus.Base()), tx.Graph(r.Graph())
	known := map[string]map[string]string{} // by document, the first chunk of each chunk's text
	for _, key := range keys {
		doc := method.DocOf(key)
		if known[doc] == nil {
			var err error
			if known[doc], err = r.beginnings(base, doc); err != nil {
				return err
			}
		}
		for _, first := range []string{key, known[doc][key]} {
			if err := method.ForgetJobs(v, itemOf(first)); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginnings returns the first chunk of the text of each chunk of a document.
func (r *Reader) beginnings(base engine.Reader, key string) (map[string]string, error) {
	out := map[string]string{}
	doc, err := r.Corpus.Document(base, key)
	if graph.IsMissing(err) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	sets, err := r.Corpus.ChunksOf(base, doc)
	if err != nil {
		return nil, err
	}
	first, tokens := "", 0
	for _, ch := range sets[method.ChunkType(r.System.ChunkSet())] {
		if first == "" || tokens+ch.Tokens > r.Profile.Tokens {
			first, tokens = ch.Key, 0
		}
		out[ch.Key] = first
		tokens += ch.Tokens
	}
	return out, nil
}

// Changed returns a [method.System.Changed]: the marks of the work on the texts that
// begin with chunks which leave go, and take takes back what was made of what the
// nodes of these chunks in the graph say. What only they support goes with them.
func Changed(g *engine.Graph, take func(v *engine.TxView, chunks []engine.NodeID) error) func(context.Context, *method.Models, []method.Chunk) (func(context.Context, *engine.Tx) error, error) {
	return func(_ context.Context, _ *method.Models, gone []method.Chunk) (func(context.Context, *engine.Tx) error, error) {
		return func(_ context.Context, tx *engine.Tx) error {
			v := tx.Graph(g)
			if err := Forget(v, gone...); err != nil {
				return err
			}
			chunks, err := graph.Chunks(v, gone)
			if err != nil {
				return err
			}
			return take(v, chunks)
		}, nil
	}
}

// Forget removes the marks of the work on the texts that begin with some chunks,
// which leave. A text that a model could not read has a mark and no chunk.
func Forget(v *engine.TxView, chunks ...method.Chunk) error {
	for _, ch := range chunks {
		if err := method.ForgetJobs(v, itemOf(ch.Key)); err != nil {
			return err
		}
	}
	return nil
}
