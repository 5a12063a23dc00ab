package models

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/llm"
)

// What one task is about at most, whatever the model's context: the rest is another
// task.
const (
	// maxMembers bounds the entities of a cluster, for each of which the reply has a
	// relation. A relation has about memberTokens, and the entities that sum up the
	// cluster have about summaryTokens together. leastMembers are asked about in any
	// case.
	maxMembers    = 40
	leastMembers  = 8
	memberTokens  = 55
	summaryTokens = 200
	// maxMerged bounds the descriptions that are made one, in tokens.
	maxMerged = 4000
)

// fitted answers a task, if need be in parts: what would want a reply longer than its
// limit is divided before it is asked, and what does not fit the model's context
// when the model says so.
func (m *Models) fitted(ctx context.Context, item string, docs []string, t llm.Task) (llm.Reply, error) {
	m = m.Ensure(nil, nil)
	if !m.full.Free {
		if p := m.tooMuch(t); p != nil {
			if r, err := m.keptWhole(ctx, item, docs, t); err != nil || r != nil {
				return *cmp.Or(r, &llm.Reply{}), err
			}
			return m.inParts(ctx, item, docs, t, p)
		}
	}
	r, err := m.do(ctx, item, docs, t)
	var long *llm.TooLongError
	if err == nil || !errors.As(err, &long) {
		return r, err
	}
	p := halves(t, long)
	if p == nil {
		return r, err
	}
	if !m.shared.unkept && !errors.Is(err, errDivided) {
		if err := m.keepDivision(ctx, item, docs, t, long); err != nil {
			return llm.Reply{}, err
		}
	}
	r, err = m.inParts(ctx, item, docs, t, p)
	if err == nil && cuts(t) {
		r.Cut = cutOf(t, p.tasks[0], r.Cut)
	}
	return r, err
}

// cutOf returns how many pieces of a task's evidence are not whole if another task is
// asked in its place, of which some are not.
func cutOf(t, other llm.Task, some int) int {
	all, left := len(evidenceOf(t)), len(evidenceOf(other))
	if all == left {
		return all // there is one, which is shorter
	}
	return all - left + some
}

// evidenceOf returns the evidence that a task's reply is made of.
func evidenceOf(t llm.Task) []llm.Evidence {
	switch in := t.Input.(type) {
	case llm.AnswerInput:
		return in.Evidence
	case llm.ShortAnswerInput:
		return in.Evidence
	}
	return nil
}

// parts are tasks that do together what one does.
type parts struct {
	tasks []llm.Task
	// join makes the reply of theirs, or, if it returns none, the task whose reply it
	// is. It is nil if there is one task, whose reply it is.
	join func(replies []llm.Reply) (llm.Reply, *llm.Task, error)
}

// inParts asks parts one after the other. A stream is given to the last task, whose
// reply is that of the whole.
func (m *Models) inParts(ctx context.Context, item string, docs []string, t llm.Task, p *parts) (llm.Reply, error) {
	var replies []llm.Reply
	for _, part := range p.tasks {
		if p.join != nil {
			part.Stream = nil
		}
		r, err := m.fitted(ctx, item, docs, part)
		if err != nil {
			return llm.Reply{}, err
		}
		replies = append(replies, r)
	}
	if p.join == nil {
		return replies[0], nil
	}
	r, last, err := p.join(replies)
	if err == nil && last != nil {
		return m.fitted(ctx, item, docs, *last)
	}
	if err == nil && t.Stream != nil {
		err = t.Stream(r.Text)
	}
	return r, err
}

// tooMuch divides a task whose reply would be longer than its limit, or that is about
// more than a model keeps in view; nil is a task that is fine.
func (m *Models) tooMuch(t llm.Task) *parts {
	switch in := t.Input.(type) {
	case llm.SummaryEntitiesInput:
		n, most := len(in.Entities), m.mostMembers(t, in)
		if n > most {
			return members(t, in, (n+most-1)/most)
		}
	case llm.MergeInput:
		if len(in.Descriptions) < 3 || m.tokens == nil {
			return nil
		}
		var groups [][]string
		left := 0
		for _, s := range in.Descriptions {
			n := m.tokens.Count(s)
			// A group has two at least, so that each round leaves fewer.
			if last := len(groups) - 1; last < 0 || left < n && len(groups[last]) > 1 {
				groups, left = append(groups, nil), maxMerged
			}
			groups[len(groups)-1] = append(groups[len(groups)-1], s)
			left -= n
		}
		if len(groups) > 1 {
			return merged(t, in, groups)
		}
	}
	return nil
}

// mostMembers returns how many members of a cluster the reply to one task has room for,
// by the limit that the prompt sets.
func (m *Models) mostMembers(t llm.Task, in llm.SummaryEntitiesInput) int {
	n := min(len(in.Entities), maxMembers)
	for n > leastMembers {
		t.Input = with(in, func(x *llm.SummaryEntitiesInput) { x.Entities = in.Entities[:n] })
		part, err := m.filled(t)
		if err != nil || part.MaxTokens == 0 || part.MaxTokens >= summaryTokens+n*memberTokens {
			break
		}
		n = max(leastMembers, n*3/4)
	}
	return max(n, 1)
}

// halves divides a task that does not fit a model's context, or leaves out what
// matters least of it; nil is one about too little to be divided.
func halves(t llm.Task, long *llm.TooLongError) *parts {
	switch in := t.Input.(type) {
	case llm.ExtractInput:
		a, b, ok := halveText(in.Text)
		if !ok {
			return nil
		}
		return joined(t, with(in, func(x *llm.ExtractInput) { x.Text = a }), with(in, func(x *llm.ExtractInput) { x.Text = b }))
	case llm.GleanInput:
		a, b, ok := halveText(in.Text)
		if n := len(in.Found.Entities) + len(in.Found.Relations); !ok && n > 0 {
			in.Found.Entities, in.Found.Relations = in.Found.Entities[:len(in.Found.Entities)/2], in.Found.Relations[:len(in.Found.Relations)/2]
			return instead(t, in)
		}
		if !ok {
			return nil
		}
		return joined(t, gleaned(in, a), gleaned(in, b))
	case llm.SummaryEntitiesInput:
		if len(in.Entities) < 4 {
			return nil
		}
		return members(t, in, 2)
	case llm.MergeInput:
		if len(in.Descriptions) < 3 {
			return longer(t, in)
		}
		mid := len(in.Descriptions) / 2
		return merged(t, in, [][]string{in.Descriptions[:mid], in.Descriptions[mid:]})
	case llm.SummariseInput:
		return summarised(t, in)
	case llm.ReportInput:
		return reported(t, in)
	case llm.AttributeInput:
		if len(in.Units)+len(in.Relations) < 2 {
			return nil
		}
		units, relations := len(in.Units)/2, len(in.Relations)/2
		if units+relations == 0 {
			units = min(1, len(in.Units))
			relations = 1 - units
		}
		in.Units, in.Relations = in.Units[:units], in.Relations[:relations]
		return instead(t, in)
	case llm.AnswerInput:
		if t.Kind == llm.FilterPoints && len(in.Evidence) > 1 {
			mid := len(in.Evidence) / 2
			return joined(t, with(in, func(x *llm.AnswerInput) { x.Evidence = in.Evidence[:mid] }),
				with(in, func(x *llm.AnswerInput) { x.Evidence = in.Evidence[mid:] }))
		}
		list, ok := lessEvidence(in.Evidence, long)
		if !ok {
			return nil
		}
		in.Evidence = list
		return instead(t, in)
	case llm.ShortAnswerInput:
		list, ok := lessEvidence(in.Evidence, long)
		if !ok {
			return nil
		}
		in.Evidence = list
		return instead(t, in)
	case llm.QuestionsInput:
		if len(in.Texts) < 2 {
			return nil
		}
		in.Texts = in.Texts[:half(len(in.Texts))]
		return instead(t, in)
	}
	return nil
}

// cuts reports whether a task that does not fit loses evidence. A larger context makes a
// better reply to it; of other tasks the parts do as well.
func cuts(t llm.Task) bool {
	switch t.Kind {
	case llm.Answer, llm.ShortAnswer:
		return true
	}
	return false
}

// half returns half of a number, rounded up.
func half(n int) int { return (n + 1) / 2 }

func with[T any](x T, change func(*T)) T {
	change(&x)
	return x
}

// about returns t with another input.
func about(t llm.Task, in any) llm.Task {
	t.Input = in
	return t
}

// instead is one task in place of t.
func instead(t llm.Task, in any) *parts { return &parts{tasks: []llm.Task{about(t, in)}} }

// joined are tasks whose records are those of t.
func joined[T any](t llm.Task, inputs ...T) *parts {
	p := &parts{}
	for _, in := range inputs {
		p.tasks = append(p.tasks, about(t, in))
	}
	p.join = func(replies []llm.Reply) (all llm.Reply, _ *llm.Task, err error) {
		all = replies[0]
		for _, r := range replies[1:] {
			if all, err = all.Join(t.Kind, r); err != nil {
				return llm.Reply{}, nil, err
			}
		}
		return all, nil, nil
	}
	return p
}

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

// reportText is a report as a model reads it.
func reportText(r llm.Report) string {
	var b strings.Builder
	b.WriteString(r.Title + ": " + r.Summary)
	for _, f := range r.Findings {
		b.WriteString("\n" + cmp.Or(f.Explanation, f.Summary))
	}
	return b.String()
}
