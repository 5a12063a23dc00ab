package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag/eval"
)

// makeFlags are the flags of eval make-questions.
type makeFlags struct {
	data, db, about, out string
	abstract             bool
	users, tasks, each   atLeastOne
	models               modelFlags
}

func (a *app) makeQuestionsCommand() *cobra.Command {
	f := &makeFlags{users: 5, tasks: 5, each: 5}
	cmd := &cobra.Command{
		Use:   "make-questions --abstract --data DIR --db DB --model MODEL",
		Short: "Have a model invent questions about a data set as a whole",
		Long: `Make-questions shows a model the beginnings of some documents of DIR, and asks it
for users of such a collection, for tasks of each user, and for questions of each
task that take an understanding of the whole: 5 users x 5 tasks x 5 questions.
The lines that it writes are questions.jsonl for eval. They have no known answers:
eval --judge compares the methods' answers to them.

Replies are kept in DB. The same command again goes on where it ended, and asks
nothing that it has been told.`,
		Example: `  ragdb eval make-questions --abstract --data ./mix --db ./mix.ragdb --model gpt-4o --out abstract.jsonl
  ragdb eval --data ./mix --questions abstract.jsonl --model gpt-4o-mini --judge gpt-4o --db ./mix.ragdb`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("the data is given by --data", "make-questions takes no arguments")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.makeQuestions(cmd, f) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.abstract, "abstract", false, "questions about the whole of the documents: the kind that there is")
	fl.StringVar(&f.data, "data", "", "`FOLDER` with corpus.jsonl")
	fl.StringVar(&f.db, "db", "", "keep replies in the database `DB`")
	fl.StringVar(&f.about, "about", "", "tell the model in a `SENTENCE` what the documents are")
	fl.Var(&f.users, "users", "users to invent")
	fl.Var(&f.tasks, "tasks", "tasks for each user")
	fl.Var(&f.each, "each", "questions for each task")
	fl.StringVar(&f.out, "out", "", "write to the `FILE` (default: standard output)")
	f.models.add(cmd)
	f.models.addLimits(cmd)
	return cmd
}

func (a *app) makeQuestions(cmd *cobra.Command, f *makeFlags) error {
	if err := a.settle(cmd, modelKeys()...); err != nil {
		return err
	}
	switch {
	case !f.abstract:
		return usage("add --abstract", "say what questions to make")
	case f.data == "":
		return usage("add --data DIR", "make-questions needs a data set")
	case isLocal(f.models.chat):
		return usage("name it with --model", "make-questions needs a model; the local rules invent nothing")
	case f.db == "":
		return usage("give a database to keep them in with --db", "replies are paid for")
	}
	ctx, cancel := a.context(cmd)
	defer cancel()
	if err := a.mayWrite(ctx, f.out); err != nil {
		return err
	}
	p := a.newProgress()
	run := &evalFlags{models: f.models}
	begin := func(calls, tokens int) error {
		p.end()
		return a.beginQuestions(ctx, calls, tokens)
	}
	if f.models.replay {
		begin = nil
	}
	made, err := eval.MakeQuestions(ctx, eval.MakeOptions{
		Data: f.data, DB: f.db, About: f.about, Users: int(f.users), Tasks: int(f.tasks), Questions: int(f.each),
		Models: a.chatOf(run, f.models.chat), Engine: a.engineOptions(), Notify: p.notify, Begin: begin,
	})
	p.end()
	if err != nil {
		return err
	}
	if len(made.Questions) == 0 {
		return &failure{exit: exitProvider, code: "reply", message: "no question was made", hint: "run it again, or use another model"}
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, q := range made.Questions {
		if err := enc.Encode(q); err != nil {
			return err
		}
	}
	if f.out == "" {
		a.out.print("%s", b.String())
	} else if err := here.writeWhole(f.out, []byte(b.String())); err != nil {
		return err
	}
	line := plural(len(made.Questions), "question") + " · " + plural(made.Spent.Calls, "call") + " · " +
		plural(made.Spent.InTokens+made.Spent.OutTokens, "token")
	if made.USD != nil {
		line += " · " + money(*made.USD)
	}
	a.out.note("%s", line)
	if made.Failed > 0 {
		return &failure{
			exit: exitPartial, code: "partial", message: plural(made.Failed, "list") + " could not be had: " + service.Message(made.Failure),
			hint: "the same command asks for what is missing; the questions that there are were written",
		}
	}
	return nil
}

// beginQuestions tells what making questions may cost, and asks whether to go
// on if a person can answer.
func (a *app) beginQuestions(ctx context.Context, calls, tokens int) error {
	a.out.note("at most %s, some %s tokens to read; what is kept is not asked again", plural(calls, "model call"), number(tokens))
	return a.agree(ctx, "nothing was done", "Go on?")
}
