package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/cmd/ragdb/internal/modelhub"
	"github.com/ragdb/ragdb/rag"
)

func (a *app) modelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model pull|list|rm|check",
		Short: "Fetch encoders and rerankers, and look at them",
		Long: `An encoder, a cross-encoder or a model for names runs inside ragdb. Pull fetches one
from huggingface.co, or the hub that RAGDB_HUB names, into the folder that RAGDB_MODELS
names, by default ragdb/models in the user's cache. List shows which there are, and a
table of good small ones. Nothing is fetched without pull.

An encoder is used with --embed-model NAME, a cross-encoder with --rerank NAME, a model
for names (token classification) with --extract-model NAME. NAME:int8 holds it in
8 bits: a quarter of the memory, and quicker with AVX-512 VNNI. file:DIR in place of
NAME is a model in any folder, as such models are published: config.json,
model.safetensors and tokenizer.json or vocab.txt.`,
		Example: `  ragdb model list
  ragdb model pull multilingual-e5-small
  ragdb index acme.ragdb ./docs --embed-model multilingual-e5-small
  ragdb model check ./my-encoder`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("ragdb model lists its commands", "model has no %q", args[0])
			}
			return cmd.Help()
		},
	}
	revision := ""
	run := func(n int, fn func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
		return func(cmd *cobra.Command, args []string) error {
			if len(args) != n {
				return usedAs(cmd, "got %s", plural(len(args), "argument"))
			}
			ctx, cancel := a.context(cmd)
			defer cancel()
			return fn(ctx, args)
		}
	}
	pull := &cobra.Command{
		Use: "pull NAME", Short: "Fetch a model from the hub",
		Long: `Pull fetches a model of the table of ragdb model list, or OWNER/NAME, any other of the
hub that ragdb can run. It is checked before it is used: the weights by the SHA-256 of the
table, or that which the hub states. If it is interrupted, the same command goes on.`,
		Example: `  ragdb model pull all-MiniLM-L6-v2
  ragdb model pull dslim/bert-base-NER --revision main`,
		RunE: run(1, func(ctx context.Context, args []string) error { return a.pullModel(ctx, args[0], revision) }),
	}
	pull.Flags().StringVar(&revision, "revision", "", "`COMMIT`, branch or tag (default: the commit of the table, else main)")
	cmd.AddCommand(pull, &cobra.Command{
		Use: "list", Short: "List the models that are here, and those of the table", Annotations: map[string]string{printsRows: "yes"},
		RunE: run(0, func(context.Context, []string) error { return a.listModels() }),
	}, &cobra.Command{
		Use: "rm NAME", Short: "Remove a model that pull has fetched",
		RunE: run(1, func(_ context.Context, args []string) error {
			cache, err := a.modelCache()
			if err != nil {
				return err
			}
			m, err := cache.Remove(args[0])
			if err == nil && !a.out.object(modelRow{V: 1, Model: m, Dir: m.Dir}) {
				a.out.print("removed %s\n", m.Dir)
			}
			return err
		}),
	}, &cobra.Command{
		Use: "check NAME|DIR", Short: "Tell what a model is, and how fast it is here",
		RunE: run(1, func(ctx context.Context, args []string) error { return a.checkNamed(ctx, args[0]) }),
	})
	return cmd
}

// modelRow is a model as model pull, list and rm print it.
type modelRow struct {
	V int `json:"v,omitempty"`
	modelhub.Model
	Dir string `json:"dir,omitempty"` // "" if it is not here
}

// pullModel fetches a model.
func (a *app) pullModel(ctx context.Context, name, revision string) error {
	cache, err := a.modelCache()
	if err != nil {
		return err
	}
	hub, err := modelhub.NewHub(cmp.Or(a.env["RAGDB_HUB"], modelhub.DefaultHub))
	if err != nil {
		return err
	}
	p := a.newProgress()
	p.bytes = true
	m, fresh, err := hub.Pull(ctx, cache, name, revision, func(done, total int64) {
		p.notify(rag.Event{Stage: "fetch", Done: int(done), Total: int(total)})
	})
	p.end()
	if errors.Is(err, context.Canceled) {
		return &failure{exit: exitInterrupted, code: "interrupted", message: "interrupted: what came is kept", hint: "the same command goes on", err: err}
	}
	if err != nil || a.out.object(modelRow{V: 1, Model: m, Dir: m.Dir}) {
		return err
	}
	what := "fetched"
	if !fresh {
		what = "there already:"
	}
	a.out.print("%s %s · %s · %s\nuse it with %s %s\n", what, m.Name, size(m.Bytes), m.Dir, useOf(m.Role), modelhub.Short(m.Name))
	return nil
}

// useOf returns the flag for a model of a role.
func useOf(role string) string {
	return map[string]string{"embed": "--embed-model", "rerank": "--rerank", "extract": "--extract-model"}[role]
}

// listModels prints the models that are here, and then those of the table that are not.
func (a *app) listModels() error {
	cache, err := a.modelCache()
	if err != nil {
		return err
	}
	all, err := cache.Models()
	if err != nil {
		return err
	}
	here := map[string]bool{}
	for _, m := range all {
		here[m.Name] = true
	}
	for _, k := range modelhub.KnownModels() {
		if !here[k.Name] {
			all = append(all, k.Model)
		}
	}
	rows := []modelRow{}
	t := &table{head: []string{"model", "for", "languages", "licence", "size", "here"}, right: []bool{4: true, 5: false}}
	for _, m := range all {
		r, is := modelRow{Model: m, Dir: m.Dir}, "no"
		if m.Dir != "" {
			is = "yes"
		}
		rows = append(rows, r)
		t.add(r, m.Name, useOf(m.Role), m.Languages, m.License, size(m.Bytes), is)
	}
	if a.out.format == asJSON {
		a.out.json(struct {
			V      int        `json:"v"`
			Dir    string     `json:"dir"`
			Models []modelRow `json:"models"`
		}{1, string(cache), rows})
		return nil
	}
	a.out.rows(t)
	if a.out.text() {
		a.out.print("here is %s; ragdb model pull NAME fetches one\n", string(cache))
	}
	return nil
}
