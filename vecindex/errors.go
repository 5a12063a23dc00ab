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
	// configuration. The error is a [*StampError].
	ErrModelMismatch = errors.New("vectors of another model")
	// ErrKind says that this version cannot open an index of a kind. The error
	// is a [*KindError].
	ErrKind = errors.New("index kind is not supported")
)

// Errors of use.
var (
	// ErrDimension says that a vector or configuration has another dimension
	// than the index. The error is a [*DimensionError] or a [*StampError].
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

// StampError is the error of an index that holds other vectors than the caller
// takes it for: Want is its stamp, Have that of the caller's [Config].
type StampError struct{ Want, Have Stamp }

// Error names both stamps.
func (e *StampError) Error() string {
	return fmt.Sprintf("index holds vectors %s, not %s", e.Want, e.Have)
}

// Is reports whether target is [ErrModelMismatch], or [ErrDimension] where the
// dimensions differ.
func (e *StampError) Is(target error) bool {
	return target == ErrModelMismatch || target == ErrDimension && e.Want.Dim != e.Have.Dim
}

// KindError is the error of a [Kind] that cannot be opened.
type KindError struct{ Kind Kind }

// Error names the kind.
func (e *KindError) Error() string {
	return fmt.Sprintf("index kind %s is not supported", e.Kind)
}

// Is reports whether target is [ErrKind].
func (e *KindError) Is(target error) bool { return target == ErrKind }

// DimensionError is the error of a vector of Have elements for an index of
// dimension Want.
type DimensionError struct{ Want, Have int }

// Error names both dimensions.
func (e *DimensionError) Error() string {
	return fmt.Sprintf("vector has %d elements, the index %d", e.Have, e.Want)
}

// Is reports whether target is [ErrDimension].
func (e *DimensionError) Is(target error) bool { return target == ErrDimension }

// Fault is what makes a vector unusable.
type Fault uint8

// The faults.
const (
	FaultNaN   Fault = iota // an element is NaN
	FaultInf                // an element is infinite
	FaultZero               // all elements are zero
	FaultLong               // the length exceeds 1e15, whose square has no room
	FaultRange              // an element exceeds what the space's form holds
)

// VectorError is the error of a vector without a place in the metric.
type VectorError struct {
	Fault Fault
	// Element is the index of the first element at fault, 0 where it is the
	// vector as a whole.
	Element int
}

// Error says what is wrong and where.
func (e *VectorError) Error() string {
	switch e.Fault {
	case FaultNaN:
		return fmt.Sprintf("element %d of the vector is NaN", e.Element)
	case FaultInf:
		return fmt.Sprintf("element %d of the vector is infinite", e.Element)
	case FaultZero:
		return "vector is zero"
	case FaultLong:
		return "vector is longer than 1e15"
	case FaultRange:
		return fmt.Sprintf("element %d of the vector is beyond 65504, the most that f16 holds", e.Element)
	}
	return "vector is not usable"
}

// Is reports whether target is [ErrVector].
func (e *VectorError) Is(target error) bool { return target == ErrVector }

// corrupt returns the error of a record that cannot be what was written.
func corrupt(key []byte, format string, args ...any) error {
	return &kv.CorruptError{Key: layout.Format(key), Why: fmt.Sprintf(format, args...)}
}
