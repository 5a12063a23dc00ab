package main

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
)

// transferResult is what export and import print.
type transferResult struct {
	V     int    `json:"v"`
	DB    string `json:"db"`
	NS    string `json:"ns"`
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Ms    int64  `json:"ms"`
}

func (a *app) exportCommand() *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export DB jsonl|graphml|csv|cypher|html PATH|-",
		Short: "Write a namespace, or a graph of it, for other programs",
		Long: `Export writes to PATH, or with - to standard output.

jsonl writes all that a namespace holds as JSON lines, which ragdb import reads
into any version. --canonical leaves out what depends on history and not on
content (times, ids, caches, vectors that can be computed again): equal
namespaces have equal canonical exports.

graphml, csv and cypher write one graph, --graph, for Gephi, networkx, Neo4j and
others: nodes with their names, descriptions and texts, edges with their weights.
csv makes a folder with nodes.csv and edges.csv, cypher a script of statements.
Without --graph it is the graph of the method that documents are indexed by, or in
a database without documents the one that statements made.

html writes one page that works without network: the graph to walk through, its
most connected --max nodes, with search, filters and sources; and with --trace the
way of an answer, whose id ragdb ask prints.

--where writes only what documents support that pass a condition.`,
		Example: `  ragdb export acme.ragdb jsonl acme.jsonl
  ragdb export acme.ragdb jsonl - --canonical | sha256sum
  ragdb export acme.ragdb graphml acme.graphml --graph ketrag
  ragdb export acme.ragdb html acme.html --where 'lang = "en"'`,
		RunE: a.onDB(2, false, func(ctx context.Context, cmd *cobra.Command, path string, rest []string) error {
			if err := f.check(cmd, rest[0], rest[1]); err != nil {
				return err
			}
			return a.use(ctx, cmd, path, toRead, func(c *rag.Corpus) error {
				if rest[0] == "jsonl" {
					return a.export(ctx, c, rest[1], f.canonical)
				}
				return a.exportGraph(ctx, c, rest[0], rest[1], f)
			})
		}),
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.canonical, "canonical", false, "jsonl: leave out what depends on history and not on content")
	fl.StringVar(&f.graph, "graph", "", "the `GRAPH` to write (default: that of the method that documents are indexed by)")
	fl.StringVar(&f.where, "where", "", "write only what documents support that pass `CONDITION`")
	fl.StringVar(&f.trace, "trace", "", "html: show the way of the answer with the trace `ID`, such as t:c258136f")
	f.max = 2000
	fl.Var(&f.max, "max", "html: nodes in the page, the most connected ones")
	return cmd
}

// exportFlags are the flags of export.
type exportFlags struct {
	canonical           bool
	graph, where, trace string
	max                 atLeastOne
	only                *roaring.Bitmap // of the graph's nodes, nil for all
}

// check refuses flags and paths that a format has no use for.
func (f *exportFlags) check(cmd *cobra.Command, format, path string) error {
	only := map[string]string{"canonical": "jsonl", "trace": "html", "max": "html"}
	if !slices.Contains([]string{"jsonl", "graphml", "csv", "cypher", "html"}, format) {
		return usage("there are jsonl, graphml, csv, cypher and html", "there is no format %q", format)
	}
	for _, name := range []string{"canonical", "trace", "max"} {
		if flagChanged(cmd, name) && only[name] != format {
			return usage("leave it out", "--%s is for %s", name, only[name])
		}
	}
	if format == "jsonl" && (f.graph != "" || f.where != "") {
		return usage("leave them out, or choose another format", "jsonl writes a namespace whole: --graph and --where are for the other formats")
	}
	if format == "csv" && path == "-" {
		return usage("give the path of a folder", "csv makes two files")
	}
	return nil
}

func (a *app) export(ctx context.Context, c *rag.Corpus, path string, canonical bool) error {
	start := time.Now()
	var o engine.ExportOptions
	if canonical {
		o = rag.CanonicalExport()
	}
	n, err := a.writeOut(ctx, path, func(w io.Writer) error {
		return c.DB().View(ctx, func(s *engine.Snapshot) error { return s.Export(ctx, c.Namespace().Name(), w, o) })
	})
	if err != nil || path == "-" {
		return err
	}
	a.printTransfer(transferResult{1, c.Path(), c.Namespace().Name(), path, n, time.Since(start).Milliseconds()},
		"exported "+c.Path()+" to "+path)
	return nil
}

func (a *app) printTransfer(r transferResult, did string) {
	if a.out.object(r) {
		return
	}
	a.out.print("%s · namespace %s · %s · %s\n", did, r.NS, size(r.Bytes), duration(time.Duration(r.Ms)*time.Millisecond))
}
