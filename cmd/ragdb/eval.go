package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval"
)

// evalFlags are the flags of eval.
type evalFlags struct {
	data, questions, db string
	methods             specList
	join, extract       choice
	models              modelFlags
	budget              atLeastOne
	seed                uint64
}

func (a *app) evalCommand() *cobra.Command {
	f := &evalFlags{methods: specList{methods: a.methods, all: true}, join: choice{value: "no", of: []string{"no", "yes"}}}
	f.extract.of = []string{eval.ExtractRecorded, eval.ExtractLocal, eval.ExtractModel}
	cmd := &cobra.Command{
		Use:   "eval --data DIR",
		Short: "Measure methods side by side on questions with known answers",
		Long: `Eval indexes the documents of DIR by each method, asks the questions of DIR and
counts how often the evidence holds the answer (coverage) or the records that it
stands in (recall), with the same budget for all. DIR holds corpus.jsonl, lines of
{"id","title","text"}, and questions.jsonl, lines of {"id","question",
"answers":[...],"supporting":[ids]}, each possibly with .gz.

Methods that read entities and relations take them from openie.jsonl where DIR
has it, lines of {"passage_id","entities":[...],"triples":[[s,p,o],...]}, else
from rules. --extract local takes rules, --extract model asks --model, and needs
--db, where what was paid for is kept. The output says which.`,
		Example: `  ragdb eval --data ./musique --methods ketrag,naive,bm25
  ragdb eval --data ./musique --methods ketrag,ketrag:theta=0@keywords --budget 4000 -o markdown`,
		Annotations: map[string]string{printsRows: "yes"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("the data is given by --data, a database to keep by --db", "eval takes no arguments")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.eval(cmd, f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", "`FOLDER` with corpus.jsonl and questions.jsonl")
	fl.StringVar(&f.questions, "questions", "", "questions `FILE` (default: that of --data)")
	fl.StringVar(&f.db, "db", "", "index into the database `DB` and keep it (default: a temporary one)")
	fl.Var(&f.methods, "methods", "methods, all or some of "+strings.Join(a.methods.Names(), ", ")+" (default all)")
	fl.Var(&f.join, "join", "read all records as one document: yes or no")
	fl.Var(&f.extract, "extract", "read entities with: recorded, local or model (default recorded where --data has openie.jsonl, else local)")
	f.models.add(cmd)
	f.models.addLimits(cmd)
	fl.Var(&f.budget, "budget", fmt.Sprintf("tokens of evidence (default %d)", rag.DefaultBudget))
	fl.Uint64Var(&f.seed, "seed", 1, "seed `N` of the intervals")
	return cmd
}

func (a *app) eval(cmd *cobra.Command, f *evalFlags) error {
	if f.data == "" {
		return usage("add --data DIR", "eval needs a data set")
	}
	if info, err := os.Stat(f.data); err != nil {
		return err
	} else if !info.IsDir() {
		return usage("give the folder that it is in", "%s is a file", f.data)
	}
	if len(f.methods.specs) == 0 {
		if err := f.methods.Set("all"); err != nil {
			return err
		}
	}
	if f.extract.value == eval.ExtractModel {
		if err := a.settle(cmd, modelKeys()...); err != nil {
			return err
		}
		switch {
		case !f.models.remote():
			return usage("name it with --model", "--extract model needs a model")
		case f.db == "":
			return usage("give a database to keep it in with --db", "--extract model pays for replies")
		}
	} else if flagChanged(cmd, "model") || flagChanged(cmd, "embed-model") {
		return usage("add --extract model", "eval asks no model")
	}
	ctx, cancel := a.context(cmd)
	defer cancel()
	p := a.newProgress()
	rep, err := eval.Run(ctx, eval.Options{
		Data: f.data, Questions: f.questions, DB: f.db, Specs: f.methods.specs, Methods: a.methods,
		Join: f.join.value == "yes", Extract: f.extract.value, Models: a.evalModels(f), Budget: int(f.budget), Seed: f.seed,
		Engine: &engine.Options{Logger: a.logger()}, Notify: p.notify,
	})
	p.end()
	if errors.Is(err, os.ErrNotExist) {
		return &failure{exit: exitNotFound, code: "not_found", message: chain(err), hint: "see ragdb help eval for the files of a data set", err: err}
	}
	if err != nil {
		return err
	}
	a.printEval(rep)
	return nil
}

// evalModels opens the models of --extract model, all counted on one meter.
func (a *app) evalModels(f *evalFlags) func(context.Context, *rag.Corpus, bool) (*rag.Models, error) {
	var meter *rag.Meter
	return func(ctx context.Context, c *rag.Corpus, forIndex bool) (*rag.Models, error) {
		if meter == nil {
			m, err := a.useModels(ctx, c, &f.models)
			if err != nil {
				return nil, err
			}
			meter = m
		}
		r, err := a.openRemote(ctx, c, &f.models)
		if err != nil {
			return nil, err
		}
		m, err := r.models(ctx, c, forIndex)
		if err == nil {
			m.Metered(meter)
		}
		return m, err
	}
}

func (a *app) printEval(r *eval.Report) {
	o := a.out
	if o.format == asJSON {
		o.json(r)
		return
	}
	t := &table{
		head:  []string{"method", "coverage", "recall@2", "recall@5", "mrr", "vs bm25", "tokens", "p50 ms", "p99 ms", "index cpu s"},
		right: []bool{false, true, true, true, true, true, true, true, true, true},
	}
	for i := range r.Methods {
		f := &r.Methods[i]
		ci := "–"
		if f.CI != nil {
			ci = fmt.Sprintf("%+.1f…%+.1f", 100*f.CI[0], 100*f.CI[1])
		}
		t.add(f, f.Name, percent(f.Coverage), percent(f.Recall2), percent(f.Recall5), percent(f.MRR), ci,
			number(int(f.ContextTokens+0.5)), fmt.Sprintf("%.1f", f.Ms.P50), fmt.Sprintf("%.1f", f.Ms.P99), fmt.Sprintf("%.2f", f.IndexCPU))
	}
	o.rows(t)
	if o.text() && len(r.Methods) > 0 {
		o.print("\n%s\n", o.dim(fmt.Sprintf("%s · %s · records %s · budget %s · chunks %s · extraction %s · in percent",
			r.Data, plural(r.Methods[0].Questions, "question"), map[string]string{"yes": "joined", "no": "apart"}[r.Join],
			plural(r.Budget, "token"), r.Chunks, r.Extract)))
	}
}

// percent writes a share in percent, a dash where it was not measured.
func percent(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100**x)
}
