package column

import "math"

// MaxRows is the most rows of a block.
const MaxRows = 1 << 16

// Kind is the kind of a value: one of the classes together with a number below 64 that
// is the caller's. The zero Kind is no value.
type Kind uint8

// The classes of kinds.
const (
	Number Kind = 0x00 // Value.Num counts
	Float  Kind = 0x40 // Value.Num has the bits of a float
	Text   Kind = 0x80 // Value.Str counts

	classes Kind = 0xC0
)

// Class returns the class of a kind.
func (k Kind) Class() Kind { return k & classes }

// valid reports whether k is the kind of a value.
func (k Kind) valid() bool { return k != 0 && k.Class() != classes }

// Value is the value of a row. The zero Value is none.
type Value struct {
	Kind Kind
	Num  int64
	Str  string
}

// Float returns the float of a value of that class.
func (v Value) Float() float64 { return math.Float64frombits(uint64(v.Num)) }
