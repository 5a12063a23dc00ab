package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/importer"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
	"github.com/ragdb/ragdb/rag/llm/replay"
	"github.com/ragdb/ragdb/rag/prompts"
)

// modelFlags say which models are used. A model that is not named, or named
// local, is the one that needs no network.
type modelFlags struct {
	chat, embed        string
	baseURL, embedURL  string
	dim                atLeastOne
	concurrency        atLeastOne
	rpm, tpm           atLeastOne
	prompts            string
	lang               string
	replay             bool // use only what is kept
	maxTokens          atLeastOne
	maxCost            dollars
	withSpendingLimits bool
}

// modelKeys are the settings of models.
func modelKeys() []string {
	return []string{"model", "embed-model", "base-url", "embed-base-url", "embed-dim", "concurrency", "rpm", "tpm", "prompts", "lang"}
}

// storedModelKeys are those that a database keeps.
func storedModelKeys() []string {
	return []string{"model", "embed-model", "base-url", "embed-base-url", "embed-dim", "lang"}
}

// addNames adds the flags that name models.
func (f *modelFlags) addNames(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.chat, "model", "", "chat `MODEL` (default local: rules, no network; also RAGDB_MODEL)")
	fl.StringVar(&f.embed, "embed-model", "", "embedding `MODEL` (default local; also RAGDB_EMBED_MODEL)")
	fl.StringVar(&f.baseURL, "base-url", "", "`URL` of an OpenAI-compatible endpoint (default "+defaultBaseURL+"; also OPENAI_BASE_URL)")
	fl.StringVar(&f.embedURL, "embed-base-url", "", "`URL` for the embedding model where it is another (also RAGDB_EMBED_BASE_URL)")
	fl.StringVar(&f.lang, "lang", "", "`LANGUAGE` of what models write, such as de or Deutsch (default auto: that of the text)")
	fl.Var(&f.dim, "embed-dim", "elements of the embedding model's vectors (default: asked of the model once)")
}

// add adds all flags of models but the limits of what they may spend.
func (f *modelFlags) add(cmd *cobra.Command) {
	f.addNames(cmd)
	fl := cmd.Flags()
	fl.Var(&f.rpm, "rpm", "requests a minute, at most")
	fl.Var(&f.tpm, "tpm", "tokens a minute, at most")
	fl.BoolVar(&f.replay, "replay", false, "call no model: use the replies and vectors that are kept, and set aside what is not among them")
	fl.StringVar(&f.prompts, "prompts", "", "`FOLDER` of prompts in place of the built-in ones (ragdb prompts export)")
	if fl.Lookup("concurrency") == nil {
		fl.Var(&f.concurrency, "concurrency", "model calls made at once (default 8)")
	}
}

// addLimits adds the limits of what a run may spend.
func (f *modelFlags) addLimits(cmd *cobra.Command) {
	f.withSpendingLimits = true
	cmd.Flags().Var(&f.maxCost, "max-cost", "stop before the run costs more than so many `DOLLARS`, and go on with the same command later")
	cmd.Flags().Var(&f.maxTokens, "max-tokens", "stop before models have read and written more than so many tokens")
}

const defaultBaseURL = "https://api.openai.com/v1"

// isLocal reports whether a model's name is that of the local one.
func isLocal(model string) bool { return model == "" || model == rag.LocalModel }

// remote reports whether any model is called over the network.
func (f *modelFlags) remote() bool { return !isLocal(f.chat) || !isLocal(f.embed) }

// modelEnv returns the settings of models that the environment has.
func (a *app) modelEnv() map[string]string {
	out := map[string]string{}
	for key, name := range map[string]string{
		"model": "RAGDB_MODEL", "embed-model": "RAGDB_EMBED_MODEL",
		"base-url": "OPENAI_BASE_URL", "embed-base-url": "RAGDB_EMBED_BASE_URL",
	} {
		if v := a.env[name]; v != "" {
			out[key] = v
		}
	}
	return out
}

// chatConfig and embedConfig are where the models are, with their keys, which
// come from the environment alone.
func (a *app) chatConfig(f *modelFlags) openai.Config {
	return openai.Config{BaseURL: orDefault(f.baseURL, defaultBaseURL), Key: a.env["OPENAI_API_KEY"], Model: f.chat}
}

func (a *app) embedConfig(f *modelFlags) openai.Config {
	c := openai.Config{BaseURL: orDefault(f.embedURL, orDefault(f.baseURL, defaultBaseURL)), Key: a.env["RAGDB_EMBED_API_KEY"], Model: f.embed}
	if c.Key == "" && (f.embedURL == "" || f.embedURL == f.baseURL) {
		c.Key = a.env["OPENAI_API_KEY"] // never sent to another host
	}
	return c
}

func orDefault(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// prices returns the price table: the built-in one, the user's before it, and
// nothing to pay for models on this machine. source says where it is from.
func (a *app) prices(f *modelFlags) (p rag.Prices, source string, err error) {
	p, source = rag.BuiltinPrices(), "built-in "+rag.PriceDate
	path, must := a.env["RAGDB_PRICES"], true
	if path == "" {
		path, must = filepath.Join(a.dataDir(), "ragdb", "prices.json"), false
	}
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
	case err != nil:
		return nil, "", usage("correct RAGDB_PRICES", "prices: %s", message(err))
	default:
		own, err := rag.ReadPrices(b)
		if err != nil {
			return nil, "", usage(`write it like {"gpt-4.1": {"in": 2, "out": 8}}, in dollars a million tokens`, "%s: %s", path, message(err))
		}
		p, source = p.With(own), path
	}
	for model, base := range map[string]string{f.chat: a.chatConfig(f).BaseURL, f.embed: a.embedConfig(f).BaseURL} {
		if _, known := p.Of(model); !known && !isLocal(model) && isLoopback(base) {
			p[model] = rag.Price{}
		}
	}
	return p, source, nil
}

// dataDir is the folder of the user's data, "" where the system has none.
func (a *app) dataDir() string {
	if dir := a.env["XDG_DATA_HOME"]; filepath.IsAbs(dir) {
		return dir
	}
	if home := a.env["HOME"]; home != "" {
		return filepath.Join(home, ".local", "share")
	}
	return a.configDir()
}

// isLoopback reports whether a URL is of this machine.
func isLoopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// useModels makes a corpus use the models of the flags, whenever it opens them,
// all counted on one meter.
func (a *app) useModels(ctx context.Context, c *rag.Corpus, f *modelFlags) error {
	meter, err := a.meter(f)
	if err != nil {
		return err
	}
	if !f.remote() {
		c.Models = func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
			m, err := rag.OpenLocal(ctx, c, true)
			if err == nil {
				m.Metered(meter)
			}
			return m, err
		}
		c.Models = importer.WithRecordings(c.Models)
		return nil
	}
	r, err := a.openRemote(ctx, c, f)
	if err != nil {
		return err
	}
	c.NoWords = r.chat != nil && r.embedder != nil
	c.Models = func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		m, err := r.models(ctx, c, true)
		if err == nil {
			m.Metered(meter)
		}
		return m, err
	}
	c.Models = importer.WithRecordings(c.Models)
	return nil
}

// meter returns what the calls of a run are counted on, with the limits of the
// flags. others are further chat models of the run.
func (a *app) meter(f *modelFlags, others ...string) (*rag.Meter, error) {
	prices, _, err := a.prices(f)
	if err != nil {
		return nil, err
	}
	var asked []string
	for _, m := range append([]string{f.chat, f.embed}, others...) {
		if !isLocal(m) {
			asked = append(asked, m)
		}
	}
	for _, m := range others {
		if _, known := prices.Of(m); !known && isLoopback(a.chatConfig(f).BaseURL) {
			prices[m] = rag.Price{}
		}
	}
	limits := rag.Limits{USD: float64(f.maxCost), Tokens: int(f.maxTokens)}
	if unknown := prices.Unpriced(asked...); limits.USD > 0 && len(unknown) > 0 {
		return nil, usage("give it in a file that RAGDB_PRICES names, or use --max-tokens",
			"--max-cost needs to know what %s costs", strings.Join(unknown, " and "))
	}
	return a.spent.add(rag.NewMeter(prices, limits)), nil
}

// questionModels opens the models for questions, and refuses those that the
// corpus is not embedded with.
func (a *app) questionModels(ctx context.Context, c *rag.Corpus, f *modelFlags) (*rag.Models, error) {
	var m *rag.Models
	prices, _, err := a.prices(f)
	if err != nil {
		return nil, err
	}
	if f.remote() {
		r, rerr := a.openRemote(ctx, c, f)
		if rerr != nil {
			return nil, rerr
		}
		m, err = r.models(ctx, c, false)
	} else {
		m, err = rag.OpenLocal(ctx, c, false)
	}
	if err != nil {
		return nil, err
	}
	m.Metered(a.spent.add(rag.NewMeter(prices, rag.Limits{USD: float64(f.maxCost), Tokens: int(f.maxTokens)})))
	return m, c.CheckModel(ctx, m)
}

// remoteModels are the models that are called over the network; nil where the
// local one is used.
type remoteModels struct {
	chat     llm.Provider
	embedder llm.Embedder
	prompts  *prompts.Set
	lang     string
	workers  int
}

func (a *app) openRemote(ctx context.Context, c *rag.Corpus, f *modelFlags) (*remoteModels, error) {
	o := openai.Options{
		Concurrency: int(f.concurrency), Limiter: openai.NewLimiter(int(f.rpm), int(f.tpm), nil),
		Count: c.Tokens.Count, Log: a.logger(),
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
	if isLocal(f.embed) {
		return r, nil
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
		r.embedder = replay.NewEmbedder(llm.SpaceInfo{Model: f.embed, Dim: dim})
		return r, nil
	}
	e, err := openai.NewEmbedder(a.embedConfig(f), dim, o)
	if err != nil {
		return nil, err
	}
	if r.embedder = e; dim == 0 {
		_, _, err = e.Dimension(ctx)
	}
	return r, err
}

// keptOnly is a model that gives no reply that is not kept already.
type keptOnly struct{ model string }

// Name implements [llm.Provider].
func (k keptOnly) Name() string { return k.model }

// Can implements [llm.Provider].
func (k keptOnly) Can(kind llm.Kind) bool { return kind.Form() != llm.FormUnknown }

// Do implements [llm.Provider].
func (k keptOnly) Do(_ context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	return llm.Reply{}, llm.Usage{}, fmt.Errorf("%s: %w", t.Kind, replay.ErrNotRecorded)
}

// remoteWorkers is how many work items are done at once where models are waited
// for: enough to fill the requests of embeddings.
const remoteWorkers = 256

// models returns the models of a corpus: those over the network, and the local
// one for the role that has none.
func (r *remoteModels) models(ctx context.Context, c *rag.Corpus, forIndex bool) (*rag.Models, error) {
	var m *rag.Models
	if r.embedder != nil {
		m = rag.NewModels(c, nil, r.embedder, r.embedder)
	} else {
		var err error
		if m, err = rag.OpenLocal(ctx, c, forIndex); err != nil {
			return nil, err
		}
	}
	if r.chat != nil {
		m.Provider, m.Free = r.chat, false
		m.Fill, m.Lang = r.prompts.Fill, r.lang
		hash := r.prompts.Hash()
		m.Prompts = hex.EncodeToString(hash[:])
	} else if m.Provider == nil {
		rules, err := rag.Rules(ctx, c)
		if err != nil {
			return nil, err
		}
		m.Provider, m.Free = rules, true
	}
	m.Workers = r.workers
	return m, nil
}

// loadPrompts returns the built-in prompts with the files of a folder in their
// place.
func (a *app) loadPrompts(dir string) (*prompts.Set, error) {
	if dir == "" {
		return prompts.Default()
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, usage("write the prompts there with ragdb prompts export "+quote(dir), "--prompts: %s is not a folder", dir)
	}
	set, err := prompts.Load(os.DirFS(dir))
	if err != nil {
		return nil, usage("", "--prompts: %s", message(err))
	}
	return set, nil
}
