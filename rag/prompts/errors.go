package prompts

import (
	"errors"
	"strconv"
)

// ErrInput says that a task's input is not of the type of its kind.
var ErrInput = errors.New("wrong input for the kind")

// FileError is what is wrong with one file of prompts.
type FileError struct {
	// File is the name of the file.
	File string
	// Line counts from 1; 0 means the file as a whole.
	Line int
	// Reason is one sentence without the name.
	Reason string
}

// Error returns name, line and reason in one line.
func (e *FileError) Error() string {
	s := e.File
	if strconv.Quote(s) != `"`+s+`"` {
		s = strconv.Quote(s)
	}
	if e.Line > 0 {
		s += ":" + strconv.Itoa(e.Line)
	}
	return s + ": " + e.Reason
}
