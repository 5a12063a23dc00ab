package rag_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestTwoCorpora indexes and removes documents of one namespace in several goroutines,
// each with a corpus of its own. All calls succeed, no work item fails, and what is left
// is what was not removed.
func TestTwoCorpora(t *testing.T) {
	t.Parallel()
	open := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(91, 24)
	const writers, rounds = 3, 2
	each := len(docs) / writers
	var all sync.WaitGroup
	var want []string
	for i := range writers {
		c := ragtest.OpenIn(t, open.DB())
		own := docs[each*i : each*(i+1)]
		for _, d := range own[each/2:] {
			want = append(want, d.Key)
		}
		all.Go(func() {
			for round := range rounds {
				sys, err := methods.All().Open(t.Context(), c.Docs(), method.Spec{Name: "ketrag"})
				if err != nil {
					t.Error(err)
					return
				}
				x := &rag.Indexer{Corpus: c, Methods: methods.All(), Systems: []*method.System{sys}}
				if _, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(own...), Root: "."}}); err != nil {
					t.Errorf("corpus %d, round %d, index: %v", i, round, err)
				}
				for _, d := range own[:each/2] {
					if _, err := c.Remove(t.Context(), methods.All(), d.Key, rag.RemoveOptions{}); err != nil {
						t.Errorf("corpus %d, round %d, remove %s: %v", i, round, d.Key, err)
					}
				}
			}
		})
	}
	all.Wait()
	open.Index(t, "ketrag")
	var have []string
	err := open.DB().View(t.Context(), func(s *engine.Snapshot) error {
		for d, err := range open.Documents(s.Graph(open.Base())) {
			if err != nil {
				return err
			}
			have = append(have, d.Key)
		}
		for _, g := range []*engine.Graph{open.Base(), open.System(t, "ketrag").Graph()} {
			for f, err := range open.Failures(s.Graph(g)) {
				t.Errorf("set aside: %+v, %v", f, err)
			}
		}
		return nil
	})
	slices.Sort(have)
	slices.Sort(want)
	if err != nil || !slices.Equal(have, want) {
		t.Errorf("the documents are %v, want %v: %v", have, want, err)
	}
	ragtest.Check(t, open.DB())
}
