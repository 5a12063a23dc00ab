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

// answerBatch is how many answers are asked for together: so much evidence is
// held, and retrieval is timed while nothing is being asked.
const answerBatch = 256

// answering asks a model the questions of a run, by what one method retrieves within
// each budget.
type answering struct {
	r       *runner
	sys     *method.System
	title   string
	sets    []*answerSet
	pending []retrieved

	// mu guards the fields below it, and what the sets count.
	mu           sync.Mutex
	done, failed int
}

// answerSet are the answers of one method within one budget.
type answerSet struct {
	budget             int
	models             *rag.Models
	tally              cost.Tally // of models
	replies            []given    // by question
	unanswered, failed int
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

// retrieved is the evidence for a question within the budget of a set.
type retrieved struct {
	question int
	set      *answerSet
	evidence *rag.Evidence
}

// answering returns what asks for the answers of a method; nil if none are
// wanted.
func (r *runner) answering(ctx context.Context, sys *method.System, title string) (*answering, error) {
	if r.o.Answers == nil {
		return nil, nil
	}
	if err := r.checkJudges(); err != nil {
		return nil, err
	}
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
	a := &answering{r: r, sys: sys, title: title}
	for _, budget := range r.answerBudgets() {
		s := &answerSet{budget: budget, replies: make([]given, len(r.questions))}
		s.models = m.Tallied("answers", &s.tally)
		a.sets = append(a.sets, s)
	}
	return a, nil
}

// add takes what was retrieved from c for a question: ev for the run's budget, at for
// each of o.At. From time to time it asks.
func (a *answering) add(ctx context.Context, c *rag.Corpus, question int, ev *rag.Evidence, at []*rag.Evidence) error {
	if a == nil {
		return nil
	}
	for _, s := range a.sets {
		e := ev
		if k := slices.Index(a.r.o.At, s.budget); k >= 0 {
			e = at[k]
		}
		a.pending = append(a.pending, retrieved{question, s, e})
	}
	if len(a.pending) < answerBatch {
		return nil
	}
	return a.flush(ctx, c)
}

// flush asks what is pending.
func (a *answering) flush(ctx context.Context, c *rag.Corpus) error {
	err := inParallel(ctx, a.sets[0].models, len(a.pending), func(ctx context.Context, i int) error {
		return a.ask(ctx, c, a.pending[i])
	})
	clear(a.pending)
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
	g, err := a.reply(ctx, c, q, p)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case errors.Is(err, llm.ErrNoEvidence):
		p.set.unanswered++
	case passing(err):
		p.set.failed++
		a.failed++
		g.failed, g.why = true, fmt.Errorf("question %s: %w", q.ID, err)
	case err != nil:
		return fmt.Errorf("question %s: %w", q.ID, err)
	}
	p.set.replies[p.question] = g
	a.done++
	a.r.o.Notify(rag.Event{Stage: "answers " + a.title, Done: a.done, Total: len(a.r.questions) * len(a.sets), Failed: a.failed})
	return nil
}

// passing reports whether an error concerns one task alone: others may succeed.
func passing(err error) bool {
	return errors.Is(err, llm.ErrReply) || errors.Is(err, llm.ErrRefused) || errors.Is(err, replay.ErrNotRecorded)
}

// reply gets the answer to a question.
func (a *answering) reply(ctx context.Context, c *rag.Corpus, q *question, p retrieved) (given, error) {
	models := p.set.models
	ask := method.Question{Text: q.Text, Budget: p.set.budget, Style: a.r.o.Answers.Style}
	if a.r.o.Answers.OwnPrompts || models.Provider().Can(llm.Select) {
		return a.own(ctx, c, models, ask, p.evidence)
	}
	in, docs, err := c.AnswerInput(ctx, a.sys, models, ask, p.evidence)
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
	reply, err := models.Do(ctx, "eval", docs, t)
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
func (a *answering) own(ctx context.Context, c *rag.Corpus, m *rag.Models, q method.Question, ev *rag.Evidence) (g given, err error) {
	for _, it := range ev.Items() {
		for _, ch := range it.Chunks {
			g.docs = append(g.docs, method.DocOf(ch))
		}
	}
	own, err := c.AnswerFrom(ctx, a.sys, m, q, ev)
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
