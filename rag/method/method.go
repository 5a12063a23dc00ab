package method

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/llm"
)

// System is a retrieval method on a corpus: what it builds when documents are
// indexed, and the plan by which it answers. A method package makes one with its
// functions; what a method lacks is nil. A System is made for one corpus and is safe
// for concurrent use. It is not changed after it was made, but may be copied, to
// run another plan for example.
type System struct {
	// Identity has the name, the parameters, the chunk set and the graph.
	Identity
	// Unfinished says that no run which indexes the documents has come to its end yet:
	// answers are from what is there, and their evidence has a warning.
	Unfinished bool

	// Build returns the steps that index the corpus as it is, in order; work that is
	// done is skipped by them. It is nil if the method builds nothing.
	Build func(m *models.Models) []queue.Step
	// Changed prepares the removal of chunks from what the method built. It may
	// embed texts; the function it returns, if any, is run in the transaction that
	// removes the chunks. Steps that concern the whole corpus are left to the next
	// Build. It is nil if the engine's withdrawal of what chunks supported is all.
	Changed func(ctx context.Context, m *models.Models, gone []corpus.Chunk) (func(ctx context.Context, tx *engine.Tx) error, error)
	// Reread has the texts of some chunks read again by the next Build, in place of what
	// an earlier reading found in them, for names that are read as others now. If it is
	// nil the chunks leave the graph as those of a document that is removed, and the
	// next Build reads them as new ones.
	Reread func(tx *engine.Tx, chunks []corpus.Chunk) error
	// Recluster returns the system with stages that find the communities again, or
	// have a model make again what rules have made in its place. It is nil if the method has none.
	Recluster func() *System

	// Plan returns how the question is answered from the corpus. It may call a
	// model once. Every method has one.
	Plan func(ctx context.Context, m *models.Models, q Question) (*Plan, error)
	// Cite returns what tells the keys of the chunks that an item of the method's
	// graph rests on, the most telling first; it serves one goroutine. Chunks of
	// the base graph rest on themselves. It is nil if the method has no graph.
	Cite func(v *engine.View) func(it query.Item) ([]string, error)

	// Condense returns what the answer is to be made of, if that is not all of the
	// evidence at once. in holds the evidence, numbered; what is made of a piece
	// keeps its number, by which the answer cites the piece, and several may have
	// one number. A piece without text is one that the models cannot read. docs are
	// the documents that the evidence is from, for [models.Models.Do]. The error is
	// [llm.ErrNoEvidence] if the evidence does not speak of the question.
	Condense func(ctx context.Context, m *models.Models, q Question, in llm.AnswerInput, docs []string) (llm.AnswerInput, error)
	// Unaided returns what the answer is to be made of if the model answers from
	// what it knows, without evidence.
	Unaided func(question string) llm.AnswerInput

	// Advice says what would be good for an index that has drifted as documents
	// came and went. v reads the method's graph. It is nil if nothing drifts.
	Advice func(ctx context.Context, v *engine.View) ([]Advice, error)
	// Stats returns figures of the index beyond the counts of nodes and edges, in a
	// fixed order. v reads the method's graph. It may be nil.
	Stats func(ctx context.Context, v *engine.View) ([]Figure, error)
	// CommunityStats returns figures of the communities by the vectors of their
	// members, by level. v reads the method's graph. It may be nil.
	CommunityStats func(ctx context.Context, v *engine.View) ([]Figure, error)
}

// Label names the method in answers: its instance, or its name if it reads the index
// of another method. A nil system has no label.
func (s *System) Label() string {
	if s == nil {
		return ""
	}
	if name := s.Instance(); name == s.Name() || strings.HasPrefix(name, s.Name()+"#") {
		return name
	}
	return s.Name()
}

// Stages returns the steps that index the corpus, none if the method builds
// nothing.
func (s *System) Stages(m *models.Models) []queue.Step {
	if s.Build == nil {
		return nil
	}
	return s.Build(m)
}

// Question is what is asked, and how.
type Question struct {
	Text string
	// Budget is the number of tokens of context; 0 is DefaultBudget. [Question.Passages]
	// bounds the chunks in it.
	Budget int
	// Where filters documents by their metadata, key and format; nil lets all pass,
	// and cypher.ParseWhere parses one. An item, node or edge, is used only if
	// all its sources pass, or with WhereAny if any of them does. Such an item
	// also holds what its other sources say.
	Where    engine.Predicate
	WhereAny bool
	// Lang is the language that the answer should have, "" for the question's.
	Lang string
	// Top bounds the pieces of evidence; 0 bounds chunks alone.
	Top int
	// Style is the form of the answer that a chat model gives, one of [Styles]; "" is
	// that of the method's parameter style, whose default is short. Rules answer in
	// sentences of the documents, whatever the style.
	Style string
	// Stream receives the answer as it comes, with its final markers. It
	// may be nil. An error of it ends the answer.
	Stream func(text string) error
}

// DefaultBudget is the number of tokens of the context if a question gives none.
// docs/evaluation.md has what more tokens find.
const DefaultBudget = 4000

// Passages returns how many pieces of evidence are chunks at most: 20 within the default
// budget or less, 0, which is no bound, within more.
func (q *Question) Passages() int {
	if q.Tokens() > DefaultBudget {
		return 0
	}
	return 20
}

// Tokens returns the question's budget.
func (q *Question) Tokens() int {
	if q.Budget == 0 {
		return DefaultBudget
	}
	return q.Budget
}

// Plan is a method's retrieval for one question.
type Plan struct {
	// Sections are the parts of the context in the order in which the model
	// sees them; each is packed.
	Sections []Section
}

// Section is a part of a context.
type Section struct {
	Name string
	Pack query.Op
}

// Reranked returns the plan in which the reranker of the models orders what each
// section packs; without one that is the plan.
func (p *Plan) Reranked(m *models.Models, question string) *Plan {
	if p == nil || m.All().Reranker == nil {
		return p
	}
	// All sections are rewritten at once, so that what they share stays one.
	all := m.Reranked(p.Op(), question).Inputs()
	out := &Plan{}
	for i, s := range p.Sections {
		out.Sections = append(out.Sections, Section{Name: s.Name, Pack: all[i]})
	}
	return out
}

// Op returns the plan as one operator.
func (p *Plan) Op() query.Op {
	if p == nil {
		p = &Plan{}
	}
	s := &query.Sections{}
	for _, sec := range p.Sections {
		s.In = append(s.In, sec.Pack)
	}
	return s
}

// Methods makes systems by name. The zero value knows none; package methods
// returns one that knows all of ragdb's.
type Methods map[string]func(ctx context.Context, c *corpus.Corpus, params map[string]string) (*System, error)

// Names returns the names in order.
func (m Methods) Names() []string { return slices.Sorted(maps.Keys(m)) }

// Open makes the system of a spec on a corpus.
func (m Methods) Open(ctx context.Context, c *corpus.Corpus, spec Spec) (*System, error) {
	if err := c.Ready(); err != nil {
		return nil, err
	}
	open := m[spec.Name]
	if open == nil {
		return nil, m.Known(spec.Name)
	}
	return open(ctx, c, spec.Params)
}

// Known is nil for a method's name, else an [ErrMethod] that says which there are.
func (m Methods) Known(name string) error {
	if m[name] == nil {
		return phase.Errorf("%w %q: there are %s", ErrMethod, name, strings.Join(m.Names(), ", "))
	}
	return nil
}
