package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
)

type chatIn struct {
	// Model is NAMESPACE/METHOD.
	Model string `json:"model" schema:"minlen=1,maxlen=500"`
	// Messages are the conversation; the last of the user is the question.
	Messages []chatMessage `json:"messages" schema:"minitems=1,maxitems=1000"`
	// Stream sends the answer piece by piece.
	Stream        bool `json:"stream,omitempty"`
	StreamOptions struct {
		// IncludeUsage adds a last piece with what the answer used.
		IncludeUsage bool `json:"include_usage,omitempty"`
	} `json:"stream_options,omitzero"`
}

type chatMessage struct {
	Role string `json:"role" schema:"enum=system|developer|user|assistant|tool|function"`
	// Content is a text, or a list of parts of which those of type text are read.
	Content json.RawMessage `json:"content,omitempty"`
}

// text returns the text of a message.
func (m *chatMessage) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	_ = json.Unmarshal(m.Content, &parts) // what has another form has no text
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" || p.Type == "input_text" || p.Type == "output_text" {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// ChatCompletion is an answer as OpenAI's clients read it.
type ChatCompletion struct {
	ID      string       `json:"id"`
	Object  string       `json:"object" schema:"enum=chat.completion"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []ChatChoice `json:"choices"`
	Usage   TokenUsage   `json:"usage"`
}

// ChatChoice is the one answer.
type ChatChoice struct {
	Index        int         `json:"index"`
	Message      ChatMessage `json:"message"`
	FinishReason string      `json:"finish_reason" schema:"enum=stop"`
}

// ChatMessage is the answer with its sources.
type ChatMessage struct {
	Role        string       `json:"role"`
	Content     string       `json:"content"`
	Annotations []Annotation `json:"annotations"`
}

// Annotation names the source of a marker of the answer.
type Annotation struct {
	Type     string   `json:"type" schema:"enum=url_citation"`
	Citation Citation `json:"url_citation"`
}

// Citation is where a source is, and where the answer names it: characters from the
// beginning, the end not included.
type Citation struct {
	URL        string `json:"url"`
	Title      string `json:"title"`
	StartIndex int    `json:"start_index"`
	EndIndex   int    `json:"end_index"`
}

// chunk is a piece of an answer that is streamed.
type chatChunk struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"`
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []chunkChoice `json:"choices"`
	Usage   *TokenUsage   `json:"usage,omitempty"`
}

type chunkChoice struct {
	Index        int        `json:"index"`
	Delta        chunkDelta `json:"delta"`
	FinishReason *string    `json:"finish_reason"`
}

type chunkDelta struct {
	Role        string       `json:"role,omitempty"`
	Content     string       `json:"content,omitempty"`
	Annotations []Annotation `json:"annotations,omitempty"`
}

// conversation returns the question and the turns before it.
func (in *chatIn) conversation() (question string, turns []llm.Turn, err error) {
	for i := range in.Messages {
		text := strings.TrimSpace(in.Messages[i].text())
		switch in.Messages[i].Role {
		case "user":
			turns = append(turns, llm.Turn{Question: text})
		case "assistant":
			if n := len(turns); n > 0 {
				answer, _, _ := strings.Cut(text, footerHead)
				turns[n-1].Answer = strings.TrimSpace(answer)
			}
		}
	}
	if len(turns) == 0 || turns[len(turns)-1].Question == "" {
		return "", nil, &service.Error{Code: "usage", Message: "the conversation has no question of the user"}
	}
	last := len(turns) - 1
	return turns[last].Question, turns[:last], nil
}

func (c *call) chat(ctx context.Context, in *chatIn) (*ChatCompletion, error) {
	at, corpus, methodName, err := c.model(ctx, in.Model)
	if err != nil {
		return nil, err
	}
	question, turns, err := in.conversation()
	if err != nil {
		return nil, err
	}
	record(ctx).text = question
	k, err := corpus.PrepareTurn(ctx, service.Request{Question: question, Method: methodName}, turns)
	if err != nil {
		return nil, err
	}
	out := &ChatCompletion{ID: "chatcmpl-" + random(12), Object: "chat.completion", Created: time.Now().Unix(), Model: in.Model}
	if in.Stream {
		return nil, c.streamChat(ctx, in, out, at, k)
	}
	r, err := k.Reply(ctx, service.ReplyOptions{})
	if err != nil {
		return nil, err
	}
	content := said(r.Answer)
	notes := c.annotations(at, content, r.Answer)
	out.Choices = []ChatChoice{{Message: ChatMessage{Role: "assistant", Content: content + footer(r.Answer), Annotations: notes}, FinishReason: "stop"}}
	out.Usage = used(k, r, content)
	return out, nil
}

// streamChat sends an answer piece by piece.
func (c *call) streamChat(ctx context.Context, in *chatIn, out *ChatCompletion, at corpusPath, k *service.Asking) error {
	leave, err := c.stream(eventStream)
	if err != nil {
		return err
	}
	defer leave()
	send := func(v any) error {
		b, err := service.Encode(v)
		if err != nil {
			return err
		}
		return c.send([]byte("data: " + string(b) + "\n\n"))
	}
	piece := func(d chunkDelta, reason *string) error {
		return send(chatChunk{ID: out.ID, Object: "chat.completion.chunk", Created: out.Created, Model: out.Model, Choices: []chunkChoice{{Delta: d, FinishReason: reason}}})
	}
	if err := piece(chunkDelta{Role: "assistant"}, nil); err != nil {
		return streamed(err)
	}
	came := false
	k.Question.Stream = func(text string) error {
		came = true
		return piece(chunkDelta{Content: text}, nil)
	}
	r, err := k.Reply(ctx, service.ReplyOptions{})
	if err != nil {
		p := problemOf(err)
		record(ctx).failed(p, err)
		return streamed(send(p.forOpenAI()))
	}
	content := said(r.Answer)
	rest := footer(r.Answer)
	if !came || !r.Answer.Answered {
		rest = content + rest
	}
	stop := "stop"
	err = piece(chunkDelta{Content: rest, Annotations: c.annotations(at, content, r.Answer)}, nil)
	if err == nil {
		err = piece(chunkDelta{}, &stop)
	}
	if err == nil && in.StreamOptions.IncludeUsage {
		usage := used(k, r, content)
		err = send(chatChunk{ID: out.ID, Object: "chat.completion.chunk", Created: out.Created, Model: out.Model, Choices: []chunkChoice{}, Usage: &usage})
	}
	if err == nil {
		_, err = c.w.Write([]byte("data: [DONE]\n\n"))
	}
	return streamed(err)
}

// said is the text of an answer, or that there is none.
func said(a *rag.Answer) string {
	if a.Answered {
		return a.Text
	}
	return service.NoAnswer
}

// footerHead begins the list of sources below an answer.
const footerHead = "\n\n---\n"

// footer lists the sources below an answer, or the passages that come nearest.
func footer(a *rag.Answer) string {
	var b strings.Builder
	place := func(doc, heading string, page int) {
		b.WriteString(doc)
		if heading != "" {
			b.WriteString(" §" + heading)
		}
		if page > 0 {
			fmt.Fprintf(&b, " p. %d", page)
		}
		b.WriteByte('\n')
	}
	switch {
	case a.Answered && len(a.Sources) > 0:
		b.WriteString(footerHead + "Sources:\n")
		for _, s := range a.Sources {
			fmt.Fprintf(&b, "[%d] ", s.N)
			place(s.Doc, s.Heading, s.Page)
		}
	case !a.Answered && len(a.Nearest) > 0:
		b.WriteString(footerHead + "Nearest passages:\n")
		for _, p := range a.Nearest {
			b.WriteString("- ")
			place(p.Doc, p.Heading, p.Page)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// annotations names the source of each marker of an answer.
func (c *call) annotations(at corpusPath, content string, a *rag.Answer) []Annotation {
	out := []Annotation{}
	scheme := "http"
	if c.r.TLS != nil || c.r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	for _, s := range a.Sources {
		mark := fmt.Sprintf("[%d]", s.N)
		for from := 0; ; {
			i := strings.Index(content[from:], mark)
			if i < 0 {
				break
			}
			i += from
			start := len([]rune(content[:i]))
			from = i + len(mark)
			q := url.Values{"id": {s.Doc}, "from": {fmt.Sprint(s.Bytes[0])}, "to": {fmt.Sprint(s.Bytes[1])}}
			out = append(out, Annotation{Type: "url_citation", Citation: Citation{
				URL:   scheme + "://" + c.r.Host + "/#/" + url.PathEscape(at.DB) + "/" + url.PathEscape(at.NS) + "/document?" + q.Encode(),
				Title: s.Doc, StartIndex: start, EndIndex: start + len(mark),
			}})
		}
	}
	return out
}

// used says what an answer used: what models read and wrote, or, if rules answered, the
// tokens of the evidence that they read and of the answer.
func used(k *service.Asking, r *service.Reply, content string) TokenUsage {
	u := TokenUsage{PromptTokens: r.Result.Tokens.In, CompletionTokens: k.Corpus.Tokens().Count(content)}
	if !k.Models.Free() {
		u.PromptTokens, u.CompletionTokens = 0, 0
		for _, s := range r.Result.Usage {
			u.PromptTokens += s.InTokens
			u.CompletionTokens += s.OutTokens
		}
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return u
}
