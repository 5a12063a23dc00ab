package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
)

// upgradeResult is what upgrade prints.
type upgradeResult struct {
	V    int    `json:"v"`
	DB   string `json:"db"`
	From uint32 `json:"from"`
	To   uint32 `json:"to"`
}

func (a *app) upgradeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "upgrade DB",
		Short: "Bring a database to this version's file format",
		Long: `Upgrade rewrites a database of an older file format to that of this version.
There is one format so far, so that it verifies the format and changes nothing.
A database of a newer format is refused (exit 5): use the version that wrote it,
or its export as JSONL, which every version reads.`,
		Example: `  ragdb upgrade acme.ragdb`,
		RunE: a.onDB(0, false, func(ctx context.Context, cmd *cobra.Command, path string, _ []string) error {
			return a.upgrade(ctx, path)
		}),
	}
}

func (a *app) upgrade(ctx context.Context, path string) error {
	// Opening refuses any other format.
	if err := a.with(ctx, path, toRead, func(*engine.DB) error { return nil }); err != nil {
		return err
	}
	if a.out.object(upgradeResult{V: 1, DB: path, From: engine.Format, To: engine.Format}) {
		return nil
	}
	a.out.print("%s has format %d, the newest: nothing to do\n", path, engine.Format)
	return nil
}
