package rag

import (
	"errors"
	"fmt"
)

var (
	// ErrPartial says that some work items failed and the others are done. The
	// error is a [*PartialError].
	ErrPartial = errors.New("partly done")
)

// PartialError counts what failed in a run that otherwise succeeded.
type PartialError struct {
	Failed int // work items set aside
	Files  int // files that could not be read
}

// Error says how much failed.
func (e *PartialError) Error() string {
	items, files := fmt.Sprintf("%d items failed", e.Failed), fmt.Sprintf("%d files could not be read", e.Files)
	if e.Failed == 1 {
		items = "1 item failed"
	}
	if e.Files == 1 {
		files = "1 file could not be read"
	}
	switch {
	case e.Failed == 0:
		return files
	case e.Files == 0:
		return items
	}
	return items + " and " + files
}

// Is reports whether target is [ErrPartial].
func (e *PartialError) Is(target error) bool { return target == ErrPartial }
