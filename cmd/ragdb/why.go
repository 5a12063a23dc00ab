package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
)

func (a *app) whyCommand() *cobra.Command {
	f := &questionFlags{}
	cmd := &cobra.Command{
		Use:   "why DB QUESTION ID",
		Short: "Tell why something is, or is not, in the evidence for a question",
		Long: `Why retrieves for the question and tells what each step of the plan did with
ID: a chunk (c:KEY), an entity (e:NAME), a keyword (k:WORD), another node
(TYPE:KEY), a relation (relation:KEY→KEY), or a document's key for all its
chunks.`,
		Example:     `  ragdb why acme.ragdb "Who designed the lighthouse?" c:harbour.md#2`,
		Annotations: map[string]string{printsRows: "yes"},
		RunE: a.onDB(2, false, func(ctx context.Context, cmd *cobra.Command, path string, rest []string) error {
			q, err := f.question(rest[0])
			if err != nil {
				return err
			}
			return a.use(ctx, cmd, path, toRead, func(c *rag.Corpus) error {
				k, err := a.ask(ctx, c, f, q)
				if err != nil {
					return err
				}
				found, err := k.Why(ctx, rest[1])
				if err != nil {
					return err
				}
				a.printWhy(found)
				return nil
			})
		}),
	}
	f.add(a, cmd)
	return cmd
}

func (a *app) printWhy(found []service.Why) {
	o := a.out
	if o.format == asJSON && len(found) == 1 {
		o.json(found[0])
		return
	}
	if o.format == asJSON {
		o.json(struct {
			V     int           `json:"v"`
			Items []service.Why `json:"items"`
		}{1, found})
		return
	}
	for i, r := range found {
		if o.text() {
			if i > 0 {
				o.print("\n")
			}
			o.print("%s %s\n", o.bold(escape(r.ID)), escape(r.Verdict))
			for _, p := range r.Path {
				o.print("%s", wrap(escape(p.String()), o.width, "  "))
			}
			if len(found) > 1 && o.verbose == 0 {
				continue // the steps of each chunk are for -v
			}
			o.print("\n")
		}
		o.rows(whyTable(&r, o))
	}
}

// whyTable lists the plan's operators and what became of the item in each.
func whyTable(r *service.Why, o *output) *table {
	t := &table{head: []string{"rank", "of", "score", "", "operator"}, right: []bool{true, true, true}}
	for _, op := range r.Ops {
		rank, sc, mark := "–", "–", ""
		if op.Rank > 0 {
			rank, sc = number(op.Rank), score(op.Score)
		}
		if op.Lost && !r.Kept {
			mark = "lost"
		}
		name := strings.Repeat("  ", op.Depth) + op.Op
		if o.text() {
			name = cut(name, max(30, o.width-32))
		}
		t.add(op, rank, number(op.Rows), sc, mark, name)
	}
	return t
}
