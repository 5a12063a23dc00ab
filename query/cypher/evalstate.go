package cypher

import (
	"time"

	"github.com/ragdb/ragdb/engine/temporal"
	"github.com/ragdb/ragdb/internal/fault"
)

// maxExprBytes bounds the lists, maps and strings that one expression may build
// for one row, in bytes. Limits on rows do not bound these, such as a list that
// doubles in each step of a reduce.
const maxExprBytes = 128 << 20

// evalState is the state that the evaluators of one run share.
type evalState struct {
	steps   int64 // of loops within expressions, since the context was looked at
	bytes   int64 // built by the expression that runs
	regexps regexpCache
	stack   []Value // the arguments of calls
	text    joined[byte]
	list    joined[Value]
	zones   temporal.Zones
	now     time.Time // of the statement, zero until it is asked for
}

// stepsBetweenLooks is how many steps an expression takes before it looks at
// the context again: less than a millisecond's.
const stepsBetweenLooks = 1024

// step counts a step of a loop within an expression and returns the context's
// error once it has ended.
func (x *exec) step() error { return x.work(1) }

// work counts steps.
func (x *exec) work(n int64) error {
	x.eval.steps += n
	if x.eval.steps < stepsBetweenLooks || x.ctx == nil {
		return nil
	}
	x.eval.steps = 0
	return x.ctx.Err()
}

// tooMuch is the error of an expression that would need more than it may.
func tooMuch(at Pos, format string, args ...any) error {
	return &EvalError{Pos: at, Code: codeResource, Message: fault.Text(format, args...)}
}

// charge counts bytes that the running expression builds, and refuses more than
// [maxExprBytes].
func (x *exec) charge(at Pos, bytes int64) error {
	x.eval.bytes += bytes
	if x.eval.bytes > maxExprBytes {
		return tooMuch(at, "the expression builds more than %d MiB for one row", maxExprBytes>>20)
	}
	if err := x.draw(); err != nil {
		return err
	}
	return x.work(bytes / valueBytes)
}

// built counts a value that the running expression has built.
func (x *exec) built(at Pos, v Value) (Value, error) {
	if err := x.charge(at, v.memory()); err != nil {
		return Null, err
	}
	return v, nil
}
