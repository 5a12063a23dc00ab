package main

import (
	"context"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
)

// owedIn returns what interrupted commands have left to do in the namespaces of a
// database.
func owedIn(ctx context.Context, db *engine.DB) (map[string]*service.Owed, error) {
	names, err := db.Namespaces(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]*service.Owed{}
	for _, ns := range names {
		n, err := db.Namespace(ctx, ns)
		if err != nil {
			return out, err
		}
		if graphs, err := n.Graphs(ctx); err != nil {
			return out, err
		} else if !slices.Contains(graphs, engine.Base) {
			continue // opening its corpus would make one
		}
		c, err := rag.OpenCorpus(ctx, db, ns, nil)
		if err != nil {
			return out, err
		}
		o, err := service.OwedBy(ctx, c)
		if err != nil {
			return out, err
		}
		if o != nil {
			out[ns] = o
		}
	}
	return out, nil
}

// mostNamed is how many of the documents that are owed are named.
const mostNamed = 3

// printOwed tells what interrupted commands have left to do in a namespace, and which
// command does it.
func (a *app) printOwed(path, ns string, owed *service.Owed) {
	if owed == nil {
		return
	}
	in := quote(path)
	if ns != "" && ns != a.global.ns {
		in += " --ns " + quote(ns)
	}
	if n := len(owed.Remove); n > 0 {
		named := make([]string, 0, mostNamed)
		for _, doc := range owed.Remove[:min(n, mostNamed)] {
			named = append(named, escape(doc))
		}
		if n > mostNamed {
			named = append(named, "...")
		}
		a.out.print("owed: %s to be removed by a command that was interrupted: %s\n", plural(n, "document"), strings.Join(named, ", "))
	}
	if owed.Merge {
		a.out.print("owed: names were merged or undone by a command that was interrupted, and graphs have not followed\n")
	}
	if owed.Purge {
		a.out.print("owed: a purge that was interrupted; files may hold what was removed\n")
		a.out.note("next: ragdb rm %s --purge", in)
	} else {
		a.out.note("next: ragdb index %s", in)
	}
}
