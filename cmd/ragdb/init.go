package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/methods"
)

// initResult is what init prints.
type initResult struct {
	V       int    `json:"v"`
	DB      string `json:"db"`
	NS      string `json:"ns"`
	Created bool   `json:"created"`
	Format  uint32 `json:"format"`
	Method  string `json:"method"`
}

func (a *app) initCommand() *cobra.Command {
	method := specList{methods: a.methods, one: true}
	models := &modelFlags{}
	var budget, top atLeastOne
	cmd := &cobra.Command{
		Use:   "init DB",
		Short: "Make a database and set its defaults",
		Long: `Init makes an empty database and stores settings in it: the defaults for
indexing and for questions. If DB exists it changes these settings. You can leave
it out: index makes the database too.`,
		Example: `  ragdb init acme.ragdb --method naive --budget 4000`,
		RunE: a.onDB(0, false, func(ctx context.Context, cmd *cobra.Command, path string, _ []string) error {
			existed, err := a.exists(ctx, path)
			if err != nil {
				return err
			}
			return a.use(ctx, cmd, path, toCreate, func(c *rag.Corpus) error {
				values := map[string]string{}
				for _, k := range storedKeys() {
					if f := cmd.Flag(k); f.Changed {
						if values[k], err = keptName(f.Value.String()); err != nil {
							return err
						}
					}
				}
				// Opening it tells whether its parameters are right.
				sys, err := a.methods.Open(ctx, c.Docs(), method.only(methods.Default))
				if err != nil {
					return err
				}
				if len(method.specs) > 0 && a.sources[fromDatabase].values["method"] == "" {
					values["method"] = method.String()
				}
				if err := c.KeepSettings(ctx, values); err != nil {
					return err
				}
				a.printInit(&initResult{1, path, c.Namespace().Name(), !existed, engine.Format, sys.Instance()})
				return nil
			})
		}),
	}
	fl := cmd.Flags()
	fl.Var(&method, "method", "method to index and retrieve by: "+strings.Join(a.methods.Names(), ", ")+" (default "+methods.Default+")")
	fl.Var(&budget, "budget", "tokens of evidence for a question")
	fl.Var(&top, "top", "pieces of evidence for a question, at most")
	models.addNames(cmd)
	models.addExtract(cmd)
	return cmd
}

func (a *app) printInit(r *initResult) {
	if a.out.object(r) {
		return
	}
	did := "created"
	if !r.Created {
		did = "kept the settings in"
	}
	a.out.print("%s %s (format %d) · method %s · namespace %s\n", did, r.DB, r.Format, r.Method, r.NS)
	a.out.note("next: ragdb index %s PATH", quote(r.DB))
}
