package archrag

import (
	"context"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/community"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// recluster is [method.System.Recluster].
func (s *system) recluster() *method.System {
	again := *s
	again.whole = true
	return again.system()
}

// advice is [method.System.Advice].
func (s *system) advice(_ context.Context, v *engine.View) ([]method.Advice, error) {
	var out []method.Advice
	for n := 1; n <= s.p.Levels; n++ {
		b, err := readBase(v, n)
		if err != nil {
			return nil, err
		}
		if b == nil || b.Stopped {
			break
		}
		out = append(out, community.Advise(fmt.Sprintf("the communities of level %d", n), b.moved(), b.Modularity, b.Now.Modularity)...)
	}
	return out, nil
}

// moved is the part of the level's nodes that moved.
func (b *base) moved() float64 { return float64(b.Now.Moved) / float64(max(1, b.Now.Nodes)) }

// stats is [method.System.Stats]: of each level its communities, the
// largest of them, its modularity, what moved, and the limits of new edges.
func (s *system) stats(_ context.Context, v *engine.View) ([]method.Figure, error) {
	var out []method.Figure
	for n := 1; n <= s.p.Levels; n++ {
		b, err := readBase(v, n)
		if err != nil {
			return nil, err
		}
		if b == nil || b.Stopped {
			break
		}
		sizes, err := sizesOf(v, n)
		if err != nil {
			return nil, err
		}
		largest := 0
		for _, size := range sizes {
			largest = max(largest, size)
		}
		name := func(what string) string { return fmt.Sprintf("level %d: %s", n, what) }
		out = append(out,
			method.Figure{Name: name("communities"), Value: float64(len(sizes)), Unit: "communities"},
			method.Figure{Name: name("largest"), Value: float64(largest), Unit: "members"},
			method.Figure{Name: name("modularity"), Value: b.Now.Modularity},
			method.Figure{Name: name("moved"), Value: b.moved()},
			method.Figure{Name: name("degree cap"), Value: float64(b.Degree), Unit: "edges"},
		)
		if t := b.limits().Threshold; t > -2 { // none if there were no edges
			out = append(out, method.Figure{Name: name("threshold"), Value: t})
		}
	}
	return out, nil
}

// sizesOf returns the number of members of each community of a level.
func sizesOf(v engine.Reader, n int) ([]int, error) {
	lv := &level{}
	if err := lv.read(v, typeCommunity, communityPrefix(n)); err != nil {
		return nil, err
	}
	out := make([]int, len(lv.ids))
	for i, id := range lv.ids {
		of, err := children(v, id)
		if err != nil {
			return nil, err
		}
		out[i] = len(of)
	}
	return out, nil
}

// CommunityStats returns the Calinski-Harabasz index and the mean cosine of
// each level (spec A5): how well the vectors of the members bear its
// communities out. A level that is too small for the index has none.
func (s *system) communityStats(ctx context.Context, v *engine.View) ([]method.Figure, error) {
	var out []method.Figure
	space := currentSpace(v)
	if space == "" {
		return nil, nil
	}
	for n := 1; n <= s.p.Levels; n++ {
		above, below := &level{}, &level{n: n}
		if err := above.read(v, typeCommunity, communityPrefix(n)); err != nil {
			return nil, err
		}
		typ, prefix := typeEntity, ""
		if n > 1 {
			typ, prefix = typeCommunity, communityPrefix(n-1)
		}
		if err := below.read(v, typ, prefix); err != nil {
			return nil, err
		}
		if len(above.ids) == 0 {
			break
		}
		m, err := below.matrix(ctx, v, space)
		if err != nil {
			return nil, err
		}
		part := graphops.Partition{Of: make([]uint32, len(below.ids)), Count: len(above.ids)}
		members := 0
		for i, id := range below.ids {
			part.Of[i] = graphops.None
			parents, err := graph.Neighbors(v, id, edgePart, engine.Out)
			if err != nil {
				return nil, err
			}
			if len(parents) > 0 && !zero(m.Row(i)) {
				part.Of[i] = uint32(above.at[parents[0]])
				members++
			}
		}
		name := func(what string) string { return fmt.Sprintf("level %d: %s", n, what) }
		out = append(out,
			method.Figure{Name: name("communities"), Value: float64(len(above.ids)), Unit: "communities"},
			method.Figure{Name: name("members"), Value: float64(members), Unit: "members"})
		if len(above.ids) >= 2 && members > len(above.ids) {
			ch, err := graphops.CalinskiHarabasz(m, &part)
			if err != nil {
				return nil, err
			}
			out = append(out, method.Figure{Name: name("Calinski-Harabasz"), Value: ch})
		}
		cos, err := graphops.MeanCosine(m, &part)
		if err != nil {
			return nil, err
		}
		out = append(out, method.Figure{Name: name("mean cosine"), Value: cos})
	}
	return out, nil
}

// currentSpace returns the space of nodes, "" if there is none; the last by
// name if there are several, as while the model is being changed.
func currentSpace(v *engine.View) string {
	out := ""
	for _, name := range v.Spaces() {
		if strings.HasPrefix(name, nodeSpace("")) {
			out = max(out, name)
		}
	}
	return out
}

// Attributed is a graph whose nodes have vectors.
type Attributed struct {
	// Edges are the relations, each once; their weights do not count.
	Edges []graphops.WeightedEdge
	// Vectors are those of the nodes, zeros for one without.
	Vectors graphops.Matrix
	// Near returns edges from each node to the k that are nearest by cosine, of
	// which it may be one itself. The order does not matter, nor the weights.
	Near func(ctx context.Context, k int) ([]graphops.WeightedEdge, error)
}

// Communities divides a graph as the method divides each level: edges to near
// neighbours are added, and what comes of it is clustered until no community has
// Cap members that can be divided. A node without edges is in none. params are
// those of the method, by name, nil for the defaults; what is wrong with them is
// [method.ErrMethod]. The result follows from the arguments.
//
// It is for comparing the ways of it on graphs that are no corpus: an index is
// made by the stages of the method.
func Communities(ctx context.Context, g Attributed, params map[string]string) (graphops.Partition, error) {
	p, r := parse(params)
	if err := r.Err(); err != nil {
		return graphops.Partition{}, err
	}
	s := &system{p: p}
	part, err := s.communities(ctx, g)
	if err != nil {
		return graphops.Partition{}, phase.Errorf("archrag: communities: %w", err)
	}
	return part, nil
}

func (s *system) communities(ctx context.Context, g Attributed) (graphops.Partition, error) {
	a, err := s.enrich(ctx, g.Vectors.Len(), g)
	if err != nil {
		return graphops.Partition{}, err
	}
	weighed, err := s.weighed(a.graph)
	if err != nil {
		return graphops.Partition{}, err
	}
	return s.cluster(ctx, weighed)
}
