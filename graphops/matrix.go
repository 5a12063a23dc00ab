package graphops

import (
	"math"

	"github.com/ragdb/ragdb/engine"
)

// Matrix holds vectors of one dimension, one after the other: vector i is
// Data[i*Dim:(i+1)*Dim]. The caller owns Data; algorithms only read it and
// keep none of it.
type Matrix struct {
	Dim  int
	Data []float32
}

// Len returns the number of vectors.
func (m Matrix) Len() int {
	if m.Dim <= 0 {
		return 0
	}
	return len(m.Data) / m.Dim
}

// Row returns vector i, a part of Data.
func (m Matrix) Row(i int) []float32 { return m.Data[i*m.Dim : (i+1)*m.Dim : (i+1)*m.Dim] }

// validate says what is wrong with the shape or with an element, marked as
// [engine.ErrInvalid]. It is O(n d).
func (m Matrix) validate() error {
	if m.Dim <= 0 && len(m.Data) > 0 || m.Dim > 0 && len(m.Data)%m.Dim != 0 {
		return phase.Mark(engine.ErrInvalid, "%d elements of vectors of dimension %d", len(m.Data), m.Dim)
	}
	for i, x := range m.Data {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return phase.Mark(engine.ErrInvalid, "element %d of vector %d is %v", i%m.Dim, i/m.Dim, x)
		}
	}
	return nil
}
