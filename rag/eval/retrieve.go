package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ragdb/ragdb/rag"
)

// ask asks a method all questions.
func (r *runner) ask(ctx context.Context, sys rag.System, title string) (*Figure, error) {
	m, err := r.questionModels(ctx)
	if err != nil {
		return nil, err
	}
	f := &Figure{Name: title, Questions: len(r.questions)}
	var cov, raw, word, at2, at5, perfect, rr, tokens, ms []float64
	for i, q := range r.questions {
		start := time.Now()
		ev, err := r.corpus.Retrieve(ctx, sys, m, rag.Question{Text: q.Text, Budget: r.o.Budget})
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		ms = append(ms, float64(time.Since(start).Microseconds())/1000)
		tokens = append(tokens, float64(ev.Tokens))
		items := ev.Items()
		if len(q.Answers) > 0 {
			c := cover(items, q.Answers)
			cov, raw, word = append(cov, share(c.normal)), append(raw, share(c.raw)), append(word, share(c.word))
		}
		if len(q.Supporting) > 0 {
			g := find5(ranking(items, r.records), q.Supporting)
			at2, at5 = append(at2, g.at2), append(at5, g.at5)
			perfect, rr = append(perfect, g.perfect), append(rr, g.rr)
		}
		r.o.Notify(rag.Event{Stage: "ask " + title, Done: i + 1, Total: len(r.questions)})
	}
	f.Coverage, f.CoverageRaw, f.CoverageWord = share1(cov), share1(raw), share1(word)
	f.Recall2, f.Recall5, f.Perfect, f.MRR = share1(at2), share1(at5), share1(perfect), share1(rr)
	f.ContextTokens = mean(tokens)
	slices.Sort(ms)
	f.Ms.P50, f.Ms.P99 = percentile(ms, 0.5), percentile(ms, 0.99)
	if f.main = cov; len(cov) == 0 {
		f.main = at5
	}
	return f, nil
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
			add(rag.DocOf(ch))
		}
		return out
	}
	if len(it.Spans) < len(it.Chunks) {
		return nil // of more chunks than were looked up: not of one record
	}
	for _, s := range it.Spans {
		for _, id := range r.joined.of(s.Bytes) {
			add(id)
		}
	}
	return out
}
