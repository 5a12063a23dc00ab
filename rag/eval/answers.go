package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/eval/metric"
	"github.com/ragdb/ragdb/rag/llm"
)

// AnswerOptions say how the methods' answers are made and judged.
type AnswerOptions struct {
	// Models opens the model that answers. Replies of a model that is paid for
	// are kept in the database.
	Models func(ctx context.Context, c *rag.Corpus) (*rag.Models, error)
	// OwnPrompts makes each answer as ask does, with citations, in place of the
	// one prompt for all.
	OwnPrompts bool
	// Style is the form of all answers, one of [method.Styles]; "" is that of each
	// method. If it is given and not short, questions with known answers get answers of
	// that form in place of short ones; those of multiple choice get a letter.
	Style string
	// Begin is told, before anything is asked of a model that is paid for, what
	// will be asked at most. An error ends the run. It may be nil.
	Begin func(AnswerPlan) error
	// Judges open the models that compare the answers of each two methods.
	Judges []func(ctx context.Context, c *rag.Corpus) (*rag.Models, error)
}

// AnswerFigure are the figures of a method's answers, shares as fractions; nil
// if no question has what they are measured by.
type AnswerFigure struct {
	// Model is the one that answered, Prompts the hash of the prompts, "" if
	// it reads none.
	Model   string `json:"model"`
	Prompts string `json:"prompts,omitempty"`
	// Unanswered counts the answers that there was nothing to answer from,
	// Failed those that the model could not be brought to give. Both count as
	// wrong.
	Unanswered int `json:"unanswered"`
	Failed     int `json:"failed"`
	// Scored counts the questions with known answers, which the shares below but
	// Choice are of.
	Scored int `json:"scored"`

	Acc         *float64 `json:"acc,omitempty"`
	EM          *float64 `json:"em,omitempty"`
	F1          *float64 `json:"f1,omitempty"`
	TokenRecall *float64 `json:"token_recall,omitempty"`
	BLEU1       *float64 `json:"bleu1,omitempty"`
	RougeL      *float64 `json:"rougeL,omitempty"`
	Meteor      *float64 `json:"meteor,omitempty"`
	Choice      *float64 `json:"choice,omitempty"`
	// CI is the 95 % interval of the accuracy less bm25's with the same budget.
	CI *[2]float64 `json:"ci,omitempty"`

	// Outcomes counts the right, the wrong and the refused answers; nil if the
	// model was asked otherwise than ask does, which can refuse.
	Outcomes *outcomes `json:"outcomes,omitempty"`

	// InTokens and OutTokens are what all answers together cost when they were
	// paid, USD their price, nil if it is not known.
	InTokens  int      `json:"in_tokens"`
	OutTokens int      `json:"out_tokens"`
	USD       *float64 `json:"usd,omitempty"`

	// Failure is why the first of the failed ones failed.
	Failure error `json:"-"`

	replies []given
	scores  []*answerScore // by question, nil for one without known answers
}

// answerScore is how an answer did.
type answerScore struct{ acc, em, f1 float64 }

// price returns what was used costs, nil if that is not known.
func price(m *rag.Models, u llm.Usage) *float64 {
	p, ok := m.Meter().Price(m.Provider().Name())
	if m.Free() {
		p, ok = cost.Price{}, true
	}
	if !ok {
		return nil
	}
	usd := p.USD(u)
	return &usd
}

// figure asks what is left and sums up: the figures of each budget.
func (a *answering) figure(ctx context.Context, c *rag.Corpus) (map[int]*AnswerFigure, error) {
	if a == nil {
		return nil, nil
	}
	if err := a.flush(ctx, c); err != nil {
		return nil, err
	}
	out := map[int]*AnswerFigure{}
	for _, s := range a.sets {
		out[s.budget] = a.sum(s)
	}
	if a.failed == a.done {
		return nil, fmt.Errorf("no answer was had: %w", out[a.sets[0].budget].Failure)
	}
	return out, nil
}

// sum sums up the answers of a set.
func (a *answering) sum(s *answerSet) *AnswerFigure {
	f := &AnswerFigure{
		Model: s.models.Provider().Name(), Prompts: s.models.Prompts(), Unanswered: s.unanswered, Failed: s.failed, replies: s.replies,
	}
	if i := slices.IndexFunc(s.replies, func(g given) bool { return g.failed }); i >= 0 {
		f.Failure = s.replies[i].why
	}
	f.score(a.r.questions)
	f.Outcomes = countOutcomes(a.r.questions, s.replies, a.r.recordsAt)
	u := s.tally.Usage()
	f.InTokens, f.OutTokens, f.USD = u.InTokens, u.OutTokens, price(s.models, u)
	return f
}

// score measures the answers by the known ones.
func (f *AnswerFigure) score(questions []question) {
	var acc, em, f1, recall, bleu, rouge, meteor, choice []float64
	f.scores = make([]*answerScore, len(questions))
	for i := range questions {
		q, text := &questions[i], f.replies[i].text
		if right := q.right(); right >= 0 {
			at := metric.Choice(text, q.Options)
			choice = append(choice, share(at == right))
			if at >= 0 {
				text = q.Options[at] // in place of its letter
			}
		}
		if len(q.Answers) == 0 {
			continue
		}
		x := &answerScore{metric.Accuracy(text, q.Answers), metric.ExactMatch(text, q.Answers), metric.F1(text, q.Answers)}
		f.scores[i] = x
		acc, em, f1 = append(acc, x.acc), append(em, x.em), append(f1, x.f1)
		recall = append(recall, metric.Recall(text, q.Answers))
		bleu = append(bleu, metric.BLEU1(text, q.Answers))
		rouge = append(rouge, metric.ROUGEL(text, q.Answers))
		meteor = append(meteor, metric.METEOR(text, q.Answers))
	}
	f.Scored = len(acc)
	f.Acc, f.EM, f.F1, f.TokenRecall = share1(acc), share1(em), share1(f1), share1(recall)
	f.BLEU1, f.RougeL, f.Meteor, f.Choice = share1(bleu), share1(rouge), share1(meteor), share1(choice)
}

// accuracies returns the accuracy of each answer to a question with known ones.
func (f *AnswerFigure) accuracies() (out []float64) {
	for _, x := range f.scores {
		if x != nil {
			out = append(out, x.acc)
		}
	}
	return out
}

// compareAnswers adds the intervals against the answers of method at, for answers that
// of returns of each method.
func compareAnswers(rep *Report, at int, seed uint64, of func(f *Figure) *AnswerFigure) {
	base := of(&rep.Methods[at])
	if base == nil {
		return
	}
	theirs := base.accuracies()
	for i := range rep.Methods {
		if f := of(&rep.Methods[i]); f != nil && i != at && len(theirs) > 0 {
			ci := interval(f.accuracies(), theirs, seed)
			f.CI = &ci
		}
	}
}
