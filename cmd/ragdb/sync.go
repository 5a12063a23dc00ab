package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
)

// differenceResult is what sync --dry-run prints.
type differenceResult struct {
	V      int  `json:"v"`
	DryRun bool `json:"dry_run"`
	*rag.Difference
}

func (a *app) syncCommand() *cobra.Command {
	f := &indexFlags{method: specList{methods: a.methods}}
	f.format = formatChoice()
	var dry bool
	cmd := &cobra.Command{
		Use:   "sync DB DIR",
		Short: "Make the documents those of a folder: add, replace, remove",
		Long: `Sync compares DB with the files of DIR by content. It adds new documents,
replaces changed ones, and removes those that are gone with all that only they
supported. It asks before it removes all documents, or more than five and more than
a fifth of them; without a terminal it then needs --yes. With --key-prefix it
compares only documents of that prefix, so that one database can hold several
folders. It does not follow symbolic links. If a file cannot be read it removes
nothing.`,
		Example: `  ragdb sync acme.ragdb ./docs --dry-run
  ragdb sync acme.ragdb ./docs
  ragdb sync acme.ragdb ./wiki --key-prefix wiki/`,
		RunE: a.onDB(1, false, func(ctx context.Context, cmd *cobra.Command, path string, dirs []string) error {
			return a.sync(ctx, cmd, path, dirs, f, dry)
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be done")
	f.addTo(a, cmd)
	f.models.addLimits(cmd)
	return cmd
}

func (a *app) sync(ctx context.Context, cmd *cobra.Command, path string, dirs []string, f *indexFlags, dry bool) error {
	if slices.ContainsFunc(dirs, isStdin) {
		return usage("put it in with ragdb index DB -", "sync needs a folder, not standard input")
	}
	inputs, closeInputs, err := f.open(a, dirs)
	if err != nil {
		return err
	}
	defer closeInputs()
	if err := a.refuseModels(cmd, path, &f.models); err != nil {
		return err
	}
	m := toCreate
	if dry {
		m = toRead
	}
	return a.use(ctx, cmd, path, m, func(c *rag.Corpus) error {
		if dry {
			d, err := (&rag.Indexer{Corpus: c, Methods: a.methods}).Compare(ctx, inputs)
			if err == nil {
				a.printDifference(d)
			}
			return err
		}
		r, err := a.syncInto(ctx, cmd, c, inputs, f, func(r removal) error {
			return a.mayRemove(ctx, r, "see which with --dry-run; if they are to go, run it with --yes",
				"Remove %s that %s does not have?", r.count(), dirs[0])
		})
		if r != nil {
			a.tellIndex(c, r)
		}
		return err
	})
}

// syncInto makes the documents of an open corpus those of the inputs, if mayRemove
// agrees to what goes. The result is as that of runIndex.
func (a *app) syncInto(ctx context.Context, cmd *cobra.Command, c *rag.Corpus, inputs []rag.Input, f *indexFlags, mayRemove func(removal) error) (*service.Indexed, error) {
	d, err := (&rag.Indexer{Corpus: c, Methods: a.methods}).Compare(ctx, inputs)
	if err != nil {
		return nil, err
	}
	if d.Kept > 0 {
		a.out.warn("ragdb: %s not removed: while files cannot be read, it is not known what is gone", plural(d.Kept, "document"))
	}
	// It is asked before anything is paid for, and again if more is gone by
	// the time of the removal.
	agreed := map[string]bool{}
	f.mayRemove = func(d *rag.Difference) error {
		if !slices.ContainsFunc(d.Removed, func(key string) bool { return !agreed[key] }) {
			return nil
		}
		err := mayRemove(removal{n: len(d.Removed), total: len(d.Removed) + len(d.Changed) + d.Unchanged, what: "document"})
		if err == nil {
			for _, key := range d.Removed {
				agreed[key] = true
			}
		}
		return err
	}
	if err := f.mayRemove(d); err != nil {
		return nil, err
	}
	return a.indexQuietly(ctx, cmd, c, inputs, f, (*rag.Indexer).Sync)
}

func (a *app) printDifference(d *rag.Difference) {
	if a.out.object(differenceResult{1, true, d}) {
		return
	}
	for _, part := range []struct {
		sign string
		keys []string
	}{{"+", d.Added}, {"~", d.Changed}, {"-", d.Removed}} {
		for _, k := range part.keys {
			a.out.print("%s %s\n", part.sign, escape(k))
		}
	}
	a.out.print("%s to add, %s to replace, %s to remove, %s unchanged\n",
		number(len(d.Added)), number(len(d.Changed)), number(len(d.Removed)), number(d.Unchanged))
	for _, bad := range d.BadFiles {
		a.out.warn("ragdb: %s", escape(bad))
	}
	if d.Kept > 0 {
		a.out.warn("ragdb: %s stay: while files cannot be read, it is not known what is gone", plural(d.Kept, "document"))
	}
	a.out.note("nothing was changed: leave out --dry-run to do it")
}
