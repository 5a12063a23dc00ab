package cypher

import "fmt"

// The codes of an [EvalError]. But for the last they are openCypher's names.
const (
	// TypeError is an operand or argument of a type that does not fit.
	codeType = "TypeError"
	// ArithmeticError is a result that no integer can hold, or a division by
	// zero.
	codeArithmetic = "ArithmeticError"
	// ArgumentError is an argument of the right type that is out of range.
	codeArgument = "ArgumentError"
	// ParameterMissing is a parameter without a value.
	codeParameter = "ParameterMissing"
	// ResourceError is an expression that builds more than it may.
	codeResource = "ResourceError"
)

// EvalError is an expression that has no value for a row.
type EvalError struct {
	Pos     Pos    // where the expression stands in the statement
	Code    string // TypeError and so on
	Message string // one sentence
}

func (e *EvalError) Error() string { return e.Code + ": " + e.Message }

// typeError returns a TypeError.
func typeError(at Pos, format string, args ...any) error {
	return &EvalError{Pos: at, Code: codeType, Message: fmt.Sprintf(format, args...)}
}

// argumentError returns an ArgumentError.
func argumentError(at Pos, format string, args ...any) error {
	return &EvalError{Pos: at, Code: codeArgument, Message: fmt.Sprintf(format, args...)}
}

// arithmeticError returns an ArithmeticError.
func arithmeticError(at Pos, format string, args ...any) error {
	return &EvalError{Pos: at, Code: codeArithmetic, Message: fmt.Sprintf(format, args...)}
}
