package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/models"
)

// Attempt calls fn with a transaction, as [engine.DB.Update] does. spoilt says
// that what fn wrote is to blame for the error: fn failed or panicked, or wrote
// more than a transaction holds. Then the caller sets it aside and goes on. All
// other errors concern the run or the storage.
func Attempt(ctx context.Context, db *engine.DB, fn func(tx *engine.Tx) error) (spoilt bool, err error) {
	began, committing := false, false
	err = db.Update(ctx, func(tx *engine.Tx) (err error) {
		began = true
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		err = fn(tx)
		committing = err == nil
		return err
	})
	spoilt = err != nil && began && !models.Fatal(ctx, err) && (!committing || errors.Is(err, engine.ErrTxTooLarge))
	return spoilt, err
}
