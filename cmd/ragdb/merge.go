package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/link"
	"github.com/ragdb/ragdb/rag/llm"
)

// mergeFlags are the flags of merge.
type mergeFlags struct {
	models modelFlags
	top    atLeastOne
	min    cosine
	// apply joins names, undo are those to be read as themselves again, applied lists
	// what is joined, and estimate only tells the price of what would be done.
	apply, applied, estimate bool
	undo                     []string
}

// cosine is a flag for a cosine above 0, up to 1.
type cosine float64

// String implements [pflag.Value].
func (c *cosine) String() string { return fmt.Sprint(float64(*c)) }

// Type implements [pflag.Value].
func (c *cosine) Type() string { return "COSINE" }

// Set implements [pflag.Value].
func (c *cosine) Set(s string) error {
	var v float64
	if n, err := fmt.Sscan(s, &v); n != 1 || err != nil || !(v > 0 && v <= 1) {
		return fmt.Errorf("%q is no cosine above 0, up to 1", s)
	}
	*c = cosine(v)
	return nil
}

// mergeResult is what merge prints of candidates.
type mergeResult struct {
	V int `json:"v"`
	*link.Report
}

func (a *app) mergeCommand() *cobra.Command {
	f := &mergeFlags{top: 20, min: 0.7}
	cmd := &cobra.Command{
		Use:   "merge DB [NAME INTO]",
		Short: "List names that may be names of one thing, and join them",
		Long: `Merge lists pairs of names of entities that may be names of one thing, the best
first: with the cosine of the names' vectors, the likeness of the chunks that mention
them, a reason, and a sentence of each. Names whose numbers differ are not among them,
nor names that stand in one sentence, each for itself. Listing changes nothing.

With NAME, INTO and --apply, NAME is read as INTO from now on, in all documents and by
all methods; without names --apply joins all pairs that it lists. The documents that
name either are read again, from the replies that are kept: a model is asked only
for what changes, such as descriptions and reports. --estimate shows what that costs.
--undo NAME makes the graphs what they would be without the merge.`,
		Example: `  ragdb merge acme.ragdb
  ragdb merge acme.ragdb --top 100 --min 0.8 --json
  ragdb merge acme.ragdb NYC "New York City" --apply
  ragdb merge acme.ragdb --list-applied
  ragdb merge acme.ragdb --undo NYC`,
		RunE: a.onDB(0, true, func(ctx context.Context, cmd *cobra.Command, path string, names []string) error {
			return a.merge(ctx, cmd, path, names, f)
		}),
	}
	fl := cmd.Flags()
	fl.Var(&f.top, "top", "list `N` pairs at most")
	fl.Var(&f.min, "min", "least cosine of the names' vectors")
	fl.BoolVar(&f.apply, "apply", false, "join the names, or the pairs that are listed")
	fl.StringArrayVar(&f.undo, "undo", nil, "read `NAME` as itself again; may be given several times")
	fl.BoolVar(&f.applied, "list-applied", false, "list the names that are read as others")
	fl.BoolVar(&f.estimate, "estimate", false, "with --apply or --undo: show what it would cost, and do nothing")
	f.models.add(cmd)
	f.models.addLimits(cmd)
	return cmd
}

// merge does what the flags ask for.
func (a *app) merge(ctx context.Context, cmd *cobra.Command, path string, names []string, f *mergeFlags) error {
	changes := f.apply || len(f.undo) > 0
	switch {
	case f.apply && len(f.undo) > 0, f.applied && changes:
		return usage("leave out all but one of them", "--apply, --undo and --list-applied exclude each other")
	case f.estimate && !changes:
		return usage("add --apply or --undo NAME", "--estimate tells what a change would cost")
	case len(names) > 0 && !f.apply:
		return usage("add --apply to join them, or leave them out to list pairs", "merge got %s and no --apply", plural(len(names), "name"))
	case len(names) == 1 || len(names) > 2:
		return usage("give a name and the one that it is to be read as, each in quotes", "merge joins two names, not %s", number(len(names)))
	}
	m := toUse
	if changes {
		m = toWrite
	}
	return a.use(ctx, cmd, path, m, func(c *rag.Corpus) error {
		switch {
		case f.applied:
			return a.listMerged(ctx, c)
		case !changes:
			return a.mergeCandidates(ctx, c, f)
		case len(f.undo) > 0:
			return a.unmerge(ctx, cmd, c, f)
		}
		return a.applyMerge(ctx, cmd, c, names, f)
	})
}

// mergeCandidates lists candidates.
func (a *app) mergeCandidates(ctx context.Context, c *rag.Corpus, f *mergeFlags) error {
	r, err := a.findCandidates(ctx, c, f)
	if err != nil {
		return err
	}
	if a.out.object(mergeResult{1, r}) {
		return nil
	}
	a.printCandidates(c, r)
	return nil
}

// findCandidates finds candidates with the models of the flags.
func (a *app) findCandidates(ctx context.Context, c *rag.Corpus, f *mergeFlags) (*link.Report, error) {
	m, err := a.questionModels(ctx, c, &f.models)
	if err != nil {
		return nil, err
	}
	if isHere(f.models.embed) {
		m = m.Unkept() // they cost nothing
	}
	o := link.Options{Top: int(f.top), Min: float64(f.min)}
	if !isLocal(f.models.embed) && !isHere(f.models.embed) {
		o.MayEmbed = func(names []string) error { return a.mayEmbed(ctx, c, &f.models, names) }
	}
	return c.MergeCandidates(ctx, m, o)
}

// mayEmbed shows what the vectors of names cost if none is kept, and asks whether to
// go on.
func (a *app) mayEmbed(ctx context.Context, c *rag.Corpus, f *modelFlags, names []string) error {
	prices, from, err := a.prices(f)
	if err != nil || free(prices, f.embed) {
		return err
	}
	tokens := 0
	for _, n := range names {
		tokens += c.Tokens().Count(n)
	}
	line := fmt.Sprintf("%s to embed with %s, %s tokens at most", plural(len(names), "name"), f.embed, number(tokens))
	if p, ok := prices.Of(f.embed); ok {
		line += fmt.Sprintf("; up to %s (prices %s)", money(p.USD(llm.Usage{InTokens: tokens})), from)
	} else {
		line += fmt.Sprintf("; the price of the model is not known (%s)", from)
	}
	if !a.out.machine() {
		a.out.note("%s", line)
	}
	return a.agree(ctx, "nothing was done", "Go on?")
}

func (a *app) printCandidates(c *rag.Corpus, r *link.Report) {
	switch {
	case r.Names == 0:
		a.out.print("there are no names of entities: no method that reads entities is indexed\n")
		a.out.note("next: ragdb index %s --method hirag, or ketrag, noderag, archrag", quote(c.Path()))
		return
	case r.Found == 0:
		a.out.print("none of %s is near another one by %s\n", plural(r.Names, "name"), r.Model)
		return
	}
	for i, x := range r.Candidates {
		a.out.print("%d  %s → %s · cosine %.2f · context %.2f · %s\n", i+1, a.out.bold(escape(x.Name.Name)), a.out.bold(escape(x.Into.Name)), x.Cosine, x.Context, x.Reason)
		for _, n := range []link.Mention{x.Name, x.Into} {
			a.out.print("   %s in %s", plural(n.Mentions, "mention"), plural(n.Docs, "document"))
			if n.Sentence != "" {
				a.out.print(" · c:%s: %s", escape(n.Chunk), escape(n.Sentence))
			}
			a.out.print("\n")
		}
	}
	a.out.note("%s of %s, among %s compared by %s; look before you join", number(len(r.Candidates)), plural(r.Found, "pair"), plural(r.Names, "name"), r.Model)
}
