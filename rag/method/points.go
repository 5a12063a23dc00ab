package method

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/llm"
)

// pointWorkers bounds the parts of the evidence that are read at once.
const pointWorkers = 8

// FilterPoints is the map and the reduce of a [System.Condense]. Of each part of the
// evidence a model picks the points that help to answer the question, with
// scores; in returns with the best of those over 0 for evidence, up to the first
// that does not fit a number of tokens. docs are those that the evidence is
// from. The error is [llm.ErrNoEvidence] if there are none.
func FilterPoints(ctx context.Context, c *corpus.Corpus, m *models.Models, q Question, parts [][]llm.Evidence, docs []string, tokens int) (in llm.AnswerInput, err error) {
	if err := c.Ready(); err != nil {
		return in, err
	}
	in.Question = q.Text
	found := make([]llm.Points, len(parts))
	g, mapping := errgroup.WithContext(ctx)
	g.SetLimit(pointWorkers)
	for i, part := range parts {
		g.Go(func() error {
			t := llm.Task{Kind: llm.FilterPoints, Lang: q.Lang, Input: llm.AnswerInput{Question: q.Text, Evidence: part}}
			err := m.DoJSON(mapping, "ask", docs, t, &found[i])
			if errors.Is(err, llm.ErrNoEvidence) {
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return in, err
	}
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
	for _, p := range points {
		if tokens -= c.Tokens().Count(p.Description); tokens < 0 {
			break
		}
		in.Evidence = append(in.Evidence, llm.Evidence{N: p.N, Section: "points", Text: p.Description})
	}
	if len(in.Evidence) == 0 {
		return in, llm.ErrNoEvidence
	}
	return in, nil
}
