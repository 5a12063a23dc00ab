package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
)

func (a *app) namespacesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ns list|create|drop DB [NAME]",
		Short: "Namespaces: separate corpora in one database",
		Long: `A namespace is a corpus of its own: no other one sees its documents, graphs,
vectors, settings and cached replies. Every command takes --ns NAME; without it the
namespace is main.`,
		Example: `  ragdb ns create acme.ragdb legal
  ragdb index acme.ragdb ./contracts --ns legal
  ragdb ns list acme.ragdb
  ragdb ns drop acme.ragdb legal`,
		RunE: chooseOne,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list DB", Short: "List the namespaces", Annotations: map[string]string{printsRows: "yes"},
			RunE: a.onNamespaces(toRead, 0, func(ctx context.Context, db *engine.DB, _ string) error { return a.listNamespaces(ctx, db) }),
		},
		&cobra.Command{
			Use: "create DB NAME", Short: "Make an empty namespace",
			RunE: a.onNamespaces(toCreate, 1, a.createNamespace),
		},
		&cobra.Command{
			Use: "drop DB NAME", Short: "Remove a namespace with all that is in it",
			RunE: a.onNamespaces(toWrite, 1, a.dropNamespace),
		},
	)
	return cmd
}

// onNamespaces returns what runs a command on namespaces, which takes n arguments
// beside DB: none, or a name.
func (a *app) onNamespaces(m mode, n int, fn func(ctx context.Context, db *engine.DB, name string) error) func(*cobra.Command, []string) error {
	return a.onDB(n, false, func(ctx context.Context, _ *cobra.Command, path string, rest []string) error {
		return a.with(ctx, path, m, func(db *engine.DB) error { return fn(ctx, db, append(rest, "")[0]) })
	})
}

func (a *app) listNamespaces(ctx context.Context, db *engine.DB) error {
	rows, err := service.Namespaces(ctx, db)
	if err != nil {
		return err
	}
	t := &table{head: []string{"namespace", "documents", "graphs"}, right: []bool{false, true, true}}
	for _, row := range rows {
		t.add(row, row.NS, number(row.Documents), number(row.Graphs))
	}
	if a.out.format == asJSON {
		a.out.json(struct {
			V          int   `json:"v"`
			Namespaces []any `json:"namespaces"`
		}{1, append([]any{}, t.objects...)})
		return nil
	}
	a.out.rows(t)
	return nil
}

func (a *app) createNamespace(ctx context.Context, db *engine.DB, name string) error {
	r, err := service.CreateNamespace(ctx, db, name)
	if err != nil {
		return err
	}
	if a.out.object(r) {
		return nil
	}
	if r.Created {
		a.out.print("made the namespace %s\n", escape(name))
	} else {
		a.out.print("%s is there already\n", escape(name))
	}
	return nil
}

func (a *app) dropNamespace(ctx context.Context, db *engine.DB, name string) error {
	names, err := db.Namespaces(ctx)
	if err != nil {
		return err
	}
	if !slices.Contains(names, name) {
		return notFound("ragdb ns list shows what there is", "%s has no namespace %q", a.opened, name)
	}
	c, err := rag.OpenCorpus(ctx, db, name, &rag.Options{Path: a.opened})
	if err != nil {
		return err
	}
	docs, err := service.DocumentKeys(ctx, c)
	if err != nil {
		return err
	}
	r := removal{n: len(docs), total: len(docs), what: "document"}
	if r.n == 0 { // but perhaps graphs of the user's own
		nodes, err := countNodes(ctx, c)
		if err != nil {
			return err
		}
		r = removal{n: int(nodes), total: int(nodes), what: "node"}
	}
	if err := a.mayRemove(ctx, r, "if they are to go, run it with --yes", "Remove the namespace %s with %s?", name, r.count()); err != nil {
		return err
	}
	if err := db.DropNamespace(ctx, name); err != nil {
		return err
	}
	if a.out.object(service.NamespaceChange{V: 1, NS: name, Dropped: true}) {
		return nil
	}
	a.out.print("removed the namespace %s\n", escape(name))
	return nil
}
