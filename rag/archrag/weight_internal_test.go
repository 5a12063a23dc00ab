package archrag

import (
	"reflect"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// TestWeighed: weight=cos clusters by the cosines, weight=distance by 1 less the
// cosine, which is not below 0; a graph without weights stays as it is.
func TestWeighed(t *testing.T) {
	edges := []graphops.WeightedEdge{{From: 0, To: 1, Weight: .25}, {From: 0, To: 2, Weight: .75}, {From: 1, To: 2, Weight: 1.5}, {From: 2, To: 3, Weight: .5}}
	for _, x := range []struct {
		weight   string
		weighted bool
		want     []float32
	}{
		{"cos", true, []float32{.25, .75, 1.5, .5}},
		{"distance", true, []float32{.75, .25, 0, .5}},
		{"cos", false, []float32{1, 1, 1, 1}},
		{"distance", false, []float32{1, 1, 1, 1}},
	} {
		p, err := graphops.FromEdges(4, edges, graphops.EdgeOptions{Weighted: x.weighted})
		if err == nil {
			p, err = (&system{p: Params{Weight: x.weight}}).weighed(p)
		}
		if err != nil {
			t.Fatal(err)
		}
		var want []graphops.WeightedEdge
		for i, e := range edges {
			e.Weight = x.want[i]
			want = append(want, e)
		}
		if got := edgesOf(p); !reflect.DeepEqual(got, want) {
			t.Errorf("%s, weighted %v: %v, want %v", x.weight, x.weighted, got, want)
		}
	}
}
