package query

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// Neighbors takes the neighbours of a set's nodes, node by node in the set's
// order, each once: those of a node nearest to Text first where Rank names a
// vector space, else by id. An item scores what Rank says, or its node's score
// times the weight of the edge, of several edges to one neighbour the first by
// type and direction. Where Rank is set a neighbour without a vector in the
// space is left out.
type Neighbors struct {
	In    Op
	Graph *engine.Graph
	// Types are the names of the edge types to follow; nil follows all.
	Types     []string
	Direction engine.Direction
	// Rank is the vector space that orders a node's neighbours by Text; ""
	// leaves them in order of id.
	Rank string
	Text string
	// Tokens stops the walk before a neighbour that would take the sum of the
	// neighbours' tokens over it; 0 walks on to the end. Size tells a
	// neighbour's tokens.
	Tokens int
	Size   func(v *engine.View, id engine.NodeID) (int, error)
	Source string
}

// Run implements [Op].
func (o *Neighbors) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	v := e.view(ctx, o.Graph)
	filter, ok := edgeFilter(v, o.Types, o.Direction)
	if !ok {
		return Set{}, nil
	}
	w := neighborWalk{o: o, e: e, v: v, filter: filter, seen: map[engine.NodeID]int{}}
	for i := range in.Items {
		if in.Items[i].ID == 0 || in.Items[i].Graph != o.Graph.ID() {
			continue
		}
		more, err := w.visit(ctx, &in.Items[i])
		if err != nil {
			return Set{}, err
		}
		if !more {
			break
		}
	}
	return w.out, nil
}

// edgeFilter returns the filter for some edge types; ok is false where the
// graph has none of them.
func edgeFilter(v *engine.View, types []string, d engine.Direction) (f engine.EdgeFilter, ok bool) {
	f.Direction = d
	if types == nil {
		return f, true
	}
	f.Types = []engine.EdgeType{}
	for _, name := range types {
		if t, ok := v.EdgeType(name); ok {
			f.Types = append(f.Types, t)
		}
	}
	return f, len(f.Types) > 0
}

// neighborWalk is the state of one run of Neighbors.
type neighborWalk struct {
	o      *Neighbors
	e      *Env
	v      *engine.View
	filter engine.EdgeFilter
	out    Set
	seen   map[engine.NodeID]int // place in out
	used   int
	edges  []engine.Edge
	scores []float32
}

// visit adds the neighbours of one item; more is false where the budget ends
// the walk.
func (w *neighborWalk) visit(ctx context.Context, from *Item) (more bool, err error) {
	found, err := w.neighbors(ctx, from)
	if err != nil {
		return false, err
	}
	for _, it := range found {
		if w.o.Tokens > 0 {
			n, err := w.o.Size(w.v, it.ID)
			if err != nil {
				return false, err
			}
			// The test precedes the look for duplicates, as in the reference.
			if w.used+n > w.o.Tokens {
				return false, nil
			}
			if _, ok := w.seen[it.ID]; !ok {
				w.used += n
			}
		}
		if i, ok := w.seen[it.ID]; ok {
			have := &w.out.Items[i]
			have.Why = append(have.Why, it.Why[len(it.Why)-1])
			continue
		}
		w.seen[it.ID] = len(w.out.Items)
		w.out.Items = append(w.out.Items, it)
	}
	return true, nil
}

// neighbors returns what the query may see of an item's neighbours, in order.
func (w *neighborWalk) neighbors(ctx context.Context, from *Item) ([]Item, error) {
	allow, err := w.e.allow(ctx, w.o.Graph)
	if err != nil {
		return nil, err
	}
	var items []Item
	for after := engine.NodeID(0); ; {
		page, err := w.v.Neighbors(from.ID, w.filter, after, w.edges[:0])
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		w.edges = page
		for _, edge := range page {
			other := edge.Other(from.ID)
			if after = other; allow != nil && !allow.Contains(uint32(other)) {
				continue
			}
			if n := len(items); n > 0 && items[n-1].ID == other {
				continue // a second edge to the same node
			}
			items = append(items, Item{Graph: w.o.Graph.ID(), ID: other, Score: from.Score * float64(edge.Weight)})
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if w.o.Rank != "" {
		if items, err = rescore(ctx, w.e, w.v, w.o.Rank, w.o.Text, items, &w.scores); err != nil {
			return nil, err
		}
		slices.SortFunc(items, func(a, b Item) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
		})
	}
	for i := range items {
		step := Step{Op: "neighbour", From: from.Ref(), Score: items[i].Score}
		items[i].Why = append(slices.Clip(from.Why), step)
	}
	return items, nil
}

// rescore sets the scores of items to those of their vectors against a text's,
// and returns those that have one.
func rescore(ctx context.Context, e *Env, v *engine.View, space, text string, items []Item, scratch *[]float32) ([]Item, error) {
	q, err := e.vector(ctx, text)
	if err != nil || q == nil {
		return nil, err
	}
	vecs, err := v.Vectors(space)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ids := make([]uint64, len(items))
	for i := range items {
		ids[i] = uint64(items[i].ID)
	}
	*scratch, err = vecs.Score(ctx, q, ids, (*scratch)[:0])
	if err != nil {
		return nil, err
	}
	n := 0
	for i := range items {
		score := float64((*scratch)[i])
		if math.IsInf(score, -1) {
			continue // no vector
		}
		items[n] = items[i]
		items[n].Score = score
		n++
	}
	return items[:n], nil
}

// Explain implements [Op].
func (o *Neighbors) Explain() Explanation {
	args := []string{arg("graph", o.Graph.Name())}
	if o.Types != nil {
		args = append(args, arg("types", o.Types))
	}
	if o.Rank != "" {
		args = append(args, arg("rank", o.Rank))
	}
	if o.Tokens > 0 {
		args = append(args, arg("tokens", o.Tokens))
	}
	return Explanation{"Neighbors", args, o.Source}
}

// Inputs implements [Op].
func (o *Neighbors) Inputs() []Op { return []Op{o.In} }

// Score gives the nodes of a set the exact score of their vectors against a
// text's, keeping the set's order. A node without a vector in the space, an
// edge and a node of another graph are left out.
type Score struct {
	In     Op
	Graph  *engine.Graph
	Space  string
	Text   string
	Source string
}

// Run implements [Op].
func (o *Score) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	items := nodesOf(o.Graph, in.Items)
	var scratch []float32
	if items, err = rescore(ctx, e, e.view(ctx, o.Graph), o.Space, o.Text, items, &scratch); err != nil {
		return Set{}, err
	}
	for i := range items {
		it := &items[i]
		it.Why = append(slices.Clip(it.Why), Step{Op: "score", Note: o.Space, Score: it.Score})
	}
	return Set{Items: items}, nil
}

// nodesOf returns a copy of the items that are nodes of a graph.
func nodesOf(g *engine.Graph, items []Item) []Item {
	var out []Item
	for _, it := range items {
		if it.ID != 0 && it.Graph == g.ID() {
			out = append(out, it)
		}
	}
	return out
}

// Explain implements [Op].
func (o *Score) Explain() Explanation {
	return Explanation{"Score", []string{arg("graph", o.Graph.Name()), arg("space", o.Space)}, o.Source}
}

// Inputs implements [Op].
func (o *Score) Inputs() []Op { return []Op{o.In} }

// Relations takes the edges at a set's nodes: first those between two of them,
// by rank descending, then those that leave the set, by the number of its nodes
// that the outer end is joined to, then rank, at most PerNode for each node of
// the set. An edge's rank, its score, is the sum of its ends' degrees.
//
// It is the choice of relationships of GraphRAG's local search, which KET-RAG
// and ArchRAG share.
type Relations struct {
	In    Op
	Graph *engine.Graph
	Types []string
	// PerNode bounds the edges that leave, per node of the set; 0 is 10, and
	// below 0 none is taken.
	PerNode int
	Source  string
}

// Run implements [Op].
func (o *Relations) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	return o.Of(ctx, e, in.Items)
}

// Of returns the relations of the items that are nodes of the graph.
func (o *Relations) Of(ctx context.Context, e *Env, items []Item) (Set, error) {
	v := e.view(ctx, o.Graph)
	filter, ok := edgeFilter(v, o.Types, engine.Both)
	if !ok {
		return Set{}, nil
	}
	items = nodesOf(o.Graph, items)
	inside := map[engine.NodeID]bool{}
	for i := range items {
		inside[items[i].ID] = true
	}
	degrees := map[engine.NodeID]int{}
	degree := func(id engine.NodeID) (int, error) {
		if d, ok := degrees[id]; ok {
			return d, nil
		}
		d, err := v.Degree(id, filter)
		degrees[id] = d
		return d, err
	}
	met := map[Ref]bool{}
	links := map[engine.NodeID]int{}
	var within, leaving []Item
	for i := range items {
		id := items[i].ID
		linked := engine.NodeID(0) // the last outer end that was counted
		for after := engine.NodeID(0); ; {
			page, err := v.Neighbors(id, filter, after, nil)
			if err != nil {
				return Set{}, err
			}
			if len(page) == 0 {
				break
			}
			for _, edge := range page {
				other := edge.Other(id)
				after = other
				if edge.From > edge.To && !edge.Type.Directed() {
					edge.From, edge.To = edge.To, edge.From
				}
				it := Item{Graph: o.Graph.ID(), Edge: edge}
				may, err := e.mayEdge(ctx, v, other, edge)
				if err != nil {
					return Set{}, err
				}
				if !may || met[it.Ref()] || other == id {
					continue
				}
				met[it.Ref()] = true
				from, err := degree(edge.From)
				if err != nil {
					return Set{}, err
				}
				to, err := degree(edge.To)
				if err != nil {
					return Set{}, err
				}
				it.Score = float64(from + to)
				it.Why = append(slices.Clip(items[i].Why), Step{Op: "relation", From: items[i].Ref(), Score: it.Score})
				if inside[other] {
					within = append(within, it)
					continue
				}
				leaving = append(leaving, it)
				if other != linked {
					linked = other
					links[other]++
				}
			}
		}
	}
	slices.SortFunc(within, byScore)
	outer := func(it *Item) engine.NodeID {
		if inside[it.Edge.From] {
			return it.Edge.To
		}
		return it.Edge.From
	}
	slices.SortFunc(leaving, func(a, b Item) int {
		return cmp.Or(cmp.Compare(links[outer(&b)], links[outer(&a)]), byScore(a, b))
	})
	per := o.PerNode
	if per == 0 {
		per = 10
	}
	leaving = leaving[:max(0, min(len(leaving), per*len(items)))]
	return Set{Items: append(within, leaving...)}, nil
}

// Explain implements [Op].
func (o *Relations) Explain() Explanation {
	args := []string{arg("graph", o.Graph.Name())}
	if o.Types != nil {
		args = append(args, arg("types", o.Types))
	}
	return Explanation{"Relations", args, o.Source}
}

// Inputs implements [Op].
func (o *Relations) Inputs() []Op { return []Op{o.In} }
