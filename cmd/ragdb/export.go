package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
Without --graph it is the graph of the method that documents are indexed by.

html writes one page that works without network: the graph to walk through, its
most connected --max nodes, with search, filters and sources; and with --trace the
way of an answer, whose id ragdb ask prints.

--where writes only what documents support that pass a condition.`,
		Example: `  ragdb export acme.ragdb jsonl acme.jsonl
  ragdb export acme.ragdb jsonl - --canonical | sha256sum
  ragdb export acme.ragdb graphml acme.graphml --graph ketrag
  ragdb export acme.ragdb html acme.html --where 'lang = "en"'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, rest, err := a.database(cmd, args, 2, false)
			if err != nil {
				return err
			}
			if err := f.check(cmd, rest[0], rest[1]); err != nil {
				return err
			}
			ctx, cancel := a.context(cmd)
			defer cancel()
			return a.use(ctx, cmd, path, toRead, func(c *rag.Corpus) error {
				if rest[0] == "jsonl" {
					return a.export(ctx, c, rest[1], f.canonical)
				}
				return a.exportGraph(ctx, c, rest[0], rest[1], f)
			})
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.canonical, "canonical", false, "jsonl: leave out what depends on history and not on content")
	fl.StringVar(&f.graph, "graph", "", "the `GRAPH` to write (default: that of the method that documents are indexed by)")
	fl.StringVar(&f.where, "where", "", "write only what documents support that pass `CONDITION`")
	fl.StringVar(&f.trace, "trace", "", "html: show the way of the answer with the trace `ID`, such as t:c258136f")
	f.max = 2000
	fl.Var(&f.max, "max", "html: nodes in the page, the most connected ones (default 2000)")
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

// counter counts the bytes that go through it.
type counter struct {
	w io.Writer
	r io.Reader
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

func (a *app) export(ctx context.Context, c *rag.Corpus, path string, canonical bool) error {
	start := time.Now()
	write := func(w io.Writer) (int64, error) {
		buf := bufio.NewWriterSize(w, 1<<16)
		n := &counter{w: buf}
		err := c.DB.View(ctx, func(s *engine.Snapshot) error {
			return s.Export(ctx, c.Namespace.Name(), n, exportOptions(canonical))
		})
		return n.n, errors.Join(err, buf.Flush())
	}
	if path == "-" {
		_, err := write(a.out.stdout)
		return err
	}
	n, err := a.writeFile(path, write)
	if err != nil {
		return err
	}
	a.printTransfer(transferResult{1, c.DB.Path(), c.Namespace.Name(), path, n, time.Since(start).Milliseconds()},
		"exported "+c.DB.Path()+" to "+path)
	return nil
}

// writeFile writes a file beside its place and moves it there when it is whole.
// One that exists is replaced only with --yes or where the user agrees.
func (a *app) writeFile(path string, write func(io.Writer) (int64, error)) (n int64, err error) {
	if _, err := os.Lstat(path); err == nil && !a.global.yes {
		if !isTerminal(a.stdin) || !a.agree("Overwrite %s?", path) {
			return 0, &failure{exit: exitFailed, code: "exists", message: path + " exists already", hint: "give another name, or --yes to replace it"}
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	n, err = write(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return n, err
	}
	// A temporary file is private; an export is as any other file.
	if err = os.Chmod(f.Name(), 0o644); err != nil {
		return n, err
	}
	return n, os.Rename(f.Name(), path)
}

func (a *app) importCommand() *cobra.Command {
	method := specList{methods: a.methods}
	var graph string
	cmd := &cobra.Command{
		Use:   "import DB jsonl|openie|graphrag|graphml|csv PATH|-",
		Short: "Read what export wrote, or what another program made",
		Long: `Import reads JSON lines of ragdb export into a namespace, making DB where it
does not exist. What is there already stays; what is there under the same name is
replaced. With - it reads standard input.

openie reads documents with what a model extracted from them: a folder with
corpus.jsonl, lines of {"id","title","text"}, and openie.jsonl, lines of
{"passage_id","entities":[...],"triples":[[s,p,o],...]}, or such a file beside a
corpus.jsonl; each possibly with .gz. The documents are indexed, and methods that
read entities and relations take them from there, now and later.

graphrag reads a folder of tables of Microsoft GraphRAG, Parquet or JSON lines:
text_units and entities, and documents, relationships, communities and
community_reports where there are. The documents are indexed, and the rest becomes
the graph named graphrag, whose nodes and edges rest on their chunks.

graphml reads one graph of a GraphML file, csv a folder with nodes.csv and
edges.csv as neo4j-admin import has them, into the graph --graph, by default
named after PATH: a graph of your own, for queries. Their documents are not known,
so that no method answers from it.

Wrong files are refused before anything is written; an interrupted import goes on
with the same command.`,
		Example: `  ragdb import copy.ragdb jsonl acme.jsonl
  ragdb import musique.ragdb openie ./musique
  ragdb import book.ragdb graphrag ./output`,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, rest, err := a.database(cmd, args, 2, false)
			if err != nil {
				return err
			}
			if rest[0] == formatOpenIE || rest[0] == formatGraphRAG {
				ctx, cancel := a.context(cmd)
				defer cancel()
				return a.importOther(ctx, cmd, path, rest[0], rest[1], method.specs)
			}
			if rest[0] == "graphml" || rest[0] == "csv" {
				ctx, cancel := a.context(cmd)
				defer cancel()
				return a.importGraph(ctx, cmd, path, rest[0], rest[1], graph)
			}
			if rest[0] != "jsonl" {
				return usage("the formats are jsonl, openie, graphrag, graphml and csv", "there is no format %q", rest[0])
			}
			in := a.stdin
			if rest[1] != "-" {
				f, err := os.Open(rest[1])
				if err != nil {
					return err
				}
				defer f.Close()
				in = f
			}
			ctx, cancel := a.context(cmd)
			defer cancel()
			return a.importFrom(ctx, path, rest[1], in)
		},
	}
	cmd.Flags().StringVar(&graph, "graph", "", "the `GRAPH` that graphml and csv are read into (default: named after PATH)")
	cmd.Flags().Var(&method, "method", "methods to index documents of openie and graphrag by: "+strings.Join(a.methods.Names(), ", "))
	return cmd
}

func (a *app) importFrom(ctx context.Context, path, from string, in io.Reader) (err error) {
	start := time.Now()
	db, err := a.open(ctx, path, toCreate)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close(db)) }()
	ns, err := db.Namespace(ctx, a.global.ns)
	if err != nil {
		return err
	}
	n := &counter{r: in}
	if err := ns.Import(ctx, n); err != nil {
		var line *engine.LineError
		if errors.As(err, &line) {
			return &failure{exit: exitFailed, code: "malformed", err: err, hint: "give a file that ragdb export wrote; what came before that line is imported",
				message: fmt.Sprintf("%s, %s", from, chain(line))}
		}
		return err
	}
	a.printTransfer(transferResult{1, path, ns.Name(), from, n.n, time.Since(start).Milliseconds()}, "imported "+from+" into "+path)
	return nil
}

func (a *app) printTransfer(r transferResult, did string) {
	if a.out.machine() {
		a.out.json(r)
		return
	}
	a.out.print("%s · namespace %s · %s · %s\n", did, r.NS, size(r.Bytes), duration(time.Duration(r.Ms)*time.Millisecond))
}
