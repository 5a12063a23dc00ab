package local

import (
	"context"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/rag/llm"
)

// shortAnswer implements the kind short-answer: the first sentence of an
// answer, without its citation. It does not choose among options.
func (p *Provider) shortAnswer(ctx context.Context, in llm.ShortAnswerInput, limit int) (reply string, read []string, err error) {
	for _, e := range in.Evidence {
		read = append(read, e.Text)
	}
	read = append(read, in.Question)
	reply, err = p.answer(ctx, llm.AnswerInput{Question: in.Question, Evidence: in.Evidence, MaxSentences: 1}, limit)
	if err != nil {
		return "", nil, err
	}
	for _, e := range in.Evidence {
		if s, ok := strings.CutSuffix(reply, "["+strconv.Itoa(e.N)+"]"); ok {
			return strings.TrimSpace(s), read, nil
		}
	}
	return reply, read, nil
}
