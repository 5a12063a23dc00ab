package engine

import "context"

// readingKey is the key of the mark of [DB.Reading].
type readingKey struct{}

// Reading returns a context of ctx with which nothing is written: calls that would
// write return [ErrReadOnly], as they do on a database that was opened for reading. It is
// for a caller who may only read what others write through the same DB.
func (db *DB) Reading(ctx context.Context) context.Context {
	if ctx == nil {
		return nil
	}
	return context.WithValue(ctx, readingKey{}, true)
}

// ReadOnly reports whether calls with ctx write nothing: the database was opened for
// reading, or ctx is of [DB.Reading].
func (db *DB) ReadOnly(ctx context.Context) bool {
	return db.readOnly || ctx != nil && ctx.Value(readingKey{}) != nil
}
