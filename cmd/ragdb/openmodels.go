package main

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/importer"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
	"github.com/ragdb/ragdb/rag/llm/replay"
	"github.com/ragdb/ragdb/rag/prompts"
)

// useModels returns a corpus that uses the models of the flags, whenever it opens
// them, all counted on one meter.
func (a *app) useModels(ctx context.Context, c *rag.Corpus, f *modelFlags) (*rag.Corpus, error) {
	meter, err := a.meter(f)
	if err != nil {
		return nil, err
	}
	if err := a.checkPrompts(f); err != nil {
		return nil, err
	}
	o := rag.Options{}
	parts, err := a.folderParts(f)
	if err != nil {
		return nil, err
	}
	open := func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) { return c.OpenLocal(ctx, true, parts) }
	if f.remote() {
		r, err := a.openRemote(ctx, c, f)
		if err != nil {
			return nil, err
		}
		o.NoWords = r.chat != nil && r.parts.Documents != nil
		open = func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) { return r.models(ctx, c, true) }
	}
	o.Models = importer.WithRecordings(func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		m, err := open(ctx, c)
		if err != nil {
			return nil, err
		}
		return m.Metered(meter), nil
	})
	return c.With(o), nil
}

// questionModels opens the models for questions, counted on a meter of their own, and
// refuses those that the corpus is not embedded with.
func (a *app) questionModels(ctx context.Context, c *rag.Corpus, f *modelFlags) (*rag.Models, error) {
	prices, _, err := a.prices(f)
	if err != nil {
		return nil, err
	}
	m, err := a.openQuestionModels(ctx, c, f)
	if err != nil {
		return nil, err
	}
	m = m.Metered(a.spent.add(cost.NewMeter(prices, cost.Limits{USD: float64(f.maxCost), Tokens: int(f.maxTokens)})))
	return m, c.CheckModel(ctx, m)
}

// openQuestionModels opens the models for questions.
func (a *app) openQuestionModels(ctx context.Context, c *rag.Corpus, f *modelFlags) (m *rag.Models, err error) {
	if err := a.checkPrompts(f); err != nil {
		return nil, err
	}
	if f.remote() {
		r, rerr := a.openRemote(ctx, c, f)
		if rerr != nil {
			return nil, rerr
		}
		m, err = r.models(ctx, c, false)
	} else {
		parts, perr := a.folderParts(f)
		if perr != nil {
			return nil, perr
		}
		m, err = c.OpenLocal(ctx, false, parts)
	}
	if err != nil {
		return nil, err
	}
	return a.withReranker(c, m, &f.rerank)
}

// remoteModels are the models that are called over the network; nil if the
// local one is used.
type remoteModels struct {
	chat    llm.Provider
	parts   rag.Parts // with the embedders
	prompts *prompts.Set
	lang    string
	workers int
}

// openRemote opens the models of the flags that are called over the network;
// with --replay what is kept stands in for them.
func (a *app) openRemote(ctx context.Context, c *rag.Corpus, f *modelFlags) (*remoteModels, error) {
	o := openai.Options{
		Concurrency: int(f.concurrency), Limiter: openai.NewLimiter(int(f.rpm), int(f.tpm), nil),
		Count: c.Tokens().Count, Log: a.logger(), Context: int(f.context), LearnContext: true, Secrets: []string{a.env["OPENAI_API_KEY"], a.env["RAGDB_EMBED_API_KEY"]},
	}
	r := &remoteModels{workers: remoteWorkers, lang: f.lang}
	if r.lang == "auto" {
		r.lang = ""
	}
	var err error
	if r.prompts, err = a.loadPrompts(f.prompts); err != nil {
		return nil, err
	}
	if !isLocal(f.chat) {
		if f.replay {
			r.chat = keptOnly{f.chat}
		} else {
			r.chat, err = openai.NewChat(a.chatConfig(f), o)
		}
		if err != nil {
			return nil, err
		}
	}
	if r.parts, err = a.folderParts(f); err != nil || isHere(f.embed) || isLocal(f.embed) {
		return r, err
	}
	dim := int(f.dim)
	if have, ok, err := c.EmbeddingModel(ctx); err != nil {
		return nil, err
	} else if ok && have.Model == f.embed && dim == 0 {
		dim = have.Dim
	}
	if f.replay {
		if dim == 0 {
			return nil, usage("add --embed-dim", "--replay needs to know how many dimensions the vectors of %s have", f.embed)
		}
		kept := replay.NewEmbedder(llm.SpaceInfo{Model: f.embed, Dim: dim})
		r.parts.Documents, r.parts.Questions = kept, kept
		return r, nil
	}
	e, err := openai.NewEmbedder(a.embedConfig(f), dim, o)
	if err != nil {
		return nil, err
	}
	r.parts.Documents, r.parts.Questions = e, e
	if dim == 0 {
		_, _, err = e.Dimension(ctx)
	}
	return r, err
}

// models returns the models of a corpus: those over the network, and the local
// one for the role that has none.
func (r *remoteModels) models(ctx context.Context, c *rag.Corpus, forIndex bool) (*rag.Models, error) {
	p := r.parts
	p.Provider, p.Workers = r.chat, r.workers
	if r.chat != nil {
		p.Fill, p.Lang = r.prompts.Fill, r.lang
		hash := r.prompts.Hash()
		p.Prompts = hex.EncodeToString(hash[:])
	}
	return c.OpenLocal(ctx, forIndex, p)
}

// remoteWorkers is how many work items are done at once while they wait for
// models: enough to fill the requests of embeddings.
const remoteWorkers = 256

// keptOnly is a model that gives no reply that is not kept already.
type keptOnly struct{ model string }

// Name implements [llm.Provider].
func (k keptOnly) Name() string { return k.model }

// Can implements [llm.Provider].
func (k keptOnly) Can(kind llm.Kind) bool { return kind.Known() }

// Do implements [llm.Provider].
func (k keptOnly) Do(_ context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	return llm.Reply{}, llm.Usage{}, fmt.Errorf("%s: %w", t.Kind, replay.ErrNotRecorded)
}

// smallPrompts names the built-in prompts for small models.
const smallPrompts = "small"

// loadPrompts returns the built-in prompts with the files of a folder in their
// place.
func (a *app) loadPrompts(dir string) (*prompts.Set, error) {
	if dir == "" {
		return prompts.Default()
	}
	if dir == smallPrompts {
		return prompts.Small()
	}
	if info, err := a.dir.stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, usage("write the prompts there with ragdb prompts export "+quote(dir), "--prompts: %s is not a folder", dir)
	}
	set, err := prompts.Load(a.dir.fs(dir))
	if err != nil {
		return nil, usage("", "--prompts: %s", service.Message(err))
	}
	return set, nil
}

// checkPrompts refuses a folder of prompts that cannot be used, also if no model is
// told any.
func (a *app) checkPrompts(f *modelFlags) error {
	if f.prompts == "" || f.remote() {
		return nil // openRemote reads them
	}
	_, err := a.loadPrompts(f.prompts)
	return err
}
