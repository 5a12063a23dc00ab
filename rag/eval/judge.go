package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
)

// GoldAnswers is the name under which the known answers take part in a judging.
const GoldAnswers = "gold answers"

// Judging is what one judge says of the answers of each two methods.
type Judging struct {
	// Judge is the model, Prompts the hash of the prompts.
	Judge   string `json:"judge"`
	Prompts string `json:"prompts,omitempty"`
	// Pairs are all pairs of methods, in their order, and of each method with
	// GoldAnswers.
	Pairs []Pair `json:"pairs"`
	// At are the pairs with each budget of Report.At.
	At []JudgingAt `json:"at,omitempty"`
	// FirstShown is the share of the verdicts for the answer shown first, among
	// those that name one: 0.5 is a judge that does not look at the order.
	FirstShown *float64 `json:"first_shown,omitempty"`
	// Verdicts counts what was asked, of all budgets, each trial once; Failed what came
	// to nothing: replies that could not be read, and tasks that were refused.
	// Failure is why the first of those did.
	Verdicts int   `json:"verdicts"`
	Failed   int   `json:"failed"`
	Failure  error `json:"-"`
	// InTokens and OutTokens are what the verdicts cost when they were paid,
	// USD their price, nil if it is not known.
	InTokens  int      `json:"in_tokens"`
	OutTokens int      `json:"out_tokens"`
	USD       *float64 `json:"usd,omitempty"`
}

// JudgingAt are the pairs of methods that answered from evidence within a budget.
type JudgingAt struct {
	Budget int    `json:"budget"`
	Pairs  []Pair `json:"pairs"`
}

// Pair is how the answers of method A did against those of B.
type Pair struct {
	A string `json:"a"`
	B string `json:"b"`
	// Questions counts those that were judged in both orders, and those on
	// which both gave the same answer, which is a tie that no judge is asked
	// for. The others failed.
	Questions int `json:"questions"`
	Wins      int `json:"wins"`   // of A
	Ties      int `json:"ties"`   // none is better, or the two orders disagree
	Losses    int `json:"losses"` // of A
	Failed    int `json:"failed"`
	// WinTie is the share of wins and ties, CI the 95 % interval of the share
	// of wins less that of losses.
	WinTie *float64    `json:"win_tie,omitempty"`
	CI     *[2]float64 `json:"ci,omitempty"`
}

// trial is a question with two answers as a judge is shown them.
type trial struct {
	question      int
	first, second string
}

// swapped is the same trial in the other order.
func (t trial) swapped() trial { return trial{t.question, t.second, t.first} }

// ruling is what came of a trial.
type ruling struct {
	verdict
	docs   []string // that the answers are from
	failed bool
	why    error
}

// judge lets the judges compare the answers of each two methods.
func (r *runner) judge(ctx context.Context, rep *Report) error {
	if r.o.Answers == nil {
		return nil
	}
	sides := contestants(rep, r.questions, func(f *Figure) *AnswerFigure { return f.Answers })
	within := make([][]contestant, len(rep.At))
	for k := range rep.At {
		within[k] = contestants(rep, r.questions, func(f *Figure) *AnswerFigure {
			if f.At == nil {
				return nil
			}
			return f.At[k].Answers
		})
	}
	for _, open := range r.o.Answers.Judges {
		m, err := open(ctx, r.corpus)
		if err != nil {
			return err
		}
		if !m.Provider().Can(llm.Judge) {
			return fmt.Errorf("%s cannot judge: %w", m.Provider().Name(), llm.ErrKind)
		}
		j := &judging{r: r, models: m, rulings: map[trial]*ruling{}}
		out, err := j.run(ctx, sides, within)
		if err != nil {
			return fmt.Errorf("judge %s: %w", m.Provider().Name(), err)
		}
		rep.Judging = append(rep.Judging, *out)
	}
	return nil
}

// contestant is a method with its answers, or the known answers.
type contestant struct {
	name    string
	answers []given
}

// contestants returns the methods with the answers that of returns, and the known ones.
func contestants(rep *Report, questions []question, of func(f *Figure) *AnswerFigure) []contestant {
	var out []contestant
	for i := range rep.Methods {
		if a := of(&rep.Methods[i]); a != nil {
			out = append(out, contestant{rep.Methods[i].Name, a.replies})
		}
	}
	gold, any := make([]given, len(questions)), false
	for i := range questions {
		q := &questions[i]
		if gold[i].absent = len(q.Answers) == 0; !gold[i].absent {
			gold[i].text, any = q.Answers[0], true
		}
	}
	if any && len(out) > 0 {
		out = append(out, contestant{GoldAnswers, gold})
	}
	return out
}

// judging is the work of one judge.
type judging struct {
	r      *runner
	models *rag.Models

	trials  []trial // each once, in the order in which they come up
	rulings map[trial]*ruling
}

// noAnswer is shown for an answer that there was nothing to make of.
const noAnswer = "No answer."

// trialOf returns the trial of two answers; ok is false if one of them
// failed or is absent. The same answer twice is a tie.
func trialOf(question int, a, b given) (t trial, same, ok bool) {
	if a.failed || b.failed || a.absent || b.absent {
		return t, false, false
	}
	shown := func(g given) string {
		if g.text == "" {
			return noAnswer
		}
		return g.text
	}
	t = trial{question, shown(a), shown(b)}
	return t, t.first == t.second, true
}

// run lets the judge rule on all pairs: of sides, and of those with each budget.
func (j *judging) run(ctx context.Context, sides []contestant, within [][]contestant) (*Judging, error) {
	rounds := append([][]contestant{sides}, within...)
	for _, sides := range rounds {
		eachPair(sides, j.plan)
	}
	if err := j.decide(ctx); err != nil {
		return nil, err
	}
	out := &Judging{Judge: j.models.Provider().Name(), Prompts: j.models.Prompts(), Verdicts: len(j.trials)}
	for i, sides := range rounds {
		var pairs []Pair
		eachPair(sides, func(a, b *contestant) { pairs = append(pairs, j.pair(a, b)) })
		if i == 0 {
			out.Pairs = pairs
		} else {
			out.At = append(out.At, JudgingAt{j.r.o.At[i-1], pairs})
		}
	}
	j.sum(out)
	return out, nil
}

// eachPair calls do for each two sides.
func eachPair(sides []contestant, do func(a, b *contestant)) {
	for i := range sides {
		for k := i + 1; k < len(sides); k++ {
			do(&sides[i], &sides[k])
		}
	}
}

// plan adds the trials of two sides, in both orders.
func (j *judging) plan(a, b *contestant) {
	for q := range a.answers {
		t, same, ok := trialOf(q, a.answers[q], b.answers[q])
		if !ok || same {
			continue
		}
		for _, t := range []trial{t, t.swapped()} {
			known := j.rulings[t]
			if known == nil {
				known = &ruling{}
				j.rulings[t] = known
				j.trials = append(j.trials, t)
			}
			known.docs = append(known.docs, a.answers[q].docs...)
			known.docs = append(known.docs, b.answers[q].docs...)
		}
	}
}

// decide has every trial ruled on, some at a time.
func (j *judging) decide(ctx context.Context) error {
	var mu sync.Mutex
	done, failed := 0, 0
	for batch := range slices.Chunk(j.trials, answerBatch) {
		err := inParallel(ctx, j.models, len(batch), func(ctx context.Context, i int) error {
			rule := j.rulings[batch[i]]
			if err := j.rule(ctx, batch[i], rule); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			if rule.failed {
				failed++
			}
			j.r.o.Notify(rag.Event{Stage: "judge " + j.models.Provider().Name(), Done: done, Total: len(j.trials), Failed: failed})
			return nil
		})
		// What was ruled is kept even if others could not be.
		if err := errors.Join(err, j.keep(context.WithoutCancel(ctx), batch)); err != nil {
			return err
		}
	}
	return nil
}

// pair counts who won. An answer wins that both orders name; if they
// disagree the order decided, and it is a tie (Zheng et al. 2023, section 3.4).
func (j *judging) pair(a, b *contestant) Pair {
	p := Pair{A: a.name, B: b.name}
	var wins, losses []float64
	for q := range a.answers {
		if a.answers[q].absent || b.answers[q].absent {
			continue
		}
		t, same, ok := trialOf(q, a.answers[q], b.answers[q])
		if !ok {
			p.Failed++
			continue
		}
		win, loss := false, false
		if !same {
			one, other := j.rulings[t], j.rulings[t.swapped()]
			if one.failed || other.failed {
				p.Failed++
				continue
			}
			win, loss = one.Winner == 0 && other.Winner == 1, one.Winner == 1 && other.Winner == 0
		}
		switch {
		case win:
			p.Wins++
		case loss:
			p.Losses++
		default:
			p.Ties++
		}
		p.Questions++
		wins, losses = append(wins, share(win)), append(losses, share(loss))
	}
	if p.Questions > 0 {
		x := float64(p.Wins+p.Ties) / float64(p.Questions)
		ci := interval(wins, losses, j.r.o.Seed)
		p.WinTie, p.CI = &x, &ci
	}
	return p
}

// sum adds up what the verdicts say of the judge.
func (j *judging) sum(out *Judging) {
	var u llm.Usage
	var first []float64
	for _, t := range j.trials {
		rule := j.rulings[t]
		u.Add(rule.Usage)
		switch {
		case rule.failed:
			if out.Failed++; out.Failure == nil {
				out.Failure = rule.why
			}
		case rule.Winner >= 0:
			first = append(first, share(rule.Winner == 0))
		}
	}
	out.FirstShown = share1(first)
	out.InTokens, out.OutTokens, out.USD = u.InTokens, u.OutTokens, price(j.models, u)
}
