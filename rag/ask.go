package rag

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/prompts"
)

// Answer is an answer with its proof.
type Answer struct {
	Question string
	// Text is the answer with markers [1], [2] that name Sources; "" if
	// Answered is false.
	Text string
	// Answered is false if the evidence does not answer the question.
	Answered bool
	// Nearest are at most three passages of the evidence that come nearest to
	// the question, the nearest first, if it was not answered; none if nothing
	// was found. Refusal names the test that all sentences failed: "no passage",
	// "name", "words" or "value".
	Nearest []Passage
	Refusal string
	// Supported is false if a model answered what the rules find in no sentence
	// of the evidence; nil if the rules did not look. It is a hint, no verdict.
	Supported *bool
	Method    string
	Sources   []Source
	Evidence  *Evidence
	Trace     string
	Usage     llm.Usage
	// ModelTime is the time that it took to make the answer of the evidence.
	ModelTime time.Duration
	// Cut counts the pieces of evidence that the model did not read, or not whole, since
	// the prompt would not have fit its context.
	Cut int
	// Dropped counts markers that named no evidence and were taken out.
	Dropped int
}

// Source is a source that an answer cites.
type Source struct {
	N       int    `json:"n"`
	Doc     string `json:"doc"`
	Page    int    `json:"page,omitempty"`
	Heading string `json:"heading,omitempty"`
	// Bytes are those of the chunk, Sentence those of the sentence that is
	// cited; 0 and 0 if it is not known which that is.
	Bytes    [2]int64 `json:"bytes"`
	Sentence [2]int64 `json:"sentence,omitzero"`
	Chunk    string   `json:"chunk"`
	Score    float64  `json:"score"`
	// Quote is text of the source, on one line; "" if the source was
	// removed while the answer was being made.
	Quote string `json:"quote"`
}

// quoteBytes is about how much of a source is quoted.
const quoteBytes = 240

// Ask answers a question from what a method retrieves: evidence and answer are
// of one commit, whatever is indexed or removed meanwhile. If nothing is
// indexed yet, or nothing answers the question, the answer's Answered is
// false. nil models are those of [Corpus.OpenModels]; errors are those of
// [Corpus.Retrieve], the models' and the database's. look is that of Retrieve; it
// is called before a model is asked for the answer.
func (c *Corpus) Ask(ctx context.Context, sys *method.System, m *Models, q method.Question, look ...func(*engine.Snapshot, *Evidence) error) (*Answer, error) {
	if err := c.askable(sys, q); err != nil {
		return nil, err
	}
	var a *Answer
	err := c.View(ctx, func(s *engine.Snapshot) error {
		m, err := c.modelsAt(ctx, s, m)
		if err != nil {
			return err
		}
		ev, err := c.retrieve(ctx, s, sys, m, q, look)
		if err != nil {
			return err
		}
		a, err = c.answer(ctx, s, sys, m, q, ev)
		return err
	})
	if err != nil {
		return nil, phase.Errorf("%s: %w", sys.Label(), err)
	}
	if a.Trace, err = c.KeepTrace(ctx, a); err != nil {
		return nil, err
	}
	return a, nil
}

// AnswerFrom is Ask of evidence that sys retrieved already. It keeps no trace.
func (c *Corpus) AnswerFrom(ctx context.Context, sys *method.System, m *Models, q method.Question, ev *Evidence) (*Answer, error) {
	if err := c.askable(sys, q); err != nil {
		return nil, err
	}
	if ev == nil {
		return nil, phase.Errorf("%w: no evidence to answer from", ErrArgument)
	}
	var a *Answer
	err := c.View(ctx, func(s *engine.Snapshot) error {
		m, err := c.modelsAt(ctx, s, m)
		if err == nil {
			a, err = c.answer(ctx, s, sys, m, q, ev)
		}
		return err
	})
	if err != nil {
		return nil, phase.At("", err)
	}
	return a, nil
}

// AnswerInput returns what an answer is made of: the evidence, numbered, or what
// sys makes of it first ([method.System.Condense]), or none ([method.System.Unaided]). docs are the
// documents that it is from, for [Models.Do]. The error is [llm.ErrNoEvidence]
// if there is nothing to answer from.
func (c *Corpus) AnswerInput(ctx context.Context, sys *method.System, m *Models, q method.Question, ev *Evidence) (in llm.AnswerInput, docs []string, err error) {
	if err := c.askable(sys, q); err != nil {
		return in, nil, err
	}
	if m = m.Ensure(c.ledger, c.Tokens()); ev == nil {
		return in, nil, phase.Errorf("%w: no evidence to answer from", ErrArgument)
	}
	in = llm.AnswerInput{Question: q.Text}
	if sys.Unaided != nil {
		in = sys.Unaided(q.Text)
	} else if len(ev.Items()) == 0 {
		return in, nil, llm.ErrNoEvidence
	}
	from := map[string]bool{}
	for _, s := range ev.Sections {
		for _, it := range s.Items {
			e := llm.Evidence{N: len(in.Evidence) + 1, Section: s.Name, Text: it.Text}
			if m.Free() && it.Kind != corpus.ChunkNodeType {
				// Rules quote what they are given, and a table's row is not a
				// sentence. The numbers stay those of the items.
				e.Text = ""
			}
			in.Evidence = append(in.Evidence, e)
			for _, ch := range it.Chunks {
				from[corpus.DocOf(ch)] = true
			}
		}
	}
	docs = sortedKeys(from)
	if sys.Condense != nil {
		if in, err = sys.Condense(ctx, m.In("ask"), q, in, docs); err != nil {
			return in, docs, err
		}
	}
	in.Paragraphs, err = sys.InParagraphs(q)
	return in, docs, err
}

// answer makes an answer of evidence, with models of [Corpus.modelsAt].
func (c *Corpus) answer(ctx context.Context, s *engine.Snapshot, sys *method.System, m *Models, q method.Question, ev *Evidence) (*Answer, error) {
	a := &Answer{Question: q.Text, Method: ev.Method, Evidence: ev}
	before, start := m.Usage(), time.Now()
	err := func() error {
		base := s.Graph(c.Base()).WithContext(ctx)
		places := c.Outlines(base)
		w := &answerWriter{a: a, items: a.Evidence.Items(), on: q.Stream, numbers: map[string]int{}, source: func(it *Cited, said string) (Source, error) {
			return c.source(base, places, sys.ChunkSet(), it, said)
		}}
		in, docs, err := c.AnswerInput(ctx, sys, m, q, a.Evidence)
		if err != nil {
			return err
		}
		if m.Provider() != nil && m.Provider().Can(llm.Select) && !in.Unaided {
			return c.selectAnswer(ctx, base, sys, m.In("ask"), q, in, a)
		}
		t := llm.Task{Kind: llm.Answer, Input: in, Lang: q.Lang}
		var reply llm.Reply
		if q.Stream == nil {
			reply, err = m.In("ask").Do(ctx, "ask", docs, t)
			if err == nil && !m.Free() && prompts.IsNoEvidence(reply.Text) {
				err = llm.ErrNoEvidence
			}
			if err == nil {
				err = w.write(reply.Text)
			}
		} else {
			reply, err = m.In("ask").Stream(ctx, "ask", docs, t, w.hold)
		}
		a.Cut = reply.Cut
		if err == nil {
			err = w.end()
		}
		if err != nil && !errors.Is(err, llm.ErrNoEvidence) {
			return err
		}
		return errors.Join(err, c.judgeSupport(ctx, base, sys, m, in, a))
	}()
	a.ModelTime = time.Since(start)
	after := m.Usage()
	a.Usage = llm.Usage{
		Calls: after.Calls - before.Calls, InTokens: after.InTokens - before.InTokens, OutTokens: after.OutTokens - before.OutTokens,
	}
	if errors.Is(err, llm.ErrNoEvidence) {
		a.Text, a.Sources, a.Supported = "", nil, nil
		return a, nil
	}
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	a.Answered, a.Nearest = true, nil
	return a, nil
}

// source returns which of the chunks of an item says most of what was said, and
// quotes it.
func (c *Corpus) source(base engine.Reader, places *corpus.Outlines, set text.ChunkSet, it *Cited, said string) (Source, error) {
	var best corpus.Chunk
	from, most := 0, -1
	for _, key := range it.Chunks[:min(len(it.Chunks), maxSpans)] {
		ch, err := c.ChunkByKey(base, set, key)
		if corpus.IsMissing(err) {
			continue // removed since it was retrieved
		}
		if err != nil {
			return Source{}, err
		}
		if at, n := c.where(ch.Text, said); n > most {
			best, from, most = ch, at, n
		}
	}
	if most < 0 {
		if len(it.Spans) == 0 || len(it.Chunks) == 0 {
			return Source{Score: it.Score}, nil
		}
		sp := it.Spans[0]
		return Source{Doc: sp.Doc, Bytes: sp.Bytes, Chunk: it.Chunks[0], Score: it.Score}, nil
	}
	sp, err := places.Locate(best.Doc, best.Start+from, best.End)
	return Source{
		Doc: best.Doc, Page: sp.Page, Heading: sp.Heading, Bytes: [2]int64{int64(best.Start), int64(best.End)},
		Chunk: best.Key, Score: it.Score, Quote: quote(best.Text[from:]),
	}, err
}

// where returns the start of the sentence of a text that has most of the words
// of what was said, and how many those are; 0 if it has none.
func (c *Corpus) where(s, said string) (start, words int) {
	if at := strings.Index(s, said); at >= 0 && said != "" {
		return at, 1 << 20
	}
	asked := map[string]bool{}
	for _, w := range c.Analyze(said) {
		asked[w] = true
	}
	for _, sp := range text.Sentences(s) {
		met := map[string]bool{}
		for _, w := range c.Analyze(s[sp.Start:sp.End]) {
			met[w] = met[w] || asked[w]
		}
		n := 0
		for _, has := range met {
			if has {
				n++
			}
		}
		if n > words {
			start, words = sp.Start, n
		}
	}
	return start, words
}

// sentenceEnds are the signs that end sentences.
const sentenceEnds = ".!?。！？؟"

// lastSentence returns the end of what an answer says before a marker.
func lastSentence(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexAny(strings.TrimRight(s, sentenceEnds), sentenceEnds); i >= 0 {
		_, n := utf8.DecodeRuneInString(s[i:])
		s = s[i+n:]
	}
	return strings.TrimSpace(s)
}

// quote returns the beginning of a text, on one line.
func quote(s string) string {
	if len(s) <= quoteBytes {
		return text.OneLine(s)
	}
	cut := strings.LastIndexByte(s[:quoteBytes], ' ')
	if cut < quoteBytes/2 {
		cut = quoteBytes
		for cut > 0 && s[cut]&0xC0 == 0x80 {
			cut--
		}
	}
	return text.OneLine(s[:cut]) + " …"
}
