package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/cmd/ragdb/internal/interchange"
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
)

// importGraphResult is what import prints of a graph.
type importGraphResult struct {
	V     int    `json:"v"`
	DB    string `json:"db"`
	NS    string `json:"ns"`
	Path  string `json:"path"`
	Graph string `json:"graph"`
	interchange.Loaded
	Ms int64 `json:"ms"`
}

// importGraph reads a graph of another program into a graph of the user's own.
func (a *app) importGraph(ctx context.Context, cmd *cobra.Command, path, format, from, name string) error {
	start := time.Now()
	read := func(to interchange.Reader) error { return readGraph(a.dir, format, from, to) }
	if name == "" {
		base := filepath.Base(from)
		name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	// A file that is missing is told before there is a database.
	info, err := a.dir.stat(from)
	switch {
	case err != nil:
		return err
	case info.IsDir() && format == "graphml":
		return usage("give a GraphML file", "%s is a folder", from)
	case !info.IsDir() && format == "csv":
		return usage("give the folder of nodes.csv and edges.csv", "%s is a file", from)
	}
	return a.use(ctx, cmd, path, toCreate, func(c *rag.Corpus) error {
		l, err := a.asked(c, &questionFlags{}).Language(ctx)
		if err != nil {
			return err
		}
		if name == engine.Base || l.BuiltBy(name) != "" {
			return usage("give another name with --graph", "graph %s is made of the documents", name)
		}
		had, err := c.Namespace().HasGraph(ctx, name)
		if err != nil {
			return err
		}
		g, err := c.Graph(ctx, name)
		if err != nil {
			return err
		}
		loaded, err := interchange.Load(ctx, c.DB(), g, read)
		if err != nil {
			if !had && (loaded == nil || loaded.Nodes == 0) {
				err = errors.Join(err, c.Namespace().Drop(context.WithoutCancel(ctx), name))
			}
			return wrongFile(from, err)
		}
		r := importGraphResult{1, path, c.Namespace().Name(), from, name, *loaded, time.Since(start).Milliseconds()}
		if a.out.object(r) {
			return nil
		}
		a.out.print("imported %s into graph %s of %s · %s, %s · %s\n", from, name, path, plural(r.Nodes, "node"), plural(r.Edges, "edge"), duration(time.Since(start)))
		a.out.note("next: ragdb %s -c 'USE `%s` MATCH (n) RETURN n LIMIT 10'", quote(path), strings.ReplaceAll(name, "`", "``"))
		return nil
	})
}

// readGraph reads a file or folder once.
func readGraph(dir folder, format, from string, to interchange.Reader) error {
	if format == "graphml" {
		f, err := dir.open(from)
		if err != nil {
			return err
		}
		defer f.Close()
		return interchange.ReadGraphML(f, to)
	}
	nodes, err := dir.open(filepath.Join(from, "nodes.csv"))
	if err != nil {
		return err
	}
	defer nodes.Close()
	edges, err := dir.open(filepath.Join(from, "edges.csv"))
	if err != nil {
		return err
	}
	defer edges.Close()
	return interchange.ReadCSV(nodes, edges, to)
}

// wrongFile tells what is wrong with a file of another program.
func wrongFile(from string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || !errors.Is(err, engine.ErrInvalid) {
		return err
	}
	return &failure{exit: exitFailed, code: "malformed", err: err, message: fmt.Sprintf("%s: %s", from, err), hint: "nothing of it was imported"}
}
