package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// TestSweepLooksAgain removes keys of lists that were empty when a sweep met them: one that
// a writer has filled since stays.
func TestSweepLooksAgain(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	full, empty := layout.Promoted(1, layout.Out, 2, 0), layout.Promoted(1, layout.Out, 2, 1)
	b := db.store.NewBatch()
	b.Set(full, layout.AppendSet(nil, []uint64{7}, nil))
	b.Set(empty, layout.AppendSet(nil, nil, nil))
	if err := db.commit(ctx, b, kv.Sync); err != nil {
		t.Fatal(err)
	}
	if err := db.deleteEmpty(ctx, [][]byte{full, empty}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.store.Get(ctx, full, nil); err != nil {
		t.Errorf("the list that was filled: %v", err)
	}
	if _, err := db.store.Get(ctx, empty, nil); !errors.Is(err, ErrNotFound) {
		t.Errorf("the empty list: %v", err)
	}
}
