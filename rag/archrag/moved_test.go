package archrag_test

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
)

// TestMoved: of a level's nodes those count as moved that are in another community than
// when it was clustered as a whole: after one document more some of them, without news none.
func TestMoved(t *testing.T) {
	t.Parallel()
	c := open(t)
	threshold := 2.
	moved := func() (m float64) {
		c.View(t, small, func(v *engine.View) error {
			figures, err := c.System(t, small).Stats(t.Context(), v)
			for _, f := range figures {
				switch f.Name {
				case "level 1: moved":
					m = f.Value
				case "level 1: threshold":
					threshold = f.Value
				}
			}
			return err
		})
		return m
	}
	docs := ragtest.Docs(84, 16)
	c.Index(t, small, docs[:15]...)
	if m := moved(); m != 0 {
		t.Errorf("at first %g moved", m)
	}
	if threshold < -1 || threshold > 1 {
		t.Errorf("the least cosine of a new edge is %g", threshold)
	}
	c.Index(t, small, docs...)
	one := moved()
	if one <= 0 || one > .5 {
		t.Errorf("after one document of 16 %g moved", one)
	}
	c.Index(t, small)
	if m := moved(); m != one {
		t.Errorf("without news %g moved, %g before", m, one)
	}
}
