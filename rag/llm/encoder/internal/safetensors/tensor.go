package safetensors

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/ragdb/ragdb/internal/distance"
)

// Type is how the elements of a tensor are written.
type Type string

// The types that [Tensor.Floats] reads.
const (
	F32  Type = "F32"
	F16  Type = "F16"
	BF16 Type = "BF16"
	F64  Type = "F64"
)

// size is the bytes of an element, 0 for an unknown type.
func (t Type) size() int {
	switch t {
	case "F64", "I64", "U64":
		return 8
	case "F32", "I32", "U32":
		return 4
	case "F16", "BF16", "I16", "U16":
		return 2
	case "I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2":
		return 1
	}
	return 0
}

// Tensor is a tensor of an open file.
type Tensor struct {
	Type  Type
	Shape []int
	from  int64
	data  []byte
}

// Len is the number of elements.
func (t Tensor) Len() int {
	n := 1
	for _, m := range t.Shape {
		n *= m
	}
	return n
}

// Float reports whether [Tensor.Floats] reads the type.
func (t Tensor) Float() bool {
	return t.Type == F32 || t.Type == F16 || t.Type == BF16 || t.Type == F64
}

// View returns the elements where they lie in the file, if they are float32 as
// the processor reads them. They must not be written to, nor used once the file
// is closed.
func (t Tensor) View() ([]float32, bool) {
	if t.Type != F32 || !littleEndian() || len(t.data) == 0 || uintptr(unsafe.Pointer(&t.data[0]))%4 != 0 {
		return nil, false
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&t.data[0])), len(t.data)/4), true
}

// Floats writes to dst the elements from number i on, as many as dst holds.
func (t Tensor) Floats(dst []float32, i int) {
	b := t.data[i*t.Type.size():][:len(dst)*t.Type.size()]
	switch t.Type {
	case F32:
		for j := range dst {
			dst[j] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*j:]))
		}
	case BF16:
		for j := range dst {
			dst[j] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(b[2*j:])) << 16)
		}
	case F16:
		var part [64]uint16
		for len(dst) > 0 {
			n := min(len(dst), len(part))
			for j := range n {
				part[j] = binary.LittleEndian.Uint16(b[2*j:])
			}
			distance.DecodeF16(dst[:n], part[:n])
			dst, b = dst[n:], b[2*n:]
		}
	case F64:
		for j := range dst {
			dst[j] = float32(math.Float64frombits(binary.LittleEndian.Uint64(b[8*j:])))
		}
	default:
		panic("safetensors: Floats of a tensor of type " + string(t.Type))
	}
}

// Int64 returns element i of a tensor of type I64 or I32.
func (t Tensor) Int64(i int) int64 {
	if t.Type == "I64" {
		return int64(binary.LittleEndian.Uint64(t.data[8*i:]))
	}
	return int64(int32(binary.LittleEndian.Uint32(t.data[4*i:])))
}

func littleEndian() bool {
	n := uint16(1)
	return *(*byte)(unsafe.Pointer(&n)) == 1
}
