package rag

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	etext "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/internal/words"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// evidencePassages are the pieces of evidence of an answer as a selector reads
// them, and where each of them stands.
type evidencePassages struct {
	c    *Corpus
	base *engine.View
	docs *corpus.Outlines
	// in holds the passages, of holds the item that each is from, and at where it
	// begins in the document that outlines has; -1 if it is not a chunk's text as it
	// stands there.
	in       selection.Input
	of       []*Cited
	at       []int
	outlines []*corpus.Outline
}

// passages returns what an answer is to be selected from. Evidence without text
// is left out.
func (c *Corpus) passages(ctx context.Context, base *engine.View, sys *method.System, m *Models, in llm.AnswerInput, items []Cited) (*evidencePassages, error) {
	x := &evidencePassages{c: c, base: base, docs: c.Outlines(base)}
	x.in = selection.Input{Question: in.Question, MaxSentences: in.MaxSentences}
	err := base.Snapshot().Ahead(ctx, len(items), func(s *engine.Snapshot, i int) error {
		if items[i].Kind != corpus.ChunkNodeType || len(items[i].Spans) == 0 {
			return nil
		}
		_, err := c.Outlines(s.Graph(c.Base())).Of(items[i].Spans[0].Doc)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, e := range in.Evidence {
		if e.Text == "" || e.N < 1 || e.N > len(items) {
			continue
		}
		if err := x.add(e.Text, &items[e.N-1]); err != nil {
			return nil, err
		}
	}
	words, err := c.wordStats(ctx, base, sys.ChunkSet(), m, in.Question)
	x.in.Words = words
	return x, err
}

// add adds a piece of evidence.
func (x *evidencePassages) add(s string, it *Cited) error {
	p, at := selection.Passage{Text: s}, -1
	o := &corpus.Outline{}
	if it.Kind == corpus.ChunkNodeType && len(it.Spans) > 0 && int64(len(s)-it.opening) == it.Spans[0].Bytes[1]-it.Spans[0].Bytes[0] {
		var err error
		if o, err = x.docs.Of(it.Spans[0].Doc); corpus.IsMissing(err) {
			o, err = &corpus.Outline{}, nil // it was removed
		}
		if err != nil {
			return err
		}
		at = int(it.Spans[0].Bytes[0]) - it.opening
		p.Title = o.Title
		p.Headings, p.Blocks = o.Shape(at+it.opening, at+len(s), it.opening)
	}
	x.in.Passages, x.of, x.at, x.outlines = append(x.in.Passages, p), append(x.of, it), append(x.at, at), append(x.outlines, o)
	return nil
}

// wordCounts tells how a corpus uses the words of a question.
type wordCounts struct {
	*text.CaseStats
	texts int64
	df    map[string]int64
}

// Texts implements [selection.WordStats].
func (w *wordCounts) Texts() int64 { return w.texts }

// DF implements [selection.WordStats].
func (w *wordCounts) DF(term string) int64 { return w.df[term] }

// wordStats counts the words of a question in the chunks of a set.
func (c *Corpus) wordStats(ctx context.Context, base *engine.View, set text.ChunkSet, m *Models, question string) (selection.WordStats, error) {
	w := &wordCounts{CaseStats: m.Cases, df: map[string]int64{}}
	if w.CaseStats == nil {
		b := base.Bucket(words.BucketWords)
		state, err := words.ReadWordState(b)
		if err == nil {
			w.CaseStats, err = words.ReadCases(b, state.Newest())
		}
		if err != nil {
			return nil, err
		}
	}
	all, err := base.FieldStats(corpus.TextField(set))
	if err != nil {
		return nil, err
	}
	w.texts = int64(all.Nodes)
	terms := c.Analyze(question)
	err = base.Snapshot().Ahead(ctx, len(terms), func(s *engine.Snapshot, i int) error {
		_, err := s.Graph(c.Base()).TermStats(corpus.TextField(set), terms[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, term := range terms {
		if _, ok := w.df[term]; ok {
			continue
		}
		n, err := base.TermStats(corpus.TextField(set), term)
		if err != nil {
			return nil, err
		}
		w.df[term] = int64(n.Nodes)
	}
	// The rules ask by the terms of English, and the postings of other languages have
	// other stems.
	for word := range etext.Words(question) {
		s := question[word.Start:word.End]
		for _, t := range (etext.Standard{}).Terms(s) {
			for _, own := range c.Analyze(s) {
				w.df[t.Text] = max(w.df[t.Text], w.df[own])
			}
		}
	}
	return w, nil
}
