package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/internal/reasoning"
)

// chatReply is a reply or a part of one, with what is needed of it.
type chatReply struct {
	Object  string
	Choices list[choice]
	Usage   *tokens
	Groq    struct{ Usage *tokens } `json:"x_groq"`
	Error   json.RawMessage
	// Ollama's own form has a message beside its marks. Elsewhere it is what an error says.
	Message    json.RawMessage
	Done       *bool
	DoneReason string `json:"done_reason"`
	In         amount `json:"prompt_eval_count"`
	Out        amount `json:"eval_count"`
}

// choice is what a model says, or a part of it.
type choice struct {
	Message, Delta *message
	Text           string
	Finish         string `json:"finish_reason"`
	Error          json.RawMessage
}

// message is a model's message.
type message struct {
	Role             string
	Content          parts
	Refusal          string
	ReasoningContent string `json:"reasoning_content"`
	Reasoning        string
	Thinking         string
}

// says reports whether a choice has a text.
func (c *choice) says() bool {
	return c.Text != "" || c.Delta != nil && len(c.Delta.Content.text) > 0 || c.Message != nil && len(c.Message.Content.text) > 0
}

// broken reports whether a server says that it broke the reply off: OpenRouter,
// DeepSeek, Zhipu and vLLM.
func (c *choice) broken() bool {
	return has(strings.ToLower(c.Finish), "error", "insufficient_system_resource", "abort")
}

// ollama makes a choice of what Ollama's own form has.
func (r *chatReply) ollama() {
	m := &message{}
	if len(r.Choices) > 0 || len(r.Message) == 0 || r.Message[0] != '{' || decode(r.Message, m) != nil || r.Done == nil && m.Role == "" {
		return
	}
	r.Choices = list[choice]{{Message: m, Finish: r.DoneReason}}
}

// refused returns what stands in place of a reply, or at its broken end, nil if nothing
// does. An error beside a text that ended well is none.
func (r *chatReply) refused(data []byte) error {
	var c choice
	if len(r.Choices) > 0 {
		c = r.Choices[0]
	}
	if c.says() && !c.broken() {
		return nil
	}
	said := errorIn(c.Error)
	if said == nil && errorIn(r.Error) != nil {
		said = errorIn(data) // with the codes beside it
	}
	if said != nil {
		return said
	}
	if c.broken() {
		return fmt.Errorf("the server ended it with finish_reason %q", c.Finish)
	}
	return nil
}

// finishOf returns why a reply ended, in OpenAI's words where it is one of theirs.
func finishOf(s string) api.FinishReason {
	switch lower := strings.ToLower(s); {
	case lower == "null": // DashScope
		return ""
	case has(lower, "length", "max_tokens", "max_output_tokens"):
		return api.FinishReasonLength
	case has(lower, "content_filter", "safety", "recitation", "prohibited", "blocklist", "spii", "sensitive"):
		return api.FinishReasonContentFilter
	}
	return api.FinishReason(s)
}

// answer is what a model answered.
type answer struct {
	text    string
	refusal string
	finish  api.FinishReason
	begun   bool // a piece of it was given on
}

// explain says why a reply is of no use, if the answer tells more than its
// text.
func (a *answer) explain(e *llm.ReplyError, oneLine func(string) string) {
	switch {
	case a.refusal != "" && a.text == "":
		e.Raw, e.Why = a.refusal, "the model refuses to answer: "+oneLine(a.refusal)
	case a.finish == api.FinishReasonLength:
		e.Why = "it was cut off at the limit of its length; " + e.Why
	case a.finish == api.FinishReasonContentFilter:
		e.Why = "the server's filter removed it"
	case a.text == "" && a.finish != "" && a.finish != api.FinishReasonStop:
		e.Why += fmt.Sprintf(" (finish_reason %q)", oneLine(string(a.finish)))
	}
}

// receiver puts an answer together from the values of a reply. It does not matter
// whether a stream was asked for.
type receiver struct {
	safe    hider
	visible reasoning.Visible
	give    func(string) error // nil: the answer is not given on as it comes
	x       *exchange

	text, thoughts, refusal strings.Builder
	finish                  api.FinishReason
	in, out                 int  // tokens, as the server says
	values, begun, pieces   bool // there was JSON; there was a choice; text came in pieces
	done                    bool // nothing is missing
	said                    *refusal
}

// errBrokenOff is a stream that does not say that it ends.
var errBrokenOff = errors.New("it ended without a finish_reason or [DONE]")

// read reads a reply to its end.
func (r *receiver) read(body io.Reader) error {
	e := newEvents(body)
	for {
		data, bare, err := e.next()
		switch {
		case err != nil:
			return r.end(err, e)
		case data[0] != '{' && data[0] != '[':
			e.keep(data)
			continue
		case string(bytes.TrimSpace(data)) == "[DONE]":
			r.done = true
			return r.end(io.EOF, e)
		}
		r.values = true
		if err := r.take(data, bare); err != nil {
			if errors.As(err, &finalError{}) {
				return err
			}
			return r.end(err, e)
		}
		if r.give != nil {
			r.x.touch()
		}
	}
}

// end ends a reply, and returns what is wrong with it. Nothing is if a choice ended
// before the error.
func (r *receiver) end(err error, e *events) error {
	switch other := bytes.TrimSpace(e.other); {
	case r.begun && r.done:
		if err := r.add(r.safe.rest()); err != nil {
			return err
		}
		return r.show(r.visible.Rest())
	case err != io.EOF:
		return err
	case r.begun && len(other) > 0:
		return fmt.Errorf("%w: %s", errBrokenOff, words(string(other)))
	case r.begun:
		return errBrokenOff
	case r.said != nil:
		return r.said
	case !r.values:
		return noJSON(other)
	}
	return errors.New("there is no choice in it")
}

// take takes a value of the reply. A list holds values, as Google's streams without
// events and its errors do.
func (r *receiver) take(data []byte, bare bool) error {
	if data[0] == '[' {
		var all []json.RawMessage
		if err := decode(data, &all); err != nil {
			return fmt.Errorf("it is not JSON: %w", err)
		}
		for _, one := range all {
			if one[0] != '{' {
				continue
			}
			if err := r.take(one, bare); err != nil {
				return err
			}
		}
		return nil
	}
	var p chatReply
	if err := decode(data, &p); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	p.ollama()
	if err := p.refused(data); err != nil {
		return err
	}
	for _, u := range []*tokens{p.Usage, p.Groq.Usage, {Prompt: p.In, Completion: p.Out}} {
		if u != nil {
			r.in, r.out = cmp.Or(u.in(), r.in), cmp.Or(u.out(), r.out)
		}
	}
	if len(p.Choices) == 0 {
		// Words are an error if they name a status, or if no choice comes.
		if said := errorIn(data); said != nil && said.status != 0 {
			return said
		} else if said != nil {
			r.said = said
		}
		return nil
	}
	c := p.Choices[0]
	whole := c.Delta == nil && (c.Message != nil || c.Text != "") && (p.Done == nil || *p.Done) && (bare || p.Object == "chat.completion")
	r.begun = true
	if finish := finishOf(c.Finish); finish != "" {
		r.finish, r.done = finish, true
	}
	r.done = r.done || whole || p.Done != nil && *p.Done
	text := c.Text
	for _, m := range []*message{c.Delta, c.Message} {
		// Perplexity puts all that was said so far beside what is new.
		if m == nil || m == c.Message && r.pieces {
			continue
		}
		text += string(m.Content.text)
		r.pieces = r.pieces || m == c.Delta && len(m.Content.text) > 0
		r.refusal.WriteString(m.Refusal + string(m.Content.refusal))
		r.thoughts.WriteString(cmp.Or(m.ReasoningContent, m.Reasoning, m.Thinking, string(m.Content.thoughts)))
	}
	if r.text.Len()+r.thoughts.Len()+r.refusal.Len()+len(text) > maxReply {
		return errors.New("the answer has no end")
	}
	return r.add(r.safe.write(text))
}

// add adds a text without keys.
func (r *receiver) add(text string) error {
	r.text.WriteString(text)
	return r.show(r.visible.Write(text))
}

// show gives a text on.
func (r *receiver) show(text string) error {
	if text == "" || r.give == nil {
		return nil
	}
	r.x.begun = true
	if err := r.give(text); err != nil {
		return finalError{err}
	}
	return nil
}

// answer returns what was received.
func (r *receiver) answer() *answer {
	return &answer{text: r.text.String(), refusal: r.safe.hide(r.refusal.String()), finish: r.finish, begun: r.x.begun}
}
