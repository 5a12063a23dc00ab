package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/ragdb/ragdb/rag/cost"
)

// ask answers a question with the shell's method and model.
func (sh *shell) ask(ctx context.Context, text string) error {
	if strings.TrimSpace(text) == "" {
		return usage("write it after the question mark: ? Who wrote it", "the question is empty")
	}
	q, err := sh.flags.question(text)
	if err != nil {
		return err
	}
	inner := sh.inner()
	if f := sh.display.format; f == asJSON || f == asJSONL {
		inner.out.format = asJSON
	} else {
		inner.out.format = asTable
	}
	k, err := inner.ask(ctx, sh.corpus, &sh.flags.questionFlags, q)
	if err != nil {
		return err
	}
	sh.question = q.Text
	err = inner.answer(ctx, k, &askFlags{questionFlags: sh.flags.questionFlags, stream: sh.interactive && !k.Models.Free()})
	sh.keep(inner.out)
	if k.Trace != "" {
		sh.viewed = k.Trace
	}
	return err
}

// why tells about something and the last question.
func (sh *shell) why(ctx context.Context, args []string) error {
	if sh.question == "" {
		return usage("ask one first: ? Who wrote it", "there was no question")
	}
	return sh.run(ctx, "why", []string{sh.question, args[0]})
}

// spending is what a session's models were asked. It is safe for concurrent
// use.
type spending struct {
	mu     sync.Mutex
	meters []*cost.Meter
}

// add counts a meter in; a nil spending counts nothing.
func (s *spending) add(m *cost.Meter) *cost.Meter {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.meters = append(s.meters, m)
	}
	return m
}

// rows sums the calls by stage and model.
func (s *spending) rows() []cost.Spent {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []cost.Spent
	for _, m := range s.meters {
		for _, r := range m.Rows() {
			i := slices.IndexFunc(out, func(have cost.Spent) bool { return have.Stage == r.Stage && have.Model == r.Model })
			if i < 0 {
				out = append(out, r)
				continue
			}
			have := &out[i]
			have.Calls += r.Calls
			have.InTokens += r.InTokens
			have.OutTokens += r.OutTokens
			have.Cached += r.Cached
			if have.USD != nil && r.USD != nil {
				sum := *have.USD + *r.USD
				have.USD = &sum
			} else {
				have.USD = nil
			}
		}
	}
	slices.SortFunc(out, func(a, b cost.Spent) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Model, b.Model))
	})
	return out
}

// showCost prints what the session's models were asked.
func (sh *shell) showCost(context.Context, []string) error {
	t := &table{head: []string{"stage", "model", "calls", "cached", "input tokens", "output tokens", "cost"}, right: []bool{false, false, true, true, true, true, true}}
	for _, r := range sh.a.spent.rows() {
		cost := "unknown"
		if r.USD != nil {
			cost = money(*r.USD)
		}
		t.add(r, r.Stage, r.Model, number(r.Calls), number(r.Cached), number(r.InTokens), number(r.OutTokens), cost)
	}
	if len(t.rows) == 0 && sh.display.format == asTable {
		sh.a.out.print("no model was asked in this session\n")
		return nil
	}
	return sh.rows(t)
}
