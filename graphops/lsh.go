package graphops

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/distance"
)

const (
	defaultPlanes = 20
	maxPlanes     = 64
	maxPlaneDim   = 1 << 16
)

// lshStream is the stream of the planes of a seed.
const lshStream = 0x1c5 << 32

// Hyperplanes hash vectors to codes by signs (Charikar, "Similarity Estimation
// Techniques from Rounding Algorithms", STOC 2002): two vectors at angle t
// differ in each bit with probability t/pi. They are immutable and safe for
// concurrent use.
type Hyperplanes struct {
	planes  Matrix
	center  []float32
	offsets []float32 // of each plane from the origin; nil without a center
}

// NewHyperplanes draws planes for vectors of dimension dim, at most 65,536, with
// normals of independent elements of mean 0 and variance 1. planes is their
// number, one bit of a code each, at most 64; 0 is 20. The first planes of a
// seed and dimension are the same for any number of planes. center is
// subtracted from vectors of length 1 before the signs are taken: it is their
// mean, say, if they all point one way. A nil center is the origin.
//
// What is coded by
// planes that are not drawn again with each change, as in EraRAG, needs them
// kept: [Hyperplanes.MarshalBinary] writes them with every bit.
func NewHyperplanes(dim, planes int, seed uint64, center []float32) (*Hyperplanes, error) {
	planes = cmp.Or(planes, defaultPlanes)
	switch {
	case dim < 1 || dim > maxPlaneDim:
		return nil, phase.Mark(engine.ErrInvalid, "hyperplanes: Dim %d", dim)
	case planes < 1 || planes > maxPlanes:
		return nil, phase.Mark(engine.ErrInvalid, "hyperplanes: Planes %d", planes)
	case center != nil && len(center) != dim:
		return nil, phase.Mark(engine.ErrInvalid, "hyperplanes: Center of dimension %d for %d", len(center), dim)
	}
	h := &Hyperplanes{planes: Matrix{Dim: dim, Data: make([]float32, dim*planes)}}
	for j := range planes {
		s := newStream(seed, lshStream, uint64(j))
		row := h.planes.Row(j)
		for i := range row {
			row[i] = float32(s.normal())
		}
	}
	if center != nil {
		h.center = append([]float32{}, center...)
	}
	if err := h.prepare(); err != nil {
		return nil, phase.Errorf("hyperplanes: %w", err)
	}
	return h, nil
}

// prepare checks planes and center and computes the offsets.
func (h *Hyperplanes) prepare() error {
	if err := h.planes.validate(); err != nil {
		return err
	}
	if h.center == nil {
		return nil
	}
	if err := (Matrix{Dim: h.planes.Dim, Data: h.center}).validate(); err != nil {
		return err
	}
	h.offsets = make([]float32, h.Len())
	distance.DotBlock(h.center, h.planes.Data, h.offsets)
	return nil
}

// Len returns the number of planes.
func (h *Hyperplanes) Len() int { return h.planes.Len() }

// Dim returns the dimension of the vectors.
func (h *Hyperplanes) Dim() int { return h.planes.Dim }

// Code returns the code of a vector of Dim finite elements; anything else is
// [engine.ErrInvalid]. The bit of plane 0 is the highest of the 64, and set
// if the vector is on the plane's positive side; bits without a plane are
// 0. So the first b planes are the top b bits, and codes of all lengths have
// one order. The length of the vector does not matter, and zero is on no
// positive side.
//
// It is the same on every machine: sums are made in the order of
// [distance.Dot]. It is O(Len Dim).
func (h *Hyperplanes) Code(x []float32) (uint64, error) {
	if len(x) != h.Dim() {
		return 0, phase.Mark(engine.ErrInvalid, "code: a vector of dimension %d for planes of %d", len(x), h.Dim())
	}
	if err := (Matrix{Dim: h.Dim(), Data: x}).validate(); err != nil {
		return 0, phase.Errorf("code: %w", err)
	}
	return h.code(x), nil
}

// code returns the code of a valid vector.
func (h *Hyperplanes) code(x []float32) (code uint64) {
	var buf [maxPlanes]float32
	dots := buf[:h.Len()]
	distance.DotBlock(x, h.planes.Data, dots)
	if h.offsets != nil {
		// The sign of (x/|x| - center) h, without dividing.
		norm := float32(math.Sqrt(float64(distance.Dot(x, x))))
		for j, off := range h.offsets {
			dots[j] -= float32(norm * off)
		}
	}
	for j, d := range dots {
		if d > 0 {
			code |= 1 << (63 - j)
		}
	}
	return code
}

// codesPiece is how many elements of vectors one task codes, about.
const codesPiece = 1 << 17

// Codes returns the code of every vector of m, as Code does. It takes 8 bytes
// a vector.
func (h *Hyperplanes) Codes(ctx context.Context, m Matrix) ([]uint64, error) {
	if m.Len() > 0 && m.Dim != h.Dim() {
		return nil, phase.Mark(engine.ErrInvalid, "codes: vectors of dimension %d for planes of %d", m.Dim, h.Dim())
	}
	if err := m.validate(); err != nil {
		return nil, phase.Errorf("codes: %w", err)
	}
	n := m.Len()
	out := make([]uint64, n)
	piece := max(1, codesPiece/h.Dim())
	err := parallel(ctx, workersOf(0), (n+piece-1)/piece, func(_, i int) error {
		for k := i * piece; k < min(n, (i+1)*piece); k++ {
			out[k] = h.code(m.Row(k))
		}
		return nil
	})
	if err != nil {
		return nil, phase.Errorf("codes: %w", err)
	}
	return out, nil
}

// hyperplanesFormat is the first byte of marshalled planes.
const hyperplanesFormat = 1

// hyperplanesHead is the size of what stands before the elements.
const hyperplanesHead = 8

// MarshalBinary implements [encoding.BinaryMarshaler]. All numbers are
// little-endian:
//
//	format 1  u8
//	planes    u8
//	center    u8   1 if there is one, else 0
//	reserved  u8   0
//	dimension u32
//	elements  f32  of plane 0, plane 1, ..., and then of the center
func (h *Hyperplanes) MarshalBinary() ([]byte, error) {
	b := make([]byte, hyperplanesHead, hyperplanesHead+4*(len(h.planes.Data)+len(h.center)))
	b[0], b[1], b[2] = hyperplanesFormat, byte(h.Len()), flag(h.center != nil)
	binary.LittleEndian.PutUint32(b[4:], uint32(h.Dim()))
	for _, x := range h.planes.Data {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	for _, x := range h.center {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b, nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. Bytes that
// MarshalBinary cannot have written are [engine.ErrCorrupt], and another
// format is [engine.ErrFormat]; h is then unchanged.
func (h *Hyperplanes) UnmarshalBinary(b []byte) error {
	out, err := readHyperplanes(b)
	if err != nil {
		return phase.Errorf("read hyperplanes: %w", err)
	}
	*h = *out
	return nil
}

func readHyperplanes(b []byte) (*Hyperplanes, error) {
	if len(b) < hyperplanesHead {
		return nil, fmt.Errorf("%w: %d bytes", engine.ErrCorrupt, len(b))
	}
	if b[0] != hyperplanesFormat {
		return nil, fmt.Errorf("%w: %d", engine.ErrFormat, b[0])
	}
	planes, center, dim := int(b[1]), int(b[2]), binary.LittleEndian.Uint32(b[4:])
	if planes < 1 || planes > maxPlanes || center > 1 || b[3] != 0 || dim < 1 || dim > maxPlaneDim ||
		len(b) != hyperplanesHead+4*int(dim)*(planes+center) {
		return nil, fmt.Errorf("%w: %d planes of dimension %d in %d bytes", engine.ErrCorrupt, planes, dim, len(b))
	}
	data := make([]float32, int(dim)*(planes+center))
	for i := range data {
		data[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[hyperplanesHead+4*i:]))
	}
	size := int(dim) * planes
	h := &Hyperplanes{planes: Matrix{Dim: int(dim), Data: data[:size:size]}}
	if center == 1 {
		h.center = data[size:]
	}
	if err := h.prepare(); err != nil {
		return nil, fmt.Errorf("%w: %w", engine.ErrCorrupt, err)
	}
	return h, nil
}
