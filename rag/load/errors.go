package load

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Reasons why a file is refused; each is wrapped by a [*FileError].
var (
	// ErrTooLarge says that a document exceeds [Options.MaxDocBytes] or that a
	// compressed file expands too far.
	ErrTooLarge = errors.New("document is too large")
	// ErrEncoding says that a file is not text in UTF-8 or UTF-16.
	ErrEncoding = errors.New("not UTF-8 text")
	// ErrMalformed says that a file is not what its format says.
	ErrMalformed = errors.New("malformed file")
	// ErrEncrypted says that a PDF file is encrypted.
	ErrEncrypted = errors.New("encrypted file")
	// ErrNoText says that a PDF file has pages and no text on any of them.
	ErrNoText = errors.New("no text")
	// ErrNotRegular says that PATH itself is a symbolic link, a device or the
	// like. Inside a folder those are skipped.
	ErrNotRegular = errors.New("not a regular file")
)

// ErrOption says that an option has no valid value. It ends a walk before it
// starts.
var ErrOption = errors.New("invalid option")

// FileError is what is wrong with one file, or with one line or row of it. The
// walk goes on after it.
type FileError struct {
	// Path is the file within the file system.
	Path string
	// Line counts from 1; 0 means the file as a whole.
	Line int
	// Reason is one clear sentence without the path.
	Reason string
	// Err is the cause for errors.Is and errors.As.
	Err error
}

// Error returns path, line and reason in one line.
func (e *FileError) Error() string {
	p := e.Path
	if strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsPrint(r) }) {
		p = strconv.Quote(p)
	}
	if e.Line > 0 {
		p += ":" + strconv.Itoa(e.Line)
	}
	return p + ": " + e.Reason
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// DuplicateKeyError says that two documents of a run have one key. First and
// Second are their places: a path, or path:line.
type DuplicateKeyError struct {
	Key           string
	First, Second string
}

// Error names the key and both places.
func (e *DuplicateKeyError) Error() string {
	return fmt.Sprintf("key %q is used by %q and again by %q", e.Key, e.First, e.Second)
}

// refuse makes the error of a file whose path the walk adds.
func refuse(line int, cause error, format string, args ...any) *FileError {
	return &FileError{Line: line, Reason: fmt.Sprintf(format, args...), Err: cause}
}
