package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// questionFlags are the flags of what retrieves for a question.
type questionFlags struct {
	method   specList
	where    string
	whereAny bool
	top      atLeastOne
	budget   atLeastOne
	style    choice // of commands that answer
	models   modelFlags
}

func (f *questionFlags) add(a *app, cmd *cobra.Command) {
	f.method = specList{methods: a.methods, one: true}
	fl := cmd.Flags()
	fl.Var(&f.method, "method", "method to retrieve by: "+strings.Join(a.methods.Names(), ", ")+
		" (default "+methods.ForQuestions+")")
	fl.StringVar(&f.where, "where", "", "use only documents that pass `CONDITION` on their metadata, key and format, such as \"lang = 'en' AND key STARTS WITH 'docs/'\"")
	fl.BoolVar(&f.whereAny, "where-any", false, "use what any passing document supports, not only what all do")
	fl.Var(&f.top, "top", "use at most this many pieces of evidence")
	fl.Var(&f.budget, "budget", fmt.Sprintf("tokens of evidence (default %d, with at most %d passages)", method.DefaultBudget, (&method.Question{}).Passages()))
	f.models.add(cmd)
	f.models.rerank.add(cmd)
}

// addStyle adds the flag of commands that answer.
func (f *questionFlags) addStyle(cmd *cobra.Command) {
	f.style.values = method.Styles()
	cmd.Flags().Var(&f.style, "style", "form of a model's answer: "+strings.Join(f.style.values, " or ")+" (default short, unless the method says otherwise)")
}

// question reads a question and its flags.
func (f *questionFlags) question(text string) (method.Question, error) {
	q := method.Question{Text: strings.TrimSpace(text), Budget: int(f.budget), WhereAny: f.whereAny}
	if err := service.CheckQuestion(text); err != nil {
		return q, err
	}
	var err error
	q.Where, err = service.ParseWhere(f.where, f.whereAny)
	return q, err
}

// byDefault says why a method is used that nobody named.
const byDefault = "the default"

// asked returns a corpus with the models of the flags.
func (a *app) asked(c *rag.Corpus, f *questionFlags) *service.Corpus {
	return &service.Corpus{Corpus: c, Methods: a.methods, Models: func(ctx context.Context, _ bool) (*rag.Models, error) {
		return a.questionModels(ctx, c, &f.models)
	}}
}

// corpus returns a corpus that is not asked questions.
func (a *app) corpus(c *rag.Corpus) *service.Corpus {
	return &service.Corpus{Corpus: c, Methods: a.methods}
}

// ask opens the method and the models for a question.
func (a *app) ask(ctx context.Context, c *rag.Corpus, f *questionFlags, q method.Question) (*service.Asking, error) {
	k, err := a.askBy(ctx, c, f, q, f.method.only(methods.ForQuestions))
	if err == nil {
		k.Default = len(f.method.specs) == 0
	}
	return k, err
}

// askBy is ask for a method that is not the flags'.
func (a *app) askBy(ctx context.Context, c *rag.Corpus, f *questionFlags, q method.Question, spec method.Spec) (*service.Asking, error) {
	// What the database keeps is settled by now.
	q.Budget, q.Top, q.Style = int(f.budget), int(f.top), f.style.value
	return a.asked(c, f).Open(ctx, spec, q, false)
}

// request returns the flags as a question's request, without the question.
func (f *questionFlags) request() service.Request {
	return service.Request{Method: f.method.String(), Where: f.where, WhereAny: f.whereAny, Top: int(f.top), Budget: int(f.budget), Style: f.style.value}
}

// askFlags are the flags of ask.
type askFlags struct {
	questionFlags
	noLLM, explain, failEmpty, stream bool
	compare                           specList
}

func (a *app) askCommand() *cobra.Command {
	f := &askFlags{compare: specList{methods: a.methods}}
	cmd := &cobra.Command{
		Use:   "ask DB QUESTION",
		Short: "Answer a question, with sources",
		Long: `Ask answers from the documents. Numbers in brackets lead to the sources below
the answer. Without --model no model is called: the answer consists of sentences
of the documents, chosen by rules. If no sentence says what is asked, the
command says so and prints the passages that come nearest.

Without --method, ` + methods.ForQuestions + ` retrieves. If the database was indexed by a method that was
named, its questions use that one.

With --compare several methods answer. ask prints their answers and evidence side
by side, and which evidence only one of them found; with --no-llm the evidence
alone.`,
		Example: `  ragdb ask acme.ragdb "Who designed the lighthouse?"
  ragdb ask acme.ragdb "What changed?" --where "year >= 2025" --explain
  ragdb ask acme.ragdb "Who designed it?" --no-llm --jsonl | jq .text
  ragdb ask acme.ragdb "Who designed it?" --compare bridge,naive`,
		Annotations: map[string]string{printsRows: "yes"},
		RunE: a.onDB(1, false, func(ctx context.Context, cmd *cobra.Command, path string, rest []string) error {
			q, err := f.question(rest[0])
			if err != nil {
				return err
			}
			if err := f.checkCompare(flagChanged(cmd, "method")); err != nil {
				return err
			}
			if len(f.compare.specs) > 0 {
				m := toUse // answers leave their traces
				if f.noLLM {
					m = toRead
				}
				return a.use(ctx, cmd, path, m, func(c *rag.Corpus) error {
					if err := f.checkStyle(cmd); err != nil {
						return err
					}
					return a.compare(ctx, c, f, q)
				})
			}
			if !f.noLLM && !a.out.text() && !a.out.machine() {
				return usage("add --no-llm", "an answer cannot be printed as a table, its evidence can")
			}
			return a.use(ctx, cmd, path, toUse, func(c *rag.Corpus) error {
				if err := f.checkStyle(cmd); err != nil {
					return err
				}
				k, err := a.ask(ctx, c, &f.questionFlags, q)
				if err != nil {
					return err
				}
				return a.answer(ctx, k, f)
			})
		}),
	}
	f.add(a, cmd)
	f.addStyle(cmd)
	cmd.Flags().Var(&f.compare, "compare", "answer by several methods, and print what they found side by side")
	cmd.Flags().BoolVar(&f.noLLM, "no-llm", false, "print the evidence, not an answer")
	cmd.Flags().BoolVar(&f.stream, "stream", false, "print the answer as it comes")
	cmd.Flags().BoolVar(&f.explain, "explain", false, "print the plan and what each step of it did")
	cmd.Flags().BoolVar(&f.failEmpty, "fail-empty", false, "exit with 9 if there is no answer: if nothing was found, and if what was found does not say it")
	return cmd
}

// checkStyle refuses a style that was asked for if no model is to write. The settings
// of the models are there.
func (f *askFlags) checkStyle(cmd *cobra.Command) error {
	switch {
	case !flagChanged(cmd, "style"):
	case f.noLLM:
		return usage("leave --style out", "--style is the form of an answer, and --no-llm prints none")
	case isLocal(f.models.chat):
		return usage("name a chat model with --model", "--style is for a model: rules answer in sentences of the documents")
	}
	return nil
}

// answer asks, prints and decides about the exit code.
func (a *app) answer(ctx context.Context, k *service.Asking, f *askFlags) error {
	if !f.noLLM && f.stream && a.out.text() {
		k.Question.Stream = func(s string) error {
			a.out.print("%s", escape(s))
			return a.out.err
		}
	}
	r, err := k.Reply(ctx, service.ReplyOptions{EvidenceOnly: f.noLLM, Explain: f.explain})
	if err != nil {
		return err
	}
	ans, items := r.Answer, r.Items
	empty := !ans.Answered
	if f.noLLM {
		empty = len(items) == 0
	}
	switch {
	case a.out.format == asJSONL && f.noLLM:
		for _, it := range items {
			a.out.json(it)
		}
	case a.out.machine():
		a.out.json(r.Result)
	case f.noLLM:
		a.printEvidence(k, ans.Evidence, items)
	default:
		a.printAnswer(k, ans, r.Took)
	}
	if f.explain && a.out.text() {
		a.printExplanation(k, ans.Evidence, items)
	}
	if empty && f.failEmpty {
		return service.ErrNoEvidence
	}
	return nil
}
