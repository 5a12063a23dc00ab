package local

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

const (
	defaultReport = 1000 // tokens
	titleNames    = 3    // in the title of a report
	maxFindings   = 10   // of a report
)

// attribute implements the kind attribute: of the sentences around an entity
// those that name it, and its relations, the ones that say most. If none
// names it, all count.
func (p *Provider) attribute(ctx context.Context, in llm.AttributeInput, limit int) (string, error) {
	key := " " + text.Key(in.Name) + " "
	var all, naming []string
	for _, s := range append(slices.Clone(in.Units), in.Relations...) {
		for _, sentence := range sentencesOf(s) {
			all = append(all, sentence)
			if strings.Contains(" "+text.Key(sentence)+" ", key) {
				naming = append(naming, sentence)
			}
		}
	}
	if len(naming) == 0 {
		naming = all
	}
	return p.summary(ctx, naming, limit)
}

// merge implements the kind merge-descriptions: the distinct descriptions in
// order, cut down to the sentences that say most if they are too long.
func (p *Provider) merge(ctx context.Context, descriptions []string, limit int) (string, error) {
	var parts []string
	for _, d := range distinct(descriptions) {
		if d = clean(d); d != "" {
			parts = append(parts, d)
		}
	}
	if len(parts) == 1 && p.tokens(parts[0]) <= limit {
		return parts[0], nil
	}
	for i, d := range parts {
		parts[i] = closed(d)
	}
	return p.summary(ctx, parts, limit)
}

// report implements the kind community-report.
//
//   - The title names the three entities with the most relations.
//   - The summary are the sentences of descriptions, relations and reports of
//     sub-communities that say most about the whole, in a quarter of the
//     tokens.
//   - A finding is what is said of one entity: the ten with the most relations
//     have one each, while there are tokens left. Its headline is the first
//     relation of the entity, or the first sentence about it.
//   - The rating grows with the size: 2 ln(1 + entities + strength of the
//     relations), at most 10.
func (p *Provider) report(ctx context.Context, in llm.ReportInput, limit int) (llm.Report, []string, error) {
	strength := map[string]float64{}
	about := map[string][]string{} // what relations say, by the keys of their ends
	total := 0.0
	var relations []string // what they say
	for _, r := range in.Relations {
		source, target := text.Key(r.Source), text.Key(r.Target)
		strength[source] += r.Strength
		strength[target] += r.Strength
		total += max(0, r.Strength)
		t := closed(clean(r.Description))
		relations = append(relations, t)
		about[source] = append(about[source], t)
		if target != source {
			about[target] = append(about[target], t)
		}
	}
	top := make([]subject, len(in.Entities))
	for i, e := range in.Entities {
		top[i] = subject{e, text.Key(e.Name)}
	}
	slices.SortStableFunc(top, func(a, b subject) int { return cmp.Compare(strength[b.key], strength[a.key]) })
	var descriptions []string
	for _, e := range top {
		descriptions = append(descriptions, closed(clean(e.Description)))
	}
	descriptions = append(descriptions, relations...)
	read := append(slices.Clone(descriptions), in.Reports...)

	var names []string
	for _, e := range top[:min(len(top), titleNames)] {
		names = append(names, clean(e.Name))
	}
	out := llm.Report{
		Title:    p.cut(strings.Join(names, ", "), limit/8),
		Rating:   math.Round(10*min(10, 2*math.Log(1+float64(len(in.Entities))+total))) / 10,
		Reason:   fmt.Sprintf("%d entities with relations of strength %g in all.", len(in.Entities), total),
		Findings: []llm.Finding{},
	}
	var err error
	if out.Summary, err = p.summary(ctx, append(slices.Clone(in.Reports), descriptions...), limit/4); err != nil {
		return llm.Report{}, nil, err
	}
	if out.Title == "" {
		out.Title = p.cut(out.Summary, limit/8)
	}
	left := limit - p.tokens(out.Title) - p.tokens(out.Summary) - p.tokens(out.Reason)
	for _, e := range top[:min(len(top), maxFindings)] {
		f, err := p.finding(ctx, e.Description, about[e.key], min(left, limit/4))
		if err != nil {
			return llm.Report{}, nil, err
		}
		n := p.tokens(f.Summary) + p.tokens(f.Explanation)
		if f.Explanation == "" || n > left {
			continue
		}
		left -= n
		out.Findings = append(out.Findings, f)
	}
	return out, read, nil
}

// subject is an entity that a report tells of, and the key of its name.
type subject struct {
	llm.Entity
	key string
}

// finding returns what is said of one entity, by its description and relations,
// in at most limit tokens.
func (p *Provider) finding(ctx context.Context, description string, descriptions []string, limit int) (llm.Finding, error) {
	headline := ""
	if len(descriptions) > 0 {
		headline = descriptions[0]
	} else if s := sentencesOf(description); len(s) > 0 {
		headline = s[0]
	}
	headline = p.cut(headline, limit/2)
	about := append([]string{closed(clean(description))}, descriptions...)
	explanation, err := p.summary(ctx, about, limit-p.tokens(headline))
	return llm.Finding{Summary: headline, Explanation: explanation}, err
}
