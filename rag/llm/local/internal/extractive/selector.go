package extractive

import (
	"cmp"
	"context"
	"slices"
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// nearest is the number of passages that a selection names.
const nearest = 3

// standsAlone is the share of a question for a value from which on a sentence that has it
// needs nothing beside it.
const standsAlone = .75

// Select answers a question with sentences of the passages: the best that
// passes every gate and at most one that goes on, as the
// kind [llm.Select] asks for it.
func Select(ctx context.Context, in selection.Input) (selection.Output, error) {
	out, err := selectOne(ctx, in)
	parts := partsOf(in.Question)
	if err != nil || len(parts) < 2 || in.MaxSentences > 0 {
		return out, err
	}
	var told []selection.Sentence
	for _, part := range parts {
		in.Question = part
		sel, err := selectOne(ctx, in)
		if err != nil {
			return selection.Output{}, err
		}
		if len(sel.Sentences) == 0 {
			return out, nil
		}
		for _, s := range sel.Sentences {
			if !slices.ContainsFunc(told, func(t selection.Sentence) bool { return t.Passage == s.Passage && t.Start == s.Start }) {
				told = append(told, s)
			}
		}
	}
	out.Sentences, out.Refusal = told, ""
	return out, nil
}

// selectOne is Select for a question that asks for one thing.
func selectOne(ctx context.Context, in selection.Input) (selection.Output, error) {
	if in.Words == nil {
		in.Words = count(in.Passages)
	}
	q := understand(in.Question, in.Words)
	asks := len(q.words) > 1 // a single word asks nothing
	if q.lang == unspaced {
		asks = len(q.runs) > 1 || q.kind != anything || isQuestion(q.text)
	}
	var found []candidate
	near := make([]float64, len(in.Passages))
	refusal := selection.NoPassage
	for n := range in.Passages {
		if err := ctx.Err(); err != nil {
			return selection.Output{}, err
		}
		p := read(&in.Passages[n])
		p.n = n
		q.measure(p)
		for i := range p.sentences {
			c, why := q.consider(p, i)
			near[n] = max(near[n], c.coverage)
			if why == "" && !asks {
				why = selection.NoWords
			}
			if why != "" {
				if c.coverage > 0 {
					refusal = later(refusal, why)
				}
				continue
			}
			q.rate(&c)
			if q.lang == unspaced && q.startsWithTopic(c.s) {
				c.score += scoreFirst
			}
			found = append(found, c)
		}
	}
	out := selection.Output{Nearest: nearestOf(near), Open: !q.kind.valued() && q.kind != definition}
	if len(found) == 0 {
		out.Refusal = refusal
		return out, nil
	}
	inOrderOfScore(found)
	out.Sentences = q.shown(&found[0], in.MaxSentences)
	return out, nil
}

// consider weighs a sentence by the gates of the question's script.
func (q *question) consider(p *passage, i int) (candidate, selection.Refusal) {
	if q.lang == unspaced {
		return q.weighUnspaced(p, i)
	}
	return q.weigh(p, i)
}

// shown returns a candidate as it is shown, behind the sentence that it leans on
// and before what follows it; as the steps of a list if those are asked for.
func (q *question) shown(c *candidate, most int) []selection.Sentence {
	as := func(s *sentence) selection.Sentence {
		return selection.Sentence{Passage: c.passage, Start: s.start, End: s.end, Text: s.text, Score: c.score, Line: s.role == code || listItem.MatchString(s.text)}
	}
	if steps := q.steps(c); steps != nil && most == 0 {
		out := make([]selection.Sentence, 0, len(steps))
		for _, s := range steps {
			out = append(out, as(s))
		}
		return out
	}
	if most == 0 && q.kind.valued() && c.ownShare >= standsAlone && !strings.HasSuffix(c.s.text, ":") {
		most = 1
	}
	before, behind := c.of.quote(c, most)
	var out []selection.Sentence
	for _, s := range before {
		out = append(out, as(s))
	}
	first := as(c.s)
	switch {
	case c.s.role == setting:
		first.Text = asSetting(c.s)
	case c.name != "" && q.isNew(text.Key(c.name)):
		first.Text, _ = withName(first.Text, c.s.words, c.name)
	}
	out = append(out, first)
	for _, s := range behind {
		if most == 0 || len(out) < most {
			out = append(out, as(s))
		}
	}
	return out
}

// later returns the refusal that comes later in the row of gates.
func later(a, b selection.Refusal) selection.Refusal {
	row := []selection.Refusal{selection.NoPassage, selection.NoName, selection.NoWords, selection.NoValue}
	if slices.Index(row, b) > slices.Index(row, a) {
		return b
	}
	return a
}

// nearestOf returns the indexes of the passages that cover most of the
// question; of equal ones those that were retrieved first.
func nearestOf(coverage []float64) []int {
	order := make([]int, len(coverage))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(coverage[b]+scoreRank/float64(1+b), coverage[a]+scoreRank/float64(1+a))
	})
	return order[:min(len(order), nearest)]
}

// counted is what passages tell of words if nothing else does.
type counted struct {
	*text.CaseStats
	texts int64
	df    map[string]int64
}

// Texts implements [selection.WordStats].
func (c *counted) Texts() int64 { return c.texts }

// DF implements [selection.WordStats].
func (c *counted) DF(term string) int64 { return c.df[term] }

// count counts the words of passages.
func count(passages []selection.Passage) *counted {
	c := &counted{CaseStats: &text.CaseStats{}, texts: int64(len(passages)), df: map[string]int64{}}
	for i := range passages {
		s := passages[i].Text
		if t := passages[i].Title; t != "" && !strings.HasPrefix(s, t) {
			s = t + "\n" + s
		}
		c.Add(s)
		seen := map[string]bool{}
		for _, t := range (lex.Standard{}).Terms(s) {
			if !seen[t.Text] {
				seen[t.Text] = true
				c.df[t.Text]++
			}
		}
	}
	return c
}
