package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Rerank puts the first items of a set into the order of what a model says of
// their texts, such as a cross-encoder that reads question and text together. The
// other items follow in their order. An item without text stays behind those
// with one.
//
// The scores of the model take the place of the items' own. Items with equal
// scores keep their order.
type Rerank struct {
	In Op
	// Text is the question.
	Text string
	// Top is the number of items that the model sees; 0 is 50.
	Top int
	// By returns the model's score for each text, the greatest for the best.
	By func(ctx context.Context, question string, texts []string) ([]float64, error)
	// Model names the model in explanations.
	Model string
	// Render returns an item's text, as [Pack.Render] does.
	Render func(ctx context.Context, e *Env, it Item) (text string, tokens int, err error)
	// Within bounds the time of By. If it takes longer, or its error has a method
	// Temporary that returns true, the set stays as it is, and the trace has a warning.
	// 0 is no bound, and every error of By is one of the operator.
	Within time.Duration
	Source string
}

// defaultRerank is how many items are reranked if an operator does not say.
const defaultRerank = 50

// Run implements [Op].
func (o *Rerank) Run(ctx context.Context, e *Env) (Set, error) {
	if o.By == nil || o.Render == nil {
		return Set{}, invalid("a Rerank needs By and Render")
	}
	in, err := e.Eval(ctx, o.In)
	if err != nil || len(in.Items) == 0 {
		return in, err
	}
	top := o.Top
	if top <= 0 {
		top = defaultRerank
	}
	top = min(top, len(in.Items))
	items := slices.Clone(in.Items)
	var texts []string
	var at []int // of the texts, in items
	defer func() { e.coming = nil }()
	for i, it := range items[:top] {
		e.coming = items[i:top]
		text, _, err := o.Render(ctx, e, it)
		if err != nil {
			return Set{}, err
		}
		if text != "" {
			texts, at = append(texts, text), append(at, i)
		}
	}
	scores, err := o.scores(ctx, texts)
	if errors.Is(err, errUnranked) {
		e.warn(err)
		return Set{Items: items}, nil
	}
	if err != nil {
		return Set{}, err
	}
	if len(scores) != len(texts) {
		return Set{}, invalid("a Rerank got %d scores for %d texts", len(scores), len(texts))
	}
	order := make([]int, len(at))
	for i := range order {
		if order[i] = i; math.IsNaN(scores[i]) {
			return Set{}, invalid("a Rerank got a score that is no number")
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	out := make([]Item, 0, len(items))
	for _, k := range order {
		it := items[at[k]]
		it.Why = append(slices.Clip(it.Why), Step{Op: "rerank", Score: scores[k], Note: fmt.Sprintf("place %d before, score %.4g", at[k]+1, it.Score)})
		it.Score = scores[k]
		out = append(out, it)
	}
	for i, it := range items {
		if _, seen := slices.BinarySearch(at, i); !seen {
			out = append(out, it)
		}
	}
	return Set{Items: out}, nil
}

// errUnranked says that a model did not score items this time: their order stays.
var errUnranked = errors.New("the evidence stays in the order in which it was found")

// errSlow says that a model took longer than it may.
var errSlow = errors.New("the model took too long")

// scores asks the model, for as long as it may take.
func (o *Rerank) scores(ctx context.Context, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if o.Within <= 0 {
		return o.By(ctx, o.Text, texts)
	}
	within, cancel := context.WithTimeoutCause(ctx, o.Within, errSlow)
	defer cancel()
	scores, err := o.By(within, o.Text, texts)
	var fails interface{ Temporary() bool }
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.Is(context.Cause(within), errSlow), errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("%w: the reranker took more than %s", errUnranked, o.Within)
	case errors.As(err, &fails) && fails.Temporary():
		err = fmt.Errorf("%w: %w", errUnranked, err)
	}
	return scores, err
}

// Explain implements [Op].
func (o *Rerank) Explain() Explanation {
	top := o.Top
	if top <= 0 {
		top = defaultRerank
	}
	x := Explanation{Op: "Rerank", Work: WorkOnTexts, Args: []string{arg("model", o.Model), arg("top", top)}, Source: o.Source}
	if o.Within > 0 {
		x.Args = append(x.Args, arg("within", o.Within))
	}
	return x
}

// Inputs implements [Op].
func (o *Rerank) Inputs() []Op { return []Op{o.In} }
