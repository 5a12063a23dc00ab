package local

import (
	"context"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

// decompose implements the kind decompose: the units are the sentences, which rules
// cannot paraphrase, with the entities of the text that stand in them as whole words
// and the relations that they state. A sentence without an entity is left out.
func (p *Provider) decompose(ctx context.Context, in llm.ExtractInput) (llm.Decomposition, error) {
	x, err := p.extract(ctx, in)
	if err != nil {
		return llm.Decomposition{}, err
	}
	stated := map[string][]llm.Stated{}
	for _, r := range x.Relations {
		stated[r.Sentence] = append(stated[r.Sentence], llm.Stated{Source: r.Source, Relation: r.Description, Target: r.Target})
	}
	out := llm.Decomposition{Units: []llm.Event{}}
	seen := map[string]bool{}
	for _, sp := range text.Sentences(in.Text) {
		line := clean(in.Text[sp.Start:sp.End])
		if seen[line] {
			continue
		}
		seen[line] = true
		e := llm.Event{Text: line, Entities: []string{}, Relations: []llm.Stated{}}
		words := " " + text.Key(line) + " "
		for _, n := range x.Entities {
			if key := text.Key(n.Name); key != "" && strings.Contains(words, " "+key+" ") {
				e.Entities = append(e.Entities, n.Name)
			}
		}
		e.Relations = append(e.Relations, stated[line]...)
		if len(e.Entities)+len(e.Relations) > 0 {
			out.Units = append(out.Units, e)
		}
	}
	return out, nil
}

// insights implements the kind insights: the summary of a report on the group and its
// findings. Of insights on parts of the group it takes the first.
func (p *Provider) insights(ctx context.Context, in llm.InsightsInput, limit int) (llm.InsightList, []string, error) {
	out := llm.InsightList{Insights: []llm.Insight{}}
	var read []string
	seen := map[string]bool{}
	add := func(title, says string) {
		if says != "" && !seen[says] && (in.Most <= 0 || len(out.Insights) < in.Most) {
			seen[says] = true
			out.Insights = append(out.Insights, llm.Insight{Title: title, Description: says})
		}
	}
	if len(in.Insights) > 0 {
		for _, i := range in.Insights {
			read = append(read, i.Description)
			add(i.Title, i.Description)
		}
	}
	if len(in.Entities) == 0 {
		return out, read, ctx.Err()
	}
	r, more, err := p.report(ctx, llm.ReportInput{Entities: in.Entities}, limit)
	if err != nil {
		return llm.InsightList{}, nil, err
	}
	add(r.Title, r.Summary)
	for _, f := range r.Findings {
		says := f.Explanation
		if says == "" {
			says = f.Summary
		}
		add(f.Summary, says)
	}
	return out, append(read, more...), nil
}
