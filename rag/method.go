package rag

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/text"
)

// System is a retrieval method on a corpus: what it builds when documents are
// indexed, and the plan by which it answers. A System is made for one corpus
// and is safe for concurrent use once it is.
type System interface {
	// Name is the method's name, such as ketrag.
	Name() string
	// Instance names the method with its index-time parameters where they are
	// not the defaults: it is the name of the graph that it builds, or the
	// method's name where it builds none. Methods that read the same graph have
	// one instance, of the method whose graph it is.
	Instance() string
	// Params are the method's parameters with the defaults filled in, for
	// people and manifests.
	Params() map[string]string
	// ChunkSet is the chunk set that the method retrieves.
	ChunkSet() text.ChunkSet
	// Graph is the graph that the method builds, nil where it builds none.
	Graph() *engine.Graph
	// Stages are the steps that index the corpus as it is, in order; done work
	// is skipped by them.
	Stages(m *Models) []Stage
	// Changed prepares the removal of chunks from what the method built. It
	// may embed texts; the function it returns is run in the transaction that
	// removes the chunks. Steps that concern the whole corpus are left to the
	// next Stages.
	Changed(ctx context.Context, m *Models, gone []Chunk) (func(ctx context.Context, tx *engine.Tx) error, error)
	// Plan returns how the question is answered from the corpus. It may call a
	// model once.
	Plan(ctx context.Context, m *Models, q Question) (*Plan, error)
	// Cite returns the keys of the chunks that an item of the method's graph
	// rests on, the most telling first. It is not asked of chunks of the base
	// graph, which rest on themselves.
	Cite(v *engine.View, it query.Item) ([]string, error)
}

// Label names a method where it answers: its instance, or its name where it
// reads the index of another method.
func Label(s System) string {
	if isNil(s) {
		return ""
	}
	if name := s.Instance(); name == s.Name() || strings.HasPrefix(name, s.Name()+"#") {
		return name
	}
	return s.Name()
}

// Citer is implemented by systems that cite the items of a plan together: what
// they rest on is read once where it is the same.
type Citer interface {
	System
	// Citer returns Cite for items of one view, which is for one goroutine.
	Citer(v *engine.View) func(it query.Item) ([]string, error)
}

// Question is what is asked, and how.
type Question struct {
	Text string
	// Budget is the number of tokens of context; 0 is DefaultBudget.
	Budget int
	// Where filters documents by metadata: an item, node or edge, is used only
	// if all its sources pass, or any where WhereAny is set. Such an item is
	// used as it is, with what its refused sources say too.
	Where    engine.Predicate
	WhereAny bool
	// Lang is the language that the answer should have, "" for the question's.
	Lang string
	// Adjust is given the method's plan and returns the one to run; nil runs the
	// method's. It is how a caller looks at a plan, or shortens it: wrapping a
	// System would hide what else it implements.
	Adjust func(*Plan) *Plan
	// Stream receives the answer as it comes, with its final markers; nil is
	// nobody. An error of it ends the answer.
	Stream func(text string) error
}

// DefaultBudget is the context's number of tokens where none is given: that of
// the KET-RAG paper.
const DefaultBudget = 12000

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
type Methods map[string]func(ctx context.Context, c *Corpus, params map[string]string) (System, error)

// Names returns the names in order.
func (m Methods) Names() []string { return slices.Sorted(maps.Keys(m)) }

// Open makes the system of a spec on a corpus.
func (m Methods) Open(ctx context.Context, c *Corpus, spec Spec) (System, error) {
	if err := c.ready(); err != nil {
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
		return fmt.Errorf("rag: %w %q: there are %s", ErrMethod, name, strings.Join(m.Names(), ", "))
	}
	return nil
}
