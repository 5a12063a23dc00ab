package main

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm/replay"
)

// cacheResult is what cache stats prints.
type cacheResult struct {
	V  int    `json:"v"`
	NS string `json:"ns"`
	*ledger.Stats
}

func (a *app) cacheCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache stats|export|import|prune DB [FILE]",
		Short: "What models replied, kept so that nothing is paid twice",
		Long: `ragdb keeps every reply and vector of a paid model under a digest of the request:
model, prompt, parameters. It does not send the same request again, in this database
or, after export and import, in another. With --replay it uses nothing but what is
kept, so that a run repeats to the byte without a model. The cache holds no keys and
no questions.`,
		Example: `  ragdb cache stats acme.ragdb
  ragdb cache export acme.ragdb replies.jsonl
  ragdb cache import other.ragdb replies.jsonl
  ragdb index other.ragdb ./docs --replay
  ragdb cache prune acme.ragdb`,
		RunE: chooseOne,
	}
	var prune ledger.PruneOptions
	pruneCmd := &cobra.Command{
		Use: "prune DB", Short: "Remove what no document uses",
		RunE: a.onCache(toWrite, 0, func(ctx context.Context, c *rag.Corpus, _ string) error { return a.cachePrune(ctx, c, prune) }),
	}
	pruneCmd.Flags().BoolVar(&prune.Embeddings, "embeddings", false, "remove all kept vectors; the index has its own")
	pruneCmd.Flags().BoolVar(&prune.DryRun, "dry-run", false, "only show what would go")
	cmd.AddCommand(
		&cobra.Command{
			Use: "stats DB", Short: "Count what is kept", Annotations: map[string]string{printsRows: "yes"},
			RunE: a.onCache(toRead, 0, func(ctx context.Context, c *rag.Corpus, _ string) error { return a.cacheStats(ctx, c) }),
		},
		&cobra.Command{
			Use: "export DB FILE", Short: "Write what is kept into a file, - for the output",
			RunE: a.onCache(toRead, 1, a.cacheExport),
		},
		&cobra.Command{
			Use: "import DB FILE", Short: "Read what another database kept, - for the input",
			RunE: a.onCache(toCreate, 1, a.cacheImport),
		},
		pruneCmd,
	)
	return cmd
}

// onCache opens the corpus of a command on the cache, which takes n arguments
// beside DB.
func (a *app) onCache(m mode, n int, fn func(ctx context.Context, c *rag.Corpus, file string) error) func(*cobra.Command, []string) error {
	return a.onDB(n, false, func(ctx context.Context, cmd *cobra.Command, path string, rest []string) error {
		return a.use(ctx, cmd, path, m, func(c *rag.Corpus) error { return fn(ctx, c, append(rest, "")[0]) })
	})
}

func (a *app) cacheStats(ctx context.Context, c *rag.Corpus) error {
	s, err := c.Ledger().Stats(ctx)
	if err != nil {
		return err
	}
	if a.out.format == asJSON {
		a.out.json(cacheResult{1, c.Namespace().Name(), s})
		return nil
	}
	t := &table{head: []string{"model", "kind", "entries", "unused", "bytes", "tokens read", "tokens written"}, right: []bool{false, false, true, true, true, true, true}}
	for _, r := range s.Rows {
		t.add(r, cmp.Or(r.Model, "-"), string(r.Kind), number(r.Entries), number(r.Unused), number(int(r.Bytes)), number(r.Usage.InTokens), number(r.Usage.OutTokens))
	}
	if len(t.rows) == 0 && a.out.text() {
		a.out.print("nothing is kept: no paid model was asked\n")
		return nil
	}
	a.out.rows(t)
	return nil
}

// cacheExport writes what is kept into a file.
func (a *app) cacheExport(ctx context.Context, c *rag.Corpus, file string) error {
	n := 0
	_, err := a.writeOut(ctx, file, func(w io.Writer) (err error) {
		n, err = c.Ledger().Export(ctx, w)
		return err
	})
	if err != nil || file == "-" {
		return err
	}
	if a.out.object(struct {
		V       int    `json:"v"`
		File    string `json:"file"`
		Entries int    `json:"entries"`
	}{1, file, n}) {
		return nil
	}
	a.out.print("wrote %s into %s\n", plural(n, "entry"), file)
	return nil
}

func (a *app) cacheImport(ctx context.Context, c *rag.Corpus, file string) error {
	in, err := a.input(file)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := c.Ledger().Import(ctx, in)
	var line *replay.LineError
	if errors.As(err, &line) {
		return usage("give a file that ragdb cache export wrote; what came before that line is imported", "%s: %s", file, line)
	}
	if err != nil {
		return err
	}
	if a.out.object(struct {
		V int `json:"v"`
		*ledger.Imported
	}{1, r}) {
		return nil
	}
	a.out.print("%s new, %s known already\n", number(r.Added), number(r.Known))
	return nil
}

func (a *app) cachePrune(ctx context.Context, c *rag.Corpus, o ledger.PruneOptions) error {
	if !o.DryRun {
		if err := a.mayPrune(ctx, c, o); err != nil {
			return err
		}
	}
	r, err := c.Ledger().Prune(ctx, o)
	if err != nil {
		return err
	}
	if a.out.object(struct {
		V      int  `json:"v"`
		DryRun bool `json:"dry_run"`
		*ledger.Pruned
	}{1, o.DryRun, r}) {
		return nil
	}
	did := "removed"
	if o.DryRun {
		did = "would remove"
	}
	a.out.print("%s %s and %s, %s\n", did, plural(r.Replies, "reply"), plural(r.Embeddings, "vector"), plural(int(r.Bytes), "byte"))
	return nil
}

// mayPrune applies the rule for removals to what was paid for.
func (a *app) mayPrune(ctx context.Context, c *rag.Corpus, o ledger.PruneOptions) error {
	o.DryRun = true
	gone, err := c.Ledger().Prune(ctx, o)
	if err != nil {
		return err
	}
	have, err := c.Ledger().Stats(ctx)
	if err != nil {
		return err
	}
	r := removal{n: gone.Replies + gone.Embeddings, what: "kept entry"}
	for _, row := range have.Rows {
		r.total += row.Entries
	}
	return a.mayRemove(ctx, r, "what is removed is paid again when it is wanted; run it with --yes if it is to go",
		"Remove %s and %s?", plural(gone.Replies, "kept reply"), plural(gone.Embeddings, "kept vector"))
}
