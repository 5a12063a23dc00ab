package local

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local/internal/extractive"
)

// maxPoints bounds the points of the kind filter-points.
const maxPoints = 20

// The weights of what makes a sentence an answer, against 1 for holding all
// that the question asks about.
const (
	weightNear       = 0.5  // for what its title or the sentence before it holds
	weightItem       = 0.2  // for what the rest of its evidence holds
	weightSimilarity = 0.4  // times the cosine to the question
	weightHint       = 0.3  // for a name, date or number if one is asked for
	weightRank       = 0.1  // for being in the first evidence
	weightSubject    = 0.2  // for beginning with the topic, in scripts without blanks
	weightTitle      = 0.6  // taken off titles and questions
	lastResort       = 0.01 // least score of a title
)

// A candidate is a sentence of the evidence.
type candidate struct {
	text  string
	n     int     // number of its evidence
	own   float64 // share of the question that it holds, from 0 to 1
	score float64
	terms map[string]bool
	title bool // a title or a question
}

// selected implements the kind select, by the rules of package extractive.
func selected(ctx context.Context, in selection.Input) (string, error) {
	sel, err := extractive.Select(ctx, in)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(sel)
	return string(b), err
}

// selectable returns a question with its evidence as a selector reads them.
func selectable(question string, evidence []llm.Evidence, most int) selection.Input {
	in := selection.Input{Question: question, MaxSentences: most}
	for _, e := range evidence {
		in.Passages = append(in.Passages, selection.Passage{Text: e.Text})
	}
	return in
}

// answer implements the kind answer: sentences of the evidence, each as it
// stands there and followed by the number of its evidence in brackets, or
// [llm.ErrNoEvidence] if none answers the question. It never says anything that
// the evidence does not. limit bounds the tokens, 0 being none: only whole
// sentences count, but the first is cut if it is too long.
func (p *Provider) answer(ctx context.Context, in llm.AnswerInput, limit int) (string, error) {
	sel, err := extractive.Select(ctx, selectable(in.Question, in.Evidence, in.MaxSentences))
	if err != nil {
		return "", err
	}
	if len(sel.Sentences) == 0 {
		return "", llm.ErrNoEvidence
	}
	reply := ""
	for i, s := range sel.Sentences {
		mark := fmt.Sprintf(" [%d]", in.Evidence[s.Passage].N)
		switch {
		case i == 0 && limit > 0 && p.tokens(s.Text+mark) > limit:
			return strings.TrimSpace(p.cut(s.Text, limit-p.tokens(mark)) + mark), nil
		case i == 0:
			reply = s.Text + mark
		case limit > 0 && p.tokens(reply+" "+s.Text+mark) > limit:
		default:
			reply += " " + s.Text + mark
		}
	}
	return reply, nil
}

// points implements the kind filter-points: the sentences of the evidence that
// hold something of the question, the best first, with their scores as for an
// answer, scaled so that 100 is a sentence that holds all of the question and
// has what it asks for.
func (p *Provider) points(ctx context.Context, in llm.AnswerInput) (llm.Points, error) {
	cands, err := p.candidates(ctx, in)
	if err != nil {
		return llm.Points{}, err
	}
	out := llm.Points{Points: []llm.Point{}}
	for _, c := range cands[:min(len(cands), maxPoints)] {
		score := 100 * min(1, max(0, c.score)/(1+weightHint))
		out.Points = append(out.Points, llm.Point{Description: c.text, Score: math.Round(score), N: c.n})
	}
	return out, nil
}

// candidates returns the distinct sentences of the evidence that hold
// something of the question, or whose evidence does, by falling score.
func (p *Provider) candidates(ctx context.Context, in llm.AnswerInput) ([]candidate, error) {
	asked := bag(text.Topic(in.Question))
	var sentences []candidate
	var items []int // index of the evidence of each sentence
	for i, e := range in.Evidence {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		spans := text.Sentences(e.Text)
		for k, sp := range spans {
			c := candidate{text: clean(withoutMarkers(e.Text[sp.Start:sp.End])), n: e.N, terms: map[string]bool{}}
			if c.text == "" {
				continue
			}
			c.title = isQuestion(c.text) || k == 0 && len(spans) > 1 && !terminated(c.text)
			for _, w := range bag(c.text) {
				if _, ok := slices.BinarySearchFunc(asked, w.term, func(a count, t string) int { return strings.Compare(a.term, t) }); ok {
					c.terms[w.term] = true
				}
			}
			sentences = append(sentences, c)
			items = append(items, i)
		}
	}
	if err := p.score(ctx, in.Question, asked, sentences, items); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	out := slices.DeleteFunc(sentences, func(c candidate) bool {
		key := text.Key(c.text)
		drop := c.score <= 0 || seen[key]
		seen[key] = true
		return drop
	})
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return out, nil
}

// isQuestion reports whether a sentence ends with a question mark.
func isQuestion(s string) bool { return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") }

// score sets own and score of the sentences; a sentence whose evidence holds
// nothing of the question keeps 0.
func (p *Provider) score(ctx context.Context, question string, asked []count, sentences []candidate, items []int) error {
	rare := make([]float64, len(asked))
	total := 0.0
	for i, w := range asked {
		df := 0
		for _, c := range sentences {
			if c.terms[w.term] {
				df++
			}
		}
		rare[i] = ln(1 + (float64(len(sentences)-df)+.5)/(float64(df)+.5))
		total += rare[i]
	}
	hint := p.hintOf(question)
	similar, err := p.similarities(ctx, question, sentences)
	if err != nil {
		return err
	}
	topic := strings.Trim(text.Topic(question), " ?？。")
	subject := topic != "" && isUnspaced(topic)
	lo := 0
	for i := range sentences {
		if items[i] != items[lo] {
			lo = i
		}
		c := &sentences[i]
		near, item := 0.0, 0.0
		for k, w := range asked {
			switch {
			case c.terms[w.term]:
				c.own += rare[k] / total
			case i > lo && (sentences[i-1].terms[w.term] || sentences[lo].title && sentences[lo].terms[w.term]):
				near += rare[k] / total
			case inItem(sentences, items, lo, w.term):
				item += rare[k] / total
			}
		}
		if c.own+near+item == 0 {
			continue
		}
		c.score = c.own + weightNear*near + weightItem*item + weightSimilarity*similar[i] +
			weightRank/float64(1+items[i])
		if subject && strings.HasPrefix(c.text, topic) {
			c.score += weightSubject
		}
		if hint.in(p, c.text) {
			c.score += weightHint
		}
		if c.title {
			c.score = max(c.score-weightTitle, lastResort)
		}
	}
	return nil
}

// inItem reports whether a sentence of the evidence that starts at lo has the
// term.
func inItem(sentences []candidate, items []int, lo int, term string) bool {
	for i := lo; i < len(sentences) && items[i] == items[lo]; i++ {
		if sentences[i].terms[term] {
			return true
		}
	}
	return false
}

// similarities returns the cosine of each sentence to the question, 0 if it is
// below or if there is no embedder.
func (p *Provider) similarities(ctx context.Context, question string, sentences []candidate) ([]float64, error) {
	out := make([]float64, len(sentences))
	if p.embedder == nil || len(sentences) == 0 {
		return out, nil
	}
	texts := []string{question}
	for _, c := range sentences {
		texts = append(texts, c.text)
	}
	vectors, _, err := p.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	q := vectors[0]
	for i, v := range vectors[1:] {
		if len(v) != len(q) || len(q) == 0 {
			continue
		}
		if norm := math.Sqrt(squares(q) * squares(v)); norm > 0 {
			out[i] = max(0, dot(q, v)/norm)
		}
	}
	return out, nil
}
