package hirag

import (
	"context"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/community"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/method"
)

// stats is [method.System.Stats]: of each layer its nodes, clusters,
// sparsity and the change rate from the layer below (paper §4.1), of each level
// its communities, and the global clustering coefficient of the graph with the
// hierarchy and of that of the entities alone (paper, appendix E).
func (s *system) stats(ctx context.Context, v *engine.View) ([]method.Figure, error) {
	var out []method.Figure
	for layer := range s.p.Depth {
		f, err := readFit(v, layer)
		if err != nil {
			return nil, err
		}
		if f == nil {
			break
		}
		clusters := 0
		for _, err := range s.plans(v, layer) {
			if err != nil {
				return nil, err
			}
			clusters++
		}
		name := func(what string) string { return fmt.Sprintf("layer %d: %s", layer, what) }
		out = append(out,
			method.Figure{Name: name("nodes"), Value: float64(f.Now), Unit: "nodes"},
			method.Figure{Name: name("clusters"), Value: float64(clusters), Unit: "clusters"},
			method.Figure{Name: name("sparsity"), Value: f.Sparsity},
			method.Figure{Name: name("change rate"), Value: f.Change},
			method.Figure{Name: name("new since"), Value: f.Moved},
		)
	}
	plans, err := communityPlans(v, 0, math.MaxInt)
	if err != nil {
		return nil, err
	}
	var levels []int
	for _, p := range plans {
		for len(levels) <= p.Level {
			levels = append(levels, 0)
		}
		levels[p.Level]++
	}
	for level, n := range levels {
		out = append(out, method.Figure{Name: fmt.Sprintf("level %d: communities", level), Value: float64(n), Unit: "communities"})
	}
	state, err := readState(v)
	if err != nil {
		return nil, err
	}
	out = append(out, method.Figure{Name: "modularity", Value: state.Modularity})
	for _, x := range []struct {
		name  string
		types []string
	}{{"clustering coefficient", []string{typeEntity, typeSummary}}, {"clustering coefficient of entities", []string{typeEntity}}} {
		c, err := coefficient(ctx, v, x.types)
		if err != nil {
			return nil, err
		}
		out = append(out, method.Figure{Name: x.name, Value: c})
	}
	return out, nil
}

// coefficient is the global clustering coefficient of the relations among the
// nodes of some types.
func coefficient(ctx context.Context, v *engine.View, types []string) (float64, error) {
	spec := graphops.Spec{Nodes: []engine.TypeID{}, Edges: []engine.EdgeType{}}
	for _, name := range types {
		if t, ok := v.NodeType(name); ok {
			spec.Nodes = append(spec.Nodes, t)
		}
	}
	if t, ok := v.EdgeType(edgeRelation); ok {
		spec.Edges = append(spec.Edges, t)
	}
	p, err := graphops.Project(ctx, v, spec)
	if err != nil {
		return 0, err
	}
	r, err := graphops.Triangles(ctx, p, graphops.TrianglesOptions{})
	if err != nil {
		return 0, err
	}
	return r.Global, nil
}

// Coverage says which part of the distinct terms of a context's local and
// global text are in its bridge text, too (paper, appendix H): how far the
// bridge joins the two. terms makes the terms of a text, as [method.Corpus.Analyze]
// does. A part without terms is covered wholly.
func Coverage(ev *rag.Evidence, terms func(string) []string) (local, global float64) {
	words := map[string]map[string]bool{}
	for _, s := range ev.Sections {
		words[s.Name] = map[string]bool{}
		for _, it := range s.Items {
			for _, w := range terms(it.Text) {
				words[s.Name][w] = true
			}
		}
	}
	part := func(name string) float64 {
		if len(words[name]) == 0 {
			return 1
		}
		n := 0
		for w := range words[name] {
			if words["bridge"][w] {
				n++
			}
		}
		return float64(n) / float64(len(words[name]))
	}
	return part("entities"), part("reports")
}

// recluster is [method.System.Recluster]: the stages find the hierarchy and the
// communities again. The old ones serve until the new ones are written.
func (s *system) recluster() *method.System {
	again := *s
	again.whole = true
	return again.system()
}

// advice is [method.System.Advice].
func (s *system) advice(_ context.Context, v *engine.View) ([]method.Advice, error) {
	var out []method.Advice
	for layer := range s.p.Depth {
		f, err := readFit(v, layer)
		if err != nil {
			return nil, err
		}
		if f != nil {
			out = append(out, community.Advise(fmt.Sprintf("the clusters of layer %d", layer), f.Moved, 0, 0)...)
		}
	}
	state, err := readState(v)
	if err != nil {
		return nil, err
	}
	for level, moved := range state.Moved {
		out = append(out, community.Advise(fmt.Sprintf("the communities of level %d", level), moved, 0, 0)...)
	}
	return append(out, community.Advise("the communities", 0, state.Was, state.Modularity)...), nil
}

// readState returns how far communities are from their last whole clustering.
func readState(v engine.Reader) (state communityState, err error) {
	_, err = encoded.Get(v.Bucket(bucketFit), keyState, &state)
	return state, err
}
