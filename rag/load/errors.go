package load

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/ragdb/ragdb/internal/fault"
)

// Reasons why a file is refused; each is wrapped by a [*FileError].
var (
	// ErrTooLarge says that a document exceeds [Options.MaxDocBytes] or that a
	// compressed file expands too far.
	ErrTooLarge = errors.New("document is too large")
	// ErrEncoding says that a file is not text in UTF-8 or UTF-16.
	ErrEncoding = errors.New("not UTF-8 text")
	// ErrMalformed says that a file is not what its format says, or not a regular
	// file.
	ErrMalformed = errors.New("malformed file")
	// ErrNoText says that a PDF file has no text on any page, or is encrypted. Indexing
	// says it of a [Source] or a record of one that is empty.
	ErrNoText = errors.New("no text")
	// ErrDuplicate says that another document of the run has the key already.
	ErrDuplicate = errors.New("key is taken")
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

// Error returns path, line and reason in one line. A long path is cut.
func (e *FileError) Error() string {
	p := fault.Cut(e.Path)
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

// refuse makes the error of a file whose path the walk adds.
func refuse(line int, cause error, format string, args ...any) *FileError {
	return &FileError{Line: line, Reason: fault.Text(format, args...), Err: cause}
}
