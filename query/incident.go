package query

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// Incident takes the edges at a set's nodes, each once: node by node in the
// set's order, those of one node by the id of the other end. An edge scores what
// the node does that is earlier in the set. Loops are left out.
type Incident struct {
	In    Op
	Graph *engine.Graph
	// Types are the names of the edge types; nil is all.
	Types []string
	// Within takes only edges between two of the set's nodes, Leaving only those
	// between one of them and another node. If both are false, both are taken.
	Within, Leaving bool
	// Most bounds the edges of each node that are looked at, to those whose other
	// ends have the least ids; 0 is all. With PerNode the edges between two of the
	// set's nodes are looked at besides.
	Most int
	// Ranked orders the edges by rank descending, weight descending, id
	// ascending, instead of node by node. An edge's rank, which is its score, is
	// the sum of the degrees of its ends over Types.
	Ranked bool
	// PerNode, if it is over 0, orders the edges as GraphRAG's local search does:
	// first those between two of the set's nodes by rank descending, id
	// ascending; then those that leave the set, by the number of its nodes that
	// the outer end is joined to, then rank, then id, and of these at most
	// PerNode for each node of the set.
	PerNode int
	Source  string
}

// Run implements [Op].
func (o *Incident) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	return o.edgesOf(ctx, e, in.Items, keptEdges{})
}

// keptEdges are what was read of nodes: their first edges, Most of them at most.
type keptEdges map[engine.NodeID]firstEdges

type firstEdges struct {
	list  []engine.Edge
	whole bool // the node has no others
}

// edgesOf returns the edges at the items that are nodes of the graph. With PerNode it
// reads no node that is in kept, and adds those that it reads.
func (o *Incident) edgesOf(ctx context.Context, e *Env, items []Item, kept keptEdges) (Set, error) {
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	filter, ok := l.edgeFilter(o.Types, engine.Both)
	if !ok {
		return Set{}, nil
	}
	r := o.begin(l, filter, items, kept)
	switch {
	case o.PerNode > 0:
		return r.local()
	case o.Ranked && o.Within && !o.Leaving && o.Most == 0:
		err = r.between()
	default:
		err = r.around()
	}
	if err == nil && o.Ranked {
		slices.SortFunc(r.out, func(a, b Item) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Edge.Weight, a.Edge.Weight), byID(&a, &b))
		})
	}
	return Set{Items: r.out}, err
}

// begin returns the state of a run.
func (o *Incident) begin(l *lens, filter engine.EdgeFilter, items []Item, kept keptEdges) *incidentRun {
	r := &incidentRun{
		o: o, l: l, filter: filter, types: typesKey(o.Types), items: nodesOf(o.Graph, items),
		at: map[engine.NodeID]int{}, taken: map[engine.Edge]bool{}, links: map[engine.NodeID]int{}, kept: kept,
	}
	for i := len(r.items) - 1; i >= 0; i-- {
		r.at[r.items[i].ID] = i
	}
	return r
}

// ahead reads ahead the first edges of items, and what also reads of each.
func (o *Incident) ahead(ctx context.Context, e *Env, items []Item, also func(e *Env, it Item) error) error {
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return err
	}
	filter, ok := l.edgeFilter(o.Types, engine.Both)
	if !ok {
		return nil
	}
	r := o.begin(l, filter, items, keptEdges{})
	return e.Ahead(ctx, len(r.items), func(e *Env, i int) error { return r.ahead(e, r.items[i], also) })
}

// incidentRun is the state of one run of Incident.
type incidentRun struct {
	o      *Incident
	l      *lens
	filter engine.EdgeFilter
	types  string // their key
	items  []Item
	at     map[engine.NodeID]int // place in items
	taken  map[engine.Edge]bool  // edges without weights
	links  map[engine.NodeID]int // of nodes that are not items: how many items they are joined to
	out    []Item
	kept   keptEdges
}

// add takes an edge of an item.
func (r *incidentRun) add(from *Item, edge engine.Edge) error {
	it := Item{Graph: r.o.Graph.ID(), Edge: edge, Score: from.Score}
	if r.o.Ranked || r.o.PerNode > 0 {
		from, err := r.l.degree(edge.From, r.filter, r.types)
		if err != nil {
			return err
		}
		to, err := r.l.degree(edge.To, r.filter, r.types)
		if err != nil {
			return err
		}
		it.Score = float64(from + to)
	}
	it.Why = append(slices.Clip(from.Why), Step{Op: "relation", From: from.Ref(), Score: it.Score})
	r.out = append(r.out, it)
	return nil
}

// between takes the edges between two of the items.
func (r *incidentRun) between() error {
	set := roaring.New()
	for i := range r.items {
		set.Add(uint32(r.items[i].ID))
	}
	for edge, err := range r.l.within(set, r.filter) {
		if err == nil && edge.From != edge.To {
			err = r.add(&r.items[min(r.at[edge.From], r.at[edge.To])], edge)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// around takes the edges at the items, one after the other.
func (r *incidentRun) around() error {
	within, leaving := r.o.Within || !r.o.Leaving, r.o.Leaving || !r.o.Within
	for i := range r.items {
		if err := r.l.e.aheadFrom(r.l.ctx, i, r.items, func(e *Env, it Item) error { return r.ahead(e, it, nil) }); err != nil {
			return err
		}
		from := &r.items[i]
		if r.at[from.ID] != i {
			continue
		}
		linked := engine.NodeID(0) // the last outer end that was counted
		err := r.each(from.ID, func(edge engine.Edge) error {
			other := edge.Other(from.ID)
			if other == from.ID {
				return nil
			}
			if edge.From > edge.To && !edge.Type.Directed() {
				edge.From, edge.To = edge.To, edge.From
			}
			_, inside := r.at[other]
			if !inside && other != linked {
				linked = other
				r.links[other]++
			}
			name := engine.Edge{From: edge.From, To: edge.To, Type: edge.Type}
			if inside && !within || !inside && !leaving || r.taken[name] {
				return nil
			}
			r.taken[name] = true
			return r.add(from, edge)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls fn with the edges of a node that are looked at.
func (r *incidentRun) each(id engine.NodeID, fn func(engine.Edge) error) error {
	if r.o.PerNode <= 0 {
		_, err := r.first(id, fn)
		return err
	}
	first, ok := r.kept[id]
	if !ok {
		var err error
		first.whole, err = r.first(id, func(edge engine.Edge) error {
			first.list = append(first.list, edge)
			return nil
		})
		if err != nil {
			return err
		}
		r.kept[id] = first
	}
	for _, edge := range first.list {
		if err := fn(edge); err != nil {
			return err
		}
	}
	if first.whole {
		return nil
	}
	last := first.list[len(first.list)-1].Other(id)
	for i := range r.items {
		if r.items[i].ID < last {
			continue
		}
		edges, err := r.l.between(id, r.items[i].ID, r.filter)
		if err != nil {
			return err
		}
		for _, edge := range edges {
			if err := fn(edge); err != nil { // one that was met is not taken twice
				return err
			}
		}
	}
	return nil
}

// ahead reads what around is going to read of an item. Of its first edges it reads what
// also reads, too.
func (r *incidentRun) ahead(e *Env, it Item, also func(e *Env, it Item) error) error {
	l, err := e.lens(r.l.ctx, r.o.Graph)
	if err != nil {
		return err
	}
	own := *r
	own.l, own.kept = l, maps.Clone(r.kept)
	var edges []engine.Edge
	err = own.each(it.ID, func(edge engine.Edge) error {
		edges = append(edges, edge)
		return nil
	})
	if err != nil {
		return err
	}
	if also != nil {
		some := edges[:min(len(edges), aheadItems)]
		err = e.Ahead(r.l.ctx, len(some), func(e *Env, i int) error {
			edge := some[i]
			if edge.From > edge.To && !edge.Type.Directed() {
				edge.From, edge.To = edge.To, edge.From
			}
			return also(e, Item{Graph: it.Graph, Edge: edge})
		})
	}
	if !r.o.Ranked && r.o.PerNode <= 0 {
		return err
	}
	degrees := e.Ahead(r.l.ctx, 2*len(edges), func(e *Env, i int) error {
		l, err := e.lens(r.l.ctx, r.o.Graph)
		if err == nil {
			_, err = l.degree([]engine.NodeID{edges[i/2].From, edges[i/2].To}[i%2], r.filter, r.types)
		}
		return err
	})
	return errors.Join(err, degrees)
}

// first calls fn with the first edges of a node, Most of them; whole says that it has
// no others.
func (r *incidentRun) first(id engine.NodeID, fn func(engine.Edge) error) (whole bool, err error) {
	looked := 0
	err = r.l.edges(id, r.filter, func(edge engine.Edge) error {
		if looked++; r.o.Most > 0 && looked > r.o.Most {
			return errEnough
		}
		return fn(edge)
	})
	if err == errEnough {
		return false, nil
	}
	return true, err
}

// errEnough ends the reading of a node's edges.
var errEnough = errors.New("enough edges")

// local orders the edges as GraphRAG's local search does.
func (r *incidentRun) local() (Set, error) {
	if err := r.around(); err != nil {
		return Set{}, err
	}
	outer := func(it *Item) (engine.NodeID, bool) {
		if _, ok := r.at[it.Edge.From]; !ok {
			return it.Edge.From, true
		}
		_, ok := r.at[it.Edge.To]
		return it.Edge.To, !ok
	}
	var within, leaving []Item
	for i := range r.out {
		if _, leaves := outer(&r.out[i]); leaves {
			leaving = append(leaving, r.out[i])
		} else {
			within = append(within, r.out[i])
		}
	}
	slices.SortFunc(within, byScore)
	slices.SortFunc(leaving, func(a, b Item) int {
		x, _ := outer(&a)
		y, _ := outer(&b)
		return cmp.Or(cmp.Compare(r.links[y], r.links[x]), byScore(a, b))
	})
	if r.o.PerNode < len(leaving) {
		leaving = leaving[:min(len(leaving), r.o.PerNode*len(r.items))]
	}
	return Set{Items: append(within, leaving...)}, nil
}

// Explain implements [Op].
func (o *Incident) Explain() Explanation {
	args := graphArgs(o.Graph, o.Types)
	if o.Within {
		args = append(args, "within")
	}
	if o.Leaving {
		args = append(args, "leaving")
	}
	if o.Most > 0 {
		args = append(args, arg("most", o.Most))
	}
	switch {
	case o.PerNode > 0:
		args = append(args, "by=within,links,rank", arg("pernode", o.PerNode))
	case o.Ranked:
		args = append(args, "by=rank,weight")
	}
	return Explanation{Op: "Incident", Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *Incident) Inputs() []Op { return []Op{o.In} }
