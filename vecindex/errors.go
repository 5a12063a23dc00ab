package vecindex

import (
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// Errors of opening.
var (
	// ErrModelMismatch says that the index was stamped with another
	// configuration.
	ErrModelMismatch = errors.New("vectors of another model")
	// ErrKind says that this version cannot open an index of a kind.
	ErrKind = errors.New("index kind is not supported")
)

// Errors of use.
var (
	// ErrDimension says that a vector or configuration has another dimension
	// than the index. The error of a vector is a [*DimensionError].
	ErrDimension = errors.New("wrong dimension")
	// ErrVector says that a vector has no place in the metric. The error is a
	// [*VectorError].
	ErrVector = errors.New("vector is not usable")
	// ErrSequence says that a write's sequence is not above that of the last
	// commit, or a view's below that of its snapshot.
	ErrSequence = errors.New("sequence out of order")
	// ErrRange says that a number of a search is out of its range.
	ErrRange = errors.New("out of range")
	// ErrUnsettled says that an index is not settled as of a View's commit.
	ErrUnsettled = errors.New("index is not settled")
	// ErrFull says that the generation has used all its slots: its vectors
	// have to be put into a new one.
	ErrFull = errors.New("no slot left in this generation")
)

// stampError is the error of an index that holds other vectors than the caller
// takes it for: Want is its stamp, Have that of the caller's [Config].
type stampError struct{ Want, Have stamp }

// Error names both stamps.
func (e *stampError) Error() string {
	return fmt.Sprintf("index holds vectors %s, not %s", e.Want, e.Have)
}

// Is reports whether target is [ErrModelMismatch], or [ErrDimension] if the
// dimensions differ.
func (e *stampError) Is(target error) bool {
	return target == ErrModelMismatch || target == ErrDimension && e.Want.Dim != e.Have.Dim
}

// kindError is the error of a [Kind] that cannot be opened.
type kindError struct{ Kind Kind }

// Error names the kind.
func (e *kindError) Error() string {
	return fmt.Sprintf("index kind %s is not supported", e.Kind)
}

// Is reports whether target is [ErrKind].
func (e *kindError) Is(target error) bool { return target == ErrKind }

// DimensionError is the error of a vector of Have elements for an index of
// dimension Want.
type DimensionError struct{ Want, Have int }

// Error names both dimensions.
func (e *DimensionError) Error() string {
	return fmt.Sprintf("vector has %d elements, the index %d", e.Have, e.Want)
}

// Is reports whether target is [ErrDimension].
func (e *DimensionError) Is(target error) bool { return target == ErrDimension }

// What makes a vector unusable, as text after "element 3 of the vector" or
// "vector".
const (
	faultNaN   = "is NaN"
	faultInf   = "is infinite"
	faultZero  = "is zero"
	faultLong  = "is longer than 1e15" // whose square has no room
	faultRange = "is beyond 65504, the most that f16 holds"
)

// VectorError is the error of a vector without a place in the metric.
type VectorError struct {
	// Fault says what is wrong, such as "is NaN".
	Fault string
	// Element is the index of the first element at fault, 0 if it is the
	// vector as a whole.
	Element int
}

// Error says what is wrong and where.
func (e *VectorError) Error() string {
	if e.Fault == faultZero || e.Fault == faultLong {
		return "vector " + e.Fault
	}
	return fmt.Sprintf("element %d of the vector %s", e.Element, e.Fault)
}

// Is reports whether target is [ErrVector].
func (e *VectorError) Is(target error) bool { return target == ErrVector }

// corrupt returns the error of a record that cannot be what was written.
func corrupt(key []byte, format string, args ...any) error {
	return &kv.CorruptError{Key: layout.Format(key), Why: fmt.Sprintf(format, args...)}
}
