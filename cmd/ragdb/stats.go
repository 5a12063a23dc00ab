package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

func (a *app) statsCommand() *cobra.Command {
	method := specList{methods: a.methods, one: true}
	var communities bool
	cmd := &cobra.Command{
		Use:   "stats DB",
		Short: "Count what is stored, and its bytes",
		Long: `Stats reads every key once and counts nodes, edges, vectors and terms by graph,
and keys and bytes by key space. Bytes are before compression; disk is what the
files take. -o csv and the like print the key spaces. With --method it prints the
figures of a method's index instead: those of its paper's tables.`,
		Example: `  ragdb stats acme.ragdb
  ragdb stats acme.ragdb --method noderag`,
		Annotations: map[string]string{printsRows: "yes"},
		RunE: a.onDB(0, false, func(ctx context.Context, cmd *cobra.Command, path string, _ []string) error {
			if cmd.Flag("method").Changed {
				return a.use(ctx, cmd, path, toRead, func(c *rag.Corpus) error { return a.methodStats(ctx, c, method.only(methods.Default), communities) })
			}
			if communities {
				return usage("add --method METHOD", "--communities is about the communities of a method")
			}
			return a.with(ctx, path, toRead, func(db *engine.DB) error {
				return db.View(ctx, func(snap *engine.Snapshot) error {
					s, err := snap.Stats(ctx)
					if err == nil {
						a.printStats(path, &s)
					}
					return err
				})
			})
		}),
	}
	cmd.Flags().Var(&method, "method", "print the figures of a method's index")
	cmd.Flags().BoolVar(&communities, "communities", false, "with --method: say how tight its communities are")
	return cmd
}

// methodFigures is what stats --method prints.
type methodFigures struct {
	V       int             `json:"v"`
	Method  string          `json:"method"`
	NS      string          `json:"ns"`
	Figures []method.Figure `json:"figures"`
}

func (a *app) methodStats(ctx context.Context, c *rag.Corpus, spec method.Spec, communities bool) error {
	sys, err := a.corpus(c).Indexed(ctx, spec)
	if err != nil {
		return err
	}
	read := sys.Stats
	if communities {
		if read = sys.CommunityStats; read == nil {
			return usage("", "%s has no communities to judge", sys.Instance())
		}
	}
	if read == nil {
		return usage("ragdb stats DB counts its nodes and edges", "%s has no figures of its own", sys.Instance())
	}
	out := methodFigures{V: 1, Method: sys.Instance(), NS: c.Namespace().Name()}
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		out.Figures, err = read(ctx, s.Graph(sys.Graph()).WithContext(ctx))
		return err
	})
	if err != nil {
		return err
	}
	if a.out.format == asJSON {
		a.out.json(out)
		return nil
	}
	t := &table{head: []string{"figure", "value", "unit"}, right: []bool{false, true, false}}
	for _, f := range out.Figures {
		t.add(f, f.Name, figure(f.Value), f.Unit)
	}
	a.out.rows(t)
	return nil
}

// figure writes a number that may be a count.
func figure(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return number(int64(x))
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

func (a *app) printStats(path string, s *engine.Stats) {
	o := a.out
	if o.format == asJSON {
		o.json(struct {
			V  int    `json:"v"`
			DB string `json:"db"`
			*engine.Stats
		}{1, path, s})
		return
	}
	spaces := &table{head: []string{"key space", "keys", "key bytes", "value bytes"}, right: []bool{false, true, true, true}}
	var keys, bytes int64
	for _, sp := range s.Spaces {
		k, v := number(sp.KeyBytes), number(sp.ValueBytes)
		if o.text() {
			k, v = size(sp.KeyBytes), size(sp.ValueBytes)
		}
		spaces.add(sp, sp.Space, number(sp.Keys), k, v)
		keys, bytes = keys+sp.Keys, bytes+sp.KeyBytes+sp.ValueBytes
	}
	if !o.text() {
		o.rows(spaces)
		return
	}
	o.print("%s %s\n\n", o.bold(path), o.dim(fmt.Sprintf("· commit %s · %s, %s · %s on disk",
		number(s.Epoch), plural(keys, "key"), size(bytes), size(s.Store.DiskBytes))))
	graphs := &table{head: []string{"graph", "nodes", "edges", "contributions", "vectors", "terms", "bytes"}, right: []bool{false, true, true, true, true, true, true}}
	for i := range s.Graphs {
		g := &s.Graphs[i]
		var vectors, terms int64
		for _, v := range g.Vectors {
			vectors += v.Count
		}
		for _, f := range g.Fields {
			terms += f.Terms
		}
		graphs.add(g, g.Namespace+"/"+g.Name, number(g.Nodes), number(g.Edges), number(g.Contributions), number(vectors), number(terms), size(g.KeyBytes+g.ValueBytes))
	}
	o.rows(graphs)
	for i := range s.Graphs {
		g := &s.Graphs[i]
		a.printGraphTypes(g.Namespace+"/"+g.Name, slices.Concat(g.NodeTypes, g.EdgeTypes))
	}
	o.print("\n")
	o.rows(spaces)
	beyond := service.BeyondMemory(s)
	a.printBeyondMemory(&beyond)
	if s.Store.Failure != "" {
		o.warn("ragdb: the store takes no more writes: %s", s.Store.Failure)
	}
}

func (a *app) printGraphTypes(graph string, types []engine.Count) {
	var parts []string
	for _, c := range types {
		parts = append(parts, cmp.Or(c.Name, "without a label")+" "+number(c.Count))
	}
	if len(parts) > 0 {
		a.out.print("\n%s\n%s", a.out.dim(graph), wrap(strings.Join(parts, " · "), a.out.width, "  "))
	}
}
