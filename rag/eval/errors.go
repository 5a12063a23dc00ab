package eval

import (
	"errors"
	"fmt"
)

// ErrOption says that a run was asked for that cannot be. See [*OptionError].
var ErrOption = errors.New("wrong option")

// OptionError says what is wrong with the options of a run. errors.Is finds
// [ErrOption].
type OptionError struct{ Reason string }

// Error returns the reason.
func (e *OptionError) Error() string { return e.Reason }

// Is reports whether target is [ErrOption].
func (e *OptionError) Is(target error) bool { return target == ErrOption }

// wrong makes an OptionError.
func wrong(format string, args ...any) error { return &OptionError{fmt.Sprintf(format, args...)} }
