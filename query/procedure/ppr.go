package procedure

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query/cypher"
)

// readPPR reads a call of graph.ppr. Without a choice of nodes the walk is on
// the store, and on a projection where it would read too much of it.
func readPPR(c *config) runner {
	nodes, weights := c.seeds(c.call.Args[0])
	o := graphops.PPROptions{Alpha: c.number("alpha", 1e-9, 1), Steps: c.count("iters", 0), TopK: c.count("top", 0)}
	if c.choice("form", "restart", "lazy") == "lazy" {
		o.Lazy = true
	}
	if c.choice("weights", "stored", "degree") == "degree" {
		o.Weights = graphops.DegreeWeights
	}
	return func(ctx context.Context, call *cypher.ProcedureCall, s graphops.Spec) (*outcome, error) {
		o := o
		if !s.Weighted && o.Weights == graphops.StoredWeights {
			o.Weights = graphops.UnitWeights
		}
		if s.Nodes == nil && s.Where == nil {
			out, err := pprLocal(ctx, call, s, nodes, weights, o)
			var wide *graphops.ExpandError
			if !errors.As(err, &wide) {
				return out, err
			}
		}
		return pprProjected(ctx, call, s, nodes, weights, o)
	}
}

func pprLocal(ctx context.Context, call *cypher.ProcedureCall, s graphops.Spec, nodes []engine.NodeID, weights []float64, o graphops.PPROptions) (*outcome, error) {
	f := engine.EdgeFilter{Types: s.Edges, Direction: s.Direction}
	local := graphops.Local(call.View.WithContext(ctx), f)
	if call.Graphs != nil {
		local = call.Graphs.Local(call.View.WithContext(ctx), f)
	}
	seeds := make([]graphops.Scored, len(nodes))
	for i, n := range nodes {
		seeds[i] = graphops.Scored{Node: uint32(n), Score: weights[i]}
	}
	found, err := graphops.PPR(ctx, local, seeds, o)
	if err == nil {
		err = local.Err()
	}
	if err != nil {
		return nil, err
	}
	return reached(found, func(u uint32) engine.NodeID { return engine.NodeID(u) }), nil
}

func pprProjected(ctx context.Context, call *cypher.ProcedureCall, s graphops.Spec, nodes []engine.NodeID, weights []float64, o graphops.PPROptions) (*outcome, error) {
	p, err := project(ctx, call, s)
	if err != nil {
		return nil, err
	}
	at, err := numbers(p, nodes)
	if err != nil {
		return nil, err
	}
	seeds := make([]graphops.Scored, len(nodes))
	for i, u := range at {
		seeds[i] = graphops.Scored{Node: u, Score: weights[i]}
	}
	found, err := graphops.PPR(ctx, p, seeds, o)
	if err != nil {
		return nil, err
	}
	out := reached(found, p.NodeOf)
	out.nodes, out.edges = p.Len(), p.Edges()
	return out, nil
}

// reached makes an outcome of the nodes that a walk may be at.
func reached(found []graphops.Scored, node func(u uint32) engine.NodeID) *outcome {
	mass := 0.0
	for _, s := range found {
		mass += s.Score
	}
	return &outcome{
		nodes: len(found), stats: []cypher.Value{cypher.Int(int64(len(found))), cypher.Float(mass)},
		each: func(fn func(id engine.NodeID, figures []cypher.Value) error) error {
			var figures [1]cypher.Value
			for _, s := range found {
				figures[0] = cypher.Float(s.Score)
				if err := fn(node(s.Node), figures[:]); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
