package methods_test

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestWhole: of each method the stages that look at a whole graph say what they cost, when
// they run and afterwards, and a run without news runs none of them.
func TestWhole(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string][]string{
		"ketrag":    {"near", "core"},
		"noderag":   {"importance", "communities", "elements", "match", "near"},
		"hirag":     {"layer 0", "communities"},
		"archrag":   {"level 1"},
		"raptor":    {"clusters 0"},
		"erarag":    nil,
		"linearrag": nil,
	} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			c := ragtest.Open(t, methods.All(), methods.Encodings()...)
			said := map[string]bool{}
			for _, s := range c.Index(t, spec, ragtest.Docs(97, 20)...).Stages {
				if s.Whole != nil {
					said[s.Stage] = s.Whole.Nodes > 0 && s.Whole.CPUSeconds >= 0
				}
			}
			check := func() {
				t.Helper()
				kept := 0
				m, err := c.IndexedModels(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				steps := c.System(t, spec).Stages(m)
				c.View(t, spec, func(v *engine.View) error {
					for _, st := range steps {
						w, err := st.LastWhole(v)
						if err != nil {
							return err
						}
						if (w != nil) != said[st.Name()] {
							t.Errorf("%s is kept as %+v", st.Name(), w)
						}
						if w != nil {
							kept++
						}
					}
					return nil
				})
				for _, name := range want {
					if !said[name] {
						t.Errorf("%s does not say what it cost", name)
					}
				}
				if kept < len(want) || want == nil && kept > 0 {
					t.Errorf("%d stages looked at the whole graph, want %v", kept, want)
				}
			}
			check()
			if r := c.Index(t, spec); len(r.Stages) > 0 {
				t.Errorf("a run without news ran %+v", r.Stages)
			}
			check()
			ragtest.Check(t, c.DB())
		})
	}
}
