package vecindex

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// half is binary16 by its definition (IEEE 754, 3.4): a sign, five bits of
// exponent of bias 15, ten of fraction.
func half(h uint16) float64 {
	sign := 1 - 2*float64(h>>15)
	exp, frac := int(h>>10&31), float64(h&1023)
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -24)
	case 31:
		if frac > 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// halfOf returns the bits that x is stored in; ok is false if they are no
// finite number's.
func halfOf(x float32) (h uint16, ok bool) {
	h = binary.LittleEndian.Uint16(F16.append(nil, []float32{x}))
	return h, h&halfInf != halfInf
}

// ofHalf returns what is read from the bits of a number.
func ofHalf(t *testing.T, h uint16) float32 {
	var x [1]float32
	if err := F16.read(nil, binary.LittleEndian.AppendUint16(nil, h), x[:]); err != nil {
		t.Fatal(err)
	}
	return x[0]
}

// TestHalf looks at all 65,536 halves, at what lies between each and the next,
// and at numbers that have none.
func TestHalf(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		if h&halfInf == halfInf {
			if _, ok := halfOf(float32(half(h))); ok {
				t.Fatalf("%#04x, which is %v, was taken", h, half(h))
			}
			continue
		}
		x := ofHalf(t, h)
		if float64(x) != half(h) || math.Signbit(float64(x)) != (h>>15 == 1) {
			t.Fatalf("%#04x is %v, not %v", h, x, half(h))
		}
		if back, ok := halfOf(x); !ok || back != h {
			t.Fatalf("%#04x became %#04x", h, back)
		}
		if h&0x7FFF == 0x7BFF {
			continue // the greatest
		}
		next := float32(half(h + 1))
		middle := (x + next) / 2 // exact
		even := h + h&1
		for _, c := range []struct {
			x    float32
			want uint16
		}{
			{middle, even},
			{math.Nextafter32(middle, x), h},
			{math.Nextafter32(middle, next), h + 1},
		} {
			if got, ok := halfOf(c.x); !ok || got != c.want {
				t.Fatalf("%v became %#04x, not %#04x", c.x, got, c.want)
			}
		}
	}
	for _, c := range []struct {
		x  float32
		ok bool
	}{
		{65504, true}, {math.Nextafter32(65520, 0), true}, {65520, false}, {-65520, false}, {math.MaxFloat32, false},
		{float32(math.Inf(1)), false}, {float32(math.NaN()), false}, {math.SmallestNonzeroFloat32, true},
	} {
		if h, ok := halfOf(c.x); ok != c.ok {
			t.Errorf("%v: %#04x, %v", c.x, h, ok)
		}
	}
}

// TestElementsRoundTrip says that what was put once can be put again and stays
// the same, to the bit, whatever the metric.
func TestElementsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, metric := range []Metric{Cosine, InnerProduct, L2} {
		for _, e := range []Element{F32, F16} {
			for _, dim := range []int{1, 2, 7, 300, 5000} {
				c := Config{Dim: dim, Metric: metric, Model: "m", Element: e}
				v := make([]float32, dim)
				for i := range v {
					v[i] = float32(rng.NormFloat64() * math.Exp(2*rng.NormFloat64()))
				}
				once, err := c.appendPrepared(nil, v, stores)
				if err != nil {
					t.Fatal(err)
				}
				b := e.append(nil, once)
				read := make([]float32, dim)
				if err := e.read(nil, b, read); err != nil || len(b) != dim*e.size() {
					t.Fatalf("%d bytes, %v", len(b), err)
				}
				twice, err := c.appendPrepared(nil, read, stores)
				if err != nil {
					t.Fatal(err)
				}
				for i := range twice {
					if twice[i] != once[i] || read[i] != once[i] {
						t.Fatalf("%s %s %d-d: element %d was %v, is %v, then %v", metric, e, dim, i, once[i], read[i], twice[i])
					}
				}
			}
		}
	}
}

func TestElementRefused(t *testing.T) {
	ip := Config{Dim: 2, Metric: InnerProduct, Model: "m", Element: F16}
	for _, c := range []struct {
		v    []float32
		want VectorError
	}{
		{[]float32{1, 65520}, VectorError{faultRange, 1}},
		{[]float32{-1e9, 1}, VectorError{faultRange, 0}},
		{[]float32{1e-9, -1e-9}, VectorError{faultZero, 0}},
		{[]float32{1, float32(math.NaN())}, VectorError{faultNaN, 1}},
		{[]float32{float32(math.Inf(-1)), 0}, VectorError{faultInf, 0}},
	} {
		_, err := ip.appendPrepared(nil, c.v, stores)
		var bad *VectorError
		if !errors.As(err, &bad) || *bad != c.want {
			t.Errorf("%v: %v", c.v, err)
		}
	}
	// A query is not stored, and may be longer than what is.
	if q, err := ip.appendPrepared(nil, []float32{1e9, 0}, asks); err != nil || q[0] != 1e9 {
		t.Errorf("query %v, %v", q, err)
	}
	for _, b := range [][]byte{{0, 0x7C, 0, 0}, {0, 0, 1, 0xFC}, {0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}} {
		if err := F16.read([]byte{1}, b, make([]float32, 2)); !errors.Is(err, kv.ErrCorrupt) {
			t.Errorf("%x: %v", b, err)
		}
	}
}

// TestSingle reads vectors of each length up to 40, whole and with one element
// that is not a finite number at each place.
func TestSingle(t *testing.T) {
	bad := []uint32{0x7F800000, 0xFF800000, 0x7F800001, 0x7FC00000, 0xFFFFFFFF}
	good := []uint32{0, 1 << 31, 1, 0x7F7FFFFF, 0xFF7FFFFF, 0x007FFFFF, 0x3F800000}
	r := rand.New(rand.NewPCG(3, 5))
	for n := range 41 {
		b := make([]byte, 4*n)
		for i := range n {
			binary.LittleEndian.PutUint32(b[4*i:], good[r.IntN(len(good))])
		}
		v := make([]float32, n)
		if err := F32.read(nil, b, v); err != nil {
			t.Fatal(err)
		}
		for i, x := range v {
			if bits := binary.LittleEndian.Uint32(b[4*i:]); math.Float32bits(x) != bits {
				t.Fatalf("element %d of %d, %#08x, is read as %#08x", i, n, bits, math.Float32bits(x))
			}
		}
		for i := range n {
			one := append([]byte(nil), b...)
			binary.LittleEndian.PutUint32(one[4*i:], bad[r.IntN(len(bad))])
			err := F32.read(nil, one, v)
			if want := fmt.Sprintf("element %d is not", i); !errors.Is(err, kv.ErrCorrupt) || !strings.Contains(err.Error(), want) {
				t.Fatalf("element %d of %d: %v", i, n, err)
			}
		}
	}
}
