package ragdb

import (
	"context"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// Answer is an answer with its proof. If Answered is false no sentence was found
// that says it: Text says so, and Nearest has the passages that come nearest.
type Answer = rag.Answer

// Source is a place in a document that an answer rests on.
type Source = rag.Source

// Hit is a piece of evidence: a passage of a document, or what a method knows from
// several.
type Hit = rag.Passage

// AskOption says how a question is answered.
type AskOption func(*asking) error

// asking is a question with its options.
type asking struct {
	method.Question
	method  string
	where   string // of Where
	noModel bool
}

// Method retrieves by one of the methods that the documents are indexed by, or by
// one that needs no index of its own, such as "naive" or "bm25".
func Method(name string) AskOption {
	return func(a *asking) error { a.method = name; return nil }
}

// Where uses only documents that pass a condition of the query language on their
// metadata, their key (the ID) and their format, such as
// "team = 'sales' AND key STARTS WITH 'docs/'"; see [cypher.ParseWhere]. A name
// that no document has as metadata is an [engine.NoIndexError].
func Where(condition string) AskOption {
	return func(a *asking) (err error) {
		a.where = condition
		a.Where, err = cypher.ParseWhere(condition)
		return err
	}
}

// Budget bounds the evidence to so many tokens. The default is
// [method.DefaultBudget]. Within at most that, the evidence has 20 passages at most.
func Budget(tokens int) AskOption {
	return func(a *asking) error { a.Budget = tokens; return nil }
}

// Top bounds the pieces of evidence. The default is as many as [Budget] holds.
func Top(n int) AskOption {
	return func(a *asking) error { a.Top = n; return nil }
}

// Lang asks for an answer in a language, such as "de". The default is the
// question's.
func Lang(tag string) AskOption {
	return func(a *asking) error { a.Lang = tag; return nil }
}

// Style asks for an answer of one of the forms that [method.Styles] lists, "short" or
// "paragraphs". The default is that of [Options.Style], or else the method's, which is
// short unless a parameter of it says otherwise. It is for chat models: rules answer in
// sentences of the documents. A style that is not known is [rag.ErrArgument].
func Style(name string) AskOption {
	return func(a *asking) error { a.Style = name; return nil }
}

// Stream hands on the answer piece by piece as it comes. An error of fn ends the
// answer.
func Stream(fn func(text string) error) AskOption {
	return func(a *asking) error { a.Stream = fn; return nil }
}

// WithoutModel answers by rules, also if there is a chat model.
func WithoutModel() AskOption {
	return func(a *asking) error { a.noModel = true; return nil }
}

// Ask answers a question from the documents, as they are at one commit. If no sentence
// says it, that is no error: the answer's Answered is false, its Text is "No sentence was
// found that says it." and its Nearest has the passages to show. So it is if there are no
// documents yet. Errors are [rag.ErrArgument] for a question without text,
// [method.ErrMethod] and [method.ErrNotIndexed] for a method that cannot be asked, those
// of the models and those of the database.
func (db *DB) Ask(ctx context.Context, question string, options ...AskOption) (*Answer, error) {
	var answer *Answer
	err := db.corpus.AtLatest(ctx, func(c *rag.Corpus) error {
		sys, m, q, err := db.prepare(ctx, c, question, options)
		if err == nil {
			answer, err = c.Ask(ctx, sys, m, q)
		}
		return err
	})
	if err != nil {
		return nil, phase.At("", err)
	}
	if !answer.Answered {
		answer.Text = service.NoAnswer
	}
	return answer, nil
}

// Search returns the evidence for a question in the order in which a model would
// read it, the most telling first, as far as the budget goes. Errors are those of
// [DB.Ask].
func (db *DB) Search(ctx context.Context, question string, options ...AskOption) ([]Hit, error) {
	var hits []Hit
	look := func(s *engine.Snapshot, ev *rag.Evidence) error {
		items := ev.Items()
		err := s.Ahead(ctx, len(items), func(s *engine.Snapshot, i int) error {
			if len(items[i].Spans) == 0 {
				return nil
			}
			_, err := db.corpus.Outlines(s.Graph(db.corpus.Base()).WithContext(ctx)).Of(items[i].Spans[0].Doc)
			return err
		})
		if err != nil {
			return err
		}
		places := db.corpus.Outlines(s.Graph(db.corpus.Base()).WithContext(ctx))
		for _, it := range items {
			h := Hit{Text: it.Text, Score: it.Score}
			if len(it.Spans) > 0 {
				from := it.Spans[0]
				sp, err := places.Locate(from.Doc, int(from.Bytes[0]), int(from.Bytes[1]))
				if err != nil {
					return err
				}
				h.Doc, h.Page, h.Heading, h.Bytes, h.Chunk = sp.Doc, sp.Page, sp.Heading, sp.Bytes, it.Chunks[0]
			}
			hits = append(hits, h)
		}
		return nil
	}
	err := db.corpus.AtLatest(ctx, func(c *rag.Corpus) error {
		sys, m, q, err := db.prepare(ctx, c, question, options)
		if err == nil {
			_, err = c.Retrieve(ctx, sys, m, q, look)
		}
		return err
	})
	if err != nil {
		return nil, phase.At("", err)
	}
	return hits, nil
}

// prepare opens the method and the models of a question that is answered from c, and
// applies its options.
func (db *DB) prepare(ctx context.Context, c *rag.Corpus, question string, options []AskOption) (*method.System, *rag.Models, method.Question, error) {
	a := &asking{Question: method.Question{Text: question, Style: db.style}}
	for _, o := range options {
		if o == nil {
			continue
		}
		if err := o(a); err != nil {
			return nil, nil, a.Question, phase.At("", err)
		}
	}
	sys, err := db.system(ctx, c, a)
	if err != nil {
		return nil, nil, a.Question, phase.At("", err)
	}
	m := db.asked
	if a.noModel {
		m = db.rules
	}
	return sys, db.metered(m), a.Question, nil
}

// system opens the method of a question.
func (db *DB) system(ctx context.Context, c *rag.Corpus, a *asking) (*method.System, error) {
	if a.method != "" {
		spec, err := method.ParseSpec(a.method)
		if err != nil {
			return nil, err
		}
		return db.methods.OpenIndexed(ctx, c.Docs(), spec)
	}
	have, err := instances(ctx, c)
	if err != nil {
		return nil, err
	}
	kept, err := c.Settings(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	if len(db.specs) > 0 {
		names = append(names, db.specs[0].String())
	} else if name := kept[methods.Setting]; name != "" {
		names = append(names, name)
	}
	names = append(names, methods.ForQuestions)
	for _, name := range slices.Concat(names, have) {
		spec, err := method.ParseInstance(name)
		if err != nil {
			return nil, err
		}
		sys, err := db.methods.OpenIndexed(ctx, c.Docs(), spec)
		if !errors.Is(err, method.ErrNotIndexed) {
			return sys, err
		}
	}
	// Nothing is indexed yet: this method finds nothing.
	return db.methods.Open(ctx, c.Docs(), method.Spec{Name: methods.ForQuestions})
}
