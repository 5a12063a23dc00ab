package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm/local"
)

func (a *app) reembedCommand() *cobra.Command {
	f := &indexFlags{method: specList{methods: a.methods}}
	cmd := &cobra.Command{
		Use:   "reembed DB --embed-model MODEL",
		Short: "Change the embedding model",
		Long: `Reembed makes all vectors again with another model. Until the last one is made
questions use the old ones; then the new ones take their place in one step. If it
is interrupted, the same command goes on. The model local needs no network.`,
		Example: `  ragdb reembed acme.ragdb --embed-model text-embedding-3-large --estimate
  ragdb reembed acme.ragdb --embed-model local`,
		RunE: a.onDB(0, false, func(ctx context.Context, cmd *cobra.Command, path string, _ []string) error {
			if !cmd.Flag("embed-model").Changed {
				return usedAs(cmd, "needs --embed-model")
			}
			if f.estimate {
				return a.estimateOnly(ctx, cmd, path, nil, f)
			}
			return a.use(ctx, cmd, path, toWrite, func(c *rag.Corpus) error { return a.reembed(ctx, cmd, c, f) })
		}),
	}
	f.models.add(cmd)
	f.models.addExtract(cmd)
	f.models.addLimits(cmd)
	cmd.Flags().BoolVar(&f.estimate, "estimate", false, "show what it would cost, and do nothing")
	return cmd
}

func (a *app) reembed(ctx context.Context, cmd *cobra.Command, c *rag.Corpus, f *indexFlags) error {
	run := func(x *rag.Indexer, ctx context.Context, inputs []rag.Input) (*rag.IndexResult, error) {
		x.Options.Reembed = true
		r, err := x.Run(ctx, inputs)
		if err != nil {
			return r, err
		}
		// What names the model for questions is kept once the vectors are.
		dim := ""
		if m, ok, err := c.EmbeddingModel(ctx); err != nil {
			return r, err
		} else if ok && m.Model != local.ModelName {
			f.models.dim = atLeastOne(m.Dim)
			dim = f.models.dim.String()
		}
		embed, err := keptName(f.models.embed)
		if err != nil {
			return r, err
		}
		return r, c.KeepSettings(ctx, map[string]string{
			"embed-model": embed, "embed-base-url": f.models.embedURL, "base-url": f.models.baseURL, "embed-dim": dim,
		})
	}
	return a.indexInto(ctx, cmd, c, nil, f, run)
}
