package encoder

import "errors"

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
