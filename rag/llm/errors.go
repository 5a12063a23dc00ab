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

// TooLongError is a task whose prompt leaves too little room for the reply in the
// model's context. It is an [ErrRefused]. A task about less may succeed.
type TooLongError struct {
	// Tokens is about what the prompt and the reply need, Context what the model has, 0
	// if it is not known.
	Tokens, Context int
	// Err is what the server said, nil if it was not asked.
	Err error
}

// Error says what does not fit.
func (e *TooLongError) Error() string {
	s := fmt.Sprintf("the prompt and its reply need about %d tokens, more than the model's context", e.Tokens)
	if e.Context > 0 {
		s += fmt.Sprintf(" of %d", e.Context)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Is reports whether target is [ErrRefused].
func (e *TooLongError) Is(target error) bool { return target == ErrRefused }

// Unwrap returns what the server said.
func (e *TooLongError) Unwrap() error { return e.Err }

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
