package graphops_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// gaussian returns n random vectors.
func gaussian(r *rand.Rand, n, dim int) graphops.Matrix {
	m := graphops.Matrix{Dim: dim, Data: make([]float32, n*dim)}
	for i := range m.Data {
		m.Data[i] = float32(r.NormFloat64())
	}
	return m
}

// Plane 2 of seed 7 is as computed apart from the package: codes that are
// stored must not change their meaning for programs that draw the planes again.
func TestHyperplanesAreThoseOfTheSeed(t *testing.T) {
	t.Parallel()
	h := must(newHyperplanes(hyperplanes{Dim: 3, Planes: 4, Seed: 7}))(t)
	got := must(h.MarshalBinary())(t)
	if want := "2f1e37be88fc7dbd5b5e62bf"; hex.EncodeToString(got[8+2*12:8+3*12]) != want {
		t.Errorf("plane 2 is %x, want %s", got[8+2*12:8+3*12], want)
	}
	more := must(newHyperplanes(hyperplanes{Dim: 3, Planes: 64, Seed: 7}))(t)
	if all := must(more.MarshalBinary())(t); !bytes.Equal(all[8:8+4*3*4], got[8:]) {
		t.Error("the first planes depend on how many there are")
	}
	other := must(newHyperplanes(hyperplanes{Dim: 3, Planes: 4, Seed: 8}))(t)
	if bytes.Equal(must(other.MarshalBinary())(t), got) {
		t.Error("another seed has the same planes")
	}
	if h := must(newHyperplanes(hyperplanes{Dim: 3}))(t); h.Len() != 20 || h.Dim() != 3 {
		t.Errorf("%d planes of dimension %d", h.Len(), h.Dim())
	}
}

// planesOf reads the planes back from what is marshalled.
func planesOf(t *testing.T, h *graphops.Hyperplanes) [][]float64 {
	t.Helper()
	b := must(h.MarshalBinary())(t)[8:]
	out := make([][]float64, h.Len())
	for j := range out {
		for range h.Dim() {
			x := math.Float32frombits(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
			out[j] = append(out[j], float64(x))
			b = b[4:]
		}
	}
	return out
}

// Every bit is the sign of a product in float64, if that is not close to 0.
func TestCodeAgainstProducts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{1, 2, 31, 32, 33, 768} {
		for _, centred := range []bool{false, true} {
			o := hyperplanes{Dim: dim, Planes: 64, Seed: uint64(dim)}
			if centred {
				o.Center = gaussian(r, 1, dim).Data
			}
			h := must(newHyperplanes(o))(t)
			planes := planesOf(t, h)
			m := gaussian(r, 50, dim)
			for k := range m.Len() {
				x := m.Row(k)
				code := must(h.Code(x))(t)
				norm := 0.0
				for _, e := range x {
					norm += float64(e) * float64(e)
				}
				norm = math.Sqrt(norm)
				for j, p := range planes {
					sum := 0.0
					for i := range x {
						e := float64(x[i]) / norm
						if centred {
							e -= float64(o.Center[i])
						}
						sum += e * p[i]
					}
					if got := code>>(63-j)&1 == 1; math.Abs(sum) > 1e-4 && got != (sum > 0) {
						t.Fatalf("dimension %d, plane %d: bit %v of product %g", dim, j, got, sum)
					}
				}
			}
		}
	}
}

// Vectors at angle t differ in a share of t/pi of the bits.
func TestCodeDistanceIsTheAngle(t *testing.T) {
	t.Parallel()
	const dim = 64
	r := rand.New(rand.NewPCG(3, 4))
	for _, angle := range []float64{0, math.Pi / 6, math.Pi / 3, math.Pi / 2, math.Pi} {
		differ, of := 0, 0
		for seed := range uint64(60) {
			h := must(newHyperplanes(hyperplanes{Dim: dim, Planes: 64, Seed: seed}))(t)
			m := gaussian(r, 2, dim)
			x, y := m.Row(0), m.Row(1)
			// y becomes the vector at angle to x in the plane of both.
			xx, xy := 0.0, 0.0
			for i := range x {
				xx += float64(x[i]) * float64(x[i])
				xy += float64(x[i]) * float64(y[i])
			}
			yy := 0.0
			for i := range y {
				y[i] -= float32(xy / xx * float64(x[i]))
				yy += float64(y[i]) * float64(y[i])
			}
			for i := range y {
				y[i] = float32(math.Cos(angle)*float64(x[i])/math.Sqrt(xx) + math.Sin(angle)*float64(y[i])/math.Sqrt(yy))
			}
			differ += bits.OnesCount64(must(h.Code(x))(t) ^ must(h.Code(y))(t))
			of += 64
		}
		// 3840 bits: a standard deviation is at most 0.0081.
		if got := float64(differ) / float64(of); math.Abs(got-angle/math.Pi) > 0.035 {
			t.Errorf("angle %.2f: %.3f of the bits differ, want %.3f", angle, got, angle/math.Pi)
		}
	}
}

func TestCodeIgnoresLength(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, center := range [][]float32{nil, gaussian(r, 1, 40).Data} {
		h := must(newHyperplanes(hyperplanes{Dim: 40, Planes: 64, Center: center}))(t)
		m := gaussian(r, 1, 40)
		scaled := slices.Clone(m.Data)
		for i := range scaled {
			scaled[i] *= 8 // exact
		}
		if a, b := must(h.Code(m.Data))(t), must(h.Code(scaled))(t); a != b {
			t.Errorf("%x, scaled %x", a, b)
		}
		if center == nil {
			if c := must(h.Code(make([]float32, 40)))(t); c != 0 {
				t.Errorf("zero has code %x", c)
			}
		}
	}
}

func TestHyperplanesAreStored(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for _, center := range [][]float32{nil, gaussian(r, 1, 9).Data} {
		h := must(newHyperplanes(hyperplanes{Dim: 9, Planes: 13, Seed: 1, Center: center}))(t)
		b := must(h.MarshalBinary())(t)
		var back graphops.Hyperplanes
		if err := back.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		m := gaussian(r, 200, 9)
		want := must(h.Codes(t.Context(), m))(t)
		if got := must(back.Codes(t.Context(), m))(t); !slices.Equal(got, want) {
			t.Error("read back, the planes have other codes")
		}
		if !bytes.Equal(must(back.MarshalBinary())(t), b) {
			t.Error("read back, the planes have other bytes")
		}
		for name, bad := range map[string][]byte{
			"empty":     {},
			"short":     b[:len(b)-1],
			"long":      append(slices.Clone(b), 0),
			"no planes": {1, 0, 0, 0, 9, 0, 0, 0},
			"no size":   {1, 1, 0, 0, 0, 0, 0, 0},
			"reserved":  slices.Concat(b[:3], []byte{1}, b[4:]),
			"center":    slices.Concat(b[:2], []byte{2}, b[3:]),
			"NaN":       slices.Concat(b[:8], []byte{0, 0, 0xc0, 0x7f}, b[12:]),
			"huge":      {1, 64, 1, 0, 255, 255, 255, 255},
		} {
			if err := back.UnmarshalBinary(bad); !errors.Is(err, engine.ErrCorrupt) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := back.UnmarshalBinary(slices.Concat([]byte{2}, b[1:])); !errors.Is(err, engine.ErrFormat) {
			t.Errorf("another format: %v", err)
		}
		if got := must(back.MarshalBinary())(t); !bytes.Equal(got, b) {
			t.Error("a failed reading changed the planes")
		}
	}
}

func TestHyperplanesRefuse(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, o := range map[string]hyperplanes{
		"no dimension":    {},
		"large dimension": {Dim: 1<<16 + 1},
		"65 planes":       {Dim: 2, Planes: 65},
		"-1 planes":       {Dim: 2, Planes: -1},
		"short center":    {Dim: 2, Center: []float32{1}},
		"infinite center": {Dim: 2, Center: []float32{1, inf}},
	} {
		if _, err := newHyperplanes(o); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	h := must(newHyperplanes(hyperplanes{Dim: 2}))(t)
	for _, x := range [][]float32{nil, {1}, {1, 2, 3}, {1, nan}, {inf, 1}} {
		if _, err := h.Code(x); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%v: %v", x, err)
		}
	}
	for _, m := range []graphops.Matrix{{Dim: 3, Data: make([]float32, 6)}, {Dim: 2, Data: make([]float32, 3)}, {Dim: 2, Data: []float32{1, 2, nan, 1}}} {
		if _, err := h.Codes(t.Context(), m); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%v: %v", m, err)
		}
	}
	if c, err := h.Codes(t.Context(), graphops.Matrix{}); err != nil || len(c) != 0 {
		t.Errorf("no vectors: %v, %v", c, err)
	}
}

func TestCodesAreThoseOfCode(t *testing.T) {
	t.Parallel()
	h := must(newHyperplanes(hyperplanes{Dim: 512}))(t)
	m := gaussian(rand.New(rand.NewPCG(9, 9)), 1500, 512)
	for k, c := range must(h.Codes(t.Context(), m))(t) {
		if one := must(h.Code(m.Row(k)))(t); c != one {
			t.Fatalf("vector %d: %x, alone %x", k, c, one)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c, err := h.Codes(ctx, m); !errors.Is(err, context.Canceled) || c != nil {
		t.Errorf("cancelled: %v", err)
	}
}

// BenchmarkCodes codes vectors of dimension 1024 with 20 planes.
func BenchmarkCodes(b *testing.B) {
	h := must(newHyperplanes(hyperplanes{Dim: 1024}))(b)
	m := gaussian(rand.New(rand.NewPCG(9, 9)), 2000, 1024)
	cpu := cpuTime()
	for b.Loop() {
		must(h.Codes(b.Context(), m))(b)
	}
	reportCPU(b, cpu)
	b.ReportMetric(float64(m.Len()*b.N)/b.Elapsed().Seconds(), "vectors/s")
}

// FuzzHyperplanes reads any bytes: what is taken is written the same.
func FuzzHyperplanes(f *testing.F) {
	for _, center := range [][]float32{nil, {1, -2}} {
		h := must(newHyperplanes(hyperplanes{Dim: 2, Planes: 3, Center: center}))(f)
		f.Add(must(h.MarshalBinary())(f))
	}
	f.Add([]byte{1, 64, 1, 0, 0, 0, 1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var h graphops.Hyperplanes
		if err := h.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, engine.ErrCorrupt) && !errors.Is(err, engine.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		if got := must(h.MarshalBinary())(t); !bytes.Equal(got, b) {
			t.Fatalf("%x, written as %x", b, got)
		}
		must(h.Code(make([]float32, h.Dim())))(t)
	})
}

// hyperplanes are the arguments of NewHyperplanes.
type hyperplanes struct {
	Dim, Planes int
	Seed        uint64
	Center      []float32
}

func newHyperplanes(o hyperplanes) (*graphops.Hyperplanes, error) {
	return graphops.NewHyperplanes(o.Dim, o.Planes, o.Seed, o.Center)
}
