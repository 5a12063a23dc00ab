package cypher

import (
	"fmt"
	"regexp"
)

// maxExprBytes is what one expression may build for one row, in bytes of its
// lists, maps and strings. It bounds what no cap of rows sees, such as a list
// that doubles in each step of a reduce.
const maxExprBytes = 256 << 20

// evalState is what evaluators share within one run of a statement.
type evalState struct {
	steps   uint32 // of loops within expressions, to look at the context
	bytes   int64  // built by the expression that runs
	regexps map[string]*regexp.Regexp
	stack   []Value // the arguments of calls
}

// step counts a step of a loop within an expression and returns the context's
// error once it has ended.
func (x *exec) step() error {
	x.eval.steps++
	if x.eval.steps&1023 != 0 || x.ctx == nil {
		return nil
	}
	return x.ctx.Err()
}

// charge counts bytes that the running expression builds, and refuses more than
// [maxExprBytes].
func (x *exec) charge(at Pos, bytes int) error {
	x.eval.bytes += int64(bytes)
	if x.eval.bytes > maxExprBytes {
		return &EvalError{Pos: at, Code: ResourceError,
			Message: fmt.Sprintf("the expression builds more than %d MiB for one row", maxExprBytes>>20)}
	}
	return nil
}
