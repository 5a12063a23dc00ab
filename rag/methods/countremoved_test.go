package methods_test

import (
	"errors"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/link"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestCountRemoved counts the work of each method's stages, as status does, after
// documents have left and names were merged, before the run that follows it: what was
// planned names nodes that are gone.
func TestCountRemoved(t *testing.T) {
	t.Parallel()
	for _, name := range methods.All().Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := ragtest.Open(t, methods.All(), methods.Encodings()...)
			docs := ragtest.Docs(17, 9)
			c.Index(t, name, docs...)
			count := func(when string, nothing bool) {
				t.Helper()
				m, err := c.OpenLocal(t.Context(), true, rag.Parts{})
				if err != nil {
					t.Fatal(err)
				}
				err = c.DB().View(t.Context(), func(s *engine.Snapshot) error {
					for _, st := range c.System(t, name).Stages(m) {
						if n, err := st.Count(t.Context(), s); err != nil || nothing && n.Pending > 0 {
							t.Errorf("%s: %s: %+v, %v", when, st.Name(), n, err)
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			count("at rest", true)
			for _, d := range docs[3:6] {
				c.Remove(t, d.Key)
				count("after a removal", false)
			}
			c.Index(t, name)
			_, err := c.Merge(t.Context(), methods.All(), []link.Alias{{Name: "Karrow", Into: "Tarn"}})
			if err != nil && !errors.Is(err, engine.ErrNotFound) {
				t.Fatal(err)
			}
			count("after a merge", false)
		})
	}
}
