// Package unit reads the entities and relations of a corpus from units: chunks
// of one document that follow each other, which a model reads as one text.
package unit

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// Reader is a [method.Stage] but for Apply, which gets what was found in a unit as
// the JSON of [Found].
type Reader struct {
	Corpus *method.Corpus
	System *method.Identity
	// Tokens is the number of tokens up to which chunks are one unit.
	Tokens int
	// Glean is how often a unit is read again for what was missed.
	Glean int

	// met are the units that Items has yielded, without their texts.
	met map[string][]method.Chunk
}

// Found is what was found in a unit, with the chunks that it concerns.
type Found struct {
	Keys   []string `json:"keys"`
	Tokens []int    `json:"tokens"`
	Texts  []string `json:"texts"`
	llm.Extraction
}

// Name implements [method.Stage].
func (r *Reader) Name() string { return "extract" }

// Graph implements [method.Stage].
func (r *Reader) Graph() *engine.Graph { return r.System.Graph() }

// Items implements [method.Stage]: an item a unit, of the key of its first chunk.
func (r *Reader) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		r.met = map[string][]method.Chunk{}
		var unit []method.Chunk
		var parts []string
		tokens := 0
		end := func() bool {
			if len(unit) == 0 {
				return true
			}
			w := method.WorkItem{Key: unit[0].Key, Digest: method.Digest(append([]string{"extract"}, parts...)...)}
			r.met[w.Key] = unit
			unit, parts, tokens = nil, nil, 0
			return yield(w, nil)
		}
		for ch, err := range r.Corpus.Chunks(s.Graph(r.Corpus.Base()).WithContext(ctx), r.System.ChunkSet()) {
			if err != nil {
				yield(method.WorkItem{}, err)
				return
			}
			if len(unit) > 0 && (unit[0].Doc != ch.Doc || tokens+ch.Tokens > r.Tokens) && !end() {
				return
			}
			parts = append(parts, ch.Key, ch.Text)
			tokens += ch.Tokens
			ch.Text = ""
			unit = append(unit, ch)
		}
		end()
	}
}

// Do implements [method.Stage]: it reads a unit that Items has yielded.
func (r *Reader) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	base := s.Graph(r.Corpus.Base()).WithContext(ctx)
	unit := r.met[w.Key]
	if len(unit) == 0 {
		return nil, fmt.Errorf("%s: %w", w.Key, engine.ErrNotFound)
	}
	var f Found
	for _, part := range unit {
		ch, err := r.Corpus.Chunk(base, part.ID)
		if err != nil {
			return nil, err
		}
		f.Keys, f.Tokens, f.Texts = append(f.Keys, ch.Key), append(f.Tokens, ch.Tokens), append(f.Texts, ch.Text)
	}
	doc, err := r.Corpus.Document(base, unit[0].Doc)
	if err != nil {
		return nil, err
	}
	item, docs := r.System.Item(w), []string{doc.Key}
	in := llm.ExtractInput{Text: strings.Join(f.Texts, "\n"), Title: doc.Title}
	if err := m.DoJSON(ctx, item, docs, llm.Task{Kind: llm.Extract, Lang: doc.Lang, Input: in}, &f.Extraction); err != nil {
		return nil, err
	}
	for range r.Glean {
		var more llm.Extraction
		t := llm.Task{Kind: llm.Glean, Lang: doc.Lang, Input: llm.GleanInput{ExtractInput: in, Found: f.Extraction}}
		if err := m.DoJSON(ctx, item, docs, t, &more); err != nil {
			return nil, err
		}
		if len(more.Entities)+len(more.Relations) == 0 {
			break // a further reading would be asked the same
		}
		f.Entities = append(f.Entities, more.Entities...)
		f.Relations = append(f.Relations, more.Relations...)
	}
	return json.Marshal(f)
}
