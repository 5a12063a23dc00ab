package noderag

import (
	"context"

	"github.com/ragdb/ragdb/rag/noderag/schema"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/community"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// stats is [method.System.Stats]: what the paper's Table 4 tells of an
// index. Tokens are those of the chunks. Base edges are all but near ones,
// overlapping those that are both; edges counts a pair of nodes once.
func (s *system) stats(ctx context.Context, v *engine.View) ([]method.Figure, error) {
	var out []method.Figure
	add := func(name string, n int, unit string) {
		out = append(out, method.Figure{Name: name, Value: float64(n), Unit: unit})
	}
	tokens := 0
	for id, err := range graph.Nodes(v, schema.Text) {
		if err != nil {
			return nil, err
		}
		n, err := v.Node(id)
		if err != nil {
			return nil, err
		}
		tokens += int(n.Prop(schema.PropTokens).AsInt())
	}
	add("tokens", tokens, "tokens")
	all := 0
	for _, t := range []struct{ letter, name string }{
		{"T", schema.Text}, {"S", schema.Unit}, {"N", schema.Entity}, {"R", schema.Relationship},
		{"A", schema.Attribute}, {"O", schema.Overview}, {"H", schema.Element},
	} {
		n := 0
		if typ, ok := v.NodeType(t.name); ok {
			set, err := v.Nodes(typ)
			if err != nil {
				return nil, err
			}
			n = int(set.GetCardinality())
		}
		all += n
		add(t.letter+" "+t.name, n, "nodes")
	}
	add("nodes", all, "nodes")
	base, near, err := pairs(ctx, v)
	if err != nil {
		return nil, err
	}
	overlap := 0
	for p := range near {
		if base[p] {
			overlap++
		}
	}
	add("base edges", len(base), "edges")
	add("near edges", len(near), "edges")
	add("overlapping edges", overlap, "edges")
	add("edges", len(base)+len(near)-overlap, "edges")
	state, _, err := readState(v)
	if err != nil {
		return nil, err
	}
	add("communities", state.Communities, "communities")
	out = append(out,
		method.Figure{Name: "modularity", Value: state.Now},
		method.Figure{Name: "modularity when clustered", Value: state.Whole})
	add("moved since clustered", state.Moved, "nodes")
	return out, nil
}

// pairs returns the pairs of nodes that are joined by near edges, and by
// others.
func pairs(ctx context.Context, v *engine.View) (base, near map[[2]engine.NodeID]bool, err error) {
	base, near = map[[2]engine.NodeID]bool{}, map[[2]engine.NodeID]bool{}
	nearType, _ := v.EdgeType(schema.Near)
	for e, err := range v.Edges(engine.EdgeFilter{}) {
		if err != nil {
			return nil, nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p := [2]engine.NodeID{min(e.From, e.To), max(e.From, e.To)}
		if e.Type == nearType {
			near[p] = true
		} else {
			base[p] = true
		}
	}
	return base, near, nil
}

// recluster is [method.System.Recluster]: the stages make the communities from
// nothing. One of the same nodes as before keeps its elements.
func (s *system) recluster() *method.System {
	again := *s
	again.whole = true
	return again.system()
}

// advice is [method.System.Advice]: to recluster if more than a tenth of the
// nodes came or moved since the last whole clustering, or modularity fell by
// more than a fiftieth.
func (s *system) advice(_ context.Context, v *engine.View) ([]method.Advice, error) {
	state, ok, err := readState(v)
	if err != nil || !ok {
		return nil, err
	}
	return advice(state), nil
}

func advice(state communityState) []method.Advice {
	return community.Advise("the communities", float64(state.Moved)/float64(max(1, state.Nodes)), state.Whole, state.Now)
}
