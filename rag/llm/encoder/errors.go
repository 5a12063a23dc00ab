package encoder

import (
	"errors"
	"io/fs"
)

var (
	// ErrModel marks every error of a folder that is not a model which this
	// package can run: a file is missing, damaged or of another architecture.
	ErrModel = errors.New("not a usable model")
	// ErrTask is the error of a model that is asked for what it cannot do, such as a
	// cross-encoder for a vector, or an encoder for a score.
	ErrTask = errors.New("the model does not do that")
	// ErrClosed is the error of a model that has been closed.
	ErrClosed = errors.New("the model is closed")
)

// noWeightsError is the error of a folder that has all but the weights.
type noWeightsError struct{ name string }

// Error names the file.
func (e *noWeightsError) Error() string { return ErrModel.Error() + ": it has no " + e.name }

// Is reports whether target is [ErrModel] or [fs.ErrNotExist].
func (e *noWeightsError) Is(target error) bool { return target == ErrModel || target == fs.ErrNotExist }
