package openai

import (
	"context"
	"errors"
	"io"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/internal/reasoning"
)

// maxStream bounds the text of a streamed answer, in bytes.
const maxStream = 16 << 20

// stream sends a request and gives its answer to onToken as it comes.
func (c *Chat) stream(ctx context.Context, req api.ChatCompletionRequest, in int, able ability, touch func(), onToken func(string) error) (a *answer, u llm.Usage, err error) {
	if !able.noStreamUsage {
		req.StreamOptions = &api.StreamOptions{IncludeUsage: true}
	}
	x := exchangeOf(ctx)
	s, err := c.c.api.CreateChatCompletionStream(ctx, req)
	if err != nil {
		return nil, llm.Usage{}, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var all, thoughts strings.Builder
	defer func() {
		u.Calls = 1
		if u.InTokens == 0 {
			u.InTokens = in
		}
		if u.OutTokens == 0 {
			u.OutTokens = c.c.o.Count(all.String()) + c.c.o.Count(thoughts.String())
		}
	}()
	var v reasoning.Visible
	safe := hider{secrets: c.c.secrets}
	give := func(text string) error {
		if text == "" {
			return nil
		}
		x.begun = true
		if err := onToken(text); err != nil {
			return finalError{err}
		}
		return nil
	}
	a = &answer{}
	for {
		resp, err := s.Recv()
		if errors.Is(err, io.EOF) && a.finish != "" {
			break
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err == nil && all.Len()+thoughts.Len() > maxStream {
			err = errors.New("the answer has no end")
		}
		if err != nil {
			return nil, u, err
		}
		touch()
		if resp.Usage != nil && resp.Usage.TotalTokens > 0 {
			u.InTokens, u.OutTokens = resp.Usage.PromptTokens, resp.Usage.CompletionTokens
		}
		if len(resp.Choices) == 0 {
			continue
		}
		choice := resp.Choices[0]
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
		thoughts.WriteString(choice.Delta.ReasoningContent)
		a.refusal += choice.Delta.Refusal
		piece := safe.write(choice.Delta.Content)
		all.WriteString(piece)
		if err := give(v.Write(piece)); err != nil {
			return nil, u, err
		}
	}
	last := safe.rest()
	all.WriteString(last)
	if err := give(v.Write(last)); err != nil {
		return nil, u, err
	}
	a.text, a.refusal = all.String(), c.c.secrets.hide(a.refusal)
	if err := give(v.Rest()); err != nil {
		return nil, u, err
	}
	a.begun = x.begun
	return a, u, nil
}
