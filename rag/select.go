package rag

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// Passage is a passage that comes near to a question.
type Passage struct {
	Doc     string   `json:"doc"`
	Page    int      `json:"page,omitempty"`
	Heading string   `json:"heading,omitempty"`
	Bytes   [2]int64 `json:"bytes"`
	Chunk   string   `json:"chunk"`
	Score   float64  `json:"score"`
	Text    string   `json:"text,omitempty"`
}

// selectAnswer makes an answer of sentences of the evidence. If none answers
// the question, the error is [llm.ErrNoEvidence], and the answer names the
// nearest passages.
func (c *Corpus) selectAnswer(ctx context.Context, base *engine.View, sys *method.System, m *Models, q method.Question, in llm.AnswerInput, a *Answer) error {
	x, err := c.passages(ctx, base, sys, m, in, a.Evidence.Items())
	if err != nil {
		return err
	}
	sel, err := m.Choose(ctx, x.in)
	if err != nil {
		return err
	}
	if len(sel.Sentences) == 0 {
		a.Refusal = string(sel.Refusal)
		a.Nearest = x.nearest(sel)
		m.CountSelection(a.Evidence.Tokens, 0)
		return llm.ErrNoEvidence
	}
	mark := "" // of the sentences so far that one source has
	for i, s := range sel.Sentences {
		n, err := x.cite(sys.ChunkSet(), s, a)
		if err != nil {
			return err
		}
		now := ""
		if n > 0 {
			now = " " + markerOf(n)
		}
		if now != mark {
			a.Text += mark
		}
		switch mark = now; {
		case s.Line && i > 0:
			a.Text += "\n"
		case i > 0:
			a.Text += " "
		}
		a.Text += s.Text
	}
	a.Text += mark
	m.CountSelection(a.Evidence.Tokens, c.Tokens().Count(a.Text))
	if q.Stream != nil {
		return q.Stream(a.Text)
	}
	return nil
}

// judgeSupport says whether the evidence has a sentence that answers the
// question, for an answer that a chat model gave. A question that asks for no
// value, such as how or why, may be answered from several sentences: there a
// missing name alone is told. It changes nothing else.
func (c *Corpus) judgeSupport(ctx context.Context, base *engine.View, sys *method.System, m *Models, in llm.AnswerInput, a *Answer) error {
	if in.Unaided || len(in.Evidence) == 0 {
		return nil
	}
	x, err := c.passages(ctx, base, sys, m, in, a.Evidence.Items())
	if err != nil {
		return err
	}
	sel, err := m.Choose(ctx, x.in)
	if err != nil {
		return err
	}
	supported := len(sel.Sentences) > 0 || sel.Open && sel.Refusal != selection.NoName && sel.Refusal != selection.NoPassage
	a.Supported = &supported
	if !supported {
		a.Refusal = string(sel.Refusal)
	}
	a.Nearest = x.nearest(sel)
	return nil
}

// nearest returns the passages that a selection calls nearest.
func (x *evidencePassages) nearest(sel selection.Output) []Passage {
	var out []Passage
	for _, i := range sel.Nearest {
		it := x.of[i]
		if len(it.Spans) == 0 || len(it.Chunks) == 0 {
			continue
		}
		p := Passage{Doc: it.Spans[0].Doc, Bytes: it.Spans[0].Bytes, Chunk: it.Chunks[0], Score: it.Score, Text: x.in.Passages[i].Text}
		if x.at[i] >= 0 {
			b := x.outlines[i].Place(x.at[i])
			p.Heading, p.Page = b.Heading, b.Page
		}
		out = append(out, p)
	}
	return out
}

// cite returns the number of the source of a sentence, 0 if its document is
// gone. The source is the chunk, with the heading above the sentence.
func (x *evidencePassages) cite(set text.ChunkSet, s selection.Sentence, a *Answer) (int, error) {
	it, at := x.of[s.Passage], x.at[s.Passage]
	if len(it.Spans) == 0 || len(it.Chunks) == 0 {
		a.Dropped++
		return 0, nil
	}
	var src Source
	if at < 0 {
		var err error
		if src, err = x.c.source(x.base, x.docs, set, it, s.Text); err != nil {
			return 0, err
		}
	} else {
		body := x.in.Passages[s.Passage].Text
		said := [2]int64{int64(at + s.Start), int64(at + s.End)}
		if said[0] < it.Spans[0].Bytes[0] { // it stands above the chunk
			said = it.Spans[0].Bytes
		}
		b := x.outlines[s.Passage].Place(int(said[0]))
		src = Source{
			Doc: it.Spans[0].Doc, Page: b.Page, Heading: b.Heading, Bytes: it.Spans[0].Bytes,
			Sentence: said,
			Chunk:    it.Chunks[0], Score: it.Score, Quote: quote(body[s.Start:]),
		}
	}
	for i := range a.Sources {
		if a.Sources[i].Chunk == src.Chunk && a.Sources[i].Heading == src.Heading {
			return a.Sources[i].N, nil
		}
	}
	src.N = len(a.Sources) + 1
	a.Sources = append(a.Sources, src)
	return src.N, nil
}
