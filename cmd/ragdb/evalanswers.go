package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/method"
)

// answerFlags are the flags of eval about answers.
type answerFlags struct {
	answers, ownPrompts bool
	style               choice
	judges              []string
}

func (f *answerFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.answers, "answers", false, "ask for answers too, of --model, and compare them with the known ones")
	fl.BoolVar(&f.ownPrompts, "own-prompts", false, "answer as ragdb ask does, in place of one prompt for all methods")
	f.style.values = method.Styles()
	fl.Var(&f.style, "style", "form of all answers: "+strings.Join(f.style.values, " or ")+" (default that of each method)")
	fl.StringSliceVar(&f.judges, "judge", nil, "let `MODEL,...` compare the answers of each two methods, in both orders")
}

// wanted reports whether answers are asked for; what is done with them asks
// for them too.
func (f *answerFlags) wanted() bool {
	return f.answers || f.ownPrompts || f.style.value != "" || len(f.judges) > 0
}

// checkEvalModels refuses models that nothing would be asked of, and paid ones
// whose replies would be lost.
func (a *app) checkEvalModels(cmd *cobra.Command, f *evalFlags) error {
	extracts := f.extract.value == eval.ExtractModel
	if !extracts && !f.answer.wanted() {
		if err := a.locateModels(cmd); err != nil {
			return err
		}
		if flagChanged(cmd, "model") || flagChanged(cmd, "embed-model") && !isHere(f.models.embed) {
			return usage("add --answers or --extract model", "eval asks no model")
		}
		return nil
	}
	if err := a.settle(cmd, modelKeys()...); err != nil {
		return err
	}
	for _, j := range f.answer.judges {
		if isLocal(j) {
			return usage("name a chat model with --judge", "the local rules cannot judge")
		}
	}
	switch {
	case extracts && !f.models.remote():
		return usage("name it with --model", "--extract model needs a model")
	case extracts && f.db == "":
		return usage("give a database to keep it in with --db", "--extract model pays for replies")
	case !extracts && flagChanged(cmd, "embed-model") && !isHere(f.models.embed):
		return usage("add --extract model", "eval asks no model for vectors")
	case f.answer.style.value != "" && isLocal(f.models.chat):
		return usage("name a chat model with --model", "--style is for a model: rules answer in sentences of the documents")
	case f.db == "" && (!isLocal(f.models.chat) || len(f.answer.judges) > 0):
		return usage("give a database to keep them in with --db", "answers and verdicts are paid for")
	}
	return nil
}

// evalMeter returns what all calls of the runs are counted on.
func (a *app) evalMeter(f *evalFlags) (*cost.Meter, error) {
	if f.meter == nil {
		m, err := a.meter(&f.models, f.answer.judges...)
		if err != nil {
			return nil, err
		}
		f.meter = m
	}
	return f.meter, nil
}

// evalAnswers are the models of one data set's answers and judges; nil where
// no answers are wanted.
func (a *app) evalAnswers(ctx context.Context, f *evalFlags) *eval.AnswerOptions {
	if !f.answer.wanted() {
		return nil
	}
	o := &eval.AnswerOptions{Models: a.chatOf(f, f.models.chat), OwnPrompts: f.answer.ownPrompts, Style: f.answer.style.value}
	if !f.models.replay {
		o.Begin = func(p eval.AnswerPlan) error { return a.beginAnswers(ctx, p) }
	}
	for _, j := range f.answer.judges {
		o.Judges = append(o.Judges, a.chatOf(f, j))
	}
	return o
}

// announced returns options that end the line of progress before they tell what
// will be asked.
func announced(o *eval.AnswerOptions, p *progress) *eval.AnswerOptions {
	if o == nil || o.Begin == nil {
		return o
	}
	out := *o
	out.Begin = func(plan eval.AnswerPlan) error {
		p.end()
		return o.Begin(plan)
	}
	return &out
}

// beginAnswers tells what answers and verdicts may cost, and asks whether to go
// on if a person can answer.
func (a *app) beginAnswers(ctx context.Context, p eval.AnswerPlan) error {
	a.out.note("%s; what is kept is not asked again", planLine(p))
	return a.agree(ctx, "nothing was asked", "Go on?")
}

// planLine says what answers and verdicts may cost.
func planLine(p eval.AnswerPlan) string {
	line := "at most " + plural(p.Answers, "answer") + " from " + number(p.Tokens) + " tokens of evidence"
	if p.USD != nil && *p.USD > 0 {
		line += ", " + money(*p.USD)
	}
	if p.Verdicts > 0 {
		line += ", and " + plural(p.Verdicts, "verdict")
	}
	return line
}

// estimateAnswers shows what the answers and verdicts of data sets would cost at most. It
// indexes nothing and asks nothing.
func (a *app) estimateAnswers(ctx context.Context, sets []eval.Options) error {
	type estimate struct {
		Data string `json:"data"`
		eval.AnswerPlan
	}
	out := struct {
		V    int        `json:"v"`
		Sets []estimate `json:"sets"`
	}{V: 1}
	for _, o := range sets {
		if o.Answers == nil {
			return usage("add --answers, or see ragdb index --estimate for what an index costs", "eval --estimate counts answers")
		}
		plan, err := eval.PlanAnswers(ctx, o)
		if err != nil {
			return evalFailure(err)
		}
		name := dataSet{o.Data, o.Join}.name()
		out.Sets = append(out.Sets, estimate{name, plan})
		if a.out.format != asJSON {
			a.out.print("%s: %s\n", name, planLine(plan))
		}
	}
	if a.out.format == asJSON {
		a.out.json(out)
	}
	return nil
}

// chatOf opens a chat model, beside local vectors.
func (a *app) chatOf(f *evalFlags, model string) func(context.Context, *rag.Corpus) (*rag.Models, error) {
	flags := f.models
	flags.chat, flags.embed, flags.dim = model, "", 0
	var client *remoteModels // one for all methods, whose limits hold for them together
	return func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		meter, err := a.evalMeter(f)
		if err != nil {
			return nil, err
		}
		if client == nil {
			if client, err = a.openRemote(ctx, c, &flags); err != nil {
				return nil, err
			}
		}
		m, err := client.models(ctx, c, false)
		if err != nil {
			return nil, err
		}
		return m.Metered(meter), nil
	}
}
