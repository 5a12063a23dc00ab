package baseline

import (
	"cmp"
	"context"
	"math"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// hippoRAG ranks chunks by a random walk from the question's entities (Gutierrez
// et al., 2024, sections 2.3 and 2.4).
type hippoRAG struct {
	*openIE
	damping float64
	steps   int
}

// walkSteps are the steps of walks that go on until nothing changes: at a
// damping of 0.5 a millionth is left by then.
const walkSteps = 20

// maxWalked bounds the entities that a walk hands on: those after them have next
// to nothing to give to chunks.
const maxWalked = 1000

func openHippoRAG(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
	g := newOpenIE(c, "hipporag", params)
	s := &hippoRAG{openIE: g, damping: g.r.Float("damping", 0.5, 0, 0.99)}
	return g.open(ctx, s.plan)
}

// plan is [method.System.Plan].
func (s *hippoRAG) plan(ctx context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	linked, err := s.link(ctx, m, q, spaceName)
	if err != nil {
		return nil, err
	}
	seeds := &query.Reweigh{
		In: linked, By: s.specific("1/chunks", func(query.Item) float64 { return 1 }), Source: "node specificity, section 2.4",
	}
	walk := &query.PPR{
		In: seeds, Graph: s.g, Types: []string{edgeRelation, edgeSynonym}, Alpha: restart(s.damping), Steps: walkSteps,
		K: maxWalked, InMemory: true, Source: "PPR, section 2.3",
	}
	return s.chunkPlan(q, s.spread(walk, edgeMentions, "n P, section 2.3"), s.near(m, q)), nil
}

// chunkPlan packs chunks and, to fill the budget, those of near after them: they
// are all there is if nothing of the question is in the graph.
func (s *openIE) chunkPlan(q method.Question, chunks, near query.Op) *method.Plan {
	return &method.Plan{Sections: []method.Section{{Name: "text", Pack: &query.Pack{
		In: s.filled(chunks, near), Name: "text", Budget: q.Tokens(), Render: s.render, Cut: s.c.CutText,
	}}}}
}

// near ranks the chunks of the graph by the question's vector.
func (s *openIE) near(m *method.Models, q method.Question) query.Op {
	return s.here(nearest(s.c, s.ChunkSet(), m, q.Text))
}

func (s *openIE) filled(chunks, near query.Op) query.Op {
	if !s.fill {
		return chunks
	}
	return &query.Union{In: []query.Op{chunks, near}, Combine: query.First}
}

// restart is the probability that a walk with a damping begins again,
// without the noise of a difference.
func restart(damping float64) float64 { return math.Round((1-damping)*1e9) / 1e9 }

// link finds for each thing that the question is about the entity nearest to
// its name.
func (s *openIE) link(ctx context.Context, m *method.Models, q method.Question, space string) (query.Op, error) {
	names, err := elements(ctx, m, q)
	if err != nil {
		return nil, err
	}
	out := &query.Union{Combine: query.Max, Source: "query entities, nearest node each"}
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = text.Key(name)
	}
	read, err := s.c.ReadAs(ctx, keys)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		if read[i] != keys[i] || space == spaceName {
			name = cmp.Or(read[i], name) // as the names are embedded
		}
		out.In = append(out.In, &query.VectorSearch{
			Graph: s.g, Space: spaceOf(space, m.QuestionSpace().Model), Text: name, K: 1,
		})
	}
	return out, nil
}

// elements asks a model which things the question is about.
func elements(ctx context.Context, m *method.Models, q method.Question) ([]string, error) {
	var out llm.Elements
	err := ask(ctx, m, q, llm.QueryElements, &out)
	return out.Entities, err
}

// ask asks a model something of a question, whose reply is JSON.
func ask(ctx context.Context, m *method.Models, q method.Question, kind llm.Kind, out any) error {
	return m.DoJSON(ctx, "question", nil, llm.Task{Kind: kind, Lang: q.Lang, Input: llm.QuestionInput{Question: q.Text}}, out)
}
