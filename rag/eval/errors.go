package eval

import "fmt"

// OptionError says what is wrong with the options of a run.
type OptionError struct{ Reason string }

// Error returns the reason.
func (e *OptionError) Error() string { return e.Reason }

// wrong makes an OptionError.
func wrong(format string, args ...any) error { return &OptionError{fmt.Sprintf(format, args...)} }
