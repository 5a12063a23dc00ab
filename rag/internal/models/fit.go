package models

import (
	"cmp"
	"context"
	"errors"

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
	case llm.InsightsInput:
		return insights(t, in)
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
