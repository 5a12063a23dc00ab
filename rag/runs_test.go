package rag_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestRunsAreBounded: of the records of runs the last 1,000 are kept.
func TestRunsAreBounded(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Use(ragtest.Fixed)
	for i := range 1005 { // as many earlier runs, each in a commit of its own
		err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			b, err := tx.Graph(c.Base()).MakeBucket("runs")
			if err != nil {
				return err
			}
			v, err := json.Marshal(ledger.Run{Outcome: fmt.Sprint("run ", i), Methods: []string{}, Spent: []cost.Spent{}})
			if err != nil {
				return err
			}
			return b.Set(binary.BigEndian.AppendUint64(nil, tx.Epoch()), v)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	c.Index(t, "naive", ragtest.Docs(94, 2)...)
	var kept []string
	err := c.DB().View(t.Context(), func(s *engine.Snapshot) error {
		for r, err := range c.Ledger().Runs(s.Graph(c.Base())) {
			if err != nil {
				return err
			}
			kept = append(kept, r.Outcome)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) != 1000 || kept[0] != "run 6" || kept[999] != "done" {
		t.Errorf("%d records are kept, the first of %q, the last of %q", len(kept), kept[:1], kept[len(kept)-1:])
	}
}

// TestRunsInTurn: a second run on a corpus waits for the first, or for the end of its
// context.
func TestRunsInTurn(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	docs := ragtest.Docs(95, 6)
	indexer := func(notify func(rag.Event)) *rag.Indexer {
		return &rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, "naive"), c.System(t, "ketrag")}, Options: rag.IndexOptions{Notify: notify}}
	}
	input := func(docs ...ragtest.Doc) []rag.Input { return []rag.Input{{FS: ragtest.Files(docs...), Root: "."}} }
	type end struct {
		r   *rag.IndexResult
		err error
	}
	begun, goOn := make(chan struct{}), make(chan struct{})
	first, second := make(chan end, 1), make(chan end, 1)
	var mu sync.Mutex
	var turns []int // which of the runs did something, in order
	works := func(run int) {
		mu.Lock()
		defer mu.Unlock()
		turns = append(turns, run)
	}
	held := false
	go func() {
		r, err := indexer(func(rag.Event) {
			if !held {
				held = true
				close(begun)
				<-goOn
			}
			works(1)
		}).Run(t.Context(), input(docs[:3]...))
		first <- end{r, err}
	}()
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := indexer(nil).Run(ctx, input(docs[3:]...)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a run beside another, with a time limit: %v", err)
	}
	if _, err := indexer(nil).Sync(ctx, input(docs[3:]...)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a sync beside a run, with a time limit: %v", err)
	}
	go func() {
		r, err := indexer(func(rag.Event) { works(2) }).Run(t.Context(), input(docs[3:]...))
		second <- end{r, err}
	}()
	time.Sleep(20 * time.Millisecond) // for the second to come as far as it may
	close(goOn)
	if e := <-second; e.err != nil || e.r.Added != 3 || e.r.Documents != 6 {
		t.Errorf("the second run: %+v, %v", e.r, e.err)
	}
	if e := <-first; e.err != nil || e.r.Added != 3 || e.r.Documents != 3 {
		t.Errorf("the first run: %+v, %v", e.r, e.err)
	}
	if !slices.IsSorted(turns) || turns[len(turns)-1] != 2 {
		t.Errorf("the runs did not come one after the other: %v", turns)
	}
	ragtest.Check(t, c.DB())
}
