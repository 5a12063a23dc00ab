package archrag_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/archrag"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// openCounted opens a corpus in a store that counts reads.
func openCounted(t *testing.T) (*ragtest.Corpus, *kvtest.Counter) {
	t.Helper()
	store := kvtest.NewCounter(memkv.New(layout.Schema()))
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{
		OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) { return store, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	c := &ragtest.Corpus{Corpus: ragtest.OpenIn(t, db), Store: store, Methods: method.Methods{archrag.Name: archrag.Open}}
	c.Use(ragtest.Fixed)
	return c, store
}

// runSteps runs the steps of the method, and stops after some of them if most is not
// negative. It returns how many items were done.
func runSteps(t *testing.T, c *ragtest.Corpus, sys *method.System, most int) int {
	t.Helper()
	m := c.OpenModels(t)
	r := &queue.Runner{DB: c.DB(), Models: m, Workers: 2, Notify: func(rag.Event) {}}
	all := 0
	for i, st := range sys.Stages(m) {
		if i == most {
			break
		}
		done, failed, err := r.Run(t.Context(), st)
		if err != nil || failed > 0 {
			t.Fatalf("%s: %d failed, %v", st.Name(), failed, err)
		}
		all += done
	}
	return all
}

// TestNoNewsReads counts what a run without news reads: the same few values at 7 and at
// 21 documents, where looking through all takes hundreds for each document. What
// was counted by the run before is still told, and a run that finds the communities
// again is not held up.
func TestNoNewsReads(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(91, 21))
	c, store := openCounted(t)
	var idle []int
	for _, n := range []int{7, 21} {
		store.Take()
		c.Index(t, small, docs[:n]...)
		sys := c.System(t, small)
		if busy := store.Take().Keys; busy < 1000*n {
			t.Errorf("%d documents: the index was made with %d reads", n, busy)
		}
		for range 2 { // the first looks at what the later stages have changed
			store.Take()
			if done := runSteps(t, c, sys, -1); done != 0 {
				t.Errorf("%d documents: %d items were done without news", n, done)
			}
		}
		idle = append(idle, store.Take().Keys)
		m := c.OpenModels(t)
		entities := len(readHierarchy(t, c, small).entities)
		err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
			for _, st := range sys.Stages(m) {
				count, err := st.Count(t.Context(), s)
				if err != nil || count.Pending > 0 && st.Name() != "settle" || count.Failed > 0 {
					t.Errorf("%s: %+v, %v", st.Name(), count, err)
				}
				if st.Name() == "embed entity" && count.Done != entities {
					t.Errorf("%d entities are embedded, %d are told of", entities, count.Done)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if idle[0] != idle[1] || idle[1] > 300 {
		t.Errorf("a run without news reads %v values", idle)
	}
	if done := runSteps(t, c, c.System(t, small).Recluster(), -1); done == 0 {
		t.Error("the communities were not found again")
	}
	if done := runSteps(t, c, c.System(t, small), -1); done != 0 {
		t.Errorf("after that %d items were left", done)
	}
}

// TestSettledResume: whatever comes between runs, and wherever a run ends, the next
// whole run leaves what an index made without interruption has, and says that nothing
// is left.
func TestSettledResume(t *testing.T) {
	t.Parallel()
	docs := sorted(ragtest.Docs(92, 14))
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 92))
		broken, whole := open(t), open(t)
		live := map[string]ragtest.Doc{}
		for _, d := range docs[:8] {
			live[d.Key] = d
		}
		broken.Index(t, small, docs[:8]...)
		whole.Index(t, small, docs[:8]...)
		for range 3 {
			switch d := docs[r.IntN(len(docs))]; {
			case live[d.Key].Key == "":
				read(t, broken, d)
				live[d.Key] = d
				whole.Index(t, small, d)
			case len(live) > 5:
				broken.Remove(t, d.Key)
				delete(live, d.Key)
				whole.Remove(t, d.Key)
				whole.Index(t, small)
			}
			// Runs that end after some of the steps, as one that is killed there.
			for range r.IntN(3) {
				runSteps(t, broken, broken.System(t, small), r.IntN(18))
			}
			broken.Index(t, small)
			ragtest.Same(t, "interrupted", broken.Canonical(t), whole.Canonical(t))
			if done := runSteps(t, broken, broken.System(t, small), -1); done != 0 {
				t.Errorf("seed %d: %d items are left", seed, done)
			}
		}
		ragtest.Check(t, broken.DB())
	}
}

// read brings a document in, and ends before any of the method's steps.
func read(t *testing.T, c *ragtest.Corpus, d ragtest.Doc) {
	t.Helper()
	halt := errors.New("halt")
	c.Use(func(context.Context, *rag.Corpus) (*rag.Models, error) { return nil, halt })
	defer c.Use(ragtest.Fixed)
	x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, small)}}
	if _, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(d), Root: "."}}); !errors.Is(err, halt) {
		t.Fatal(err)
	}
}
