package archrag

import (
	"context"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// condense is [method.System.Condense]: adaptive filtering (spec A3; paper
// section 3.3). The evidence is read in parts of FilterTokens, communities
// apart from the rest, and of each the points are picked that help to answer
// the question, with scores. The answer is made of the best of them, up to
// FilterTokens.
func (s *system) condense(ctx context.Context, m *method.Models, q method.Question, in llm.AnswerInput, docs []string) (llm.AnswerInput, error) {
	if s.p.Answer == "direct" {
		return in, nil
	}
	parts := s.parts(in.Evidence)
	if s.p.CoT {
		own, err := m.Do(ctx, "ask", nil, llm.Task{Kind: llm.HypotheticalPassage, Input: llm.QuestionInput{Question: q.Text}, Lang: q.Lang})
		if err != nil {
			return in, err
		}
		parts = append([][]llm.Evidence{{{Section: "own knowledge", Text: own.Text}}}, parts...)
	}
	return method.FilterPoints(ctx, s.c, m, q, parts, docs, s.p.FilterTokens)
}

// parts divides evidence for the map step.
func (s *system) parts(evidence []llm.Evidence) [][]llm.Evidence {
	var out [][]llm.Evidence
	tokens := 0
	for _, e := range evidence {
		if e.Text == "" {
			continue
		}
		k, n := s.c.Tokens().Count(e.Text), len(out)
		apart := n > 0 && (e.Section == "communities") != (out[n-1][0].Section == "communities")
		if n == 0 || apart || tokens+k > s.p.FilterTokens {
			out, tokens, n = append(out, nil), 0, n+1
		}
		out[n-1] = append(out[n-1], e)
		tokens += k
	}
	return out
}
