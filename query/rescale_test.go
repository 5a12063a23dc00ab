package query_test

import (
	"slices"
	"testing"

	"github.com/ragdb/ragdb/query"
)

func TestRescale(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 5)
	for _, c := range []struct {
		in   []float64
		to   float64
		want []float64
	}{
		{nil, 0, nil},
		{[]float64{7}, 0, []float64{1}},
		{[]float64{-2, -2}, 0, []float64{1, 1}},
		{[]float64{3, -1, 1, 3}, 0, []float64{1, 0, 0.5, 1}},
		{[]float64{3, -1, 1, 3}, 4, []float64{4, 0, 2, 4}},
		{[]float64{5, 5}, 0.25, []float64{0.25, 0.25}},
	} {
		in := &input{}
		for i, score := range c.in {
			in.items = append(in.items, w.item(w.nodes[i], score))
		}
		got := run(t, w.env(), &query.Rescale{In: in, To: c.to})
		var scores []float64
		for i, it := range got.Items {
			if it.ID != in.items[i].ID {
				t.Errorf("%v: the order changed", c.in)
			}
			scores = append(scores, it.Score)
		}
		if !slices.Equal(scores, c.want) {
			t.Errorf("%v became %v, want %v", c.in, scores, c.want)
		}
	}
}
