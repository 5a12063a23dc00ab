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

// summaryEntities implements the kind summary-entities: one entity for the
// cluster, and a relation to it from each member. It is called by the term or
// name that the descriptions of the most members share, and that is none of
// theirs; if there is none, by its first members. Its type is the most
// frequent one of the members, if that is one of the types wanted.
func (p *Provider) summaryEntities(ctx context.Context, in llm.SummaryEntitiesInput, limit int) (llm.Extraction, []string, error) {
	out := llm.Extraction{Entities: []llm.Entity{}, Relations: []llm.Relation{}}
	if len(in.Entities) == 0 {
		return out, nil, nil
	}
	var descriptions []string
	for _, e := range in.Entities {
		if err := ctx.Err(); err != nil {
			return out, nil, err
		}
		descriptions = append(descriptions, closed(clean(e.Description)))
	}
	name := p.sharedTerm(in.Entities)
	if name == "" {
		var names []string
		for _, e := range in.Entities[:min(len(in.Entities), titleNames)] {
			names = append(names, clean(e.Name))
		}
		name = "Group of " + strings.Join(names, ", ")
	}
	description, err := p.summary(ctx, descriptions, limit)
	if err != nil {
		return out, nil, err
	}
	out.Entities = append(out.Entities, llm.Entity{Name: name, Type: sharedType(in), Description: description})
	for _, e := range in.Entities {
		member := clean(e.Name)
		out.Relations = append(out.Relations, llm.Relation{
			Source: member, Target: name, Description: member + " belongs to " + name, Strength: 1})
	}
	return out, descriptions, nil
}

// sharedTerm returns the surface of the term or name that the descriptions of
// the most entities have, of two at least; the longer and then the earlier of
// equals. It is not an entity's name.
func (p *Provider) sharedTerm(entities []llm.Entity) string {
	own := map[string]bool{}
	for _, e := range entities {
		own[text.Key(e.Name)] = true
	}
	type use struct {
		surface string
		n       int
	}
	var keys []string
	uses := map[string]*use{}
	for _, e := range entities {
		seen := map[string]bool{}
		names := text.Names(e.Description, p.names)
		for _, n := range append(names, text.Terms(e.Description, names)...) {
			if own[n.Key] || seen[n.Key] || n.Kind == text.Date {
				continue
			}
			seen[n.Key] = true
			if uses[n.Key] == nil {
				uses[n.Key] = &use{surface: clean(n.Surface)}
				keys = append(keys, n.Key)
			}
			uses[n.Key].n++
		}
	}
	best := ""
	for _, k := range keys {
		switch u, b := uses[k], uses[best]; {
		case u.n < 2:
		case b == nil, u.n > b.n, u.n == b.n && len(k) > len(best):
			best = k
		}
	}
	if best == "" {
		return ""
	}
	return uses[best].surface
}

// sharedType returns the most frequent type of the members, the first of
// equals, or "" if it is not wanted.
func sharedType(in llm.SummaryEntitiesInput) string {
	n := map[string]int{}
	best := ""
	for _, e := range in.Entities {
		if e.Type == "" || in.Types != nil && !slices.Contains(in.Types, e.Type) {
			continue
		}
		n[e.Type]++
	}
	for _, e := range in.Entities {
		if n[e.Type] > n[best] {
			best = e.Type
		}
	}
	return best
}
