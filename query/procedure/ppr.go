package procedure

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
)

// readPPR reads a call of graph.ppr. Without a choice of nodes [query.PPR] runs,
// else the algorithm on a projection of the chosen ones.
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
			return pprOperator(ctx, call, s, nodes, weights, o)
		}
		if call.Query != nil && call.Query.Allow != nil {
			return nil, invalid("graph.ppr on chosen nodes reads more than the filter of this session lets it see: leave out nodes, labels and projection")
		}
		return pprProjected(ctx, call, s, nodes, weights, o)
	}
}

// pprOperator runs the operator.
func pprOperator(ctx context.Context, call *cypher.ProcedureCall, s graphops.Spec, nodes []engine.NodeID, weights []float64, o graphops.PPROptions) (*outcome, error) {
	g := call.View.Graph()
	seeds := &query.Given{Graph: g, Nodes: make([]query.Item, len(nodes))}
	for i, n := range nodes {
		seeds.Nodes[i] = query.Item{Graph: g.ID(), ID: n, Score: weights[i]}
	}
	op := &query.PPR{
		In: seeds, Graph: g, Direction: s.Direction,
		Lazy: o.Lazy, Alpha: o.Alpha, Steps: o.Steps, Weights: o.Weights, K: o.TopK,
	}
	for _, t := range s.Edges {
		op.Types = append(op.Types, call.View.EdgeTypeName(t))
	}
	found, err := operate(ctx, call, nil, op)
	if err != nil {
		return nil, err
	}
	scored := make([]scoredNode, len(found.Items))
	for i := range found.Items {
		scored[i] = scoredNode{found.Items[i].ID, found.Items[i].Score}
	}
	return reached(scored), nil
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
	scored := make([]scoredNode, len(found.Scores))
	for i, f := range found.Scores {
		scored[i] = scoredNode{p.NodeOf(f.Node), f.Score}
	}
	out := reached(scored)
	out.nodes, out.edges = p.Len(), p.Edges()
	return out, nil
}

// scoredNode is a node with its score.
type scoredNode struct {
	id    engine.NodeID
	score float64
}

// reached makes an outcome of the nodes that a walk may be at.
func reached(found []scoredNode) *outcome {
	mass := 0.0
	for _, s := range found {
		mass += s.score
	}
	return &outcome{
		nodes: len(found), stats: []cypher.Value{cypher.Int(int64(len(found))), cypher.Float(mass)},
		each: func(fn func(id engine.NodeID, figures []cypher.Value) error) error {
			var figures [1]cypher.Value
			for _, s := range found {
				figures[0] = cypher.Float(s.score)
				if err := fn(s.id, figures[:]); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
