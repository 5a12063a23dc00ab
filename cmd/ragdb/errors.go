package main

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/internal/service"
)

// The exit codes. They are a contract.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitLocked      = 4
	exitCorrupt     = 5
	exitProvider    = 6
	exitBudget      = 7
	exitPartial     = 8
	exitNoEvidence  = 9
	exitInterrupted = 130
)

// failure is an error as the user sees it: what is wrong, and what to do.
type failure struct {
	exit    int
	code    string
	message string
	hint    string // "" if there is nothing to advise
	detail  string // lines to show below the message to people
	told    bool   // it was written already
	err     error
}

// Error implements error.
func (f *failure) Error() string { return f.message }

// Unwrap returns what the failure was made from.
func (f *failure) Unwrap() error { return f.err }

func usage(hint, format string, args ...any) *failure {
	return &failure{exit: exitUsage, code: "usage", message: fault.Text(format, args...), hint: hint}
}

func notFound(hint, format string, args ...any) *failure {
	return &failure{exit: exitNotFound, code: "not_found", message: fault.Text(format, args...), hint: hint}
}

// interrupted marks an error as the work of a signal, unless a command did.
func interrupted(err error) error {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return &failure{exit: exitInterrupted, code: "interrupted", message: "interrupted", err: err}
}

// explain turns any error into what the user is told.
func (a *app) explain(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	x := service.Explain(err)
	if x.Code == "read_only" && !a.global.readOnly {
		x.Hint = "" // the flag was not given
	}
	return &failure{exit: exitOf(x.Code), code: x.Code, message: x.Message, hint: x.Hint, detail: x.Detail, err: err}
}

// exitOf returns the exit code of the code of an error.
func exitOf(code string) int {
	switch code {
	case "interrupted":
		return exitInterrupted
	case "usage", "syntax", "model_folder", "model":
		return exitUsage
	case "not_found", "not_indexed", "no_documents":
		return exitNotFound
	case "locked":
		return exitLocked
	case "format", "foreign", "corrupt":
		return exitCorrupt
	case "not_recorded", "provider", "reply":
		return exitProvider
	case "budget":
		return exitBudget
	case "no_evidence":
		return exitNoEvidence
	case "partial":
		return exitPartial
	}
	return exitFailed
}

// absent returns the text of an error about missing files without the system's words
// for that.
func absent(err error) string {
	return strings.TrimSuffix(err.Error(), ": "+fs.ErrNotExist.Error())
}
