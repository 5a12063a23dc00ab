package models

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/llm"
)

// Fatal reports whether an error ends the run rather than setting one item
// aside: the run's cancellation, but not a time limit of the item's own, what
// concerns the database, a budget that is reached, a model that cannot be had.
func Fatal(run context.Context, err error) bool {
	if run.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return true
	}
	for _, target := range []error{engine.ErrCorrupt, kv.ErrIO, engine.ErrClosed, engine.ErrReadOnly, engine.ErrConflict, cost.ErrBudget, llm.ErrProvider} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
