package rag_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/memory"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestRunShare: an index run has an eighth of the memory budget. While others hold it the
// run does nothing and is not refused; it goes on when they let it go.
func TestRunShare(t *testing.T) {
	t.Parallel()
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{MemoryBudget: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, b := ragtest.OpenIn(t, db), db.Memory()
	eighth, runs := b.Bytes()/8, 0
	var taken atomic.Bool
	st := &numbers{c: c, n: 1, digest: func(int) string { return fmt.Sprint("run ", runs) }}
	st.do = func(context.Context, int) error {
		if taken.Load() {
			t.Error("a run goes on while others hold the budget")
		}
		if has := b.Work(); has < eighth {
			t.Errorf("a run has %d bytes, want %d", has, eighth)
		}
		return nil
	}
	run := func(ctx context.Context) error {
		runs++
		_, err := runStage(t, c, method.Step{Stage: st}, ctx, rag.IndexOptions{})
		return err
	}
	if err := run(t.Context()); err != nil {
		t.Fatal(err)
	}
	others := new([32]int) // held by no share: one that is not patient would be refused
	memory.Hold(b, others, b.ForWork()-eighth/2)
	taken.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a run beside work that holds the budget: %v", err)
	}
	time.AfterFunc(100*time.Millisecond, func() {
		taken.Store(false)
		runtime.KeepAlive(others)
		others = nil
		runtime.GC()
	})
	if err := run(t.Context()); err != nil || len(st.applied) != 2 {
		t.Errorf("%d items were applied, %v", len(st.applied), err)
	}
	if has := b.Work(); has != 0 {
		t.Errorf("%d bytes are drawn after the runs", has)
	}
}
