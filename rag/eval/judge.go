package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
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
	// FirstShown is the share of the verdicts for the answer shown first, among
	// those that name one: 0.5 is a judge that does not look at the order.
	FirstShown *float64 `json:"first_shown,omitempty"`
	// Verdicts counts what was asked, Failed what came to nothing: replies that
	// could not be read, and tasks that were refused.
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

// verdict is the form in which a verdict is kept. What the judge wrote is among
// the replies, and goes with the documents.
type verdict struct {
	Judge    string    `json:"judge"`
	Question string    `json:"question"`
	Winner   int       `json:"winner"` // 0 the first shown, 1 the second, -1 none
	Usage    llm.Usage `json:"usage"`
}

// bucketVerdicts keeps verdicts in the base graph, under the digest of judge,
// prompts, question and both answers.
const bucketVerdicts = "verdicts"

// judge lets the judges compare the answers of each two methods.
func (r *runner) judge(ctx context.Context, rep *Report) error {
	if r.o.Answers == nil {
		return nil
	}
	sides := contestants(rep, r.questions)
	for _, open := range r.o.Answers.Judges {
		m, err := open(ctx, r.corpus)
		if err != nil {
			return err
		}
		if !m.Provider().Can(llm.Judge) {
			return fmt.Errorf("%s cannot judge: %w", m.Provider().Name(), llm.ErrKind)
		}
		j := &judging{r: r, models: m, rulings: map[trial]*ruling{}}
		out, err := j.run(ctx, sides)
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

func contestants(rep *Report, questions []question) []contestant {
	var out []contestant
	for _, f := range rep.Methods {
		if f.Answers != nil {
			out = append(out, contestant{f.Name, f.Answers.replies})
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

// run lets the judge rule on all pairs.
func (j *judging) run(ctx context.Context, sides []contestant) (*Judging, error) {
	each := func(fn func(a, b *contestant) error) error {
		for i := range sides {
			for k := i + 1; k < len(sides); k++ {
				if err := fn(&sides[i], &sides[k]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	_ = each(func(a, b *contestant) error { j.plan(a, b); return nil })
	if err := j.decide(ctx); err != nil {
		return nil, err
	}
	out := &Judging{Judge: j.models.Provider().Name(), Prompts: j.models.Prompts(), Verdicts: len(j.trials)}
	_ = each(func(a, b *contestant) error { out.Pairs = append(out.Pairs, j.pair(a, b)); return nil })
	j.sum(out)
	return out, nil
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

// digest is the key of a trial's verdict.
func (j *judging) digest(t trial) []byte {
	d := method.Digest("verdict", j.models.Provider().Name(), j.models.Prompts(), j.r.questions[t.question].Text, t.first, t.second)
	return d[:]
}

// rule finds a verdict that is kept, else asks the judge.
func (j *judging) rule(ctx context.Context, t trial, into *ruling) error {
	known, err := j.known(ctx, t)
	if err != nil {
		return err
	}
	if known != nil {
		into.verdict = *known
		return nil
	}
	var tally cost.Tally
	slices.Sort(into.docs)
	q := &j.r.questions[t.question]
	reply, err := j.models.Tallied("judge", &tally).Do(ctx, "judge", slices.Compact(into.docs), llm.Task{
		Kind: llm.Judge, Input: llm.JudgeInput{Question: q.Text, Answers: []string{t.first, t.second}},
	})
	var v llm.Verdict
	if err == nil {
		if err = json.Unmarshal([]byte(reply.Text), &v); err != nil || v.Winner < -1 || v.Winner > 1 {
			err = &llm.ReplyError{Kind: llm.Judge, Raw: reply.Text, Why: "the winner is neither of the two answers, nor -1"}
		}
	}
	if err != nil && !passing(err) {
		return err // and there is no verdict to keep
	}
	into.verdict = verdict{Judge: j.models.Provider().Name(), Question: q.ID, Winner: v.Winner, Usage: tally.Usage()}
	if err != nil {
		into.failed, into.why = true, fmt.Errorf("question %s: %w", q.ID, err)
	}
	return nil
}

// known returns the verdict on a trial that is kept, nil if there is none.
func (j *judging) known(ctx context.Context, t trial) (v *verdict, err error) {
	err = j.r.db.View(ctx, func(s *engine.Snapshot) error {
		b, err := s.Graph(j.r.corpus.Base()).WithContext(ctx).Bucket(bucketVerdicts).Get(j.digest(t), nil)
		if errors.Is(err, engine.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		v = &verdict{}
		return json.Unmarshal(b, v)
	})
	return v, err
}

// keep stores the verdicts of trials that were ruled on.
func (j *judging) keep(ctx context.Context, trials []trial) error {
	return j.r.db.Update(ctx, func(tx *engine.Tx) error {
		bucket, err := tx.Graph(j.r.corpus.Base()).MakeBucket(bucketVerdicts)
		if err != nil {
			return err
		}
		for _, t := range trials {
			rule := j.rulings[t]
			if rule.failed || rule.Judge == "" {
				continue
			}
			b, err := json.Marshal(rule.verdict)
			if err != nil {
				return err
			}
			if err := bucket.Set(j.digest(t), b); err != nil {
				return err
			}
		}
		return nil
	})
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
