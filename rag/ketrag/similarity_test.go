package ketrag_test

import (
	"math"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
)

// TestCosine: with similarity=cosine the vector of a keyword has the direction of the mean
// of its sentences, and length 1.
func TestCosine(t *testing.T) {
	t.Parallel()
	c := open(t)
	docs := ragtest.Docs(82, 6)
	read := func(spec string) map[string][]float32 {
		c.Index(t, spec, docs...)
		out := map[string][]float32{}
		c.View(t, spec, func(v *engine.View) error {
			typ, _ := v.NodeType("keyword")
			ids, err := v.Nodes(typ)
			if err != nil {
				return err
			}
			vecs, err := v.Vectors("keyword@hashes")
			if err != nil {
				return err
			}
			for it := ids.Iterator(); it.HasNext(); {
				id := it.Next()
				n, err := v.Node(engine.NodeID(id))
				if err != nil {
					return err
				}
				if out[n.Key], err = vecs.Vector(t.Context(), uint64(id), nil); err != nil {
					return err
				}
			}
			return nil
		})
		return out
	}
	means, units := read("ketrag"), read("ketrag:similarity=cosine")
	short := 0
	for key, mean := range means {
		length, unit := 0.0, units[key]
		for _, x := range mean {
			length += float64(x) * float64(x)
		}
		if length = math.Sqrt(length); length < .99 {
			short++
		}
		for i, x := range mean {
			if math.Abs(float64(x)/length-float64(unit[i])) > 1e-5 {
				t.Fatalf("%s: element %d is %v, want %v", key, i, unit[i], float64(x)/length)
			}
		}
	}
	if len(means) != len(units) || short == 0 {
		t.Errorf("%d and %d keywords, %d with a mean shorter than 1", len(means), len(units), short)
	}
}
