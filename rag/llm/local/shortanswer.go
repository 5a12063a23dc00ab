package local

import (
	"context"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local/internal/extractive"
)

// shortAnswer implements the kind short-answer: the best sentence of an answer,
// without its citation. It does not choose among options.
func (p *Provider) shortAnswer(ctx context.Context, in llm.ShortAnswerInput, limit int) (reply string, read []string, err error) {
	for _, e := range in.Evidence {
		read = append(read, e.Text)
	}
	read = append(read, in.Question)
	sel, err := extractive.Select(ctx, selectable(in.Question, in.Evidence, 1))
	if err != nil {
		return "", nil, err
	}
	if len(sel.Sentences) == 0 {
		return "", nil, llm.ErrNoEvidence
	}
	reply = sel.Sentences[len(sel.Sentences)-1].Text
	if limit > 0 {
		reply = p.cut(reply, limit)
	}
	return reply, read, nil
}
