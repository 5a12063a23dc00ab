package archrag

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestLinks joins communities by the edges of their level's graph: 0 and 1 are in A, 2
// and 3 in B, 4 in C, and 5 in none. Edges 1-2 and 0-3 join A and B once, 3-4 B and C;
// 0-1 stays within A, and 4-5 leads nowhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	edges := []graphops.WeightedEdge{
		{From: 0, To: 1, Weight: 1}, {From: 0, To: 3, Weight: .5}, {From: 1, To: 2, Weight: 1}, {From: 3, To: 4, Weight: .2}, {From: 4, To: 5, Weight: 1},
	}
	p, err := graphops.FromEdges(6, edges, graphops.EdgeOptions{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	g := &grown{graph: p, names: []string{"1/A", "1/B", "1/C"}, part: graphops.Partition{Of: []uint32{0, 0, 1, 1, 2, graphops.None}, Count: 3}}
	above := &level{n: 2}
	for _, key := range []string{"1/A", "1/B", "1/C", "1/D"} {
		above.keys, above.hashes = append(above.keys, key), append(above.hashes, hashOf(key))
	}
	above.join(linksOf(g))
	want := []graphops.WeightedEdge{{From: 0, To: 1, Weight: 1}, {From: 1, To: 2, Weight: 1}}
	if !slices.Equal(above.edges, want) {
		t.Errorf("%v, want %v", above.edges, want)
	}
	above.edges = nil
	above.join([][2]uint64{{hashOf("1/A"), hashOf("1/gone")}})
	if len(above.edges) > 0 {
		t.Errorf("a community that is gone is joined: %v", above.edges)
	}
}

// TestNextAugmented says that the graph of level 2 has all edges that relations make, and
// those of added edges, after documents came and went, too.
func TestNextAugmented(t *testing.T) {
	t.Parallel()
	const spec = "archrag:cap=6,min_clusters=2,glean=0,next=augmented,percentile=0.05,scale=3"
	c := ragtest.Open(t, method.Methods{Name: Open})
	c.Use(ragtest.Fixed)
	docs := ragtest.Docs(93, 12)
	for _, step := range []func(){
		func() { c.Index(t, spec, docs[:9]...) },
		func() { c.Index(t, spec, docs[9:]...) },
		func() { c.Remove(t, docs[4].Key); c.Index(t, spec) },
	} {
		step()
		s := &system{p: Params{Next: "augmented"}, c: c.Docs()}
		c.View(t, spec, func(v *engine.View) error {
			augmented, err := s.readLevel(t.Context(), v, 2)
			if err != nil {
				return err
			}
			s.p.Next = "relations"
			related, err := s.readLevel(t.Context(), v, 2)
			if err != nil {
				return err
			}
			missing := 0
			for _, e := range related.edges {
				if !hasEdge(augmented.edges, e) {
					missing++
				}
			}
			if missing > 0 || len(related.edges) == 0 || len(augmented.edges) <= len(related.edges) {
				t.Errorf("%d edges with added ones, %d by relations, %d of those missing", len(augmented.edges), len(related.edges), missing)
			}
			return nil
		})
	}
}
