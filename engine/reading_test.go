package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// TestReading says that nothing is written with a context of Reading, whatever is derived
// of it, and that others write on.
func TestReading(t *testing.T) {
	db, err := engine.Open(t.Context(), engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	g := graph(t, db, engine.Base)
	nothing := func(*engine.Tx) error { return nil }
	ctx, cancel := context.WithCancel(db.Reading(t.Context()))
	defer cancel()
	other := func(ctx context.Context) error {
		_, err := db.Namespace(ctx, "other")
		return err
	}
	writes := map[string]func(ctx context.Context) error{
		"Update":  func(ctx context.Context) error { return db.Update(ctx, nothing) },
		"Load":    func(ctx context.Context) error { return db.Load(ctx, g, func(*engine.Loader) error { return nil }) },
		"Drop":    func(ctx context.Context) error { return g.Namespace().Drop(ctx, "none") },
		"Compact": func(ctx context.Context) error { return db.Compact(ctx) },
		"Check": func(ctx context.Context) error {
			for _, err := range db.Check(ctx, engine.CheckOptions{Full: true, Repair: true}) {
				return err
			}
			return nil
		},
	}
	epoch := db.Epoch()
	for name, write := range writes {
		for _, ctx := range []context.Context{ctx, context.WithoutCancel(ctx)} {
			if err := write(ctx); !errors.Is(err, engine.ErrReadOnly) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if err := other(ctx); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("a namespace that is not there: %v", err)
	}
	if db.Epoch() != epoch || !db.ReadOnly(ctx) || db.ReadOnly(t.Context()) {
		t.Error("something was written")
	}
	for name, write := range writes {
		if err := write(t.Context()); errors.Is(err, engine.ErrReadOnly) {
			t.Errorf("%s of another caller: %v", name, err)
		}
	}
}
