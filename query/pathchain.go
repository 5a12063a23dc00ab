package query

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// PathChain takes the nodes of a chain of shortest paths through a set's
// nodes, in its order: from the first to the second, from there to the third,
// and so on ([graphops.PathChain]). They are in the order of the walk, each at
// its first place. A path counts edges, not weights. Of several paths the first by
// the numbers of its nodes is taken: their ids, or on a projection type and id.
//
// A node of the set keeps its score; one between scores the lesser of those of
// its path's ends. Every node of the set that the query may see is in the result,
// also if no path leads to it. The trace notes pairs without a path, and so do the
// steps of the second node.
//
// The store is read. If a path needs the edges of more than 50,000 nodes, the
// projection in [Env].Graphs is searched instead; if there is no cache, the path is
// not found. Under a filter, paths lead through
// what the query may see.
type PathChain struct {
	In    Op
	Graph *engine.Graph
	// Types are the names of the edge types to follow; nil follows all.
	Types     []string
	Direction engine.Direction
	// MaxDepth is how many edges a path may have; 0 is any number.
	MaxDepth int
	// InMemory searches the projection at once.
	InMemory bool
	Source   string
}

// maxPathReads is how many nodes are read from the store for one path.
const maxPathReads = 50_000

// Run implements [Op].
func (o *PathChain) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	keys := nodesOf(o.Graph, in.Items)
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	filter, _ := l.edgeFilter(o.Types, o.Direction)
	var out Set
	err = l.walk(walkOptions{filter: filter, inMemory: o.InMemory}, func(w *walkGraph) error {
		have := make([]Item, 0, len(keys))
		numbers := make([]uint32, 0, len(keys))
		for _, it := range keys {
			if u, ok := w.number(it.ID); ok {
				have, numbers = append(have, it), append(numbers, u)
			}
		}
		limits := graphops.PathOptions{MaxDepth: o.MaxDepth}
		switch {
		case w.bounded:
			limits.MaxVisits = maxPathReads
		case w.p == nil:
			limits.MaxVisits = math.MaxInt
		}
		legs, err := graphops.PathChain(ctx, w.a, numbers, limits)
		if err != nil {
			return err
		}
		if w.bounded && e.Graphs != nil {
			for _, leg := range legs {
				if leg.Limited && leg.Visits >= maxPathReads {
					return errTooWide
				}
			}
		}
		out.Items = o.items(e, w, legs, have)
		return nil
	})
	return out, err
}

// items returns the nodes of a chain with how they came there.
func (o *PathChain) items(e *Env, w *walkGraph, legs []*graphops.Path, keys []Item) []Item {
	at := make(map[engine.NodeID]int, len(keys))
	for i := range keys {
		at[keys[i].ID] = i
	}
	var items []Item
	seen := map[engine.NodeID]bool{}
	add := func(id engine.NodeID, between Item, step Step) {
		if seen[id] {
			return
		}
		seen[id] = true
		it := between
		if i, ok := at[id]; ok {
			it = keys[i]
		}
		step.Op, step.Score = "path", it.Score
		it.ID, it.Why = id, append(slices.Clip(it.Why), step)
		items = append(items, it)
	}
	ref := func(u uint32) Ref { return Ref{Graph: o.Graph.ID(), ID: w.node(u)} }
	if len(keys) > 0 {
		add(keys[0].ID, Item{}, Step{From: keys[0].Ref(), Note: "start"})
	}
	for i, leg := range legs {
		from, to := keys[i], keys[i+1]
		between := Item{Graph: o.Graph.ID(), Score: min(from.Score, to.Score), Why: from.Why}
		if !leg.Found {
			outcome := "none"
			if leg.Limited {
				outcome = "not found within the limits"
			}
			e.note("path %d, from node %d to node %d: %s", i+1, from.ID, to.ID, outcome)
			add(to.ID, between, Step{From: from.Ref(), Note: "no path: " + outcome})
			continue
		}
		for k := 1; k < len(leg.Nodes); k++ {
			note := fmt.Sprintf("edge %d of %d on path %d", k, len(leg.Nodes)-1, i+1)
			add(w.node(leg.Nodes[k]), between, Step{From: ref(leg.Nodes[k-1]), Note: note})
		}
	}
	return items
}

// Explain implements [Op].
func (o *PathChain) Explain() Explanation {
	args := graphArgs(o.Graph, o.Types)
	if o.MaxDepth > 0 {
		args = append(args, arg("depth", o.MaxDepth))
	}
	return Explanation{Op: "PathChain", Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *PathChain) Inputs() []Op { return []Op{o.In} }
