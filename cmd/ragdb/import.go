package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
)

func (a *app) importCommand() *cobra.Command {
	method := specList{methods: a.methods}
	var graph string
	cmd := &cobra.Command{
		Use:   "import DB jsonl|openie|graphrag|graphml|csv PATH|-",
		Short: "Read what export wrote, or what another program made",
		Long: `Import reads JSON lines of ragdb export into a namespace, creating DB if it
does not exist. It replaces nodes, edges, vectors and settings of the same names, and
keeps all others. It writes lines in batches: a wrong line, or the end of a file
that was cut short, ends the import, and what was read before it stays. With - it
reads standard input.

openie reads documents with what a model extracted from them: a folder with
corpus.jsonl, lines of {"id","title","text"}, and openie.jsonl, lines of
{"passage_id","entities":[...],"triples":[[s,p,o],...]}, or such a file beside a
corpus.jsonl; each possibly with .gz. The documents are indexed, and methods that
read entities and relations take them from there, now and later.

graphrag reads a folder of tables of Microsoft GraphRAG, Parquet or JSON lines:
text_units and entities, and documents, relationships, communities and
community_reports if there are any. The documents are indexed, and the rest becomes
the graph named graphrag, whose nodes and edges rest on their chunks.

graphml reads one graph of a GraphML file, csv a folder with nodes.csv and
edges.csv as neo4j-admin import has them, into the graph --graph, by default
named after PATH: a graph of your own, for queries. Their documents are not known,
so that no method answers from it.

Files of these formats are checked before anything of them is written. An
interrupted import, of any format, goes on with the same command.`,
		Example: `  ragdb import copy.ragdb jsonl acme.jsonl
  ragdb import musique.ragdb openie ./musique
  ragdb import book.ragdb graphrag ./output`,
		RunE: a.onDB(2, false, func(ctx context.Context, cmd *cobra.Command, path string, rest []string) error {
			format, from := rest[0], rest[1]
			switch format {
			case "jsonl":
				return a.importLines(ctx, path, from)
			case formatOpenIE, formatGraphRAG:
				return a.importOther(ctx, cmd, path, format, from, method.specs)
			case "graphml", "csv":
				return a.importGraph(ctx, cmd, path, format, from, graph)
			}
			return usage("the formats are jsonl, openie, graphrag, graphml and csv", "there is no format %q", format)
		}),
	}
	cmd.Flags().StringVar(&graph, "graph", "", "the `GRAPH` that graphml and csv are read into (default: named after PATH)")
	cmd.Flags().Var(&method, "method", "methods to index documents of openie and graphrag by: "+strings.Join(a.methods.Names(), ", "))
	return cmd
}

// importLines reads JSON lines from a file, or from standard input for -.
func (a *app) importLines(ctx context.Context, path, from string) error {
	in, err := a.input(from)
	if err != nil {
		return err
	}
	defer in.Close()
	start := time.Now()
	n := &counter{r: in}
	err = a.with(ctx, path, toCreate, func(db *engine.DB) error {
		ns, err := db.Namespace(ctx, a.global.ns)
		if err != nil {
			return err
		}
		return ns.Import(ctx, n)
	})
	var line *engine.LineError
	switch {
	case errors.As(err, &line):
		return &failure{exit: exitFailed, code: "malformed", err: err, hint: "give a file that ragdb export wrote; what came before that line is imported",
			message: fmt.Sprintf("%s, %s", from, line.Error())}
	case err != nil:
		return err
	}
	a.printTransfer(transferResult{1, path, a.global.ns, from, n.n, time.Since(start).Milliseconds()}, "imported "+from+" into "+path)
	return nil
}
