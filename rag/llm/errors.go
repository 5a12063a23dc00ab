package llm

import (
	"errors"
	"fmt"
)

var (
	// ErrKind says that a provider cannot do a task of the kind.
	ErrKind = errors.New("this model cannot do it")
	// ErrReply says that a model's reply is not of the form asked for. The
	// error is a [*ReplyError].
	ErrReply = errors.New("unusable reply")
	// ErrProvider says that a model's provider does not work: it is not there,
	// refuses the key or the model, or failed after all retries. Another task
	// would end the same way.
	ErrProvider = errors.New("the model's provider failed")
	// ErrNoEvidence is the reply of an answer task whose evidence does not
	// speak of the question.
	ErrNoEvidence = errors.New("no evidence found")
	// ErrRefused says that a model's provider refuses one task for what it
	// holds, such as a text that is too long. Others may succeed.
	ErrRefused = errors.New("the model refuses the task")
)

// ReplyError is a reply of the wrong form, kept for inspection.
type ReplyError struct {
	Kind Kind
	Raw  string
	Why  string
	// Final says that asking the model again would not help.
	Final bool
}

// Error says what was wrong.
func (e *ReplyError) Error() string { return fmt.Sprintf("%s: %s: %s", e.Kind, ErrReply, e.Why) }

// Is reports whether target is [ErrReply].
func (e *ReplyError) Is(target error) bool { return target == ErrReply }
