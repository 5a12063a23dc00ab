package baseline

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/mention"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/text"
)

// extractStage reads entities and relations from each chunk, and enters the
// chunk with them into the graph.
type extractStage struct{ s *openIE }

// Name implements [method.Stage].
func (st *extractStage) Name() string { return "extract" }

// Graph implements [method.Stage].
func (st *extractStage) Graph() *engine.Graph { return st.s.g }

// Items implements [method.Stage]: the chunks of the set.
func (st *extractStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		for ch, err := range st.s.c.Chunks(s.Graph(st.s.c.Base()).WithContext(ctx), st.s.ChunkSet()) {
			if !yield(method.WorkItem{Key: ch.Key, Digest: method.Digest("extract", ch.Text)}, err) || err != nil {
				return
			}
		}
	}
}

// found is what was read in a chunk.
type found struct {
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
	llm.Extraction
}

// Do implements [method.Stage].
func (st *extractStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	base := s.Graph(st.s.c.Base()).WithContext(ctx)
	ch, err := st.s.c.ChunkByKey(base, st.s.ChunkSet(), w.Key)
	if err != nil {
		return nil, err
	}
	doc, err := st.s.c.Document(base, ch.Doc)
	if err != nil {
		return nil, err
	}
	t := llm.Task{Kind: llm.Extract, Lang: doc.Lang, Input: llm.ExtractInput{Text: ch.Text, Title: doc.Title}}
	f := found{Text: ch.Text, Tokens: ch.Tokens}
	if err := m.DoJSON(ctx, st.s.Item(w), []string{ch.Doc}, t, &f.Extraction); err != nil {
		return nil, err
	}
	return json.Marshal(f)
}

// Apply implements [method.Stage].
func (st *extractStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	var f found
	if err := json.Unmarshal(result, &f); err != nil {
		return err
	}
	e := &entry{v: tx.Graph(st.s.g)}
	if err := e.open(w.Key, f.Tokens); err != nil {
		return err
	}
	entities, relations := f.united()
	ids := map[string]engine.NodeID{}
	for _, key := range slices.Sorted(maps.Keys(entities)) {
		id, err := e.say(e.entity, key, *entities[key], e.mentions)
		if err != nil {
			return err
		}
		ids[key] = id
	}
	for _, key := range slices.Sorted(maps.Keys(relations)) {
		r := relations[key]
		id, err := e.say(e.relation, key, r.Contribution, e.states)
		if err != nil {
			return err
		}
		from, to := ids[r.from], ids[r.to]
		for _, end := range []engine.NodeID{from, to} {
			if err := e.v.AddEdge(id, end, e.end, 1); err != nil {
				return err
			}
		}
		edge := engine.Contribution{Weight: r.Weight, Count: r.Count}
		if err := e.v.Contribute(e.chunk, engine.EdgeTarget(from, to, e.related), edge); err != nil {
			return err
		}
	}
	return nil
}

// saidOf is what a chunk says of two entities.
type saidOf struct {
	from, to string
	engine.Contribution
}

// united returns what the chunk says of each entity and of each two that it
// relates, by key. The ends of relations are entities too.
func (f *found) united() (map[string]*engine.Contribution, map[string]*saidOf) {
	names := mention.New([]string{f.Text})
	entities := map[string]*engine.Contribution{}
	entity := func(name, description string) string {
		key := text.Key(name)
		if key == "" {
			return ""
		}
		c := entities[key]
		if c == nil {
			c = &engine.Contribution{Count: uint32(max(1, names.Count(0, key))), Label: name}
			entities[key] = c
		}
		if description != "" && !slices.Contains(c.Texts, description) {
			c.Texts = append(c.Texts, description)
		}
		return key
	}
	for _, e := range f.Entities {
		entity(e.Name, e.Description)
	}
	relations := map[string]*saidOf{}
	for _, r := range f.Relations {
		from, to := entity(r.Source, ""), entity(r.Target, "")
		if from == "" || to == "" || from == to {
			continue
		}
		if from > to {
			from, to = to, from
		}
		s := relations[from+"|"+to]
		if s == nil {
			s = &saidOf{from: from, to: to}
			relations[from+"|"+to] = s
		}
		s.Count++
		s.Weight += max(1, float32(r.Strength))
		if r.Description != "" && !slices.Contains(s.Texts, r.Description) {
			s.Texts = append(s.Texts, r.Description)
		}
	}
	return entities, relations
}

// entry enters a chunk with what it says.
type entry struct {
	v     *engine.TxView
	chunk engine.NodeID

	entity, relation               engine.TypeID
	mentions, states, end, related engine.EdgeType
}

// open makes the names and the chunk. What an earlier reading found in it does
// not count any more.
func (e *entry) open(key string, tokens int) (err error) {
	chunkType, err := e.v.MakeNodeType(method.ChunkNodeType)
	if err != nil {
		return err
	}
	if e.entity, err = e.v.MakeNodeType(typeEntity); err != nil {
		return err
	}
	if e.relation, err = e.v.MakeNodeType(typeRelation); err != nil {
		return err
	}
	for _, t := range []struct {
		to   *engine.EdgeType
		name string
	}{{&e.mentions, edgeMentions}, {&e.states, edgeStates}, {&e.end, edgeEnd}, {&e.related, edgeRelation}} {
		if *t.to, err = e.v.MakeEdgeType(t.name, false); err != nil {
			return err
		}
	}
	created := false
	if e.chunk, created, err = e.v.PutNode(chunkType, key, engine.Props{propTokens: engine.Int(int64(tokens))}); err != nil || created {
		return err
	}
	for _, t := range []struct {
		edge engine.EdgeType
		name string
	}{{e.mentions, edgeMentions}, {e.states, edgeStates}} {
		edges, err := joined(e.v, e.chunk, t.name)
		if err != nil {
			return err
		}
		for _, old := range edges {
			if err := e.v.RemoveEdge(e.chunk, old.Other(e.chunk), t.edge); err != nil {
				return err
			}
		}
	}
	_, err = e.v.Withdraw(e.chunk)
	return err
}

// say writes what the chunk says of an entity or relation, and joins the two.
func (e *entry) say(t engine.TypeID, key string, c engine.Contribution, by engine.EdgeType) (engine.NodeID, error) {
	id, _, err := e.v.DeriveNode(t, key)
	if err != nil {
		return 0, err
	}
	if err := e.v.Contribute(e.chunk, engine.NodeTarget(id), c); err != nil {
		return 0, err
	}
	return id, e.v.AddEdge(e.chunk, id, by, float32(c.Count))
}
