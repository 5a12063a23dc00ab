package main

import (
	"cmp"
	"context"

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
	// one is the function of a command with one argument.
	one := func(fn func(ctx context.Context, name string) error) func(*cobra.Command, []string) error {
		return func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usedAs(cmd, "got %s", plural(len(args), "argument"))
			}
			ctx, cancel := a.context(cmd)
			defer cancel()
			return fn(ctx, args[0])
		}
	}
	revision := ""
	pull := &cobra.Command{
		Use: "pull NAME", Short: "Fetch a model from the hub",
		Long: `Pull fetches a model of the table of ragdb model list, or OWNER/NAME, any other of the
hub that ragdb can run. It is checked before it is used: the weights by the SHA-256 of the
table, or that which the hub states. If it is interrupted, the same command goes on.`,
		Example: `  ragdb model pull all-MiniLM-L6-v2
  ragdb model pull dslim/bert-base-NER --revision main`,
		RunE: one(func(ctx context.Context, name string) error { return a.pullModel(ctx, name, revision) }),
	}
	pull.Flags().StringVar(&revision, "revision", "", "`COMMIT`, branch or tag (default: the commit of the table, else main)")
	list := &cobra.Command{
		Use: "list", Short: "List the models that are here, and those that pull knows", Annotations: map[string]string{printsRows: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usedAs(cmd, "got %s", plural(len(args), "argument"))
			}
			return a.listModels()
		},
	}
	rm := &cobra.Command{
		Use: "rm NAME", Short: "Remove a model that pull has fetched",
		RunE: one(func(_ context.Context, name string) error { return a.removeModel(name) }),
	}
	check := &cobra.Command{
		Use: "check NAME|DIR", Short: "Tell what a model is, and how fast it is here",
		RunE: one(a.checkNamed),
	}
	cmd.AddCommand(pull, list, rm, check)
	return cmd
}

// modelRow is a model as model pull, list and rm print it.
type modelRow struct {
	V    int    `json:"v,omitempty"`
	Name string `json:"name"`
	Role string `json:"role"` // embed, rerank or extract
	// Languages and License are those of the table, "" for a model that is not in it.
	Languages string `json:"languages,omitempty"`
	License   string `json:"license,omitempty"`
	Bytes     int64  `json:"bytes"` // of the weights
	SHA256    string `json:"sha256"`
	Revision  string `json:"revision"`
	// Dir is where it is, "" if it is not here.
	Dir string `json:"dir,omitempty"`
}

func rowOf(m modelhub.Model) modelRow {
	r := modelRow{Name: m.Name, Role: m.Role, Bytes: m.Bytes, SHA256: m.SHA256, Revision: m.Revision, Dir: m.Dir}
	if k, ok := modelhub.Known(m.Name); ok {
		r.Languages, r.License = k.Languages, k.License
	}
	return r
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
	if err != nil {
		return err
	}
	r := rowOf(m)
	r.V = 1
	if a.out.object(r) {
		return nil
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

// modelList is what model list prints.
type modelList struct {
	V      int        `json:"v"`
	Dir    string     `json:"dir"` // the cache
	Models []modelRow `json:"models"`
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
	out := modelList{V: 1, Dir: string(cache)}
	here := map[string]bool{}
	for _, m := range all {
		out.Models, here[m.Name] = append(out.Models, rowOf(m)), true
	}
	for _, k := range modelhub.KnownModels() {
		if !here[k.Name] {
			out.Models = append(out.Models, modelRow{Name: k.Name, Role: k.Role, Languages: k.Languages, License: k.License, Bytes: k.Bytes, SHA256: k.SHA256, Revision: k.Revision})
		}
	}
	if a.out.format == asJSON {
		a.out.json(out)
		return nil
	}
	t := &table{head: []string{"model", "for", "languages", "licence", "size", "here"}, right: []bool{4: true, 5: false}}
	for _, r := range out.Models {
		is := "no"
		if r.Dir != "" {
			is = "yes"
		}
		t.add(r, r.Name, useOf(r.Role), r.Languages, r.License, size(r.Bytes), is)
	}
	a.out.rows(t)
	if a.out.text() {
		a.out.print("here is %s; ragdb model pull NAME fetches one\n", string(cache))
	}
	return nil
}

// removeModel removes a model of the cache.
func (a *app) removeModel(name string) error {
	cache, err := a.modelCache()
	if err != nil {
		return err
	}
	m, err := cache.Remove(name)
	if err != nil {
		return err
	}
	r := rowOf(m)
	r.V = 1
	if !a.out.object(r) {
		a.out.print("removed %s\n", m.Dir)
	}
	return nil
}
