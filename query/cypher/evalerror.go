package cypher

import (
	"github.com/ragdb/ragdb/internal/fault"
)

// The codes of an [EvalError]. All except the last are openCypher's names.
const (
	// codeType is an operand or argument of the wrong type.
	codeType = "TypeError"
	// codeArithmetic is an integer overflow or a division by zero.
	codeArithmetic = "ArithmeticError"
	// codeArgument is an argument of the right type that is out of range.
	codeArgument = "ArgumentError"
	// codeParameter is a parameter without a value.
	codeParameter = "ParameterMissing"
	// codeResource is an expression that builds more than it may.
	codeResource = "ResourceError"
	// codeDeleted is a node or an edge that the statement has deleted.
	codeDeleted = "EntityNotFound"
	// codeSyntax is a parameter of SKIP or LIMIT that is no row count.
	codeSyntax = "SyntaxError"
	// codeSemantic is MERGE by a property that is null.
	codeSemantic = "SemanticError"
	// codeConstraint is a node that cannot be deleted since it has edges.
	codeConstraint = "ConstraintVerificationFailed"
	// codeViolation is a statement that breaks a constraint of the graph.
	codeViolation = "ConstraintValidationFailed"
)

// EvalError is an expression that has no value for a row. Code is "TypeError"
// for an operand or argument of the wrong type, "ArithmeticError" for an
// integer overflow or a division by zero, "ArgumentError" for an argument out
// of range, "ParameterMissing" for a parameter without a value,
// "ResourceError" for an expression that builds too much, "EntityNotFound" for a
// property of something that the statement has deleted, "SyntaxError" for a
// negative or fractional parameter of SKIP or LIMIT, "SemanticError" for MERGE by
// a property that is null, "ConstraintVerificationFailed" for DELETE of a node
// that still has edges, and "ConstraintValidationFailed" for a statement that breaks a
// constraint of the graph.
//
// Detail is the name that openCypher's compatibility kit gives to the error within
// its Code, such as InvalidArgumentValue; it may be empty.
type EvalError struct {
	Pos     Pos    // where the expression stands in the statement
	Code    string // TypeError and so on
	Detail  string // InvalidArgumentValue and so on
	Message string // one sentence
}

func (e *EvalError) Error() string { return e.Code + ": " + e.Message }

// typeError returns a TypeError.
func typeError(at Pos, format string, args ...any) error {
	return &EvalError{Pos: at, Code: codeType, Detail: "InvalidArgumentType", Message: fault.Text(format, args...)}
}

// argumentError returns an ArgumentError.
func argumentError(at Pos, format string, args ...any) error {
	return &EvalError{Pos: at, Code: codeArgument, Detail: "NumberOutOfRange", Message: fault.Text(format, args...)}
}

// evalError returns an error of any code and detail.
func evalError(at Pos, code, detail, format string, args ...any) error {
	return &EvalError{Pos: at, Code: code, Detail: detail, Message: fault.Text(format, args...)}
}

// arithmeticError returns an ArithmeticError.
func arithmeticError(at Pos, format string, args ...any) error {
	return &EvalError{Pos: at, Code: codeArithmetic, Message: fault.Text(format, args...)}
}
