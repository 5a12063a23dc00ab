package baseline

import (
	"context"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/text"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/method"
)

// openIE is the graph of what chunks say, which HippoRAG, HippoRAG 2,
// FastGraphRAG and LightRAG walk each in its way. It holds
//
//	chunk     one for each chunk of its set; the key is the chunk's
//	entity    what chunks name; derived, the key is text.Key
//	relation  what is said of two entities; derived, the key is from|to
//
//	mentions  chunk - entity, the weight how often it is named
//	states    chunk - relation
//	end       relation - entity
//	relation  entity - entity, the weight the sum of the mentions
//	synonym   entity - entity, the weight the cosine of their names
//
// and vectors of the entities' names, of their names and descriptions, and of
// relations. Chunks are the sources of all that is derived.
type openIE struct {
	method.Identity
	c *method.Corpus
	g *engine.Graph
	r *method.ParamReader

	profile   knowledge.Profile
	threshold float64 // of synonyms
	fill      bool    // what is left with the chunks nearest to the question
}

// The names in the graph.
const (
	typeEntity   = knowledge.TypeEntity
	typeRelation = knowledge.TypeRelation

	edgeMentions = knowledge.EdgeMentions
	edgeStates   = knowledge.EdgeStates
	edgeEnd      = knowledge.EdgeEnd
	edgeRelation = knowledge.EdgeRelation
	edgeSynonym  = "synonym"

	propTokens = knowledge.PropTokens
)

// The kinds of vectors.
const (
	spaceName     = "name"     // entity: its name
	spaceEntity   = "entity"   // entity: name and description
	spaceRelation = "relation" // relation: its ends and what is said of them
)

func spaceOf(kind, model string) string { return kind + "@" + model }

// newOpenIE reads the parameters that all methods of the graph have. The method
// reads its own, then opens the graph.
func newOpenIE(c *method.Corpus, name string, given map[string]string) *openIE {
	r := method.ReadParams(name, given, nil)
	s := &openIE{c: c, r: r, profile: knowledge.ReadProfile(r), threshold: r.Float("synonyms", 0.8, 0, 1)}
	r.Indexed()
	s.fill = r.Flag("fill", true)
	return s
}

// planner makes the plan of a question: [method.System.Plan].
type planner = func(ctx context.Context, m *method.Models, q method.Question) (*method.Plan, error)

// open opens the graph, which is HippoRAG's for all of these methods, and returns
// the method with its plan.
func (s *openIE) open(ctx context.Context, plan planner) (*method.System, error) {
	id, err := method.NewIdentity(ctx, s.c, s.r, "hipporag")
	if err != nil {
		return nil, err
	}
	s.Identity, s.g = id, id.Graph()
	return &method.System{Identity: id, Build: s.stages, Changed: knowledge.Changed(s.g, graph.ForgetLast), Plan: plan, Cite: graph.Citing{}.Cite}, nil
}

// stages is [method.System.Build].
func (s *openIE) stages(m *method.Models) []method.Step {
	model := m.DocumentSpace()
	extract := &knowledge.Extract{
		Reader: knowledge.Reader{Corpus: s.c, System: &s.Identity, Profile: s.profile},
		Layer:  knowledge.Layer{RelationNodes: true, Mentions: true},
	}
	synonyms := &synonymStage{Stage: graph.NewStage("synonyms", s.g), s: s, model: model}
	return []method.Step{
		extract.Step(),
		s.embed(spaceName, model).Step(),
		{Stage: synonyms, Growth: synonyms.growth()},
		s.embed(spaceEntity, model).Step(),
		s.embed(spaceRelation, model).Step(),
	}
}

// maxDescription bounds in tokens what is told of one entity or relation: the
// first texts that fit, one at least.
const maxDescription = 500

// describe returns what an entity or relation is called, and all that is said
// of it, in an order that does not depend on what came first.
func (s *openIE) describe(v engine.Reader, n engine.Node) (name, description string, err error) {
	said, err := knowledge.Read(v, engine.NodeTarget(n.ID))
	if err != nil {
		return "", "", err
	}
	description = strings.Join(s.firstTexts(said.Texts), " ")
	if name = said.Name; name == "" {
		name = strings.Replace(n.Key, "|", " – ", 1)
	}
	return name, description, nil
}

// firstTexts returns the first texts that have maxDescription tokens together,
// one at least. A token has a byte or more: what is short enough in bytes is not
// counted.
func (s *openIE) firstTexts(texts []string) []string {
	if len(texts) < 2 {
		return texts
	}
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	left := maxDescription
	for i, text := range texts {
		if size <= left {
			break
		}
		if left -= s.c.Tokens().Count(text); left < 0 && i > 0 {
			return texts[:i]
		}
		size -= len(text)
	}
	return texts
}

// render is a chunk's text, read through to the base graph, or an entity or
// relation as a row of a table.
func (s *openIE) render(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	v := e.Snap.Graph(s.g).WithContext(ctx)
	n, err := e.Node(ctx, s.g, it.ID)
	if err != nil {
		return "", 0, err
	}
	if v.NodeTypeName(n.Type) == method.ChunkNodeType {
		return s.c.TextOf(ctx, e.Snap, s.ChunkSet(), n.Key)
	}
	name, description, err := s.describe(v, n)
	return name + "|" + text.OneLine(description), 0, err
}
