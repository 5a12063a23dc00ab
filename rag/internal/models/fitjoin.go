package models

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/llm"
)

// members divides the members of a cluster into so many runs of about equal length.
func members(t llm.Task, in llm.SummaryEntitiesInput, runs int) *parts {
	var inputs []llm.SummaryEntitiesInput
	for i := range runs {
		x := in
		x.Entities = in.Entities[i*len(in.Entities)/runs : (i+1)*len(in.Entities)/runs]
		inputs = append(inputs, x)
	}
	return joined(t, inputs...)
}

// gleaned is a second reading of a part of a text, with what was found in it.
func gleaned(in llm.GleanInput, part string) llm.GleanInput {
	folded := strings.ToLower(part)
	holds := func(name string) bool { return strings.Contains(folded, strings.ToLower(name)) }
	found := in.Found
	in.Text, in.Found = part, llm.Extraction{}
	for _, e := range found.Entities {
		if holds(e.Name) {
			in.Found.Entities = append(in.Found.Entities, e)
		}
	}
	for _, r := range found.Relations {
		if holds(r.Source) && holds(r.Target) {
			in.Found.Relations = append(in.Found.Relations, r)
		}
	}
	return in
}

// merged are tasks that make one description of each group, and then one of those.
func merged(t llm.Task, in llm.MergeInput, groups [][]string) *parts {
	p := &parts{}
	ones := make([]string, len(groups)) // descriptions that are alone in their group
	for i, g := range groups {
		if len(g) == 1 {
			ones[i] = g[0]
			continue
		}
		p.tasks = append(p.tasks, about(t, with(in, func(x *llm.MergeInput) { x.Descriptions = g })))
	}
	p.join = func(replies []llm.Reply) (llm.Reply, *llm.Task, error) {
		in.Descriptions = nil
		for i, g := range groups {
			s := ones[i]
			if len(g) > 1 {
				s, replies = replies[0].Text, replies[1:]
			}
			in.Descriptions = append(in.Descriptions, s)
		}
		last := about(t, in)
		return llm.Reply{}, &last, nil
	}
	return p
}

// longer are tasks that shorten the longer one of two descriptions, and then make one
// of both.
func longer(t llm.Task, in llm.MergeInput) *parts {
	if len(in.Descriptions) < 2 {
		return nil
	}
	at := 0
	if len(in.Descriptions[1]) > len(in.Descriptions[0]) {
		at = 1
	}
	a, b, ok := halveText(in.Descriptions[at])
	if !ok {
		return nil
	}
	return &parts{
		tasks: []llm.Task{about(t, with(in, func(x *llm.MergeInput) { x.Descriptions = []string{a, b} }))},
		join: func(replies []llm.Reply) (llm.Reply, *llm.Task, error) {
			list := slices.Clone(in.Descriptions)
			if list[at] = replies[0].Text; len(list[at]) >= len(in.Descriptions[at]) {
				// It is no shorter: another round would not end.
				return llm.Reply{Text: strings.Join(list, "\n")}, nil, nil
			}
			last := about(t, with(in, func(x *llm.MergeInput) { x.Descriptions = list }))
			return llm.Reply{}, &last, nil
		},
	}
}

// summarised are tasks that summarise each half of some texts, and then both
// summaries.
func summarised(t llm.Task, in llm.SummariseInput) *parts {
	mid := len(in.Texts) / 2
	a, b := in.Texts[:mid], in.Texts[mid:]
	if len(in.Texts) == 1 {
		x, y, ok := halveText(in.Texts[0])
		if !ok {
			return nil
		}
		a, b = []string{x}, []string{y}
	}
	if len(a) == 0 {
		return nil
	}
	return &parts{
		tasks: []llm.Task{
			about(t, with(in, func(x *llm.SummariseInput) { x.Texts = a })), about(t, with(in, func(x *llm.SummariseInput) { x.Texts = b })),
		},
		join: func(replies []llm.Reply) (llm.Reply, *llm.Task, error) {
			texts := []string{replies[0].Text, replies[1].Text}
			if len(texts[0])+len(texts[1]) >= size(in.Texts) {
				// The summaries are no shorter than what they are of: another round would
				// not end.
				return llm.Reply{Text: texts[0] + "\n" + texts[1]}, nil, nil
			}
			last := about(t, with(in, func(x *llm.SummariseInput) { x.Texts = texts }))
			return llm.Reply{}, &last, nil
		},
	}
}

// reported are tasks that report on each half of a community, and then on both
// reports.
func reported(t llm.Task, in llm.ReportInput) *parts {
	if len(in.Entities)+len(in.Relations)+len(in.Reports) < 3 {
		return nil
	}
	a, b := in, in
	e, r, p := half(len(in.Entities)), half(len(in.Relations)), half(len(in.Reports))
	a.Entities, b.Entities = in.Entities[:e], in.Entities[e:]
	a.Relations, b.Relations = in.Relations[:r], in.Relations[r:]
	a.Reports, b.Reports = in.Reports[:p], in.Reports[p:]
	if len(b.Entities)+len(b.Relations)+len(b.Reports) == 0 {
		return nil
	}
	return &parts{
		tasks: []llm.Task{about(t, a), about(t, b)},
		join: func(replies []llm.Reply) (llm.Reply, *llm.Task, error) {
			whole := llm.ReportInput{MaxTokens: in.MaxTokens}
			for _, r := range replies {
				var one llm.Report
				if err := json.Unmarshal([]byte(r.Text), &one); err != nil {
					return llm.Reply{}, nil, &llm.ReplyError{Kind: t.Kind, Raw: r.Text, Why: err.Error()}
				}
				whole.Reports = append(whole.Reports, reportText(one))
			}
			last := about(t, whole)
			return llm.Reply{}, &last, nil
		},
	}
}

// insights are tasks on each half of a group, and then on the insights of both.
func insights(t llm.Task, in llm.InsightsInput) *parts {
	if len(in.Entities)+len(in.Insights) < 3 {
		return nil
	}
	a, b := in, in
	e, n := half(len(in.Entities)), half(len(in.Insights))
	a.Entities, b.Entities = in.Entities[:e], in.Entities[e:]
	a.Insights, b.Insights = in.Insights[:n], in.Insights[n:]
	if len(b.Entities)+len(b.Insights) == 0 {
		return nil
	}
	return &parts{
		tasks: []llm.Task{about(t, a), about(t, b)},
		join: func(replies []llm.Reply) (llm.Reply, *llm.Task, error) {
			whole := llm.InsightsInput{Most: in.Most}
			for _, r := range replies {
				var one llm.InsightList
				if err := json.Unmarshal([]byte(r.Text), &one); err != nil {
					return llm.Reply{}, nil, &llm.ReplyError{Kind: t.Kind, Raw: r.Text, Why: err.Error()}
				}
				whole.Insights = append(whole.Insights, one.Insights...)
			}
			if len(in.Entities) == 0 && len(whole.Insights) >= len(in.Insights) {
				// They are no fewer than those that they are of: another round would not end.
				r, err := json.Marshal(llm.InsightList{Insights: whole.Insights})
				return llm.Reply{Text: string(r)}, nil, err
			}
			last := about(t, whole)
			return llm.Reply{}, &last, nil
		},
	}
}

// reportText is a report as a model reads it.
func reportText(r llm.Report) string {
	var b strings.Builder
	b.WriteString(r.Title + ": " + r.Summary)
	for _, f := range r.Findings {
		b.WriteString("\n" + cmp.Or(f.Explanation, f.Summary))
	}
	return b.String()
}
