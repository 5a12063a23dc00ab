package noderag_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// TestF16 says that vectors=f16 makes an instance of its own whose vectors take
// half of the room, and which answers from the same evidence.
func TestF16(t *testing.T) {
	t.Parallel()
	c := open(t)
	docs := ragtest.Docs(3, 30)
	want := map[string]vecindex.Element{"noderag": vecindex.F32, "noderag:vectors=f16": vecindex.F16}
	for spec := range want {
		c.Index(t, spec, docs...)
	}
	for spec, element := range want {
		c.View(t, spec, func(v *engine.View) error {
			spaces := v.Spaces()
			if len(spaces) != 1 {
				t.Fatalf("%s has the spaces %v", spec, spaces)
			}
			o, err := v.SpaceInfo(spaces[0])
			if o.Element != element || o.Kind != vecindex.HNSW {
				t.Errorf("%s stores vectors as %s in %s", spec, o.Element, o.Kind)
			}
			return err
		})
	}
	keys := func(spec, question string) (out []string) {
		for _, it := range c.Evidence(t, spec, method.Question{Text: question}).Items() {
			out = append(out, it.Kind+" "+it.Keys[0])
		}
		slices.Sort(out)
		return out
	}
	same, all := 0, 0
	for _, d := range docs {
		q := fmt.Sprintf("What did %s do in %s?", d.Hero, d.Place)
		a, b := keys("noderag", q), keys("noderag:vectors=f16", q)
		for _, key := range a {
			if all++; slices.Contains(b, key) {
				same++
			}
		}
	}
	if all == 0 || same < all*97/100 {
		t.Errorf("%d of %d pieces of evidence are the same", same, all)
	}
	ragtest.Check(t, c.DB())
}
