package quant_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// TestRegularCodes: codes of equal, greatest, least and absent elements, by codecs of
// every kind, are valid, and a codec reads its own record.
func TestRegularCodes(t *testing.T) {
	for _, d := range []int{1, 2, 31, 32, 33, 127, 128, 129} {
		greatest := float32(math.Sqrt(1e30 / float64(d)))
		var vectors [][]float32
		for _, x := range []float32{0, 1, -1, greatest, -greatest, 1e-17, math.SmallestNonzeroFloat32} {
			vectors = append(vectors, slices.Repeat([]float32{x}, d))
			one := make([]float32, d)
			one[d/2] = x
			vectors = append(vectors, one)
		}
		for _, ip := range []bool{false, true} {
			codecs := []*quant.Codec{quant.New(d, ip), quant.Plain(d, ip), quant.Train(d, ip, vectors, 1), quant.Train(d, ip, vectors[:1], 1)}
			for _, x := range vectors {
				codecs = append(codecs, quant.Train(d, ip, [][]float32{x, x, x}, 1), quant.Around(slices.Clone(x), ip, 1))
			}
			for i, c := range codecs {
				record := c.AppendRecord(nil)
				again, err := quant.ReadRecord(record, d, ip)
				if err != nil || !bytes.Equal(again.AppendRecord(nil), record) {
					t.Fatalf("%d elements, codec %d: %v", d, i, err)
				}
				e := again.NewEncoder()
				for j, x := range vectors {
					code := make([]byte, c.Size())
					if e.Encode(code, make([]int8, c.LowSize()), x); !again.Valid(code) {
						t.Errorf("%d elements, codec %d: the code of vector %d (%g) is not valid", d, i, j, x[d/2])
					}
				}
			}
		}
	}
}
