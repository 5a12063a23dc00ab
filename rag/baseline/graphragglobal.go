package baseline

import (
	"context"

	"github.com/ragdb/ragdb/rag/hirag"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// graphRAGGlobal answers from the reports on all communities, whatever the
// question: a model picks points of them, part by part, and the answer is made
// of the best (Edge et al., "From Local to Global: A Graph RAG Approach to
// Query-Focused Summarization", 2024, section 3.1.6).
//
// Its graph is that of HiRAG without the hierarchy: entities, relations, and
// communities by hierarchical Leiden with their reports.
type graphRAGGlobal struct {
	c              *method.Corpus
	reports        *hirag.Reports
	level, batches int
}

func openGraphRAGGlobal(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
	r := method.ReadParams("graphrag-global", params, nil)
	s := &graphRAGGlobal{c: c, level: r.Int("level", 2, 0, 50), batches: r.Int("batches", 1, 1, 1000)}
	if err := r.Err(); err != nil {
		return nil, err
	}
	sys, reports, err := hirag.OpenReports(ctx, c, map[string]string{"hiindex": "off", "lag": "0", "chunks": r.ChunkSet().String()})
	if err != nil {
		return nil, err
	}
	s.reports = reports
	sys.Identity = sys.As("graphrag-global", r.All)
	sys.Plan, sys.Condense = s.plan, s.condense
	return sys, nil
}

// plan is [method.System.Plan].
func (s *graphRAGGlobal) plan(_ context.Context, _ *method.Models, q method.Question) (*method.Plan, error) {
	pack := s.reports.Pack(s.level, s.batches*q.Tokens())
	pack.Source = "community reports, level C2"
	return &method.Plan{Sections: []method.Section{{Name: "reports", Pack: pack}}}, nil
}

// condense is [method.System.Condense]: the reports are read in parts of the
// question's budget.
func (s *graphRAGGlobal) condense(ctx context.Context, m *method.Models, q method.Question, in llm.AnswerInput, docs []string) (llm.AnswerInput, error) {
	var parts [][]llm.Evidence
	tokens := 0
	for _, e := range in.Evidence {
		if e.Text == "" {
			continue
		}
		n := s.c.Tokens().Count(e.Text)
		if n > q.Tokens() {
			e.Text = s.c.CutText(e.Text, q.Tokens())
			n = s.c.Tokens().Count(e.Text)
		}
		if len(parts) == 0 || tokens+n > q.Tokens() {
			parts, tokens = append(parts, nil), 0
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], e)
		tokens += n
	}
	return method.FilterPoints(ctx, s.c, m, q, parts, docs, q.Tokens())
}
