package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/ragdb/ragdb/internal/buildinfo"
)

// suite is a subcommand: what it measures, and how.
type suite struct {
	name, about string
	flags       func(fs *flag.FlagSet) (run func(ctx context.Context, r *report) error)
}

// suites returns the subcommands in the order in which they are listed.
func suites() []suite {
	return []suite{
		{"graphstore", "load, neighbours, size and opening of the graph store", graphstoreFlags},
		{"vector", "building, recall, speed, size and opening of a vector index", vectorFlags},
		{"beyond", "making and searching a vector index at a memory budget that it may not fit in", beyondFlags},
		{"vector-report", "tables and a plot of what vector and the peers printed", vectorReportFlags},
		{"graph", "cost and quality of an algorithm on graphs or vectors", graphFlags},
		{"graph-report", "tables of what graph and the peers printed", graphReportFlags},
		{"graph-gen", "write a graph or vectors drawn from a seed", graphGenFlags},
		{"query", "statements of the query language beside the same plans in Go", queryFlags},
		{"language", "statements over a graph of persons, beside LadybugDB", languageFlags},
		{"noderag", "indexing, retrieval and size of NodeRAG on a drawn corpus", nodeRAGFlags},
		{"archrag", "recall, cost and growth of ArchRAG's hierarchical search", archRAGFlags},
		{"communities", "tightness of the communities of attributed graphs, by how they are found", communitiesFlags},
		{"documents", "indexing as a corpus grows: all at once, without news, one document more", documentsFlags},
		{"text", "building, size and ranked searches of a text index on drawn documents", textFlags},
		{"server", "a database on a PostgreSQL server beside one in a directory", serverFlags},
		{"scale", "the figures of other suites at a size, ten and a hundred times that", scaleFlags},
		{"http", "searches over HTTP beside the same through the Go API", httpFlags},
		{"paraphrase", "write data sets whose questions share no words with their passages", paraphraseFlags},
		{"serve", "memory of a process that reads a database (run by graphstore)", serveFlags},
		{"vector-serve", "opening and memory of a process that searches (run by vector)", vectorServeFlags},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp), errors.Is(err, errUsage):
		os.Exit(2)
	case errors.As(err, new(inputError)):
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// errUsage says that the arguments were refused and why was printed.
var errUsage = errors.New("usage")

// inputError is an error in the request, such as a file that does not hold a graph.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

func run(ctx context.Context, args []string, out, log io.Writer) error {
	if len(args) > 0 {
		for _, s := range suites() {
			if s.name == args[0] {
				return runSuite(ctx, s, args[1:], out, log)
			}
		}
	}
	fmt.Fprintln(log, "usage: bench SUITE [flags]")
	for _, s := range suites() {
		fmt.Fprintf(log, "  %-14s %s\n", s.name, s.about)
	}
	return errUsage
}

func runSuite(ctx context.Context, s suite, args []string, out, log io.Writer) error {
	fs := flag.NewFlagSet(s.name, flag.ContinueOnError)
	fs.SetOutput(log)
	asJSON := fs.Bool("json", false, "print JSON")
	asMarkdown := fs.Bool("md", false, "print Markdown")
	measure := s.flags(fs)
	if err := fs.Parse(args); err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	r := &report{
		Command: strings.Join(append([]string{"go run ./bench", s.name}, args...), " "),
		Machine: describeMachine(),
		Commit:  buildinfo.Read().String(),
		log:     log,
	}
	if err := measure(ctx, r); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	switch {
	case *asJSON:
		return r.writeJSON(out)
	case *asMarkdown:
		return r.writeMarkdown(out)
	}
	return r.writeText(out)
}
