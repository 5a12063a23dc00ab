package query

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// PPR ranks the nodes around a set's by personalised PageRank of a few steps
// ([graphops.PPR]), by score descending, id ascending: how likely a walk that
// starts at the set's nodes is at each. The set's nodes are among them.
//
// A node starts a share of the walks in proportion to its score; a node with a
// score of 0 or less starts none. A set without a positive score finds nothing.
//
// The store is read. If more than MaxWork of it is needed, the projection in
// [Env].Graphs is walked instead. If there is none, or it does not fit its memory, the
// walk stays where it is likeliest, and a note tells how far off a score may be. Under a filter
// the walk is over what the query may see, and MaxWork does not count. Scores on the store and on the projection differ by
// rounding at most.
//
// An item's steps are the likeliest path of fewest edges from one of the set's
// nodes, with the score of each node on it. The path of one of these nodes is itself
// alone, and the step has its rank among them ([Step].Rank).
type PPR struct {
	In    Op
	Graph *engine.Graph
	// Types are the names of the edge types to follow; nil follows all.
	Types     []string
	Direction engine.Direction
	// Names, if it is set, is a field of names as [Bridge] has it, and Words that of
	// the nodes' words. The walk then goes from node to node by the names that they
	// share, and not along edges: more often by rare names, and to nodes that are
	// about them.
	Names, Words string
	// Lazy, Alpha, Steps and Weights are those of [graphops.PPROptions], with
	// the same defaults.
	Lazy    bool
	Alpha   float64
	Steps   int
	Weights graphops.EdgeWeights
	// Uniform starts equally often at every node of the set; scores do not count.
	Uniform bool
	// K bounds the nodes; 0 is all that a walk may be at.
	K int
	// Quotas, if there are any, keep of each the first nodes of its types. A
	// type that several quotas have counts for the first; nodes whose type no
	// quota has are left out. Without are operators whose nodes are left out
	// before that.
	Quotas  []TypeQuota
	Without []Op
	// MaxWork bounds what is read of the store as that of [graphops.PPROptions] does.
	MaxWork int
	// InMemory walks the projection at once. With [graphops.DegreeWeights]
	// and [graphops.CappedWeights], which read the degree of every node that they
	// reach, that takes an eighth of the time (BenchmarkPPR).
	InMemory bool
	Source   string
}

// Run implements [Op].
func (o *PPR) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	seeds := nodesOf(o.Graph, in.Items)
	if !o.Uniform {
		seeds = slices.DeleteFunc(seeds, func(it Item) bool { return it.Score <= 0 })
	}
	if len(seeds) == 0 {
		return Set{}, nil
	}
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	filter, _ := l.edgeFilter(o.Types, o.Direction)
	without := map[engine.NodeID]bool{}
	for _, op := range o.Without {
		set, err := e.Eval(ctx, op)
		if err != nil {
			return Set{}, err
		}
		for _, it := range nodesOf(o.Graph, set.Items) {
			without[it.ID] = true
		}
	}
	var out Set
	take := func(w *walkGraph, r *graphops.PPRResult) error {
		order, err := o.order(l, w, r, without)
		if err != nil {
			return err
		}
		out.Items, err = o.items(l, w, r, seeds, order)
		return err
	}
	var rough *walkGraph // the store, if it was read in part
	var part *graphops.PPRResult
	rank := func(w *walkGraph) error {
		p := o.options(w)
		p.Paths = !e.NoSteps
		r, err := graphops.PPR(ctx, w.a, o.starts(w, seeds), p)
		if err != nil {
			return err
		}
		if r.Missed > 0 {
			rough, part = w, r
			return errTooWide
		}
		return take(w, r)
	}
	if o.Names != "" {
		x, err := e.nameIndex(ctx, o.Graph, o.Names, o.Words)
		if err != nil {
			return Set{}, err
		}
		err = rank(&walkGraph{a: newNameGraph(x)})
		return out, err
	}
	err = l.walk(walkOptions{filter, o.Weights == graphops.StoredWeights || o.Weights == graphops.CappedWeights, o.InMemory}, rank)
	if part != nil && (errors.Is(err, errTooWide) || errors.Is(err, engine.ErrMemory) || errors.Is(err, graphops.ErrTooLarge)) {
		e.note("the store was read where the walk is likeliest: no score is off by more than %.2g", part.Missed)
		err = take(rough, part)
	}
	return out, err
}

// order returns the places in r of the nodes that are wanted, in order. It
// looks no further than it has to.
func (o *PPR) order(l *lens, w *walkGraph, r *graphops.PPRResult, without map[engine.NodeID]bool) ([]int, error) {
	wants := o.quotas(l, w)
	var order, run []int
	for i := 0; i < len(r.Scores); {
		// A projection's numbers are in another order than ids, so that nodes
		// of equal scores are ordered here.
		run = run[:0]
		for score := r.Scores[i].Score; i < len(r.Scores) && r.Scores[i].Score == score; i++ {
			run = append(run, i)
		}
		if w.p != nil {
			slices.SortFunc(run, func(a, b int) int {
				return cmp.Compare(w.node(r.Scores[a].Node), w.node(r.Scores[b].Node))
			})
		}
		for _, at := range run {
			if wants.full() || o.K > 0 && len(order) == o.K {
				return order, nil
			}
			u := r.Scores[at].Node
			if without[w.node(u)] {
				continue
			}
			if ok, err := wants.take(u); err != nil {
				return nil, err
			} else if ok {
				order = append(order, at)
			}
		}
	}
	return order, nil
}

// quotas are what the quotas of a PPR have room for.
type quotas struct {
	l    *lens
	w    *walkGraph
	of   map[engine.TypeID]int // the first quota that has the type
	left []int
	open int // quotas with room
}

// quotas returns the room for nodes, nil if there are no quotas.
func (o *PPR) quotas(l *lens, w *walkGraph) *quotas {
	if o.Quotas == nil {
		return nil
	}
	q := &quotas{l: l, w: w, of: map[engine.TypeID]int{}, left: make([]int, len(o.Quotas))}
	for i, quota := range o.Quotas {
		if q.left[i] = quota.Most; quota.Most > 0 {
			q.open++
		}
		for _, name := range quota.Types {
			t, ok := l.NodeType(name)
			if _, taken := q.of[t]; ok && !taken {
				q.of[t] = i
			}
		}
	}
	return q
}

func (q *quotas) full() bool { return q != nil && q.open == 0 }

// take reports whether there is room for a node, and takes it.
func (q *quotas) take(u uint32) (bool, error) {
	if q == nil {
		return true, nil
	}
	t := engine.TypeID(0)
	if q.w.p != nil {
		t = q.w.p.TypeOf(u)
	} else {
		var ok bool
		var err error
		if t, ok, err = q.l.typeOf(q.w.node(u)); err != nil || !ok {
			return false, err
		}
	}
	i, ok := q.of[t]
	if !ok || q.left[i] <= 0 {
		return false, nil
	}
	if q.left[i]--; q.left[i] == 0 {
		q.open--
	}
	return true, nil
}

// starts returns the seeds in the numbers of a graph.
func (o *PPR) starts(w *walkGraph, seeds []Item) []graphops.Scored {
	var out []graphops.Scored
	for i := range seeds {
		u, ok := w.number(seeds[i].ID)
		if !ok {
			continue
		}
		score := seeds[i].Score
		if o.Uniform {
			score = 1
		}
		out = append(out, graphops.Scored{Node: u, Score: score})
	}
	return out
}

func (o *PPR) options(w *walkGraph) graphops.PPROptions {
	p := graphops.PPROptions{Lazy: o.Lazy, Alpha: o.Alpha, Steps: o.Steps, Weights: o.Weights}
	if w.p == nil && o.Quotas == nil && o.Without == nil {
		p.TopK = max(0, o.K) // in the order of order, which would take as many
	}
	switch {
	case w.bounded:
		p.MaxWork = o.MaxWork
	case w.p == nil:
		p.MaxWork = math.MaxInt
	}
	return p
}

// items returns what a walk found at some places, with how it came there.
func (o *PPR) items(l *lens, w *walkGraph, r *graphops.PPRResult, seeds []Item, order []int) ([]Item, error) {
	if l.e.NoSteps {
		items := make([]Item, len(order))
		for n, i := range order {
			items[n] = Item{Graph: o.Graph.ID(), ID: w.node(r.Scores[i].Node), Score: r.Scores[i].Score}
		}
		return items, nil
	}
	of := make(map[engine.NodeID]int, len(seeds))
	long := 0
	for i := range seeds {
		of[seeds[i].ID] = i
		long = max(long, len(seeds[i].Why))
	}
	items := make([]Item, len(order))
	types := l.e.typesOf(o.Graph)
	var ranks []int // of the seeds, once one is needed
	var path []graphops.Scored
	// The steps of all items are one allocation, of as many as most have.
	why := make([]Step, 0, len(order)*(long+2))
	for n, i := range order {
		path = r.Path(i, path[:0])
		seed := w.node(path[0].Node)
		from := len(why)
		why = append(why, seeds[of[seed]].Why...)
		if len(path) == 1 {
			if ranks == nil {
				var err error
				if ranks, err = o.startRanks(l, w, seeds); err != nil {
					return nil, err
				}
			}
			why = append(why, Step{Op: "ppr", From: Ref{Graph: o.Graph.ID(), ID: seed}, Note: "start", Score: path[0].Score, Rank: ranks[of[seed]]})
		}
		for k := 1; k < len(path); k++ {
			why = append(why, Step{Op: "ppr", From: Ref{Graph: o.Graph.ID(), ID: w.node(path[k-1].Node)}, Score: path[k].Score})
		}
		s := r.Scores[i]
		items[n] = Item{Graph: o.Graph.ID(), ID: w.node(s.Node), Score: s.Score, Why: why[from:len(why):len(why)]}
		if w.p != nil && o.Quotas != nil { // few, and mostly told apart by type next
			types[items[n].ID] = w.p.TypeOf(s.Node)
		}
	}
	return items, nil
}

// Explain implements [Op].
func (o *PPR) Explain() Explanation {
	args := graphArgs(o.Graph, o.Types)
	if o.Names != "" {
		args = append(args, arg("names", o.Names))
	}
	form := "restart"
	if o.Lazy {
		form = "lazy"
	}
	alpha, steps := o.Alpha, o.Steps
	if alpha == 0 {
		alpha = 0.5
	}
	if steps == 0 {
		steps = 2
	}
	args = append(args, arg("form", form), arg("alpha", alpha), arg("steps", steps))
	if o.Weights <= graphops.CappedWeights {
		args = append(args, arg("weights", [...]string{"stored", "unit", "degree", "capped"}[o.Weights]))
	}
	if o.Uniform {
		args = append(args, "start=uniform")
	}
	if o.K > 0 {
		args = append(args, arg("k", o.K))
	}
	if o.Quotas != nil {
		args = append(args, arg("quotas", o.Quotas))
	}
	return Explanation{Op: "PPR", Work: WorkOnMass, Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *PPR) Inputs() []Op { return append([]Op{o.In}, o.Without...) }
