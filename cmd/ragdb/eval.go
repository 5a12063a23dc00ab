package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/llm/openai"
	"github.com/ragdb/ragdb/rag/method"
)

// evalFlags are the flags of eval.
type evalFlags struct {
	data, sweeps  []string
	questions, db string
	unanswerable  string
	methods       specList
	join, extract choice
	models        modelFlags
	answer        answerFlags
	meter         *cost.Meter // of all calls; see evalMeter
	budget        atLeastOne
	at            budgets
	sample        atLeastOne
	seed          uint64
	growth, html  string
	estimate      bool
}

func (a *app) evalCommand() *cobra.Command {
	f := newEvalFlags(a)
	cmd := &cobra.Command{
		Use:   "eval --data DIR",
		Short: "Measure methods side by side on questions with known answers",
		Long: `Eval indexes the documents of DIR by each method, asks the questions of DIR and
counts how often the evidence holds the answer (coverage) or the records that it
stands in (recall, perfect, MRR), with the same budget for all. DIR holds
corpus.jsonl, lines of {"id","title","text"}, and questions.jsonl, lines of
{"id","question","answers":[...],"supporting":[ids]}, each possibly with .gz. What
other systems retrieved, recorded.jsonl, becomes further rows.

--data may be given several times: a table each. DIR@joined reads all records of
DIR as one document, as --join yes does for every DIR. --db keeps the indexes: of
one DIR a database, of several a folder with one each.

A method is written name[+rerank][:key=value,...][@label], with +rerank if --rerank
is to order what it finds; --sweep key=from:to:step or
key=a|b|c makes a row for each value, of the methods that have the key. -v shows
more columns and the time of each operator, --json all of it.

Methods that read entities and relations take them from openie.jsonl if DIR
has it, lines of {"passage_id","entities":[...],"triples":[[s,p,o],...]}, else
from rules. --extract local takes rules, --extract model asks --model, and needs
--db, where what was paid for is kept. The output says which.

--at 1000,2000,4000,8000,12000 asks each question with each of these budgets too, and
prints coverage and recall at equal tokens, the questions whose gold records are all
found (set recall), how much of the gold the graph of a method adds to plain search with
the same budget and takes from it, and the intervals of coverage, or of recall if there
are no answers, against naive and bm25. -v shows recall by section, --json also the figures
of each question.

--answers asks --model, or without one the local rules, to answer each question
from what each method retrieves, all by one short prompt, and compares the answers
with the known ones. "options":[...] and "answer_idx":"B" make a question one of
multiple choice. Without a model the output also counts right, wrong and refused
answers, and the refused ones that the nearest passages hold: "unanswerable":true
marks a question that the documents do not answer, and --unanswerable FILE adds
such questions. A file that ends in .tsv has a row for each question: the question,
a tab, and its answers with | between them. --judge MODEL,... lets models say which
of two methods' answers is better. Replies and verdicts are kept in --db: nothing is
paid twice, and --replay makes the same tables without a model.

With --at there are answers and verdicts for each budget too: an answer for each question,
method and budget, but that a prompt which two of them have is sent once. --estimate shows
how many that are at most and what their evidence costs, and --max-cost ends the run before
it costs more; the same command goes on later.`,
		Example: `  ragdb eval --data ./musique --methods ketrag,naive,bm25
  ragdb eval --data ./musique --methods ketrag,ketrag:theta=0@keywords --budget 4000 -o markdown
  ragdb eval --data ./musique --methods bm25,ketrag --sweep theta=0:1:0.2
  ragdb eval --data ./musique --methods bm25,naive,ketrag --at 1000,2000,4000 --html tokens.html
  ragdb eval --data ./musique --data ./musique@joined --data ./2wiki --db ./indexes --json
  ragdb eval --data ./musique --answers --model gpt-4o-mini --judge gpt-4o --db ./musique.ragdb`,
		Annotations: map[string]string{printsRows: "yes"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("the data is given by --data, a database to keep by --db", "eval takes no arguments")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.eval(cmd, f) },
	}
	f.add(a, cmd)
	cmd.Flags().BoolVar(&f.estimate, "estimate", false, "show what answers and verdicts would cost at most, and ask nothing")
	cmd.AddCommand(a.evalPackCommand(), a.evalReproduceCommand(), a.makeQuestionsCommand())
	return cmd
}

func newEvalFlags(a *app) *evalFlags {
	f := &evalFlags{methods: specList{methods: a.methods, all: true}, join: choice{value: "no", values: []string{"no", "yes"}}}
	f.extract.values = []string{eval.ExtractRecorded, eval.ExtractLocal, eval.ExtractModel}
	return f
}

// add adds the flags of a run.
func (f *evalFlags) add(a *app, cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.data, "data", nil, "`FOLDER` with corpus.jsonl and questions.jsonl; FOLDER@joined reads its records as one document")
	fl.StringVar(&f.questions, "questions", "", "questions `FILE` (default: that of --data)")
	fl.StringVar(&f.unanswerable, "unanswerable", "", "further questions `FILE`, which the documents do not answer")
	fl.StringVar(&f.db, "db", "", "index into the database `DB` and keep it; of several --data a folder of them (default: a temporary one)")
	fl.Var(&f.methods, "methods", "methods, all or some of "+strings.Join(a.methods.Names(), ", ")+" (default all)")
	fl.StringArrayVar(&f.sweeps, "sweep", nil, "a row for each `KEY=FROM:TO:STEP` or KEY=A|B|C, of the methods that have the key")
	fl.StringVar(&f.growth, "growth", "", "also insert the documents in `STEPS`: 0.5,10 is one half and ten equal batches; or the field of the records that numbers them")
	fl.StringVar(&f.html, "html", "", "write a report to look at into `FILE`")
	fl.Var(&f.join, "join", "read all records as one document: yes or no")
	fl.Var(&f.extract, "extract", "read entities with: recorded, local or model (default recorded if --data has openie.jsonl, else local)")
	f.models.add(cmd)
	f.models.addLimits(cmd)
	f.models.rerank.add(cmd)
	f.answer.add(cmd)
	fl.Var(&f.budget, "budget", fmt.Sprintf("tokens of evidence (default %d)", method.DefaultBudget))
	fl.Var(&f.at, "at", "also ask with each of these `BUDGETS`, 1000,2000,4000: figures at equal tokens")
	fl.Var(&f.sample, "sample", "ask so many of the questions, evenly spread over them (default all)")
	fl.Uint64Var(&f.seed, "seed", 1, "seed `N` of the intervals")
}

func (a *app) eval(cmd *cobra.Command, f *evalFlags) error {
	sets, err := a.evalOptions(cmd, f)
	if err != nil {
		return err
	}
	ctx, cancel := a.context(cmd)
	defer cancel()
	if f.estimate {
		return a.estimateAnswers(ctx, sets)
	}
	if err := a.mayWrite(ctx, f.html); err != nil {
		return err
	}
	reports, err := a.evalAll(ctx, sets, func(rep *eval.Report) { a.printEval(rep, len(sets)) })
	if err != nil {
		return err
	}
	return a.finishEval(f, reports)
}

// finishEval writes what takes all reports.
func (a *app) finishEval(f *evalFlags, reports []*eval.Report) error {
	if f.html != "" {
		if err := writeReport(f.html, reports); err != nil {
			return err
		}
		a.out.note("%s written", f.html)
	}
	a.printEvalJSON(reports)
	return nil
}

func writeReport(file string, reports []*eval.Report) error {
	f, err := here.create(file, 0o644)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err := errors.Join(eval.WriteHTML(w, reports), w.Flush()); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// evalAll measures data sets one after the other, and hands over each report
// when it is there.
func (a *app) evalAll(ctx context.Context, sets []eval.Options, each func(*eval.Report)) ([]*eval.Report, error) {
	var out []*eval.Report
	for _, o := range sets {
		p := a.newProgress()
		o.Notify, o.Answers = p.notify, announced(o.Answers, p)
		rep, err := eval.Run(ctx, o)
		p.end()
		if err != nil {
			return nil, evalFailure(err)
		}
		out = append(out, rep)
		each(rep)
	}
	return out, nil
}

// evalFailure tells a wrong option and a data set that is not whole from other
// errors.
func evalFailure(err error) error {
	var option *eval.OptionError
	switch {
	case errors.As(err, &option):
		return usage("", "%s", option.Reason)
	case errors.Is(err, os.ErrNotExist):
		return &failure{exit: exitNotFound, code: "not_found", message: absent(err), hint: "see ragdb help eval for the files of a data set", err: err}
	}
	return err
}

// evalOptions are the runs that the flags ask for, one for each --data.
func (a *app) evalOptions(cmd *cobra.Command, f *evalFlags) ([]eval.Options, error) {
	if len(f.data) == 0 {
		return nil, usage("add --data DIR", "eval needs a data set")
	}
	if len(f.methods.specs) == 0 {
		if err := f.methods.Set("all"); err != nil {
			return nil, err
		}
	}
	if err := a.checkEvalModels(cmd, f); err != nil {
		return nil, err
	}
	var sweeps []eval.Sweep
	for _, s := range f.sweeps {
		w, err := eval.ParseSweep(s)
		if err != nil {
			return nil, evalFailure(err)
		}
		sweeps = append(sweeps, w)
	}
	var growth *eval.GrowthPlan
	if f.growth != "" {
		var err error
		if growth, err = eval.ParseGrowth(f.growth); err != nil {
			return nil, evalFailure(err)
		}
	}
	if f.unanswerable != "" && len(f.data) > 1 {
		return nil, usage("give one --data", "--unanswerable are questions of one data set")
	}
	if f.questions != "" && len(f.data) > 1 {
		return nil, usage("give one --data", "--questions are those of one data set")
	}
	parts, err := a.evalParts(f)
	if err != nil {
		return nil, err
	}
	var out []eval.Options
	used := map[string]bool{}
	for _, d := range f.data {
		set, err := evalSet(d)
		if err != nil {
			return nil, err
		}
		if used[set.name()] {
			return nil, usage("their databases and tables would have one name", "two data sets are called %s", set.name())
		}
		used[set.name()] = true
		o := eval.Options{
			Data: set.dir, Questions: f.questions, Unanswerable: f.unanswerable, DB: f.db, Specs: f.methods.specs, Sweeps: sweeps, Methods: a.methods,
			Join: set.joined || f.join.value == "yes", Extract: f.extract.value, Models: a.evalModels(f), Answers: a.evalAnswers(cmd.Context(), f),
			Sample: int(f.sample), Budget: int(f.budget), At: f.at, Seed: f.seed, Growth: growth, Build: evalBuild(), Engine: a.engineOptions(), Parts: parts,
		}
		if f.db != "" && len(f.data) > 1 {
			o.DB = filepath.Join(f.db, set.name()+".ragdb")
		}
		out = append(out, o)
	}
	if f.db != "" && len(f.data) > 1 && !f.estimate {
		if err := here.mkdirAll(f.db, 0o777); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// evalParts opens the models of eval beside those that read and answer.
func (a *app) evalParts(f *evalFlags) (p rag.Parts, err error) {
	for _, s := range f.methods.specs {
		if s.Rerank && f.models.rerank.model == "" {
			return p, usage("add --rerank", "%s wants a reranker", s)
		}
	}
	if p, err = a.folderParts(&f.models); err != nil {
		return p, err
	}
	// A measurement wants every order, and has time.
	p.Reranker, p.RerankTop, err = a.openReranker(&f.models.rerank, openai.Options{Retries: 6, Timeout: 2 * time.Minute, MaxWait: 5 * time.Minute})
	p.RerankWithin = time.Duration(f.models.rerank.ms) * time.Millisecond
	return p, err
}

// dataSet is what --data names.
type dataSet struct {
	dir    string
	joined bool
}

// evalSet reads DIR or DIR@joined.
func evalSet(s string) (dataSet, error) {
	set := dataSet{dir: s}
	info, err := here.stat(s)
	if dir, ok := strings.CutSuffix(s, "@joined"); ok && err != nil {
		set = dataSet{dir, true}
		info, err = here.stat(dir)
	}
	if err != nil {
		return set, err
	}
	if !info.IsDir() {
		return set, usage("give the folder that it is in", "%s is a file", set.dir)
	}
	return set, nil
}

// name tells the data sets of a run apart.
func (s dataSet) name() string {
	name := filepath.Base(s.dir)
	if abs, err := here.abs(s.dir); err == nil {
		name = filepath.Base(abs) // of "." too
	}
	if s.joined {
		name += "-joined"
	}
	return name
}

// evalBuild says which ragdb this is.
func evalBuild() eval.Build {
	v := newVersion()
	return eval.Build{Version: v.Version, Revision: v.Revision, Modified: v.Modified}
}

// evalModels opens the models of --extract model, all counted on one meter.
func (a *app) evalModels(f *evalFlags) func(context.Context, *rag.Corpus, bool) (*rag.Models, error) {
	var meter *cost.Meter
	return func(ctx context.Context, c *rag.Corpus, forIndex bool) (*rag.Models, error) {
		if meter == nil {
			var err error
			if meter, err = a.evalMeter(f); err != nil {
				return nil, err
			}
		}
		r, err := a.openRemote(ctx, c, &f.models)
		if err != nil {
			return nil, err
		}
		m, err := r.models(ctx, c, forIndex)
		if err != nil {
			return nil, err
		}
		return m.Metered(meter), nil
	}
}
