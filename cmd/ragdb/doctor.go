package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm/encoder"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// doctorResult is what doctor prints.
type doctorResult struct {
	V      int          `json:"v"`
	OK     bool         `json:"ok"`
	Models []modelCheck `json:"models"`
	// Corpus says whether the embedding model is the one of the database.
	Corpus string `json:"corpus,omitempty"`
}

// modelCheck is what was found of a model.
type modelCheck struct {
	Role  string `json:"role"` // chat, embed or rerank
	Model string `json:"model"`
	URL   string `json:"url,omitempty"`
	OK    bool   `json:"ok"`
	openai.Capabilities
	JSON  string   `json:"json,omitempty"` // schema, object or none
	USD   *float64 `json:"usd_per_million,omitempty"`
	Error string   `json:"error,omitempty"`
}

func (a *app) doctorCommand() *cobra.Command {
	f := &modelFlags{}
	cmd := &cobra.Command{
		Use:   "doctor [DB]",
		Short: "Check the models: address, key, what they can do",
		Long: `Doctor sends one short request to each model that the flags, the environment or DB
name, which costs next to nothing. It tells what they can do: JSON by schema, as an
object or not at all, the length of the context, the dimension of vectors.`,
		Example: `  ragdb doctor --model gpt-4.1-mini --embed-model text-embedding-3-small
  ragdb doctor acme.ragdb
  ragdb doctor --base-url http://localhost:11434/v1 --model qwen3`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, cancel := a.context(cmd)
			defer cancel()
			if len(args) > 1 {
				return usedAs(cmd, "got %s", plural(len(args), "argument"))
			}
			if len(args) == 0 {
				if err := a.settle(cmd, modelKeys()...); err != nil {
					return err
				}
				return a.doctor(ctx, nil, f)
			}
			return a.use(ctx, cmd, args[0], toRead, func(c *rag.Corpus) error { return a.doctor(ctx, c, f) })
		},
	}
	f.add(cmd)
	f.rerank.add(cmd)
	return cmd
}

func (a *app) doctor(ctx context.Context, c *rag.Corpus, f *modelFlags) error {
	r := &doctorResult{V: 1, OK: true, Models: []modelCheck{
		a.checkModel(ctx, "chat", a.chatConfig(f)),
		a.checkModel(ctx, "embed", a.embedConfig(f)),
	}}
	if m, ok := a.checkReranker(ctx, &f.rerank); ok {
		r.Models = append(r.Models, m)
	}
	prices, _, err := a.prices(f)
	if err != nil {
		return err
	}
	for i := range r.Models {
		m := &r.Models[i]
		r.OK = r.OK && m.OK
		if p, ok := prices.Of(m.Model); ok && p.In > 0 {
			m.USD = &p.In
		}
	}
	if c != nil {
		have, ok, err := c.EmbeddingModel(ctx)
		if err != nil {
			return err
		}
		want := cmp.Or(f.embed, local.ModelName)
		if isFolder(f.embed) && r.Models[1].OK {
			want = r.Models[1].Model
		}
		switch {
		case !ok:
			r.Corpus = "nothing is embedded yet"
		case have.Model == want:
			r.Corpus = fmt.Sprintf("embedded with %s, %d dimensions", have.Model, have.Dim)
		default:
			r.OK = false
			r.Corpus = (&rag.ModelError{Have: have, Want: rag.EmbeddingModel{Model: want}}).Error()
		}
	}
	if a.out.machine() {
		a.out.json(r)
	} else {
		a.printDoctor(r)
	}
	if !r.OK {
		return &failure{exit: exitProvider, code: "provider", message: "not all is well", hint: "correct what is said above"}
	}
	return nil
}

// doctorPatience is how long a model may take to answer.
const doctorPatience = 60 * time.Second

func (a *app) checkModel(ctx context.Context, role string, cfg openai.Config) modelCheck {
	m := modelCheck{Role: role, Model: cmp.Or(cfg.Model, local.ModelName), OK: true}
	if isLocal(cfg.Model) {
		return m
	}
	if isFolder(cfg.Model) && role == "embed" {
		m.URL = cfg.Model
		e, err := a.encoderIn(cfg.Model)
		if err != nil {
			m.OK, m.Error = false, message(err)
		} else {
			m.Model, m.Dim = e.Embedder(encoder.Passage).Space().Model, e.Dim()
		}
		return m
	}
	m.URL = cfg.BaseURL
	found, err := openai.Probe(ctx, cfg, openai.Options{Timeout: doctorPatience, Log: a.logger()})
	m.Capabilities = found
	switch {
	case err != nil:
		m.OK, m.Error = false, message(err)
	case role == "chat" && !found.Chat:
		m.OK, m.Error = false, "it does not answer"
	case role == "embed" && found.Dim == 0:
		m.OK, m.Error = false, "it makes no vectors"
	}
	if role == "chat" && found.Chat {
		m.JSON = found.JSON.String()
	}
	return m
}

func (a *app) printDoctor(r *doctorResult) {
	for _, m := range r.Models {
		if m.URL == "" {
			a.out.print("%-6s %s: rules and word vectors of ragdb, no network\n", m.Role, m.Model)
			continue
		}
		var can []string
		if m.JSON != "" {
			can = append(can, "JSON: "+m.JSON)
		}
		if m.Role == "embed" && m.Dim > 0 {
			can = append(can, plural(m.Dim, "dimension"))
		}
		if m.ContextLength > 0 {
			can = append(can, "context of "+number(m.ContextLength)+" tokens")
		}
		if m.USD != nil {
			can = append(can, money(*m.USD)+" a million tokens read")
		}
		verdict := "works"
		if !m.OK {
			verdict, can = "fails", []string{escape(m.Error)}
		}
		a.out.print("%-6s %s at %s %s · %s\n", m.Role, m.Model, m.URL, verdict, strings.Join(can, " · "))
	}
	if r.Corpus != "" {
		a.out.print("corpus %s\n", escape(r.Corpus))
	}
}
