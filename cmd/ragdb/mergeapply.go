package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/link"
)

// mergedResult is what merge prints of what it changed.
type mergedResult struct {
	V int `json:"v"`
	// Done is "merged" or "undone".
	Done string `json:"done"`
	*link.Change
	// Index is the run that read the documents again; it is absent if there is none.
	Index *service.Indexed `json:"index,omitempty"`
}

// aliasesResult is what merge --list-applied prints.
type aliasesResult struct {
	V       int          `json:"v"`
	Aliases []link.Alias `json:"aliases"`
}

func (a *app) listMerged(ctx context.Context, c *rag.Corpus) error {
	all, err := c.Merged(ctx)
	if err != nil || a.out.object(aliasesResult{1, all}) {
		return err
	}
	for _, x := range all {
		a.out.print("%s → %s\n", escape(x.Name), escape(x.Into))
	}
	if len(all) == 0 {
		a.out.print("no name is read as another one\n")
	}
	return nil
}

// applyMerge joins two names, or all pairs that are found.
func (a *app) applyMerge(ctx context.Context, cmd *cobra.Command, c *rag.Corpus, names []string, f *mergeFlags) error {
	var pairs []link.Alias
	question := "Read these names as one?"
	if len(names) == 2 {
		pairs = []link.Alias{{Name: names[0], Into: names[1]}}
		question = "Read " + names[0] + " as " + names[1] + " from now on?"
	} else if _, owed, _, err := c.Owed(ctx); err != nil {
		return err
	} else if owed {
		question = "Finish the merge that was interrupted?"
	} else {
		r, err := a.findCandidates(ctx, c, f)
		if err != nil {
			return err
		}
		pairs = joinable(r.Candidates)
		if len(pairs) == 0 || !a.out.machine() {
			a.printCandidates(c, r)
		}
		if len(pairs) == 0 {
			return nil
		}
		if !f.estimate && !a.global.yes && !a.canAsk() {
			return &failure{exit: exitUsage, code: "consent", message: "this would join " + plural(len(pairs), "pair") + " of names that no person has looked at; nothing was changed",
				hint: "see them with ragdb merge " + quote(c.Path()) + " and name two with --apply; if all are to be joined, run it with --yes"}
		}
		question = "Join " + plural(len(pairs), "pair") + "?"
	}
	return a.relink(ctx, cmd, c, f, "merged", question, func(c *rag.Corpus) (*link.Change, error) { return c.Merge(ctx, a.methods, pairs) })
}

// joinable returns the candidates that can be joined one after the other: none whose name
// an earlier one has given away, and none that closes a circle.
func joinable(all []link.Candidate) []link.Alias {
	into := map[string]string{}
	var out []link.Alias
	for _, x := range all {
		to := x.Into.Key
		for into[to] != "" {
			to = into[to]
		}
		if into[x.Name.Key] != "" || to == x.Name.Key {
			continue
		}
		into[x.Name.Key] = to
		out = append(out, link.Alias{Name: x.Name.Key, Into: to})
	}
	return out
}

// unmerge has names read as themselves again.
func (a *app) unmerge(ctx context.Context, cmd *cobra.Command, c *rag.Corpus, f *mergeFlags) error {
	return a.relink(ctx, cmd, c, f, "undone", "Read "+strings.Join(f.undo, ", ")+" as themselves again?",
		func(c *rag.Corpus) (*link.Change, error) { return c.Unmerge(ctx, a.methods, f.undo) })
}

// relink changes what names are read as, and reads the documents again that this
// concerns. If models are paid it shows the price first.
func (a *app) relink(ctx context.Context, cmd *cobra.Command, c *rag.Corpus, f *mergeFlags, done, question string, with func(c *rag.Corpus) (*link.Change, error)) error {
	change := func(c *rag.Corpus) (*link.Change, error) {
		r, err := with(c)
		if errors.Is(err, rag.ErrArgument) {
			err = &failure{exit: exitUsage, code: "usage", message: service.Message(err), err: err}
		}
		return r, err
	}
	prepare := func(c *rag.Corpus) error { _, err := change(c); return err }
	x := &indexFlags{method: specList{methods: a.methods}, models: f.models, prepare: prepare}
	inMemory := c.DB().Path() == engine.Memory // an estimate would have no copy to change
	if f.estimate && inMemory {
		return usage("leave out --estimate", "there is no estimate of a change to a database in memory")
	}
	if f.estimate {
		e, err := a.estimate(ctx, cmd, c, nil, x)
		if err == nil && !a.out.object(e) {
			a.printEstimate(e)
		}
		return err
	}
	if x.models.remote() && !inMemory {
		if err := a.showPrice(ctx, cmd, c, nil, x); err != nil {
			return err
		}
	}
	if err := a.agree(ctx, "nothing was changed", "%s", question); err != nil {
		return err
	}
	c, err := a.useModels(ctx, c, &x.models)
	if err != nil {
		return err
	}
	finished, err := a.turn(ctx, c)
	if err != nil {
		return a.whileWaiting(ctx, err)
	}
	defer finished()
	out := mergedResult{V: 1, Done: done}
	if out.Change, err = change(c); err != nil {
		return err
	}
	systems, err := a.toIndex(ctx, c, nil, false)
	if err != nil {
		return err
	}
	o := rag.IndexOptions{}
	if !x.models.remote() {
		o.Workers = int(x.models.concurrency)
	}
	out.Index, err = a.runIndex(ctx, c, systems, nil, o, (*rag.Indexer).Run)
	if err != nil && !errors.Is(err, rag.ErrPartial) {
		a.out.note("the names are changed; the same command does the rest")
		return err
	}
	if !a.out.object(out) {
		a.printMerged(&out)
	}
	return err
}

func (a *app) printMerged(r *mergedResult) {
	for _, x := range r.Aliases {
		if r.Done == "merged" {
			a.out.print("%s is read as %s\n", escape(x.Name), escape(x.Into))
		} else {
			a.out.print("%s is read as itself again\n", escape(x.Name))
		}
	}
	if len(r.Aliases) == 0 {
		a.out.print("the merge that was interrupted is finished\n")
	}
	if len(r.Documents) > 0 {
		a.out.print("%s read again in %s\n", plural(len(r.Documents), "document"), strings.Join(r.Methods, ", "))
	}
	if spent := spentLine(r.Index.IndexResult); spent != "" {
		a.out.print("%s\n", spent)
	}
	if r.Done == "merged" && len(r.Aliases) > 0 {
		a.out.note("undo it with --undo %s", quote(r.Aliases[0].Name))
	}
}
