package encoded

import (
	"encoding/binary"
	"math"
)

// AppendVector appends a vector as little-endian f32.
func AppendVector(dst []byte, v []float32) []byte {
	for _, x := range v {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// ReadVector reads what [AppendVector] wrote, nil for no vector.
func ReadVector(b []byte) []float32 {
	if len(b) == 0 {
		return nil
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}
