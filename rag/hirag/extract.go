package hirag

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/text"
)

// extractStage reads entities and relations from all chunks (spec B.2.3 to 5).
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

// units returns the units of the corpus. Chunks come by document and place.
func (st *extractStage) units(ctx context.Context, s *engine.Snapshot) (out [][]rag.Chunk, digests [][32]byte, err error) {
	base := s.Graph(st.s.c.Base).WithContext(ctx)
	var parts []string
	tokens := 0
	end := func() {
		if len(parts) > 0 {
			digests = append(digests, rag.Digest(parts...))
		}
		parts, tokens = []string{"extract"}, 0
	}
	for ch, err := range st.s.c.Chunks(base, st.s.p.Chunks) {
		if err != nil {
			return nil, nil, err
		}
		n := len(out)
		if n == 0 || out[n-1][0].Doc != ch.Doc || tokens+ch.Tokens > st.s.p.Unit {
			end()
			out, n = append(out, nil), n+1
		}
		parts = append(parts, ch.Key, ch.Text)
		tokens += ch.Tokens
		ch.Text = ""
		out[n-1] = append(out[n-1], ch)
	}
	end()
	return out, digests, nil
}

// Items implements [rag.Stage]: an item a unit, of the key of its first chunk.
func (st *extractStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[rag.WorkItem, error] {
	return func(yield func(rag.WorkItem, error) bool) {
		units, digests, err := st.units(ctx, s)
		if err != nil {
			yield(rag.WorkItem{}, err)
			return
		}
		st.met = make(map[string][]rag.Chunk, len(units))
		for _, u := range units {
			st.met[u[0].Key] = u
		}
		for i, u := range units {
			if !yield(rag.WorkItem{Key: u[0].Key, Digest: digests[i]}, nil) {
				return
			}
		}
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
	use, docs := st.s.Item(w), []string{unit[0].Doc}
	f.Extraction, err = extraction(ctx, m, use, docs, llm.Task{Kind: llm.Extract, Lang: doc.Lang, Input: in})
	for range st.s.p.Glean {
		if err != nil {
			return nil, err
		}
		var more llm.Extraction
		more, err = extraction(ctx, m, use, docs, llm.Task{Kind: llm.Glean, Lang: doc.Lang, Input: llm.GleanInput{ExtractInput: in, Found: f.Extraction}})
		if len(more.Entities)+len(more.Relations) == 0 {
			break // a further reading would be asked the same
		}
		f.Entities = append(f.Entities, more.Entities...)
		f.Relations = append(f.Relations, more.Relations...)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(f)
}

// extraction asks for entities and relations.
func extraction(ctx context.Context, m *rag.Models, use string, docs []string, t llm.Task) (x llm.Extraction, err error) {
	reply, err := m.Do(ctx, use, docs, t)
	if err != nil {
		return x, err
	}
	if err := json.Unmarshal([]byte(reply.Text), &x); err != nil {
		return x, &llm.ReplyError{Kind: t.Kind, Raw: reply.Text, Why: err.Error()}
	}
	return x, nil
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
	return w.write(newAssigner(f.Texts), f.Extraction)
}

// writer writes what was found in a unit.
type writer struct {
	v      *engine.TxView
	chunks []engine.NodeID
	ids    map[string]engine.NodeID // entities by key

	chunkType, entity, kind engine.TypeID
	mentions, is, relation  engine.EdgeType
}

func (w *writer) open() error {
	types := []struct {
		to   *engine.TypeID
		name string
	}{{&w.chunkType, rag.ChunkNodeType}, {&w.entity, typeEntity}, {&w.kind, typeKind}}
	for _, t := range types {
		var err error
		if *t.to, err = w.v.MakeNodeType(t.name); err != nil {
			return err
		}
	}
	edges := []struct {
		to       *engine.EdgeType
		name     string
		directed bool
	}{{&w.mentions, edgeMentions, true}, {&w.is, edgeIs, true}, {&w.relation, edgeRelation, false}}
	for _, t := range edges {
		var err error
		if *t.to, err = w.v.MakeEdgeType(t.name, t.directed); err != nil {
			return err
		}
	}
	return nil
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
	before, err := contributed(w.v, id)
	if err != nil {
		return err
	}
	if _, err := w.v.Withdraw(id); err != nil {
		return err
	}
	named, err := follow(w.v, id, edgeMentions, engine.Out)
	if err != nil {
		return err
	}
	for _, e := range named {
		if err := w.v.RemoveEdge(id, e, w.mentions); err != nil {
			return err
		}
	}
	return forgetGone(w.v, before)
}

func (w *writer) derive(key string) (engine.NodeID, error) {
	if id, ok := w.ids[key]; ok {
		return id, nil
	}
	id, _, err := w.v.DeriveNode(w.entity, key)
	w.ids[key] = id
	return id, err
}

func (w *writer) write(a *assigner, x llm.Extraction) error {
	for _, s := range a.entities(x) {
		id, err := w.derive(s.target)
		if err != nil {
			return err
		}
		if err := w.v.Contribute(w.chunks[s.part], engine.NodeTarget(id), s.Contribution); err != nil {
			return err
		}
		if err := w.v.AddEdge(w.chunks[s.part], id, w.mentions, 1); err != nil {
			return err
		}
		for _, kind := range slices.Sorted(maps.Keys(s.kinds)) {
			k, _, err := w.v.DeriveNode(w.kind, kind)
			if err != nil {
				return err
			}
			vote := engine.Contribution{Weight: float32(s.kinds[kind]), Count: 1}
			if err := w.v.Contribute(w.chunks[s.part], engine.EdgeTarget(id, k, w.is), vote); err != nil {
				return err
			}
		}
	}
	for _, s := range a.relations(x) {
		from, to, _ := strings.Cut(s.target, "\x00")
		f, err := w.derive(from)
		if err != nil {
			return err
		}
		t, err := w.derive(to)
		if err != nil {
			return err
		}
		if err := w.v.Contribute(w.chunks[s.part], engine.EdgeTarget(f, t, w.relation), s.Contribution); err != nil {
			return err
		}
	}
	return nil
}

// kindOf returns the key of a kind, "" for none.
func kindOf(s string) string { return text.Key(s) }
