package hirag

import (
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// TestParts: a component that a prompt holds is not divided; one of a token more has two
// parts, each of which fits; one that vectors cannot divide is left.
func TestParts(t *testing.T) {
	t.Parallel()
	m := blobs(10, []float32{0, 0}, []float32{9, 0})
	alike := graphops.Matrix{Dim: 2, Data: make([]float32, 40)}
	for _, x := range []struct {
		name string
		m    graphops.Matrix
		each int // tokens of a node; the first has one more with over
		over int
		want int // parts, 0 if it is whole
	}{
		{"fits", m, clusterTokens / 20, 0, 0},
		{"one token more", m, clusterTokens / 20, 1, 2},
		{"twice as much", m, clusterTokens / 10, 0, 3}, // one more than the prompts that it fills
		{"all alike", alike, clusterTokens, 0, 1},
	} {
		got, err := parts(t.Context(), x.m, upTo(20), func(i int) (int, error) {
			if i == 0 {
				return x.each + x.over, nil
			}
			return x.each, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got)/2 != x.want || len(got)%2 > 0 {
			t.Errorf("%s: %d parts, want %d", x.name, len(got)/2, x.want)
		}
	}
}
