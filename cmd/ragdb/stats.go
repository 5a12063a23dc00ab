package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
)

func (a *app) statsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stats DB",
		Short: "Count what is stored, and its bytes",
		Long: `Stats reads every key once and counts nodes, edges, vectors and terms by graph,
and keys and bytes by key space. Bytes are before compression; disk is what the
files take. -o csv and the like print the key spaces.`,
		Example:     `  ragdb stats acme.ragdb`,
		Annotations: map[string]string{printsRows: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			path, _, err := a.database(cmd, args, 0, false)
			if err != nil {
				return err
			}
			ctx, cancel := a.context(cmd)
			defer cancel()
			db, err := a.open(ctx, path, toRead)
			if err != nil {
				return err
			}
			defer db.Close()
			var s engine.Stats
			err = db.View(ctx, func(snap *engine.Snapshot) error {
				s, err = snap.Stats(ctx)
				return err
			})
			if err == nil {
				a.printStats(path, &s)
			}
			return err
		},
	}
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
		a.printGraphTypes(&s.Graphs[i])
	}
	o.print("\n")
	o.rows(spaces)
	if s.Store.Failure != "" {
		o.warn("ragdb: the store takes no more writes: %s", s.Store.Failure)
	}
}

func (a *app) printGraphTypes(g *engine.GraphStats) {
	var parts []string
	for _, c := range append(append([]engine.Count{}, g.NodeTypes...), g.EdgeTypes...) {
		parts = append(parts, c.Name+" "+number(c.Count))
	}
	if len(parts) > 0 {
		a.out.print("\n%s\n%s", a.out.dim(g.Namespace+"/"+g.Name), wrap(strings.Join(parts, " · "), a.out.width, "  "))
	}
}
