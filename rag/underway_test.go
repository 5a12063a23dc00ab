package rag_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// An error that ends a run does not cancel the items that other workers have begun:
// their replies may be paid by then. No further item is begun.
func TestUnderWayIsFinished(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All())
	c.Learn(false)
	begun, failed := make(chan struct{}), make(chan struct{})
	finished, further := make(chan error, 1), make(chan int, 100)
	st := &numbers{c: c.Corpus, n: 100, digest: func(int) string { return "" }, do: func(ctx context.Context, i int) error {
		switch i {
		case 0:
			<-begun
			defer close(failed)
			return fmt.Errorf("the model is gone: %w", llm.ErrProvider)
		case 1:
			close(begun)
			<-failed
			select { // long enough for the run to have ended
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
			finished <- ctx.Err()
			return nil
		}
		further <- i
		return nil
	}}
	_, err := runStage(t, c.Corpus, method.Step{Stage: st}, t.Context(), rag.IndexOptions{Workers: 2})
	if !errors.Is(err, llm.ErrProvider) {
		t.Fatal(err)
	}
	if err := <-finished; err != nil {
		t.Errorf("an item under way was cancelled: %v", err)
	}
	if len(further) > 0 {
		t.Errorf("%d items were begun after the error", len(further))
	}
}
