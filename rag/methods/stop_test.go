package methods_test

import (
	"context"
	"iter"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// stopped is a stage whose items are listed in part, and by a caller who gave up,
// before they are listed as a whole.
type stopped struct {
	method.Stage
	t *testing.T
}

func (st stopped) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	for most := 1; most <= 2; most++ {
		n := 0
		for range st.Stage.Items(ctx, s) { // panics if it goes on after that
			if n++; n == most {
				break
			}
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	failed := false
	for w, err := range st.Stage.Items(gone, s) {
		if failed {
			st.t.Errorf("stage %s goes on after an error: %q, %v", st.Name(), w.Key, err)
		}
		failed = err != nil
	}
	return st.Stage.Items(ctx, s)
}

// TestItemsStop has the items of every stage of every method listed by callers that stop
// after one or two. What is indexed then is the same as if they had not asked.
func TestItemsStop(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(75, 4)
	for _, name := range methods.All().Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var exports []string
			for _, stop := range []bool{false, true} {
				c := ragtest.Open(t, methods.All(), methods.Encodings()...)
				c.Use(ragtest.Fixed)
				sys := c.System(t, name)
				if build := sys.Build; stop && build != nil {
					sys.Build = func(m *rag.Models) []method.Step {
						steps := build(m)
						for i := range steps {
							steps[i].Stage = stopped{steps[i].Stage, t}
						}
						return steps
					}
				}
				x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{sys}}
				for _, n := range []int{2, len(docs)} {
					if _, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(docs[:n]...), Root: "."}}); err != nil {
						t.Fatal(err)
					}
				}
				exports = append(exports, c.Canonical(t))
			}
			ragtest.Same(t, "after lists that were stopped", exports[1], exports[0])
		})
	}
}
