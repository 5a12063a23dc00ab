package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
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
	Role  string `json:"role"` // chat, embed, extract or rerank
	Model string `json:"model"`
	URL   string `json:"url,omitempty"`
	OK    bool   `json:"ok"`
	openai.Capabilities
	JSON string `json:"json,omitempty"` // schema, object or none
	// Reads says how the chat model reads a short text for a graph: well, mended if
	// its reply could be used in part, badly, or slowly if it took longer than doctor
	// waits.
	Reads string `json:"reads,omitempty"`
	// Types are those of the names that a model for names finds.
	Types []string `json:"types,omitempty"`
	USD   *float64 `json:"usd_per_million,omitempty"`
	Error string   `json:"error,omitempty"`
}

func (a *app) doctorCommand() *cobra.Command {
	f := &modelFlags{}
	cmd := &cobra.Command{
		Use:   "doctor [DB]",
		Short: "Check the models: address, key, what they can do",
		Long: `Doctor sends a few short requests to each model that the flags, the environment or
DB name, which costs next to nothing. It tells what they can do: JSON by schema, as an
object or not at all, the length of the context, the dimension of vectors, and whether
a chat model reads a short text well or wants --prompts small.`,
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
			return a.use(ctx, cmd, a.named(args[0]), toRead, func(c *rag.Corpus) error { return a.doctor(ctx, c, f) })
		},
	}
	f.add(cmd)
	f.addExtract(cmd)
	f.rerank.add(cmd)
	return cmd
}

func (a *app) doctor(ctx context.Context, c *rag.Corpus, f *modelFlags) error {
	r := &doctorResult{V: 1, OK: true, Models: []modelCheck{
		a.checkReading(ctx, a.checkModel(ctx, "chat", a.chatConfig(f)), f),
		a.checkModel(ctx, "embed", a.embedConfig(f)),
	}}
	if !isLocal(f.extract) {
		r.Models = append(r.Models, a.checkTagger(ctx, f))
	}
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
		if isHere(f.embed) && r.Models[1].OK {
			want = r.Models[1].Model
		}
		switch {
		case !ok:
			r.Corpus = "nothing is embedded yet"
		case have.Model == want || isHere(want): // the model itself is told of above
			r.Corpus = fmt.Sprintf("embedded with %s, %d dimensions", have.Model, have.Dim)
		default:
			r.OK = false
			r.Corpus = (&rag.ModelError{Have: have, Want: rag.EmbeddingModel{Model: want}}).Error()
		}
	}
	if a.out.machine() {
		a.out.json(r)
	} else {
		a.printDoctor(r, f.prompts == smallPrompts)
	}
	if !r.OK {
		return &failure{exit: exitProvider, code: "provider", message: "not all is well", hint: "correct what is said above"}
	}
	return nil
}

// doctorPatience is how long a model may take to answer.
const doctorPatience = 60 * time.Second

func (a *app) checkModel(ctx context.Context, role string, cfg openai.Config) modelCheck {
	name, _ := cutSum(cfg.Model)
	m := modelCheck{Role: role, Model: cmp.Or(name, local.ModelName), OK: true}
	if isLocal(cfg.Model) {
		return m
	}
	if isHere(cfg.Model) && role == "embed" {
		m.URL = name
		e, err := a.encoderIn(cfg.Model)
		if err != nil {
			m.OK, m.Error = false, a.wayOut(err)
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
		m.OK, m.Error = false, service.Message(err)
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

// checkReading has a chat model read a short text by the prompts of the flags.
func (a *app) checkReading(ctx context.Context, m modelCheck, f *modelFlags) modelCheck {
	if !m.OK || m.URL == "" {
		return m
	}
	task := llm.Task{Kind: llm.Extract, Input: llm.ExtractInput{Title: "The tide mill", Text: "Ada Kestrel built the tide mill of Orsk in 1891. It ground flour for sixty years. " +
		"Jonas Brandt, a coppersmith from Karrow, cast its bell. Today the mill is a museum of the harbour, and the town of Orsk owns it."}}
	set, err := a.loadPrompts(f.prompts)
	if err == nil {
		err = set.Fill(&task)
	}
	var chat *openai.Chat
	if err == nil {
		chat, err = openai.NewChat(a.chatConfig(f), openai.Options{ReAsks: -1, Timeout: 2 * doctorPatience, Log: a.logger()})
	}
	if err != nil {
		m.OK, m.Error = false, service.Message(err)
		return m
	}
	defer chat.Close()
	within, cancel := context.WithTimeout(ctx, doctorPatience)
	defer cancel()
	reply, _, err := chat.Do(within, task)
	var found llm.Extraction
	if err == nil {
		err = json.Unmarshal([]byte(reply.Text), &found)
	}
	switch {
	case ctx.Err() == nil && within.Err() != nil:
		m.Reads = "slowly"
	case errors.Is(err, llm.ErrReply) || errors.Is(err, llm.ErrRefused) || err == nil && len(found.Entities) < 2:
		m.Reads = "badly"
	case err != nil:
		m.OK, m.Error = false, service.Message(err)
	case reply.Mending.Salvaged > 0 || reply.Mending.Dropped > 0:
		m.Reads = "mended"
	default:
		m.Reads = "well"
	}
	return m
}

// checkTagger has the model that finds names read a sentence.
func (a *app) checkTagger(ctx context.Context, f *modelFlags) modelCheck {
	name, _ := cutSum(f.extract)
	m := modelCheck{Role: "extract", Model: name, URL: name, OK: true}
	t, err := a.taggerIn(f)
	if err == nil {
		_, err = t.Tag(ctx, "Ada Kestrel built the tide mill of Orsk in 1891.")
	}
	if err != nil {
		m.OK, m.Error = false, a.wayOut(err)
		return m
	}
	m.Model, m.Types = t.Name(), t.Types()
	return m
}

// wayOut is an error about a model that runs here, with what to do about it.
func (a *app) wayOut(err error) string {
	f := a.explain(err)
	return f.message + "; " + f.hint
}

func (a *app) printDoctor(r *doctorResult, small bool) {
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
		if len(m.Types) > 0 {
			can = append(can, "finds "+escape(strings.Join(m.Types, ", ")))
		}
		if m.ContextLength > 0 {
			can = append(can, "context of "+number(m.ContextLength)+" tokens")
		}
		if m.USD != nil {
			can = append(can, money(*m.USD)+" a million tokens read")
		}
		less := "; --prompts small asks for less"
		if small {
			less = ""
		}
		switch m.Reads {
		case "mended":
			can = append(can, "it reads a short text in part"+less)
		case "badly":
			can = append(can, "it reads a short text badly"+less)
		case "slowly":
			can = append(can, "it takes more than "+duration(doctorPatience)+" to read a short text"+less)
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
