package noderag_test

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/noderag"
)

// TestAllVectors: each chunk, unit, attribute and element has a vector (T, S, A, H of the
// paper), and nothing else has.
func TestAllVectors(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Index(t, noderag.Name, ragtest.Docs(85, 10)...)
	want := 0
	for _, typ := range []string{"chunk", "unit", "attribute", "element"} {
		n := nodes(t, c, noderag.Name, typ)
		if n == 0 {
			t.Errorf("there is no %s", typ)
		}
		want += n
	}
	c.View(t, noderag.Name, func(v *engine.View) error {
		spaces := v.Spaces()
		if len(spaces) != 1 {
			t.Fatalf("the spaces are %v", spaces)
		}
		vecs, err := v.Vectors(spaces[0])
		if err == nil && vecs.Len() != want {
			t.Errorf("%d vectors of %d nodes", vecs.Len(), want)
		}
		return err
	})
}
