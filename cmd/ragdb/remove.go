package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
)

func (a *app) removeCommand() *cobra.Command {
	f := &removeFlags{}
	cmd := &cobra.Command{
		Use:   "rm DB [DOC...]",
		Short: "Remove documents with all that only they supported",
		Long: `Rm removes documents by their keys, or by patterns of keys such as those of
--include. Each goes in one step, with its chunks and all that only it supported in
the graphs. Rm asks before it removes more than five and more than a fifth of the
documents, or all of them by patterns; without a terminal it then needs --yes. The
next index renews what is computed from the whole corpus (which chunks are near or
central). With --purge rm does that at once and rewrites all files, so that no file
holds anything of the documents; without DOC it does so for all that was removed.

If rm is interrupted, the same command goes on, and so does the next rm, index or
sync. ragdb status tells what is left.`,
		Example: `  ragdb rm acme.ragdb handbook.md --dry-run
  ragdb rm acme.ragdb handbook.md faq.csv#12
  ragdb rm acme.ragdb 'wiki/**/*.html' --yes
  ragdb rm acme.ragdb --purge`,
		RunE: a.onDB(0, true, func(ctx context.Context, cmd *cobra.Command, path string, docs []string) error {
			if len(docs) == 0 && !f.purge {
				return usedAs(cmd, "needs a document, unless --purge is given")
			}
			return a.use(ctx, cmd, path, toWrite, func(c *rag.Corpus) error { return a.remove(ctx, c, docs, f) })
		}),
	}
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "only show what would disappear")
	cmd.Flags().BoolVar(&f.keepCache, "keep-cache", false, "keep what models replied about them: if they come back it is not paid again")
	cmd.Flags().BoolVar(&f.purge, "purge", false, "leave nothing of them in any file")
	f.models.add(cmd)
	f.models.addLimits(cmd)
	return cmd
}

// removeFlags are the flags of rm.
type removeFlags struct {
	dry, keepCache, purge bool
	models                modelFlags
}

// purge does what a removal leaves to the next index and rewrites all files.
func (a *app) purge(ctx context.Context, c *rag.Corpus) error {
	undone, err := c.UnmergeUnsaid(ctx, a.methods)
	if err != nil {
		return err
	}
	if n := len(undone.Aliases); n > 0 {
		a.out.note("%s undone: no document has the names any more", plural(n, "merge"))
	}
	systems, err := a.toIndex(ctx, c, nil, false)
	if err != nil {
		return err
	}
	if _, err := a.runIndex(ctx, c, systems, nil, rag.IndexOptions{}, (*rag.Indexer).Run); err != nil && !errors.Is(err, rag.ErrPartial) {
		return err
	}
	return c.Purge(ctx)
}

func (a *app) remove(ctx context.Context, c *rag.Corpus, asked []string, f *removeFlags) error {
	if f.purge && f.keepCache {
		return usage("leave out one of them", "--purge and --keep-cache exclude each other")
	}
	dry := f.dry
	c, err := a.useModels(ctx, c, &f.models)
	if err != nil {
		return err
	}
	docs, r, err := matchDocuments(ctx, c, asked)
	if err != nil {
		return err
	}
	if !dry {
		if err := a.mayRemove(ctx, r, "see which with --dry-run; if they are to go, run it with --yes", "Remove %s from %s?", r.count(), c.Path()); err != nil {
			return err
		}
	}
	if !dry {
		done, err := a.turn(ctx, c)
		if err != nil {
			return a.whileWaiting(ctx, err)
		}
		defer done()
	}
	out, err := a.corpus(c).RemoveDocuments(ctx, docs, rag.RemoveOptions{DryRun: dry, KeepCache: f.keepCache, Purge: f.purge, Asked: asked})
	if err != nil {
		if len(out.Removed) > 0 && !dry {
			a.printRemoved(c, out)
		}
		return err
	}
	if f.purge && !dry {
		if err := a.purge(ctx, c); err != nil {
			return err
		}
		out.Purged, out.Stale = true, []string{}
	}
	a.printRemoved(c, out)
	return nil
}

// matchDocuments returns the keys of the documents that arguments name: by a
// key, or by a pattern of keys. What the same command is at already is not counted in the
// removal, since the user has agreed to it, and what it has done is no error.
func matchDocuments(ctx context.Context, c *rag.Corpus, args []string) (keys []string, r removal, err error) {
	all, err := service.DocumentKeys(ctx, c)
	if err != nil {
		return nil, r, err
	}
	same, err := c.AskedLast(ctx, args)
	if err != nil {
		return nil, r, err
	}
	owed, _, _, err := c.Owed(ctx)
	if err != nil {
		return nil, r, err
	}
	r = removal{total: len(all), what: "document", named: true}
	taken := map[string]bool{}
	take := func(key string) {
		if !taken[key] {
			taken[key] = true
			keys = append(keys, key)
			if !slices.Contains(owed, key) {
				r.n++
			}
		}
	}
	for _, arg := range args {
		if slices.Contains(all, arg) {
			take(arg)
			continue
		}
		found := false
		for _, key := range all {
			if strings.ContainsAny(arg, "*?[") && load.Match(arg, key) {
				found, r.named = true, false
				take(key)
			}
		}
		if !found && !same {
			return nil, r, notFound("a document's key is its path below the folder that was indexed; nothing was removed", "%s has no document %q", c.Path(), arg)
		}
	}
	return keys, r, nil
}

func (a *app) printRemoved(c *rag.Corpus, r *service.Removed) {
	if a.out.object(r) {
		return
	}
	did := "removed"
	if r.DryRun {
		did = "would remove"
	}
	for _, d := range r.Removed {
		a.out.print("%s %s · %s · %s that nothing else supports\n", did, escape(d.Doc), plural(d.Chunks, "chunk"), plural(d.Derived, "node"))
	}
	switch {
	case len(r.Removed) > 0:
	case r.Purged:
		a.out.print("purged %s: no file holds what was removed\n", c.Path())
	case !r.DryRun:
		a.out.print("this command has removed all of it before\n")
	}
	if r.DryRun {
		a.out.note("nothing was changed: leave out --dry-run to remove")
		return
	}
	if len(r.Stale) > 0 {
		a.out.note("next: ragdb index %s renews what concerns the whole corpus", quote(c.Path()))
	}
}
