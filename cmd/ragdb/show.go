package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag"
)

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show DB ID",
		Short: "Show a document, chunk, entity or keyword with what it hangs on",
		Long: `Show prints a document (its key), a chunk (c:KEY), an entity (e:NAME), a keyword
(k:WORD) or another node (TYPE:KEY) with its neighbours, sources and text. Of a
trace (t:ID, as ask prints it) it prints the answer, how it was found, and the
texts that it was made of.`,
		Example: `  ragdb show acme.ragdb handbook.md
  ragdb show acme.ragdb c:handbook.md#3
  ragdb show acme.ragdb "e:Model B"
  ragdb show acme.ragdb t:c258136f`,
		RunE: a.onDB(1, false, func(ctx context.Context, cmd *cobra.Command, path string, rest []string) error {
			return a.use(ctx, cmd, path, toRead, func(c *rag.Corpus) error { return a.show(ctx, c, rest[0]) })
		}),
	}
}

func (a *app) show(ctx context.Context, c *rag.Corpus, id string) error {
	r, err := a.corpus(c).Show(ctx, id)
	if err != nil {
		return err
	}
	if a.out.machine() {
		a.out.json(r)
	} else {
		a.printShow(r)
	}
	return nil
}
