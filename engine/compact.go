package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/kv"
)

// Compact rewrites all tables of the database, so that what was removed takes no
// room and is in none of them any more, other than in those of snapshots and
// backups. Logs and lists of files from before stay until the database is opened
// for writing the next time: then nothing removed is in any file. It takes a
// while, and the room of the database again meanwhile; work goes on beside it. A
// storage engine without files has nothing to do.
func (db *DB) Compact(ctx context.Context) error {
	if err := db.enter(); err != nil {
		return err
	}
	defer db.leave()
	if db.readOnly {
		return fmt.Errorf("engine: compact: %w", ErrReadOnly)
	}
	m, ok := db.store.(kv.Maintainer)
	if !ok {
		return nil
	}
	if err := errors.Join(m.Flush(ctx), m.Compact(ctx, nil, nil)); err != nil {
		return fmt.Errorf("engine: compact: %w", err)
	}
	return nil
}
