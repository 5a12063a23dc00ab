package eval

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/eval/metric"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/replay"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/prompts"
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

// AnswerPlan is what a run asks at most, of one data set.
type AnswerPlan struct {
	// Answers counts those of all methods, Tokens the evidence that they read
	// if each has all of the budget.
	Answers, Tokens int
	// Verdicts counts those of all judges. They read two answers each.
	Verdicts int
	// USD is the price of reading the evidence, nil if it is not known.
	USD *float64
}

// plan tells what the run asks at most.
func (r *runner) plan(m *rag.Models) AnswerPlan {
	n, sides := len(r.questions), len(r.specs)
	p := AnswerPlan{Answers: n * sides, Tokens: n * sides * r.o.Budget}
	if r.known() {
		sides++ // the gold answers
	}
	p.Verdicts = len(r.o.Answers.Judges) * n * sides * (sides - 1)
	p.USD = price(m, llm.Usage{InTokens: p.Tokens})
	return p
}

// known reports whether any question has a known answer.
func (r *runner) known() bool {
	return slices.ContainsFunc(r.questions, func(q question) bool { return len(q.Answers) > 0 })
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

	Acc         *float64 `json:"acc,omitempty"`
	EM          *float64 `json:"em,omitempty"`
	F1          *float64 `json:"f1,omitempty"`
	TokenRecall *float64 `json:"token_recall,omitempty"`
	BLEU1       *float64 `json:"bleu1,omitempty"`
	RougeL      *float64 `json:"rougeL,omitempty"`
	Meteor      *float64 `json:"meteor,omitempty"`
	Choice      *float64 `json:"choice,omitempty"`
	// CI is the 95 % interval of the accuracy less bm25's.
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
	acc     []float64 // by question that has answers
}

// given is an answer to a question.
type given struct {
	text   string
	docs   []string // that it may be from
	failed bool
	why    error       // if it failed
	absent bool        // there is none to be had
	answer *rag.Answer // as ask gives it; nil if another prompt was used
}

// answerBatch is how many questions are asked together: so much evidence is
// held, and retrieval is timed while nothing is being asked.
const answerBatch = 256

// answering asks a model the questions of a run, by what one method retrieves.
type answering struct {
	r       *runner
	sys     *method.System
	title   string
	models  *rag.Models
	tally   cost.Tally
	replies []given
	pending []retrieved

	// mu guards the fields below it.
	mu                 sync.Mutex
	done               int
	unanswered, failed int
}

// retrieved is the evidence for a question.
type retrieved struct {
	question int
	evidence *rag.Evidence
}

// answering returns what asks for the answers of a method; nil if none are
// wanted.
func (r *runner) answering(ctx context.Context, sys *method.System, title string) (*answering, error) {
	if r.o.Answers == nil {
		return nil, nil
	}
	if len(r.o.Answers.Judges) > 0 && len(r.specs) < 2 && !r.known() {
		return nil, errors.New("a judge compares the answers of two methods: name another, or questions with answers")
	}
	a := &answering{r: r, sys: sys, title: title, replies: make([]given, len(r.questions))}
	m, err := r.o.Answers.Models(ctx, r.corpus)
	if err != nil {
		return nil, err
	}
	if r.o.Answers.Begin != nil && !r.begun && !m.Free() {
		if err := r.o.Answers.Begin(r.plan(m)); err != nil {
			return nil, err
		}
	}
	r.begun = true
	a.models = m.Tallied("answers", &a.tally)
	return a, nil
}

// add takes what was retrieved from c for a question. From time to time it asks.
func (a *answering) add(ctx context.Context, c *rag.Corpus, question int, ev *rag.Evidence) error {
	if a == nil {
		return nil
	}
	a.pending = append(a.pending, retrieved{question, ev})
	if len(a.pending) < answerBatch {
		return nil
	}
	return a.flush(ctx, c)
}

// flush asks what is pending.
func (a *answering) flush(ctx context.Context, c *rag.Corpus) error {
	err := inParallel(ctx, a.models, len(a.pending), func(ctx context.Context, i int) error {
		return a.ask(ctx, c, a.pending[i])
	})
	a.pending = a.pending[:0]
	return err
}

// inParallel calls do for 0 to n-1, several at once if models are waited
// for, until one fails.
func inParallel(ctx context.Context, m *rag.Models, n int, do func(ctx context.Context, i int) error) error {
	workers := m.Workers()
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error { return do(ctx, i) })
	}
	return g.Wait()
}

// ask asks one question.
func (a *answering) ask(ctx context.Context, c *rag.Corpus, p retrieved) error {
	q := &a.r.questions[p.question]
	g, err := a.reply(ctx, c, q, p.evidence)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case errors.Is(err, llm.ErrNoEvidence):
		a.unanswered++
	case passing(err):
		a.failed++
		g.failed, g.why = true, fmt.Errorf("question %s: %w", q.ID, err)
	case err != nil:
		return fmt.Errorf("question %s: %w", q.ID, err)
	}
	a.replies[p.question] = g
	a.done++
	a.r.o.Notify(rag.Event{Stage: "answers " + a.title, Done: a.done, Total: len(a.replies), Failed: a.failed})
	return nil
}

// passing reports whether an error concerns one task alone: others may succeed.
func passing(err error) bool {
	return errors.Is(err, llm.ErrReply) || errors.Is(err, llm.ErrRefused) || errors.Is(err, replay.ErrNotRecorded)
}

// reply gets the answer to a question.
func (a *answering) reply(ctx context.Context, c *rag.Corpus, q *question, ev *rag.Evidence) (given, error) {
	ask := method.Question{Text: q.Text, Budget: a.r.o.Budget, Style: a.r.o.Answers.Style}
	if a.r.o.Answers.OwnPrompts || a.models.Provider().Can(llm.Select) {
		return a.own(ctx, c, ask, ev)
	}
	in, docs, err := c.AnswerInput(ctx, a.sys, a.models, ask, ev)
	g := given{docs: docs}
	if err != nil {
		return g, err
	}
	t, steps := llm.Task{Kind: llm.Answer, Input: in}, in.Steps && !in.Paragraphs
	if long := in.Paragraphs && ask.Style != ""; len(q.Answers) > 0 && !long || len(q.Options) > 0 {
		steps = in.Steps
		t = llm.Task{Kind: llm.ShortAnswer, Input: llm.ShortAnswerInput{
			Question: in.Question, Evidence: in.Evidence, Options: metric.Lettered(q.Options), Steps: in.Steps,
		}}
	}
	reply, err := a.models.Do(ctx, "eval", docs, t)
	if err != nil {
		return g, err
	}
	g.text = spoken(reply.Text, steps)
	if prompts.IsNoEvidence(g.text) {
		g.text, err = "", llm.ErrNoEvidence
	}
	return g, err
}

// own gets the answer that ask would give.
func (a *answering) own(ctx context.Context, c *rag.Corpus, q method.Question, ev *rag.Evidence) (g given, err error) {
	for _, it := range ev.Items() {
		for _, ch := range it.Chunks {
			g.docs = append(g.docs, method.DocOf(ch))
		}
	}
	own, err := c.AnswerFrom(ctx, a.sys, a.models, q, ev)
	if err != nil {
		return g, err
	}
	g.answer = own
	if !own.Answered {
		return g, llm.ErrNoEvidence
	}
	steps := false
	if long, err := a.sys.InParagraphs(q); err != nil {
		return g, err
	} else if a.sys.Unaided != nil && !long {
		steps = a.sys.Unaided(q.Text).Steps
	}
	g.text = spoken(own.Text, steps)
	return g, nil
}

// citations are the markers of an answer.
var citations = regexp.MustCompile(`\s*\[\d+(?:\s*,\s*\d+)*\]`)

// spoken returns the answer in a reply, without citations: with steps it is the
// last line.
func spoken(reply string, steps bool) string {
	s := strings.TrimSpace(citations.ReplaceAllString(reply, ""))
	if i := strings.LastIndexByte(s, '\n'); steps && i >= 0 {
		s = strings.TrimSpace(s[i:])
	}
	return s
}

// figure asks what is left and sums up.
func (a *answering) figure(ctx context.Context, c *rag.Corpus) (*AnswerFigure, error) {
	if a == nil {
		return nil, nil
	}
	if err := a.flush(ctx, c); err != nil {
		return nil, err
	}
	f := &AnswerFigure{
		Model: a.models.Provider().Name(), Prompts: a.models.Prompts(), Unanswered: a.unanswered, Failed: a.failed, replies: a.replies,
	}
	if i := slices.IndexFunc(a.replies, func(g given) bool { return g.failed }); i >= 0 {
		f.Failure = a.replies[i].why
	}
	if a.failed == len(a.replies) {
		return nil, fmt.Errorf("no answer was had: %w", f.Failure)
	}
	f.score(a.r.questions)
	f.Outcomes = countOutcomes(a.r.questions, a.replies, a.r.recordsAt)
	u := a.tally.Usage()
	f.InTokens, f.OutTokens, f.USD = u.InTokens, u.OutTokens, price(a.models, u)
	return f, nil
}

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

// score measures the answers by the known ones.
func (f *AnswerFigure) score(questions []question) {
	var em, f1, recall, bleu, rouge, meteor, choice []float64
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
		f.acc = append(f.acc, metric.Accuracy(text, q.Answers))
		em = append(em, metric.ExactMatch(text, q.Answers))
		f1 = append(f1, metric.F1(text, q.Answers))
		recall = append(recall, metric.Recall(text, q.Answers))
		bleu = append(bleu, metric.BLEU1(text, q.Answers))
		rouge = append(rouge, metric.ROUGEL(text, q.Answers))
		meteor = append(meteor, metric.METEOR(text, q.Answers))
	}
	f.Acc, f.EM, f.F1, f.TokenRecall = share1(f.acc), share1(em), share1(f1), share1(recall)
	f.BLEU1, f.RougeL, f.Meteor, f.Choice = share1(bleu), share1(rouge), share1(meteor), share1(choice)
}

// compareAnswers adds the intervals against the figures of method at.
func compareAnswers(rep *Report, at int, seed uint64) {
	base := rep.Methods[at].Answers
	if base == nil {
		return
	}
	for i := range rep.Methods {
		if f := rep.Methods[i].Answers; f != nil && i != at && len(f.acc) > 0 {
			ci := interval(f.acc, base.acc, seed)
			f.CI = &ci
		}
	}
}
