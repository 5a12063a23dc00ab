package archrag

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
)

// extractStage reads entities and relations from all chunks (spec A2.1).
// Chunks of one document are read together, up to Unit tokens, in their order.
// What was found is contributed by the chunks in which it stands.
type extractStage struct {
	s *System
	// met are the units that Items has yielded, without their texts.
	met map[string][]rag.Chunk
}

// Name implements [rag.Stage].
func (st *extractStage) Name() string { return "extract" }

// Graph implements [rag.Stage].
func (st *extractStage) Graph() *engine.Graph { return st.s.g }

// Items implements [rag.Stage]: an item a unit, of the key of its first chunk.
func (st *extractStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[rag.WorkItem, error] {
	return func(yield func(rag.WorkItem, error) bool) {
		st.met = map[string][]rag.Chunk{}
		var unit []rag.Chunk
		var parts []string
		tokens := 0
		end := func() bool {
			if len(unit) == 0 {
				return true
			}
			w := rag.WorkItem{Key: unit[0].Key, Digest: rag.Digest(append([]string{"extract"}, parts...)...)}
			st.met[w.Key] = unit
			unit, parts, tokens = nil, nil, 0
			return yield(w, nil)
		}
		for ch, err := range st.s.c.Chunks(s.Graph(st.s.c.Base).WithContext(ctx), st.s.p.Chunks) {
			if err != nil {
				yield(rag.WorkItem{}, err)
				return
			}
			if len(unit) > 0 && (unit[0].Doc != ch.Doc || tokens+ch.Tokens > st.s.p.Unit) && !end() {
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

// found is an extraction with the chunks that it concerns.
type found struct {
	Keys   []string `json:"keys"`
	Tokens []int    `json:"tokens"`
	Texts  []string `json:"texts"`
	llm.Extraction
}

// Do implements [rag.Stage].
func (st *extractStage) Do(ctx context.Context, s *engine.Snapshot, m *rag.Models, w rag.WorkItem) ([]byte, error) {
	base := s.Graph(st.s.c.Base).WithContext(ctx)
	unit := st.met[w.Key]
	if len(unit) == 0 {
		return nil, fmt.Errorf("%s: %w", w.Key, engine.ErrNotFound)
	}
	var f found
	for _, part := range unit {
		ch, err := st.s.c.Chunk(base, part.ID)
		if err != nil {
			return nil, err
		}
		f.Keys, f.Tokens, f.Texts = append(f.Keys, ch.Key), append(f.Tokens, ch.Tokens), append(f.Texts, ch.Text)
	}
	doc, err := st.s.c.Document(base, unit[0].Doc)
	if err != nil {
		return nil, err
	}
	in := llm.ExtractInput{Text: strings.Join(f.Texts, "\n"), Title: doc.Title}
	ask := func(kind llm.Kind, in any) (x llm.Extraction, err error) {
		reply, err := m.Do(ctx, st.s.Item(w), []string{unit[0].Doc}, llm.Task{Kind: kind, Lang: doc.Lang, Input: in})
		if err != nil {
			return x, err
		}
		if err := json.Unmarshal([]byte(reply.Text), &x); err != nil {
			return x, &llm.ReplyError{Kind: kind, Raw: reply.Text, Why: err.Error()}
		}
		return x, nil
	}
	if f.Extraction, err = ask(llm.Extract, in); err != nil {
		return nil, err
	}
	for range st.s.p.Glean {
		more, err := ask(llm.Glean, llm.GleanInput{ExtractInput: in, Found: f.Extraction})
		if err != nil {
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

// Apply implements [rag.Stage].
func (st *extractStage) Apply(_ context.Context, tx *engine.Tx, _ rag.WorkItem, result []byte) error {
	var f found
	if err := json.Unmarshal(result, &f); err != nil {
		return err
	}
	w := &writer{v: tx.Graph(st.s.g), ids: map[string]engine.NodeID{}}
	if err := w.open(); err != nil {
		return err
	}
	for i, key := range f.Keys {
		if err := w.chunk(key, f.Tokens[i]); err != nil {
			return err
		}
	}
	a := newAssigner(f.Texts)
	for _, s := range a.entities(f.Extraction) {
		if err := w.entity(s); err != nil {
			return err
		}
	}
	for _, s := range a.relations(f.Extraction) {
		if err := w.relation(s); err != nil {
			return err
		}
	}
	return nil
}

// writer writes what was found in a unit.
type writer struct {
	v      *engine.TxView
	chunks []engine.NodeID
	ids    map[string]engine.NodeID // entities by key

	chunkType, entityType, relationType engine.TypeID
	edge                                engine.EdgeType
}

func (w *writer) open() (err error) {
	for _, t := range []struct {
		to   *engine.TypeID
		name string
	}{{&w.chunkType, rag.ChunkNodeType}, {&w.entityType, typeEntity}, {&w.relationType, typeRelation}} {
		if *t.to, err = w.v.MakeNodeType(t.name); err != nil {
			return err
		}
	}
	w.edge, err = w.v.MakeEdgeType(edgeRelation, false)
	return err
}

// chunk enters a chunk; what an earlier reading found in it does not count any
// more.
func (w *writer) chunk(key string, tokens int) error {
	id, created, err := w.v.PutNode(w.chunkType, key, engine.Props{propTokens: engine.Int(int64(tokens))})
	if err != nil {
		return err
	}
	w.chunks = append(w.chunks, id)
	if created {
		return nil
	}
	if err := forgetChunk(w.v, id); err != nil {
		return err
	}
	_, err = w.v.Withdraw(id)
	return err
}

func (w *writer) derive(key string) (engine.NodeID, error) {
	if id, ok := w.ids[key]; ok {
		return id, nil
	}
	id, _, err := w.v.DeriveNode(w.entityType, key)
	w.ids[key] = id
	return id, err
}

func (w *writer) entity(s said) error {
	id, err := w.derive(s.target)
	if err != nil {
		return err
	}
	return w.v.Contribute(w.chunks[s.part], engine.NodeTarget(id), s.Contribution)
}

// relation writes what a chunk says of a relation: how strong it is, to the
// edge; what it is, to the relation's node. An end that nothing is said of
// becomes an entity too.
func (w *writer) relation(s said) error {
	from, to, _ := strings.Cut(s.target, "|")
	x, err := w.derive(from)
	if err != nil {
		return err
	}
	y, err := w.derive(to)
	if err != nil {
		return err
	}
	chunk := w.chunks[s.part]
	edge := engine.Contribution{Weight: s.Weight, Count: s.Count}
	if err := w.v.Contribute(chunk, engine.EdgeTarget(x, y, w.edge), edge); err != nil {
		return err
	}
	node, _, err := w.v.DeriveNode(w.relationType, s.target)
	if err != nil {
		return err
	}
	return w.v.Contribute(chunk, engine.NodeTarget(node), engine.Contribution{Count: s.Count, Texts: s.Texts})
}
