package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm/encoder"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// modelFlags say which models are used. A model that is not named, or named
// local, is the one that needs no network.
type modelFlags struct {
	chat, embed       string
	extract           string // what finds names beside the rules
	baseURL, embedURL string
	dim               atLeastOne
	concurrency       atLeastOne
	rpm, tpm          atLeastOne
	context           atLeastOne
	prompts           string
	lang              string
	replay            bool // use only what is kept
	maxTokens         atLeastOne
	maxCost           dollars
	rerank            rerankFlags // of commands that ask
}

// modelKeys are the settings of models.
func modelKeys() []string {
	return []string{"model", "embed-model", "extract-model", "base-url", "embed-base-url", "embed-dim", "concurrency", "rpm", "tpm", "context", "prompts", "lang", "rerank", "rerank-ms"}
}

// storedModelKeys are those that a database keeps.
func storedModelKeys() []string {
	return []string{"model", "embed-model", "extract-model", "base-url", "embed-base-url", "embed-dim", "context", "lang"}
}

// addNames adds the flags that name models.
func (f *modelFlags) addNames(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.chat, "model", "", "chat `MODEL` (default local: rules, no network; also RAGDB_MODEL)")
	fl.Var(&modelName{name: &f.embed}, "embed-model", "embedding `MODEL`: one of ragdb model list, file:DIR for one in a folder, or a server's (default local; also RAGDB_EMBED_MODEL)")
	fl.StringVar(&f.baseURL, "base-url", "", "`URL` of an OpenAI-compatible endpoint (default "+defaultBaseURL+"; also OPENAI_BASE_URL)")
	fl.StringVar(&f.embedURL, "embed-base-url", "", "`URL` for the embedding model if it is another (also RAGDB_EMBED_BASE_URL)")
	fl.StringVar(&f.lang, "lang", "", "`LANGUAGE` of what models write, such as de or Deutsch (default auto: that of the text)")
	fl.Var(&f.context, "context", "length of the chat model's context in `TOKENS`, for prompts to fit (default: what the server tells)")
	fl.Var(&f.dim, "embed-dim", "elements of the embedding model's vectors (default: asked of the model once)")
}

// addExtract adds the flag of commands that read documents.
func (f *modelFlags) addExtract(cmd *cobra.Command) {
	cmd.Flags().Var(&modelName{name: &f.extract}, "extract-model", "`MODEL` for token classification, file:DIR or one that was pulled, which finds names beside the rules (default local: the rules alone; also RAGDB_EXTRACT_MODEL)")
}

// add adds all flags of models but the limits of what they may spend.
func (f *modelFlags) add(cmd *cobra.Command) {
	f.addNames(cmd)
	fl := cmd.Flags()
	fl.Var(&f.rpm, "rpm", "requests a minute, at most")
	fl.Var(&f.tpm, "tpm", "tokens a minute, at most")
	fl.BoolVar(&f.replay, "replay", false, "call no model: use the replies and vectors that are kept, and set aside what is not among them")
	fl.StringVar(&f.prompts, "prompts", "", "`FOLDER` of prompts in place of the built-in ones (ragdb prompts export), or small: built-in ones for small models")
	if fl.Lookup("concurrency") == nil {
		fl.Var(&f.concurrency, "concurrency", "model calls made at once (default 8)")
	}
}

// addLimits adds the limits of what a run may spend.
func (f *modelFlags) addLimits(cmd *cobra.Command) {
	cmd.Flags().Var(&f.maxCost, "max-cost", "stop before the run costs more than so many `DOLLARS`, and go on with the same command later")
	cmd.Flags().Var(&f.maxTokens, "max-tokens", "stop before models have read and written more than so many tokens")
}

const defaultBaseURL = "https://api.openai.com/v1"

// isLocal reports whether a model's name is that of the local one.
func isLocal(model string) bool { return model == "" || model == local.ModelName }

// remote reports whether any model is called over the network.
func (f *modelFlags) remote() bool {
	return !isLocal(f.chat) || !isLocal(f.embed) && !isHere(f.embed)
}

// modelEnv returns the settings of models that the environment has.
func (a *app) modelEnv() map[string]string {
	out := map[string]string{}
	for key, name := range map[string]string{
		"model": "RAGDB_MODEL", "embed-model": "RAGDB_EMBED_MODEL", "extract-model": "RAGDB_EXTRACT_MODEL",
		"base-url": "OPENAI_BASE_URL", "embed-base-url": "RAGDB_EMBED_BASE_URL", "rerank": "RAGDB_RERANK",
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
	return openai.Config{BaseURL: cmp.Or(f.baseURL, defaultBaseURL), Key: a.env["OPENAI_API_KEY"], Model: f.chat}
}

func (a *app) embedConfig(f *modelFlags) openai.Config {
	c := openai.Config{BaseURL: cmp.Or(f.embedURL, f.baseURL, defaultBaseURL), Key: a.env["RAGDB_EMBED_API_KEY"], Model: f.embed}
	if c.Key == "" && (f.embedURL == "" || f.embedURL == f.baseURL) {
		c.Key = a.env["OPENAI_API_KEY"] // never sent to another host
	}
	return c
}

// keepModels stores in a corpus without models which models it is indexed
// with, so that questions need not name them. Of a corpus with an embedding model it stores
// the place where that is now.
func (a *app) keepModels(ctx context.Context, c *rag.Corpus, f *modelFlags) error {
	if err := a.keepExtract(ctx, c, f); err != nil {
		return err
	}
	have, has, err := c.EmbeddingModel(ctx)
	if err != nil || has && !isHere(f.embed) {
		return err
	}
	all := map[string]string{
		"model": f.chat, "base-url": f.baseURL, "embed-base-url": f.embedURL, "embed-dim": f.dim.String(), "context": f.context.String(), "lang": f.lang,
	}
	if has { // what it is asked with may only be in another place than before
		m, err := a.encoderIn(f.embed)
		if err != nil || m.Embedder(encoder.Passage).Space().Model != have.Model {
			return err
		}
		all = map[string]string{}
	}
	if all["embed-model"], err = keptName(f.embed); err != nil {
		return err
	}
	values := map[string]string{}
	for key, v := range all {
		kept := a.sources[fromDatabase].values[key]
		if v != "" && (kept == "" || key == "embed-model" && v != kept) { // the vectors are of it
			values[key] = v
		}
	}
	if len(values) == 0 {
		return nil
	}
	return c.KeepSettings(ctx, values)
}

// keepExtract stores the model that finds names if it is another one than the
// database has: documents are read again by it, and those to come too.
func (a *app) keepExtract(ctx context.Context, c *rag.Corpus, f *modelFlags) error {
	kept := a.sources[fromDatabase].values["extract-model"]
	if !isLocal(f.chat) || f.extract == kept {
		return nil
	}
	name, err := keptName(f.extract)
	if isLocal(name) {
		name = ""
	}
	if err != nil || name == kept {
		return err
	}
	return c.KeepSettings(ctx, map[string]string{"extract-model": name})
}
