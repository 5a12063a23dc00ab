package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ragdb/ragdb/cmd/ragdb/internal/interchange"
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// exportGraph writes one graph.
func (a *app) exportGraph(ctx context.Context, c *rag.Corpus, format, path string, f *exportFlags) error {
	start := time.Now()
	l, err := a.asked(c, &questionFlags{}).Language(ctx)
	if err != nil {
		return err
	}
	name, err := graphToWrite(ctx, c, l, f.graph)
	if err != nil {
		return err
	}
	var where engine.Predicate
	if where, err = service.ParseWhere(f.where, false); err != nil {
		return err
	}
	g, err := c.Graph(ctx, name)
	if err != nil {
		return err
	}
	var bytes int64
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		src := &interchange.Source{View: s.Graph(g).WithContext(ctx), Computed: l.Properties}
		if where != nil {
			env := c.Env(s, nil, method.Question{Where: where}, nil)
			if src.Allow, err = env.Allow(ctx, src.View); err != nil {
				return err
			}
		}
		switch format {
		case "csv":
			bytes, err = a.writeTables(ctx, path, src)
			return err
		case "html":
			p, err := newPage(ctx, c, l, s, src, f)
			if err != nil {
				return err
			}
			bytes, err = a.writeOut(ctx, path, p.Write)
			return err
		}
		bytes, err = a.writeOut(ctx, path, func(w io.Writer) error {
			if format == "graphml" {
				return interchange.WriteGraphML(ctx, w, src)
			}
			return interchange.WriteCypher(ctx, w, src)
		})
		return err
	})
	if err != nil || path == "-" {
		return err
	}
	a.printTransfer(transferResult{1, c.Path(), c.Namespace().Name(), path, bytes, time.Since(start).Milliseconds()},
		fmt.Sprintf("exported graph %s of %s to %s", name, c.Path(), path))
	return nil
}

// graphToWrite returns the graph that a flag names; if it names none, that of
// the default method, or the first that a method built, or the one that statements
// made, or else the base graph.
func graphToWrite(ctx context.Context, c *rag.Corpus, l *service.Language, name string) (string, error) {
	all, err := c.Namespace().Graphs(ctx)
	if err != nil {
		return "", err
	}
	if name != "" {
		if !slices.Contains(all, name) {
			return "", notFound("there are "+strings.Join(all, ", "), "%s has no graph %q", c.Path(), name)
		}
		return name, nil
	}
	if l.BuiltBy(methods.Default) != "" {
		return methods.Default, nil
	}
	for _, name := range all {
		if l.BuiltBy(name) != "" {
			return name, nil
		}
	}
	if slices.Contains(all, cypher.OwnGraph) {
		return cypher.OwnGraph, nil
	}
	return engine.Base, nil
}

// writeTables writes nodes.csv and edges.csv in a folder.
func (a *app) writeTables(ctx context.Context, dir string, src *interchange.Source) (int64, error) {
	if err := a.dir.mkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	var sum int64
	n, err := a.writeOut(ctx, filepath.Join(dir, "nodes.csv"), func(nodes io.Writer) error {
		n, err := a.writeOut(ctx, filepath.Join(dir, "edges.csv"), func(edges io.Writer) error {
			return interchange.WriteCSV(ctx, nodes, edges, src)
		})
		sum += n
		return err
	})
	return sum + n, err
}
