package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// asked is what a method did with one question.
type asked struct {
	covered  *covered // nil if the question has no answers
	found    *found   // nil if it has no gold records
	tokens   int
	ms       float64
	ops      map[string]float64 // milliseconds by operator
	evidence [32]byte
}

// ask asks a method all questions.
func (r *runner) ask(ctx context.Context, sys *method.System, spec method.Spec) (*Figure, error) {
	m, err := r.questionModels(ctx)
	if err != nil {
		return nil, err
	}
	if !spec.Rerank {
		m = withoutReranker(m)
	}
	title := spec.Title()
	answers, err := r.answering(ctx, sys, title)
	if err != nil {
		return nil, err
	}
	var f *Figure
	// Answers are made when many questions have been retrieved for, from the snapshot
	// that these were retrieved from.
	err = r.corpus.DB().View(ctx, func(s *engine.Snapshot) error {
		c := r.corpus.At(s)
		all := make([]*asked, len(r.questions))
		at := make([][]*atRow, len(r.questions))
		for i, q := range r.questions {
			start := time.Now()
			ev, err := c.Retrieve(ctx, sys, m, method.Question{Text: q.Text, Budget: r.o.Budget})
			if err != nil {
				return fmt.Errorf("question %s: %w", q.ID, err)
			}
			took := time.Since(start)
			a := score(&q, ev.Items(), r.shown(&q))
			a.tokens, a.evidence = ev.Tokens, evidenceDigest(ev)
			a.ms, a.ops = milliseconds(took), ownTimes(ev.Trace, took)
			all[i] = a
			within, err := r.retrieveAt(ctx, c, sys, m, &q, ev)
			if err != nil {
				return err
			}
			at[i] = r.rowsAt(i, within)
			if err := answers.add(ctx, c, i, ev, within); err != nil {
				return err
			}
			r.o.Notify(rag.Event{Stage: "ask " + title, Done: i + 1, Total: len(r.questions)})
		}
		f = figure(title, all)
		given, err := answers.figure(ctx, c)
		if err != nil {
			return err
		}
		f.Ms, f.At, f.Answers = latency(all), r.atFigures(at, given, isPlain(spec)), given[r.o.Budget]
		return nil
	})
	return f, err
}

// withoutReranker returns the models without the one that orders what was found.
func withoutReranker(m *rag.Models) *rag.Models {
	p := m.Parts()
	p.Reranker = nil
	return m.With(p)
}

// score judges what was retrieved for a question. shown names the records that an
// item shows ([runner.shown]).
func score(q *question, items []rag.Cited, shown func(it *rag.Cited) []string) *asked {
	a := &asked{}
	if len(q.Answers) > 0 {
		c := cover(items, q.Answers)
		a.covered = &c
	}
	if len(q.Supporting) > 0 {
		f := findGold(ranking(items, shown), q.Supporting)
		a.found = &f
	}
	return a
}

// figure sums up what a method did with the questions, but for the times.
func figure(title string, all []*asked) *Figure {
	f := &Figure{Name: title, Rows: make([]*row, len(all))}
	var tokens []float64
	h := sha256.New()
	for i, a := range all {
		if a == nil {
			continue
		}
		f.Questions++
		tokens = append(tokens, float64(a.tokens))
		h.Write(a.evidence[:])
		f.Rows[i] = a.row()
	}
	f.ContextTokens = mean(tokens)
	f.Evidence = hex.EncodeToString(h.Sum(nil))
	over := func(of func(c *covered) bool) *float64 {
		var x []float64
		for _, a := range all {
			if a != nil && a.covered != nil {
				x = append(x, share(of(a.covered)))
			}
		}
		return share1(x)
	}
	f.Coverage = over(func(c *covered) bool { return c.normal })
	f.CoverageRaw = over(func(c *covered) bool { return c.raw })
	f.CoverageWord = over(func(c *covered) bool { return c.word })
	gold := func(of func(g *found) float64) *float64 {
		var x []float64
		for _, a := range all {
			if a != nil && a.found != nil {
				x = append(x, of(a.found))
			}
		}
		return share1(x)
	}
	f.Recall2 = gold(func(g *found) float64 { return g.at2 })
	f.Recall5 = gold(func(g *found) float64 { return g.at5 })
	f.Recall10 = gold(func(g *found) float64 { return g.at10 })
	f.Hit1 = gold(func(g *found) float64 { return g.hit1 })
	f.Hit5 = gold(func(g *found) float64 { return g.hit5 })
	f.Hit10 = gold(func(g *found) float64 { return g.hit10 })
	f.Perfect = gold(func(g *found) float64 { return g.perfect })
	f.MRR = gold(func(g *found) float64 { return g.rr })
	return f
}

func (a *asked) row() *row {
	r := &row{Tokens: a.tokens, Ms: a.ms, Evidence: hex.EncodeToString(a.evidence[:])}
	if a.covered != nil {
		c := share(a.covered.normal)
		r.Coverage = &c
	}
	if a.found != nil {
		r.Recall5, r.RR = &a.found.at5, &a.found.rr
	}
	return r
}

// evidenceDigest identifies what a model would see, and what it rests on. It
// leaves out scores, whose last bits are the processor's, and the ids of nodes.
func evidenceDigest(ev *rag.Evidence) (out [32]byte) {
	h := sha256.New()
	for _, s := range ev.Sections {
		put(h, "section", s.Name)
		for i := range s.Items {
			putItem(h, &s.Items[i])
		}
	}
	return [32]byte(h.Sum(nil))
}

func putItem(h hash.Hash, it *rag.Cited) {
	put(h, "item", it.Kind, it.Text)
	put(h, it.Keys...)
	put(h, it.Chunks...)
}

// put writes strings so that no two lists of them look the same.
func put(h hash.Hash, parts ...string) {
	_, _ = io.WriteString(h, strconv.Itoa(len(parts))) // a hash takes everything
	for _, s := range parts {
		_, _ = io.WriteString(h, ","+strconv.Itoa(len(s))+":"+s)
	}
}

// alone returns what names the record that an item's text comes from, none if it comes
// from several.
func alone(records func(it *rag.Cited) []string) func(it *rag.Cited) []string {
	return func(it *rag.Cited) []string {
		if from := records(it); len(from) == 1 {
			return from
		}
		return nil
	}
}

// records returns the records that an item's text comes from.
func (r *runner) records(it *rag.Cited) []string {
	var out []string
	add := func(id string) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	if r.joined == nil {
		for _, ch := range it.Chunks {
			add(method.DocOf(ch))
		}
		return out
	}
	if len(it.Spans) < len(it.Chunks) {
		return nil // of more chunks than were looked up: not of one record
	}
	for _, s := range it.Spans {
		for _, id := range r.joined.recordsAt(s.Bytes) {
			add(id)
		}
	}
	return out
}
