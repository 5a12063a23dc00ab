package service

import (
	"context"
	"strings"

	"github.com/ragdb/ragdb/rag/llm"
)

// mostTurns is how many turns of a conversation are looked at, the last ones.
const mostTurns = 6

// PrepareTurn is [Corpus.Prepare] for the last question of a conversation, which is made
// whole first: by the chat model of the corpus, or by rules without one.
func (c *Corpus) PrepareTurn(ctx context.Context, r Request, turns []llm.Turn) (*Asking, error) {
	k, err := c.Prepare(ctx, r)
	if err != nil || len(turns) == 0 {
		return k, err
	}
	if !k.Models.Provider().Can(llm.WholeQuestion) {
		return k, nil
	}
	turns = turns[max(0, len(turns)-mostTurns):]
	reply, err := k.Models.In("question").Do(ctx, "ask", nil, llm.Task{Kind: llm.WholeQuestion, Input: llm.FollowUpInput{Turns: turns, Question: k.Question.Text}, Lang: r.Lang})
	if err != nil {
		return nil, err
	}
	if whole := strings.TrimSpace(reply.Text); whole != "" {
		k.Question.Text = whole
	}
	return k, nil
}
