package noderag

import (
	"context"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// maxInsights bounds what one task is asked for: more make a reply longer than its
// limit.
const maxInsights = 20

// pager divides what is said of entities into pages of what a model reads at once.
type pager struct {
	count func(string) int
	pages [][]llm.Entity
	left  int // tokens of the last page
}

// add adds what is said of an entity. What is more than a page goes on on the next,
// under the same name.
func (p *pager) add(name string, says []string) {
	var here []string
	end := func() {
		if len(here) > 0 {
			last := len(p.pages) - 1
			p.pages[last] = append(p.pages[last], llm.Entity{Name: name, Description: strings.Join(here, " ")})
			here = nil
		}
	}
	for _, s := range says {
		n := p.count(s)
		if len(p.pages) == 0 || n > p.left && p.left < summaryTokens {
			end()
			p.pages, p.left = append(p.pages, nil), summaryTokens
		}
		p.left -= n
		here = append(here, s)
	}
	end()
}

// insights asks a model what a community comes to, at most so many insights: page by
// page, and then what the insights of the pages come to together.
func (s *system) insights(ctx context.Context, m *method.Models, item string, docs []string, pages [][]llm.Entity, most int) ([]llm.Insight, error) {
	ask := func(in llm.InsightsInput) ([]llm.Insight, error) {
		in.Most = max(1, min(in.Most, maxInsights))
		var out llm.InsightList
		if err := m.DoJSON(ctx, item, docs, llm.Task{Kind: llm.Insights, Input: in}, &out); err != nil {
			return nil, err
		}
		// A model may give more than it was asked for.
		return out.Insights[:min(len(out.Insights), in.Most)], nil
	}
	var lists [][]llm.Insight
	for _, page := range pages {
		list, err := ask(llm.InsightsInput{Entities: page, Most: most})
		if err != nil {
			return nil, err
		}
		lists = append(lists, list)
	}
	for len(lists) > 1 {
		all := byTurns(lists)
		groups := s.grouped(all)
		if len(groups) >= len(lists) { // they would not become fewer: the first of each are kept
			groups = groups[:1]
		}
		lists = nil
		for _, g := range groups {
			list, err := ask(llm.InsightsInput{Insights: g, Most: most})
			if err != nil {
				return nil, err
			}
			lists = append(lists, list)
		}
	}
	return slices.Concat(lists...), nil
}

// byTurns returns the first of each list, then the second of each, and so on.
func byTurns(lists [][]llm.Insight) (out []llm.Insight) {
	for i := 0; ; i++ {
		more := false
		for _, list := range lists {
			if i < len(list) {
				out, more = append(out, list[i]), true
			}
		}
		if !more {
			return out
		}
	}
}

// grouped divides insights into lists of what a model reads at once.
func (s *system) grouped(all []llm.Insight) (out [][]llm.Insight) {
	left := 0
	for _, i := range all {
		n := s.c.Tokens().Count(i.Title + " " + i.Description)
		if len(out) == 0 || n > left {
			out, left = append(out, nil), summaryTokens
		}
		left -= n
		out[len(out)-1] = append(out[len(out)-1], i)
	}
	return out
}
