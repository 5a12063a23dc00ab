package local

import "errors"

var (
	// ErrTable says that stored bytes are not those of a word table, or not
	// all of them, or of another build's analyzer or hash.
	ErrTable = errors.New("malformed word table")
	// ErrRow says that stored bytes are not those of a live row.
	ErrRow = errors.New("malformed live row")
	// ErrInput says that a task's input is not of the type of its kind.
	ErrInput = errors.New("wrong input for the kind")
)
