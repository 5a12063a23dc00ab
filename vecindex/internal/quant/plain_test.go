package quant_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

// TestPlain compares plain codes with a float64 reference: distances are exact
// to float32, for queries and for stored vectors.
func TestPlain(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 8))
	for _, inner := range []bool{false, true} {
		for d := 1; d <= quant.PlainDim; d++ {
			c := quant.Plain(d, inner)
			if !c.Plain() || c.Size() != 4*d || c.LowSize() != 0 || c.HeaderSize() != 0 {
				t.Fatalf("%d dimensions: codes of %d and %d bytes", d, c.Size(), c.LowSize())
			}
			x, y := make([]float32, d), make([]float32, d)
			var want, size float64
			for i := range x {
				x[i], y[i] = float32(rng.NormFloat64()), float32(3*rng.NormFloat64())
				a, b := float64(x[i]), float64(y[i])
				if inner {
					want -= 2 * a * b
				} else {
					want += (a - b) * (a - b)
				}
				size += a*a + b*b
			}
			e := c.NewEncoder()
			// Codes lie at multiples of 4.
			words := make([]float32, 2*d)
			code := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*d)
			e.Encode(code[:4*d], nil, x)
			e.Encode(code[4*d:], nil, y)
			if !c.Valid(code[:4*d]) {
				t.Fatal("a code is not valid")
			}
			filled, stored := c.NewQuery(), c.NewStored()
			filled.Fill(e, x)
			stored.FillStored(code[:4*d])
			for _, q := range []*quant.Query{filled, &stored} {
				out := make([]int32, 1)
				row := code[4*d:]
				q.Products([]*int8{(*int8)(unsafe.Pointer(&row[0]))}, out)
				got := q.Estimate(unsafe.Pointer(&row[0]), out[0])
				if math.Abs(float64(got)-want) > 1e-6*size {
					t.Errorf("%d dimensions, inner %t: %v, want %v", d, inner, got, want)
				}
				if q.Refine(row, nil, out[0]) != got || q.Sigma(row, got) != 0 || q.Slack(row) != 0 {
					t.Error("a plain estimate is not final")
				}
			}
			b := c.AppendRecord(nil)
			back, err := quant.ReadRecord(b, d, inner)
			if err != nil || !back.Plain() || !bytes.Equal(back.AppendRecord(nil), b) {
				t.Errorf("record read back: %v", err)
			}
			for _, damage := range []func(b []byte){
				func(b []byte) { b[1] |= 2 }, // rotated
				func(b []byte) { b[16] = 1 }, // a mean
			} {
				bad := bytes.Clone(b)
				damage(bad)
				if _, err := quant.ReadRecord(bad, d, inner); err == nil {
					t.Error("a damaged record is read")
				}
			}
			binary.LittleEndian.PutUint32(code[4*(d-1):], math.Float32bits(float32(math.NaN())))
			if c.Valid(code[:4*d]) {
				t.Error("a code that is not a number is valid")
			}
		}
	}
}
