package engine

import (
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/internal/memory"
	"github.com/ragdb/ragdb/kv"
)

// ErrFormat says that a directory was written by a ragdb of another format. The
// error is a [*FormatError].
var ErrFormat = errors.New("another format")

// Errors of use.
var (
	// ErrClosed says that the database was closed, or that a transaction or a
	// loader was used after its function returned.
	ErrClosed = kv.ErrClosed
	// ErrReadOnly says that the database takes no writes.
	ErrReadOnly = kv.ErrReadOnly
	// ErrNotFound says that a node, edge, name or key is not there.
	ErrNotFound = kv.ErrNotFound
	// ErrExists says that a name is taken, or is taken by something else.
	ErrExists = errors.New("exists already")
	// ErrInvalid says that an argument cannot be stored: it is malformed, or
	// the graph has used up its node ids.
	ErrInvalid = errors.New("invalid")
	// ErrTxTooLarge says that a transaction outgrew Options.MaxTxBytes, or has what the
	// store does not take, such as a key that is too long for a server.
	ErrTxTooLarge = errors.New("transaction is too large")
	// ErrConflict says that what a transaction was prepared for has changed.
	// The error is a [*ConflictError].
	ErrConflict = errors.New("conflict")
	// ErrMemory says that one operation alone would need more memory than
	// Options.MemoryBudget.
	ErrMemory = memory.ErrOver
	// ErrBusy says that others hold the memory that an operation needs, which waited
	// for them.
	ErrBusy = memory.ErrBusy
)

// ErrCorrupt marks data that cannot be what was written.
var ErrCorrupt = kv.ErrCorrupt

// FormatError is the error of opening a database of another format.
type FormatError struct {
	Path     string
	Have     uint32 // what the database was written with
	Want     uint32 // what this ragdb writes
	MinReads uint32 // oldest format number whose readers can read it
}

// Error says which format was met and what to do.
func (e *FormatError) Error() string {
	if e.Have > e.Want {
		return fmt.Sprintf("%s was written by a newer ragdb (format %d, this one reads %d): use that version, or export there and import here",
			e.Path, e.Have, e.Want)
	}
	return fmt.Sprintf("%s has the older format %d (this ragdb writes %d): export it with the version that wrote it and import it here",
		e.Path, e.Have, e.Want)
}

// Is reports whether target is [ErrFormat].
func (e *FormatError) Is(target error) bool { return target == ErrFormat }

// ConflictError says that a node, or if Node is 0 the graph, is not at the
// version that a transaction expected. Preparing the transaction again from a
// new snapshot and retrying is the remedy.
type ConflictError struct {
	Graph string
	Node  NodeID
	Want  uint64
	Have  uint64
}

// Error names what changed.
func (e *ConflictError) Error() string {
	if e.Node == 0 {
		return fmt.Sprintf("graph %s is at version %d, expected %d", e.Graph, e.Have, e.Want)
	}
	return fmt.Sprintf("node %d of graph %s was changed by commit %d, expected %d", e.Node, e.Graph, e.Have, e.Want)
}

// Is reports whether target is [ErrConflict].
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// errTxDone is the error of a transaction or loader that is used after its
// function returned.
var errTxDone = phase.Mark(ErrClosed, "transaction is over")

// corrupt marks the value of key as damaged.
func corrupt(key []byte, why error) error {
	return &kv.CorruptError{Key: layout.Format(key), Err: why}
}
