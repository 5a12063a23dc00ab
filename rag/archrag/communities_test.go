package archrag_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/archrag"
	"github.com/ragdb/ragdb/rag/method"
)

// twoRings are two rings of 6 nodes, those of one alike but for their last
// element, with one edge between them. Near finds nothing.
func twoRings() archrag.Attributed {
	var g archrag.Attributed
	g.Vectors.Dim = 3
	for u := range uint32(12) {
		ring := u / 6 * 6
		g.Edges = append(g.Edges, graphops.WeightedEdge{From: u, To: ring + (u+1-ring)%6, Weight: 1})
		x := []float32{1, 0, float32(u) / 100}
		if ring > 0 {
			x[0], x[1] = 0, 1
		}
		g.Vectors.Data = append(g.Vectors.Data, x...)
	}
	g.Edges = append(g.Edges, graphops.WeightedEdge{From: 0, To: 6, Weight: 1})
	g.Near = func(context.Context, int) ([]graphops.WeightedEdge, error) { return nil, nil }
	return g
}

// TestCommunities says that rings of like nodes are communities, whatever the
// clustering, and that none has as many members as the cap.
func TestCommunities(t *testing.T) {
	t.Parallel()
	rings := []uint32{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}
	for _, cluster := range []string{"leiden", "spectral", "node2vec"} {
		for _, augment := range []string{"knn", "codicil"} {
			params := map[string]string{"cluster": cluster, "augment": augment, "cap": "7"}
			if cluster != "leiden" {
				params["cap"] = "6" // the number of clusters is that of the nodes divided by it
			}
			part, err := archrag.Communities(t.Context(), twoRings(), params)
			if err != nil {
				t.Fatal(err)
			}
			if cluster == "leiden" {
				if !slices.Equal(part.Of, rings) {
					t.Errorf("%s, %s: %v", cluster, augment, part.Of)
				}
			}
			for u := range 12 {
				if part.Of[u] == part.Of[(u+6)%12] {
					t.Errorf("%s, %s: node %d is with one of the other ring: %v", cluster, augment, u, part.Of)
				}
			}
			for c, size := range part.Sizes() {
				if size > 6 {
					t.Errorf("%s, %s: community %d has %d members", cluster, augment, c, size)
				}
			}
		}
	}
	_, err := archrag.Communities(t.Context(), twoRings(), map[string]string{"cluster": "none"})
	if !errors.Is(err, method.ErrMethod) {
		t.Errorf("an unknown clustering: %v", err)
	}
}

// TestCommunitiesNear says how many neighbours are asked for, and that none are
// where no edges are added.
func TestCommunitiesNear(t *testing.T) {
	t.Parallel()
	for augment, want := range map[string]int{"knn": 4, "codicil": 4, "off": 0} {
		g := twoRings()
		asked := 0
		g.Near = func(_ context.Context, k int) ([]graphops.WeightedEdge, error) {
			asked = k
			return nil, nil
		}
		if _, err := archrag.Communities(t.Context(), g, map[string]string{"augment": augment}); err != nil {
			t.Fatal(err)
		}
		if asked != want { // 26 ends of edges at 12 nodes are 2 each; 1.5 times as many and one
			t.Errorf("%s: %d neighbours were asked for, want %d", augment, asked, want)
		}
	}
}
