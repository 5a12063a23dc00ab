package archrag

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
)

var _ rag.Answerer = (*System)(nil)

// mapWorkers bounds the parts of the evidence that are read at once.
const mapWorkers = 8

// Condense implements [rag.Answerer]: adaptive filtering (spec A3; paper
// section 3.3). The evidence is read in parts of FilterTokens, communities
// apart from the rest, and of each the points are picked that help to answer
// the question, with scores. The answer is made of the best of them, up to
// FilterTokens.
func (s *System) Condense(ctx context.Context, m *rag.Models, q rag.Question, in llm.AnswerInput, docs []string) (llm.AnswerInput, error) {
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
	found := make([]llm.Points, len(parts))
	g, mapping := errgroup.WithContext(ctx)
	g.SetLimit(mapWorkers)
	for i, part := range parts {
		g.Go(func() error {
			t := llm.Task{Kind: llm.FilterPoints, Lang: q.Lang, Input: llm.AnswerInput{Question: q.Text, Evidence: part}}
			reply, err := m.Do(mapping, "ask", docs, t)
			if errors.Is(err, llm.ErrNoEvidence) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(reply.Text), &found[i]); err != nil {
				return &llm.ReplyError{Kind: t.Kind, Raw: reply.Text, Why: err.Error()}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return in, err
	}
	return s.reduced(in, parts, found)
}

// parts divides evidence for the map step.
func (s *System) parts(evidence []llm.Evidence) [][]llm.Evidence {
	var out [][]llm.Evidence
	tokens := 0
	for _, e := range evidence {
		if e.Text == "" {
			continue
		}
		k, n := s.c.Tokens.Count(e.Text), len(out)
		apart := n > 0 && (e.Section == "communities") != (out[n-1][0].Section == "communities")
		if n == 0 || apart || tokens+k > s.p.FilterTokens {
			out, tokens, n = append(out, nil), 0, n+1
		}
		out[n-1] = append(out[n-1], e)
		tokens += k
	}
	return out
}

// reduced returns the points with scores above 0, the best first, up to the
// first that does not fit.
func (s *System) reduced(in llm.AnswerInput, parts [][]llm.Evidence, found []llm.Points) (llm.AnswerInput, error) {
	var points []llm.Point
	for i, f := range found {
		for _, p := range f.Points {
			if len(parts[i]) == 1 {
				p.N = parts[i][0].N // there is nothing else that it could be from
			}
			if p.Score > 0 {
				points = append(points, p)
			}
		}
	}
	slices.SortStableFunc(points, func(a, b llm.Point) int { return cmp.Compare(b.Score, a.Score) })
	in.Evidence = nil
	left := s.p.FilterTokens
	for _, p := range points {
		if left -= s.c.Tokens.Count(p.Description); left < 0 {
			break
		}
		in.Evidence = append(in.Evidence, llm.Evidence{N: p.N, Section: "points", Text: p.Description})
	}
	if len(in.Evidence) == 0 {
		return in, llm.ErrNoEvidence
	}
	return in, nil
}
