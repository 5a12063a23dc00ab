package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/cmd/ragdb/internal/mcpserver"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
)

// storeTime is how long documents that wait to be stored are waited for at the end.
const storeTime = 10 * time.Second

func (a *app) mcpCommand() *cobra.Command {
	f, write := &questionFlags{}, false
	cmd := &cobra.Command{
		Use:   "mcp DB",
		Short: "Give the documents to a language model as tools",
		Long: `Mcp is a server of the Model Context Protocol on standard input and output, for
programs that give tools to language models. The program starts it; set it up
there with the command "ragdb" and the arguments "mcp" and the path of DB.

The model gets the tools ask, search, why, show, query (which only reads) and
documents, and with --write also add and remove. Documents and chunks are
resources. The server has one namespace, that of --ns. It ends when its input
does.

Questions are answered by rules, in sentences of the documents; with --model a
model writes the answers. For the models that DB was indexed with no flag is
needed.`,
		Example: `  ragdb mcp acme.ragdb
  ragdb mcp acme.ragdb --write
  ragdb mcp acme.ragdb --ns support --model gpt-4.1-mini`,
		RunE: a.onDB(0, false, func(ctx context.Context, cmd *cobra.Command, path string, _ []string) error {
			if write && a.global.readOnly {
				return usage("leave one of them out", "--write and --readonly exclude each other")
			}
			m := toUse // answers leave their traces
			if write {
				m = toWrite
			}
			return a.use(ctx, cmd, path, m, func(c *rag.Corpus) error { return a.serveMCP(ctx, cmd, c, f, write) })
		}),
	}
	f.models.add(cmd)
	f.models.rerank.add(cmd)
	f.models.addExtract(cmd)
	f.models.addLimits(cmd)
	cmd.Flags().BoolVar(&write, "write", false, "give the model the tools add and remove too")
	return cmd
}

// serveMCP serves the namespace of a corpus until the input ends, or the command is
// interrupted, which is no error.
func (a *app) serveMCP(ctx context.Context, cmd *cobra.Command, c *rag.Corpus, f *questionFlags, write bool) error {
	if a.shared != nil {
		return usage("run it from a shell of the system", "the shell reads its standard input itself")
	}
	if _, err := a.folderParts(&f.models); err != nil {
		return err // before the first question
	}
	db := service.NewDatabase(a.served(cmd, c.DB()))
	defer func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
		defer cancel()
		db.Close(grace)
	}()
	a.out.note("ragdb serves %s to a model on standard input and output; it ends with the input", c.DB().Path())
	err := mcpserver.Serve(ctx, mcpserver.Options{Databases: []mcpserver.Database{{Database: db}}, Version: newVersion().Version}, c.Namespace().Name(), write, a.stdin, checkedWriter{a.out})
	if err == nil || errors.Is(err, context.Canceled) {
		return moved(ctx)
	}
	return err
}
