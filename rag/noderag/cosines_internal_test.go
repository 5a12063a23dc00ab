package noderag

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/noderag/schema"
)

// TestCosines: the pairs that the index links have the cosines of their own vectors,
// which point to 0, 10, 20 degrees and so on.
func TestCosines(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const n = 18
	space := spaceOf("m")
	degrees := map[engine.NodeID]float64{}
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		typ, err := v.MakeNodeType(schema.Unit)
		if err == nil {
			err = v.MakeSpace(space, s.space("m", 2))
		}
		for i := range n {
			var id engine.NodeID
			if err == nil {
				id, _, err = v.PutNode(typ, fmt.Sprint(i), nil)
			}
			degrees[id] = float64(10 * i)
			at := degrees[id] * math.Pi / 180
			if err == nil {
				err = v.PutVector(space, id, []float32{float32(math.Cos(at)), float32(math.Sin(at))})
			}
		}
		return err
	})
	if err == nil {
		err = c.DB().SettleSpace(t.Context(), s.g, space)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.View(t, Name, func(v *engine.View) error {
		vecs, err := v.Vectors(space)
		if err != nil {
			return err
		}
		pairs, err := cosines(t.Context(), vecs, keptVectors)
		if err != nil {
			return err
		}
		few, err := cosines(t.Context(), vecs, 4*2*5) // of five vectors
		if err != nil || !slices.Equal(few, pairs) {
			t.Errorf("with few vectors kept %v, %v, want %v", few, err, pairs)
		}
		firsts := map[engine.NodeID]bool{}
		for _, p := range pairs {
			firsts[p.a] = true
			if want := math.Cos((degrees[p.a] - degrees[p.b]) * math.Pi / 180); math.Abs(p.cosine-want) > 1e-6 {
				t.Errorf("the cosine of %g and %g degrees is %g, want %g", degrees[p.a], degrees[p.b], p.cosine, want)
			}
		}
		if len(pairs) < n-1 || len(firsts) < 2 {
			t.Errorf("%d pairs of %d nodes", len(pairs), n)
		}
		return nil
	})
}
