package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv/stores"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// estimateResult is what index --estimate prints.
type estimateResult struct {
	V int `json:"v"`
	*cost.Estimate
	PriceSource string `json:"price_source"`
}

// estimateOnly shows what index would cost. Nothing is made if there is no
// database yet.
func (a *app) estimateOnly(ctx context.Context, cmd *cobra.Command, path string, inputs []rag.Input, f *indexFlags) error {
	show := func(c *rag.Corpus) error {
		e, err := a.estimate(ctx, cmd, c, inputs, f)
		if err != nil {
			return err
		}
		if a.out.object(e) {
			return nil
		}
		a.printEstimate(e)
		return nil
	}
	exists, err := a.exists(ctx, path)
	if err != nil {
		return err
	}
	if m := toWrite; exists { // to copy it
		if stores.OnServer(path) {
			m = toRead
		}
		return a.use(ctx, cmd, path, m, show)
	}
	db, err := engine.Open(ctx, engine.Memory, a.engineOptions())
	if err != nil {
		return err
	}
	defer db.Close()
	c, err := rag.OpenCorpus(ctx, db, a.global.ns, nil)
	if err != nil {
		return err
	}
	a.sources[fromDatabase] = source{path, nil}
	if err := a.settle(cmd, append(modelKeys(), "method")...); err != nil {
		return err
	}
	return show(c)
}

// estimate counts what an index run would cost, on a copy of the corpus.
func (a *app) estimate(ctx context.Context, cmd *cobra.Command, c *rag.Corpus, inputs []rag.Input, f *indexFlags) (*estimateResult, error) {
	prices, from, err := a.prices(&f.models)
	if err != nil {
		return nil, err
	}
	o := cost.EstimateOptions{
		Space: llm.SpaceInfo{Model: local.ModelName, Recomputable: true}, Prices: prices,
		Concurrency: int(f.models.concurrency),
	}
	if o.Concurrency == 0 {
		o.Concurrency = defaultConcurrency
	}
	if !isLocal(f.models.chat) {
		set, err := a.loadPrompts(f.models.prompts)
		if err != nil {
			return nil, err
		}
		o.Chat, o.Fill = f.models.chat, set.Fill
		if o.Fits, err = a.fits(c, &f.models); err != nil {
			return nil, err
		}
	}
	parts, err := a.folderParts(&f.models)
	if err != nil {
		return nil, err
	}
	o.Tagger = parts.Tagger
	switch {
	case parts.Documents != nil:
		o.Space = parts.Documents.Space()
	case !isLocal(f.models.embed):
		o.Space = llm.SpaceInfo{Model: f.models.embed, Dim: int(f.models.dim)}
		if have, ok, err := c.EmbeddingModel(ctx); err != nil {
			return nil, err
		} else if ok && have.Model == f.models.embed {
			o.Space.Dim = have.Dim
		}
	}
	copied, done, err := a.copyOf(ctx, c)
	if err != nil {
		return nil, err
	}
	defer done()
	copied = copied.With(rag.Options{NoWords: o.Chat != "" && !o.Space.Recomputable})
	if f.prepare != nil {
		if err := f.prepare(copied); err != nil {
			return nil, err
		}
	}
	systems, err := a.toIndex(ctx, copied, f.method.specs, flagChanged(cmd, "method"))
	if err != nil {
		return nil, err
	}
	p := a.newProgress()
	x := &rag.Indexer{Corpus: copied, Methods: a.methods, Systems: systems, Options: rag.IndexOptions{Retry: f.retry, Notify: p.notify, Reembed: true}}
	e, err := x.Estimate(ctx, inputs, o)
	p.end()
	if err != nil && context.Cause(ctx) == errInterrupted {
		return nil, &failure{exit: exitInterrupted, code: "interrupted", message: "interrupted: nothing was begun", err: err}
	}
	if err != nil && !errors.Is(err, rag.ErrPartial) {
		return nil, err
	}
	return &estimateResult{1, e, from}, nil
}

// fits returns what tells which prompts do not fit the chat model's context: the length
// is that of --context, or what the server says. Without a key, a server that wants
// one is not asked. It is nil with --replay, which asks no model.
func (a *app) fits(c *rag.Corpus, f *modelFlags) (func(context.Context, llm.Task) (int, error), error) {
	if f.replay {
		return nil, nil
	}
	o := openai.Options{Count: c.Tokens().Count, Log: a.logger(), Context: int(f.context), LearnContext: true}
	cfg := a.chatConfig(f)
	chat, err := openai.NewChat(cfg, o)
	if err != nil && cfg.Key == "" {
		cfg.Key, o.LearnContext = "none", false
		chat, err = openai.NewChat(cfg, o)
	}
	if err != nil {
		return nil, err
	}
	return chat.Fits, nil
}

// defaultConcurrency is how many calls of a model are made at once.
const defaultConcurrency = 8

// copyOf returns a corpus that may be changed without harm: a copy of a
// database on disk in a temporary folder, linked if the system can, or the
// corpus itself if it is in memory.
func (a *app) copyOf(ctx context.Context, c *rag.Corpus) (*rag.Corpus, func(), error) {
	if c.DB().Path() == engine.Memory {
		return c, func() {}, nil
	}
	folder, err := tempFolder(c.DB().Path(), "ragdb-estimate")
	if err != nil {
		return nil, nil, err
	}
	// What cannot be removed now is removed by the next run.
	remove := func() { _ = folder.Discard() }
	to := filepath.Join(folder.Dir, "backup")
	if _, err := c.DB().Backup(ctx, to); err != nil {
		remove()
		return nil, nil, err
	}
	db, err := engine.Open(ctx, filepath.Join(to, "data"), a.engineOptions())
	if err != nil {
		remove()
		return nil, nil, err
	}
	done := func() {
		db.Close()
		remove()
	}
	copied, err := rag.OpenCorpus(ctx, db, c.Namespace().Name(), &rag.Options{Path: c.Path()})
	if err != nil {
		done()
		return nil, nil, err
	}
	return copied, done, nil
}

// showPrice prints what a run with paid models will cost before it begins, and
// asks whether to go on if a person can answer. If all models are
// known to cost nothing there is nothing to count first.
func (a *app) showPrice(ctx context.Context, cmd *cobra.Command, c *rag.Corpus, inputs []rag.Input, f *indexFlags) error {
	prices, _, err := a.prices(&f.models)
	if err != nil || free(prices, f.models.chat, f.models.embed) {
		return err
	}
	e, err := a.estimate(ctx, cmd, c, inputs, f)
	if err != nil {
		return err
	}
	if !a.out.machine() {
		a.out.note("%s", e.line())
	}
	if e.calls() == 0 || e.USD != nil && *e.USD == 0 {
		return nil
	}
	return a.agree(ctx, "nothing was done", "Go on?")
}

func (e *estimateResult) calls() (n int) {
	for _, s := range e.Stages {
		n += s.Calls
	}
	return n
}

// line says in one line what will be done and what that costs.
func (e *estimateResult) line() string {
	if e.calls() == 0 {
		return "no model has to be asked"
	}
	line := plural(e.calls(), "model call") + ", " + number(e.InTokens) + " tokens to read and about " + number(e.OutTokens) + " to write"
	switch {
	case e.USD == nil:
		line += "; the price of the model is not known (" + e.PriceSource + ")"
	case *e.USD == 0:
		line += "; free of charge"
	default:
		line += fmt.Sprintf("; about %s (%s to %s, prices %s)", money(*e.USD), money(e.USDRange[0]), money(e.USDRange[1]), e.PriceSource)
	}
	if e.Minutes >= 1 {
		line += fmt.Sprintf(", some %.0f min", e.Minutes)
	}
	return line
}

func (a *app) printEstimate(e *estimateResult) {
	a.out.print("%s · %s", plural(e.Documents, "document"), plural(e.Chunks, "chunk"))
	if e.CachedChunks > 0 {
		a.out.print(" (%s there already)", number(e.CachedChunks))
	}
	a.out.print("\n")
	t := &table{head: []string{"stage", "model", "items", "calls", "cached", "tokens read", "tokens written", "price"}, right: []bool{false, false, true, true, true, true, true, true}}
	for _, s := range e.Stages {
		usd := "?"
		if s.USD != nil {
			usd = money(*s.USD)
		}
		t.rows = append(t.rows, []string{stageName(s.Stage), s.Model, number(s.Items), number(s.Calls), number(s.Cached), number(s.InTokens), number(s.OutTokens), usd})
	}
	if len(t.rows) > 0 {
		a.out.rows(t)
	}
	var whole wholeStages
	for _, s := range e.Stages {
		whole.add(stageName(s.Stage), s.Whole)
	}
	if line := whole.line(); line != "" {
		a.out.print("%s\n", strings.ToUpper(line[:1])+line[1:])
	}
	line := e.line()
	a.out.print("%s\n", strings.ToUpper(line[:1])+line[1:])
}
