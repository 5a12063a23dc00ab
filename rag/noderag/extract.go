package noderag

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// extractStage takes chunks apart into units, entities and relationships (spec
// A.2.3, A.2.4 and A.2.8): T, S, N and R with the edges among them. A chunk is
// the source of all that was read in it.
type extractStage struct {
	s *system
	knowledge.Reader
}

func (s *system) extract() *extractStage {
	return &extractStage{s, knowledge.Reader{Corpus: s.c, System: &s.Identity, Profile: s.p.Profile}}
}

// Name implements [method.Stage].
func (st *extractStage) Name() string { return "decompose" }

// Do implements [method.Stage]: what each chunk of a text is taken apart to.
func (st *extractStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	if p := m.Provider(); st.s.p.Own && p != nil && p.Can(llm.Decompose) {
		return st.own(ctx, s, m, w)
	}
	r, err := st.Read(ctx, s, m, w)
	if err != nil {
		return nil, err
	}
	f := r.Finder()
	var out []decomposed
	for i, key := range r.Keys {
		x := f.Part(i, r.Extraction)
		if x.Relations, err = st.repaired(ctx, m, w, r, i, x); err != nil {
			return nil, err
		}
		d := decompose(r.Texts[i], r.Tokens[i], x).as(r.Aliases)
		d.Chunk = key
		out = append(out, d)
	}
	return json.Marshal(out)
}

// malformed reports whether a relation is not of two entities: an end has no
// word, or holds a comma and is none of the entities, as if a relation was
// cut at the comma of a name.
func malformed(r llm.Relation, known map[string]bool) bool {
	for _, end := range []string{r.Source, r.Target} {
		key := text.Key(end)
		if key == "" || strings.Contains(end, ",") && !known[key] {
			return true
		}
	}
	return false
}

// repaired returns the relations of a text, the malformed ones as a model
// repaired them. One beyond repair is left out.
func (st *extractStage) repaired(ctx context.Context, m *method.Models, w method.WorkItem, reading *knowledge.Reading, part int, x llm.Extraction) ([]llm.Relation, error) {
	known := map[string]bool{}
	var names []string
	for _, e := range x.Entities {
		known[text.Key(e.Name)] = true
		names = append(names, e.Name)
	}
	out := make([]llm.Relation, 0, len(x.Relations))
	for _, r := range x.Relations {
		if !malformed(r, known) {
			out = append(out, r)
			continue
		}
		reply, err := m.Do(ctx, st.s.Item(w), []string{method.DocOf(reading.Keys[part])}, llm.Task{
			Kind: llm.RepairRelation, Lang: reading.Lang,
			Input: llm.RepairInput{Text: reading.Texts[part], Relation: r.Source + ", " + r.Description + ", " + r.Target, Entities: names},
		})
		var bad *llm.ReplyError
		if errors.As(err, &bad) {
			continue
		}
		if err != nil {
			return nil, err
		}
		fixed := llm.Relation{}
		if err := json.Unmarshal([]byte(reply.Text), &fixed); err != nil || text.Key(fixed.Source) == "" || text.Key(fixed.Target) == "" {
			continue
		}
		fixed.Sentence, fixed.Strength = r.Sentence, r.Strength
		out = append(out, fixed)
	}
	return out, nil
}

// Apply implements [method.Stage].
func (st *extractStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var chunks []decomposed
	if err := json.Unmarshal(result, &chunks); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	for _, d := range chunks {
		if err := st.s.enter(v, d); err != nil {
			return err
		}
	}
	return nil
}

// enter writes what a chunk says, in place of what an earlier reading found in it.
func (s *system) enter(v *engine.TxView, d decomposed) error {
	b, err := s.newBuilder(v)
	if err != nil {
		return err
	}
	var created bool
	if b.chunk, created, err = v.PutNode(b.text, d.Chunk, engine.Props{schema.PropTokens: engine.Int(int64(d.Tokens))}); err != nil {
		return err
	}
	if !created {
		if err := s.dropSummaries(v, b.chunk); err != nil {
			return err
		}
		if _, err := v.Withdraw(b.chunk); err != nil {
			return err
		}
	}
	return b.build(d)
}

// builder writes what one chunk says.
type builder struct {
	s *system
	v *engine.TxView

	text, unit, entity, relationship  engine.TypeID
	source, mentions, states, relates engine.EdgeType
	chunk                             engine.NodeID
	entities, relationships           map[string]engine.NodeID
}

func (s *system) newBuilder(v *engine.TxView) (*builder, error) {
	b := &builder{s: s, v: v, entities: map[string]engine.NodeID{}, relationships: map[string]engine.NodeID{}}
	for _, t := range []struct {
		name string
		id   *engine.TypeID
	}{{schema.Text, &b.text}, {schema.Unit, &b.unit}, {schema.Entity, &b.entity}, {schema.Relationship, &b.relationship}} {
		var err error
		if *t.id, err = v.MakeNodeType(t.name); err != nil {
			return nil, err
		}
	}
	for _, t := range []struct {
		name string
		id   *engine.EdgeType
	}{{schema.Source, &b.source}, {schema.Mentions, &b.mentions}, {schema.States, &b.states}, {schema.Relates, &b.relates}} {
		if t.name == schema.States && !s.p.UnitRelations {
			continue
		}
		var err error
		if *t.id, err = v.MakeEdgeType(t.name, false); err != nil {
			return nil, err
		}
	}
	return b, schema.MakeNames(v)
}

func (b *builder) build(d decomposed) error {
	for _, e := range d.Entities {
		id, created, err := b.v.DeriveNode(b.entity, e.Key)
		if err != nil {
			return err
		}
		if created {
			if err := schema.PutName(b.v, id, e.Key); err != nil {
				return err
			}
		}
		b.entities[e.Key] = id
		if err := b.say(engine.NodeTarget(id), engine.Contribution{Count: uint32(e.Count), Label: e.Label}); err != nil {
			return err
		}
	}
	for _, r := range d.Relations {
		id, _, err := b.v.DeriveNode(b.relationship, r.Key)
		if err != nil {
			return err
		}
		b.relationships[r.Key] = id
		if err := b.say(engine.NodeTarget(id), engine.Contribution{Count: 1, Texts: r.Texts}); err != nil {
			return err
		}
		// The first time the pair is seen counts: 1, and a relation of an
		// entity with itself 2.
		weight := float32(1)
		if r.From == r.To {
			weight = 2
		}
		for _, end := range []string{r.From, r.To} {
			if err := b.v.AddEdge(id, b.entities[end], b.relates, weight); err != nil {
				return err
			}
		}
	}
	return b.units(d.Units)
}

// units writes the units. One that stands in the chunk several times is one
// node, listed so many times.
func (b *builder) units(units []unit) error {
	times := map[string]int{}
	for _, u := range units {
		times[u.Text]++
	}
	for _, u := range units {
		n := times[u.Text]
		if n == 0 {
			continue // written
		}
		times[u.Text] = 0
		id, _, err := b.v.DeriveNode(b.unit, unitKey(u.Text))
		if err != nil {
			return err
		}
		if err := b.say(engine.NodeTarget(id), engine.Contribution{Count: uint32(n), Texts: []string{u.Text}}); err != nil {
			return err
		}
		if err := b.say(engine.EdgeTarget(id, b.chunk, b.source), engine.Contribution{Weight: 1, Count: 1}); err != nil {
			return err
		}
		for _, key := range u.Entities {
			t := engine.EdgeTarget(id, b.entities[key], b.mentions)
			if err := b.say(t, engine.Contribution{Weight: float32(n), Count: uint32(n)}); err != nil {
				return err
			}
		}
		if !b.s.p.UnitRelations {
			continue
		}
		for _, key := range u.Ends {
			t := engine.EdgeTarget(id, b.relationships[key], b.states)
			if err := b.say(t, engine.Contribution{Weight: float32(n), Count: uint32(n)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) say(t engine.Target, c engine.Contribution) error {
	return b.v.Contribute(b.chunk, t, c)
}
