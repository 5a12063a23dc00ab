package kv

import (
	"errors"
	"fmt"
)

// Errors of reading.
var (
	// ErrNotFound says that a key has no value.
	ErrNotFound = errors.New("not found")
	// ErrCorrupt marks data that cannot be what was written. Every error that
	// reports damage satisfies errors.Is(err, ErrCorrupt).
	ErrCorrupt = errors.New("corrupt data")
	// ErrIO says that the file system failed to read. The data may be sound:
	// the same read may succeed later.
	ErrIO = errors.New("reading failed")
)

// Errors of opening.
var (
	// ErrLocked says that the directory is open already, in this process or
	// another. The error is a [*LockedError].
	ErrLocked = errors.New("database is locked")
	// ErrIncompatible says that the directory was written with another key
	// order or another merge than the schema's.
	ErrIncompatible = errors.New("incompatible key order or merge")
	// ErrForeign says that the directory or table holds something that is not a
	// store of this kind. Nothing in it was touched.
	ErrForeign = errors.New("not a ragdb database")
)

// Errors of use.
var (
	// ErrClosed says that the store, snapshot or iterator was closed.
	ErrClosed = errors.New("store is closed")
	// ErrReadOnly says that the store was opened for reading, or that an
	// earlier write failed (a full disk, say) and the backend accepts no more.
	ErrReadOnly = errors.New("store is read-only")
	// ErrTooLarge says that a batch exceeds what the backend takes at once, or that a
	// key of it does.
	ErrTooLarge = errors.New("too large for the store")
	// ErrOrder says that the input of an ingest was not strictly ascending.
	ErrOrder = errors.New("keys are not ascending")
)

// Errors of stores that several processes share.
var (
	// ErrExpired says that the store no longer has the state that a snapshot shows. The
	// same read of a new snapshot succeeds.
	ErrExpired = errors.New("the snapshot has expired")
	// ErrLease says that another process has become the writer. The store reads and
	// writes nothing more until it is opened again.
	ErrLease = errors.New("another process has become the writer")
	// ErrGuard says that the key of a [Guard] has another value than was expected.
	ErrGuard = errors.New("the guarded key has another value")
	// ErrRefused says that a [Table] did nothing, and that the same call may succeed a
	// moment later, as after a failed serialization or a lost connection.
	ErrRefused = errors.New("refused for now")
	// ErrUncertain says that a [Table] does not know whether it made the changes, as
	// after a connection that broke during a commit.
	ErrUncertain = errors.New("the commit may have been made or not")
)

// LockedError is the error of a second open. PID is 0 if the system does
// not tell who holds the lock; it is the caller's own if the same process
// has the directory open. Holder names the process that writes to a store that
// several machines share, "" for a directory.
type LockedError struct {
	Path   string
	PID    int
	Holder string
}

// Error names the store and, if it is known, the process that holds it.
func (e *LockedError) Error() string {
	if e.Holder != "" {
		return fmt.Sprintf("%s is being written by %s", e.Path, e.Holder)
	}
	if e.PID > 0 {
		return fmt.Sprintf("%s is open in process %d", e.Path, e.PID)
	}
	return fmt.Sprintf("%s is open in another process", e.Path)
}

// Is reports whether target is [ErrLocked].
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// CorruptError marks damage: what was read and why it cannot be right. File
// is the backend's file if it names one; Key is the formatted key if the
// damage is in one value.
type CorruptError struct {
	File string
	Key  string
	Why  string
	Err  error
}

// Error says where the damage is and what is wrong.
func (e *CorruptError) Error() string {
	s := "corrupt data"
	if e.File != "" {
		s += " in file " + e.File
	}
	if e.Key != "" {
		s += " at key " + e.Key
	}
	if e.Why != "" {
		s += ": " + e.Why
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Is reports whether target is [ErrCorrupt].
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }
