package query

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// Expand takes the nodes within some hops of a set's nodes, these included,
// in order of hops, then id. A node h hops away scores 1/(1+h). Its steps lead
// along a path of fewest edges from the set, each node of which is the least
// of those that could stand there.
type Expand struct {
	In    Op
	Graph *engine.Graph
	// Types are the names of the edge types to follow; nil follows all.
	Types     []string
	Direction engine.Direction
	// Hops is how many edges a node may be away; 0 is 1.
	Hops int
	// MaxNodes bounds the nodes, as [graphops.Expand] chooses them; 0 is
	// 50,000. That some were left out is in the trace's notes.
	MaxNodes int
	// MaxNeighbors bounds the neighbours of each node that are followed, to
	// those of the greatest weight, then least id; 0 is all.
	MaxNeighbors int
	Source       string
}

// Run implements [Op].
func (o *Expand) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	seeds := nodesOf(o.Graph, in.Items)
	if len(seeds) == 0 {
		return Set{}, nil
	}
	l, err := e.lens(ctx, o.Graph)
	if err != nil {
		return Set{}, err
	}
	at := map[uint32]int{} // place in seeds; from the first hop on, in the set
	ids := make([]uint32, len(seeds))
	for i := range seeds {
		ids[i] = uint32(seeds[i].ID)
		at[ids[i]] = i
	}
	limits := graphops.ExpandOptions{Hops: o.Hops, MaxNodes: o.MaxNodes, MaxNeighbors: o.MaxNeighbors}
	filter, _ := l.edgeFilter(o.Types, o.Direction)
	var out Set
	err = l.walk(walkOptions{filter: filter}, func(w *walkGraph) error {
		n, err := graphops.Expand(ctx, w.a, ids, limits)
		if err != nil {
			return err
		}
		if n.Truncated {
			e.note("only %d nodes were taken", len(n.Nodes))
		}
		out.Items = make([]Item, len(n.Nodes))
		for hop := range len(n.Begin) - 1 {
			score := 1 / float64(1+hop)
			for i := n.Begin[hop]; i < n.Begin[hop+1]; i++ {
				step := Step{Op: "expand", From: Ref{Graph: o.Graph.ID(), ID: engine.NodeID(n.Via[i])}, Score: score}
				var way []Step
				if hop == 0 {
					way, step.Note = seeds[at[n.Nodes[i]]].Why, "start"
				} else {
					way = out.Items[at[n.Via[i]]].Why
				}
				out.Items[i] = Item{Graph: o.Graph.ID(), ID: engine.NodeID(n.Nodes[i]), Score: score, Why: append(slices.Clip(way), step)}
			}
			for i := n.Begin[hop]; i < n.Begin[hop+1]; i++ {
				at[n.Nodes[i]] = i
			}
		}
		return nil
	})
	return out, err
}

// Explain implements [Op].
func (o *Expand) Explain() Explanation {
	hops := o.Hops
	if hops == 0 {
		hops = 1
	}
	args := append(graphArgs(o.Graph, o.Types), arg("hops", hops))
	if o.MaxNodes > 0 {
		args = append(args, arg("nodes", o.MaxNodes))
	}
	return Explanation{Op: "Expand", Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *Expand) Inputs() []Op { return []Op{o.In} }
