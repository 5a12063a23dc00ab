package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
)

// served are the models of the namespaces of a database that is served: those of the
// command's flags, and for what these leave out, of what each namespace keeps.
type served struct {
	app  app            // as it was when the database was opened
	cmd  *cobra.Command // as it was called
	path string

	mu   sync.Mutex
	open map[string]*openedModels // by the base graph, with or without a chat model
}

// openedModels are models of a namespace with the settings that they were opened by.
type openedModels struct {
	settings string
	models   *rag.Models
}

// served returns how the namespaces of a database are asked and filled.
func (a *app) served(cmd *cobra.Command, db *engine.DB) service.DatabaseOptions {
	s := &served{app: *a, cmd: cmd, path: db.Path(), open: map[string]*openedModels{}}
	return service.DatabaseOptions{DB: db, Methods: a.methods, Questions: s.questions, Indexing: s.indexing}
}

// settled returns an application and flags for a namespace.
func (s *served) settled(ctx context.Context, c *rag.Corpus) (*app, *questionFlags, error) {
	kept, err := c.Settings(ctx)
	if err != nil {
		return nil, nil, err
	}
	b := s.app
	b.global.ns = c.Namespace().Name()
	b.sources = slices.Clone(s.app.sources)
	b.sources[fromDatabase] = source{s.path, kept}
	f, own := &questionFlags{}, &cobra.Command{}
	f.add(&b, own)
	f.models.addExtract(own)
	f.models.addLimits(own)
	for _, flag := range []string{"max-cost", "max-tokens", "replay"} {
		copyFlag(s.cmd, own, flag)
	}
	for _, key := range storedFlags() {
		copyFlag(s.cmd, own, key)
	}
	return &b, f, b.settle(own, storedFlags()...)
}

// copyFlag gives a command the value of another's flag, if that was given.
func copyFlag(from, to *cobra.Command, name string) {
	if f := from.Flag(name); f != nil && f.Changed && to.Flag(name) != nil {
		_ = to.Flags().Set(name, f.Value.String()) // the same kind of flag took it
	}
}

// questions opens the models for a question. They are kept, so that limits on requests
// hold for all questions together.
func (s *served) questions(ctx context.Context, c *rag.Corpus, rules bool) (*rag.Models, error) {
	b, f, err := s.settled(ctx, c)
	if err != nil {
		return nil, err
	}
	if rules {
		f.models.chat = ""
	}
	key := fmt.Sprint(c.Base().ID(), rules)
	settings := fmt.Sprint(b.sources[fromDatabase].values)
	s.mu.Lock()
	defer s.mu.Unlock()
	have := s.open[key]
	if have == nil || have.settings != settings {
		m, err := b.openQuestionModels(ctx, c, &f.models)
		if err != nil {
			return nil, err
		}
		have = &openedModels{settings, m}
		s.open[key] = have
	}
	prices, _, err := b.prices(&f.models)
	if err != nil {
		return nil, err
	}
	m := have.models.Metered(cost.NewMeter(prices, cost.Limits{USD: float64(f.models.maxCost), Tokens: int(f.models.maxTokens)}))
	return m, c.CheckModel(ctx, m)
}

// indexing returns the corpus with the models that read documents.
func (s *served) indexing(ctx context.Context, c *rag.Corpus) (*rag.Corpus, error) {
	b, f, err := s.settled(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := b.keepModels(ctx, c, &f.models); err != nil {
		return nil, err
	}
	s.mu.Lock() // models of folders are opened once
	defer s.mu.Unlock()
	return b.useModels(ctx, c, &f.models)
}
