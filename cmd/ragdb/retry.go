package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag"
)

func (a *app) retryCommand() *cobra.Command {
	f := &indexFlags{method: specList{methods: a.methods}, retry: true}
	cmd := &cobra.Command{
		Use:   "retry DB",
		Short: "Take up again what failed",
		Long: `Retry does again what earlier runs set aside, and whatever else is left to do.
ragdb status lists what failed, and why.`,
		Example: `  ragdb retry acme.ragdb
  ragdb retry acme.ragdb --model gpt-4.1`,
		RunE: a.onDB(0, false, func(ctx context.Context, cmd *cobra.Command, path string, _ []string) error {
			return a.use(ctx, cmd, path, toWrite, func(c *rag.Corpus) error {
				return a.indexInto(ctx, cmd, c, nil, f, (*rag.Indexer).Run)
			})
		}),
	}
	f.models.add(cmd)
	f.models.addLimits(cmd)
	return cmd
}
