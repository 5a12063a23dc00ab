package vecindex_test

import (
	"fmt"
	"math"

	"github.com/ragdb/ragdb/vecindex"
)

// verdict is how a search compares with the model.
type verdict struct{ found, wanted int }

// judge compares hits with the model: as many as there are to find, each once,
// alive, allowed, of the right layer, in order, and scored within a part of
// the exact score's size. It counts those that are as near as they should be.
func judge(metric vecindex.Metric, part float64, want state, q vecindex.Search, got []vecindex.Hit) (v verdict, err error) {
	exact := want.search(metric, q)
	if len(got) != len(exact) {
		return v, fmt.Errorf("%d hits of %d", len(got), len(exact))
	}
	query := storedForm(metric, q.Vector)
	seen := map[uint64]bool{}
	for i, h := range got {
		e, ok := want[h.ID]
		switch {
		case !ok:
			return v, fmt.Errorf("found %d, which is not there", h.ID)
		case e.layer != h.Layer:
			return v, fmt.Errorf("node %d in layer %d, not %d", h.ID, h.Layer, e.layer)
		case q.Allow != nil && (h.ID >= 1<<32 || !q.Allow.Contains(uint32(h.ID))):
			return v, fmt.Errorf("found %d, which is not allowed", h.ID)
		case seen[h.ID]:
			return v, fmt.Errorf("found %d twice", h.ID)
		case q.Layers != nil && h.Layer != exact[i].Layer:
			return v, fmt.Errorf("hit %d is of layer %d, not %d", i, h.Layer, exact[i].Layer)
		}
		seen[h.ID] = true
		if i > 0 && (q.Layers == nil || got[i-1].Layer == h.Layer) &&
			(got[i-1].Score < h.Score || got[i-1].Score == h.Score && got[i-1].ID > h.ID) {
			return v, fmt.Errorf("hit %v after %v", h, got[i-1])
		}
		score, size := modelScore(metric, query, e.vector), scoreSize(metric, query, e.vector)
		if d := math.Abs(float64(h.Score - score)); d > part*size {
			return v, fmt.Errorf("node %d has the score %g, exact %g, off by %.5f of %g", h.ID, h.Score, score, d/size, size)
		}
		last := i
		for last+1 < len(exact) && (q.Layers == nil || exact[last+1].Layer == h.Layer) {
			last++
		}
		v.wanted++
		if float64(score) >= float64(exact[last].Score)-1e-6*size {
			v.found++
		}
	}
	return v, nil
}

// scoreSize is what the errors of a score are measured by: it does not cancel
// where the vectors are across or close.
func scoreSize(metric vecindex.Metric, q, x []float32) float64 {
	a, b := norm(q), norm(x)
	if metric == vecindex.L2 {
		return a*a + b*b
	}
	return a * b
}

func norm(x []float32) float64 {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}
