package distance

import "fmt"

// Tier is an instruction set that the functions of this package are written
// for. A higher tier is the faster one.
type Tier uint8

const (
	// Portable is plain Go and is supported everywhere.
	Portable Tier = iota
	// AVX2 needs amd64 with AVX2 and F16C.
	AVX2
	// AVX512 needs amd64 with AVX-512 F, BW, DQ, VL and VNNI.
	AVX512
)

// active is the tier of the package functions. Only Use writes it.
var active = best()

// Use makes t the tier of the package functions if the processor supports it,
// and reports whether it does. Results do not change, only speed. A program
// calls Use before it calls any other function of the package.
func Use(t Tier) bool {
	if !Supported(t) {
		return false
	}
	active = t
	return true
}

// best returns the best tier that the processor supports.
func best() Tier {
	for t := AVX512; t > Portable; t-- {
		if Supported(t) {
			return t
		}
	}
	return Portable
}

// String returns the name of t as [ParseTier] reads it.
func (t Tier) String() string {
	switch t {
	case Portable:
		return "portable"
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	}
	return fmt.Sprintf("Tier(%d)", uint8(t))
}

// ParseTier returns the tier called name: portable, avx2 or avx512.
func ParseTier(name string) (Tier, error) {
	for t := Portable; t <= AVX512; t++ {
		if t.String() == name {
			return t, nil
		}
	}
	return Portable, fmt.Errorf("distance: unknown tier %q", name)
}

// Supported reports whether t can run on this processor.
func Supported(t Tier) bool { return t == Portable || t <= AVX512 && supported(t) }

// Active returns the tier of the package functions.
func Active() Tier { return active }
