package quant_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

func f32At(b []byte, at int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[at:]))
}

func putF32(b []byte, at int, f float64) {
	binary.LittleEndian.PutUint32(b[at:], math.Float32bits(float32(f)))
}

// TestCode computes codes again by the formulas of the package comment.
func TestCode(t *testing.T) {
	for _, inner := range []bool{false, true} {
		for _, d := range []int{1, 2, 7, 32, 100, 130} {
			vectors := kinds[2].draw(rngOf(7, d), 50, d)
			c := unrotated(quant.Train(d, inner, vectors, 1), inner)
			mean := meanOf(c)
			e := c.NewEncoder()
			all, clipped := 0, 0
			if h := c.HeaderSize(); h != map[bool]int{false: 8, true: 12}[inner] || c.Size() != h+d || c.Dim() != d {
				t.Fatalf("sizes %d, %d, %d", h, c.Size(), c.Dim())
			}
			for _, x := range vectors {
				r := encode(c, e, x)
				tt := make([]float64, d)
				var largest, norm, cross, onMean float64
				for i := range tt {
					tt[i] = float64(x[i] - mean[i])
					largest = max(largest, math.Abs(tt[i]))
					norm += tt[i] * tt[i]
					onMean += float64(mean[i]) * tt[i]
				}
				for i, h := range r.high(c) {
					if want := 127 * tt[i] / largest; math.Abs(float64(h)-want) > 0.5001 {
						t.Fatalf("element %d is %d, not %g", i, h, want)
					}
					cross += tt[i] * float64(h)
				}
				s := float64(f32At(r.code, 0))
				if math.Abs(s/(norm/cross)-1) > 1e-5 {
					t.Fatalf("scale %g, not %g", s, norm/cross)
				}
				b, n := norm, norm
				if inner {
					b, n = -2*onMean, float64(f32At(r.code, 8))
				}
				if got := float64(f32At(r.code, 4)); math.Abs(got-b) > 1e-5*math.Abs(b)+1e-2*norm/100 || math.Abs(n/norm-1) > 1e-5 {
					t.Fatalf("B %g, not %g; |t|^2 %g, not %g", got, b, n, norm)
				}
				for i, l := range r.low {
					if all++; l == 127 || l == -127 {
						clipped++
						continue
					}
					got := s * (float64(r.high(c)[i]) + float64(l)/230)
					if math.Abs(got-tt[i]) > s*(0.51/230)+1e-6*largest {
						t.Fatalf("element %d of both planes is %g, not %g", i, got, tt[i])
					}
				}
				only := make([]byte, c.Size())
				e.Encode(only, nil, x)
				if !bytes.Equal(only, r.code) {
					t.Fatal("another code without the low plane")
				}
			}
			if clipped > all/200 {
				t.Errorf("%d dimensions: %d of %d elements do not fit the low plane", d, clipped, all)
			}
		}
	}
}

func TestTrain(t *testing.T) {
	for _, tt := range []struct {
		name    string
		vectors [][]float32
		rotated bool
	}{
		{"gaussian", gaussian(rngOf(8), 200, 768, 1), false},
		{"mean", kinds[2].draw(rngOf(8), 200, 768), false},
		{"skewed", skewed(rngOf(8), 200, 768), true},
		{"skewed and zero", append(skewed(rngOf(8), 200, 768), make([]float32, 768)), true},
		{"one", gaussian(rngOf(8), 1, 768, 1), false},
		{"none", nil, false},
	} {
		for _, inner := range []bool{false, true} {
			c := quant.Train(768, inner, tt.vectors, 5)
			if c.Rotated() != tt.rotated {
				t.Errorf("%s: rotated %t", tt.name, c.Rotated())
			}
			if !bytes.Equal(c.AppendRecord(nil), quant.Train(768, inner, tt.vectors, 5).AppendRecord(nil)) {
				t.Errorf("%s: another codec of the same sample", tt.name)
			}
			for i, m := range meanOf(c) {
				var want float64
				for _, x := range tt.vectors {
					want += float64(x[i]) / float64(len(tt.vectors))
				}
				if math.Abs(float64(m)-want) > 1e-5*(1+math.Abs(want)) {
					t.Fatalf("%s: element %d of the mean is %g, not %g", tt.name, i, m, want)
				}
			}
		}
	}
	if !bytes.Equal(quant.Train(9, true, nil, 5).AppendRecord(nil), quant.New(9, true).AppendRecord(nil)) {
		t.Error("an empty sample does not give New")
	}
}

// TestTrainingHelps: the mean and the rotation take most of the error away.
func TestTrainingHelps(t *testing.T) {
	rms := func(c *quant.Codec, vectors [][]float32) float64 {
		e, q := c.NewEncoder(), c.NewQuery()
		var sum float64
		for _, x := range vectors[:20] {
			q.Fill(e, x)
			for _, y := range vectors[20:] {
				d := float64(estimate(c, q, encode(c, e, y))) - squared(x, y)
				sum += d * d
			}
		}
		return math.Sqrt(sum)
	}
	vectors := skewed(rngOf(9), 80, 768)
	c := quant.Train(768, false, vectors, 1)
	if with, without := rms(c, vectors), rms(unrotated(c, false), vectors); !(with < without/1.8) {
		t.Errorf("rotation: error %g, without %g", with, without)
	}
	vectors = kinds[2].draw(rngOf(9), 80, 128)
	if with, without := rms(quant.Train(128, false, vectors, 1), vectors), rms(quant.New(128, false), vectors); !(with < without/10) {
		t.Errorf("mean: error %g, without %g", with, without)
	}
}

func TestRecord(t *testing.T) {
	for _, inner := range []bool{false, true} {
		for _, d := range []int{1, 5, 64, 300} {
			for name, vectors := range map[string][][]float32{
				"none": nil, "gaussian": gaussian(rngOf(10), 30, d, 1), "skewed": skewed(rngOf(10), 30, d),
			} {
				c := quant.Train(d, inner, vectors, 77)
				b := c.AppendRecord([]byte("before"))
				b, ok := bytes.CutPrefix(b, []byte("before"))
				if !ok {
					t.Fatal("not appended")
				}
				got, err := quant.ReadRecord(b, d, inner)
				if err != nil {
					t.Fatalf("%s, %d dimensions: %v", name, d, err)
				}
				if got.Rotated() != c.Rotated() || got.Dim() != d || got.Size() != c.Size() || !bytes.Equal(got.AppendRecord(nil), b) {
					t.Fatalf("%s, %d dimensions: another codec", name, d)
				}
				e, f := c.NewEncoder(), got.NewEncoder()
				for _, x := range skewed(rngOf(11), 5, d) {
					p, q := encode(c, e, x), encode(got, f, x)
					if !bytes.Equal(p.code, q.code) || !slices.Equal(p.low, q.low) {
						t.Fatalf("%s, %d dimensions: another code", name, d)
					}
				}
			}
		}
	}
	skew := skewed(rngOf(10), 30, 300)
	if !quant.Train(300, false, skew, 1).Rotated() {
		t.Error("no rotated codec was tried")
	}
	if bytes.Equal(quant.Train(300, false, skew, 1).AppendRecord(nil), quant.Train(300, false, skew, 2).AppendRecord(nil)) {
		t.Error("the seed is not recorded")
	}
}

func TestReadRecordRefuses(t *testing.T) {
	good := quant.Train(6, true, gaussian(rngOf(12), 9, 6, 1), 1).AppendRecord(nil)
	if _, err := quant.ReadRecord(good, 6, true); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]func(b []byte) []byte{
		"empty":         func([]byte) []byte { return nil },
		"short":         func(b []byte) []byte { return b[:len(b)-1] },
		"long":          func(b []byte) []byte { return append(b, 0) },
		"header only":   func(b []byte) []byte { return b[:16] },
		"version":       func(b []byte) []byte { b[0] = 2; return b },
		"flag":          func(b []byte) []byte { b[1] |= 4; return b },
		"padding":       func(b []byte) []byte { b[2] = 1; return b },
		"more padding":  func(b []byte) []byte { b[3] = 1; return b },
		"metric":        func(b []byte) []byte { b[1] &^= 1; return b },
		"dimension":     func(b []byte) []byte { b[4] = 7; return b },
		"not a number":  func(b []byte) []byte { putF32(b, 16, math.NaN()); return b },
		"infinite":      func(b []byte) []byte { putF32(b, 36, math.Inf(1)); return b },
		"minus infinit": func(b []byte) []byte { putF32(b, 20, math.Inf(-1)); return b },
	} {
		if _, err := quant.ReadRecord(bad(slices.Clone(good)), 6, true); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := quant.ReadRecord(good, 7, true); err == nil {
		t.Error("another dimension: no error")
	}
	if _, err := quant.ReadRecord(good, 6, false); err == nil {
		t.Error("another metric: no error")
	}
}

func FuzzReadRecord(f *testing.F) {
	f.Add(quant.New(3, false).AppendRecord(nil), uint16(3), false)
	f.Add(quant.Train(30, true, skewed(rngOf(13), 9, 30), 1).AppendRecord(nil), uint16(30), true)
	f.Add([]byte{1, 2, 0, 0, 1, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 128, 63}, uint16(1), false)
	f.Add([]byte{1, 0, 0, 0}, uint16(0), false)
	f.Fuzz(func(t *testing.T, b []byte, dim uint16, inner bool) {
		if dim == 0 {
			return
		}
		c, err := quant.ReadRecord(b, int(dim), inner)
		if err != nil {
			return
		}
		again := c.AppendRecord(nil)
		if !c.Rotated() {
			copy(again[8:16], b[8:16]) // the seed of no rotation
		}
		if !bytes.Equal(again, b) {
			t.Errorf("%x comes back as %x", b, again)
		}
		for _, m := range meanOf(c) {
			if math.Abs(float64(m)) > 1e15 {
				return // vectors are never so far from it
			}
		}
		r := encode(c, c.NewEncoder(), make([]float32, dim))
		if !c.Valid(r.code) {
			t.Errorf("code % x is not valid", r.code[:c.HeaderSize()])
		}
	})
}

func TestValid(t *testing.T) {
	for _, inner := range []bool{false, true} {
		for _, kind := range kinds {
			vectors := kind.draw(rngOf(14), 20, 24)
			c := quant.Train(24, inner, vectors, 1)
			e := c.NewEncoder()
			for _, x := range vectors {
				if r := encode(c, e, x); !c.Valid(r.code) {
					t.Fatalf("%s: a code is not valid: % x", kind.name, r.code[:c.HeaderSize()])
				}
			}
		}
		c := quant.New(4, inner)
		good := encode(c, c.NewEncoder(), []float32{1, 2, 3, 4})
		for at := 0; at < c.HeaderSize(); at += 4 {
			for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1} {
				bad := slices.Clone(good.code)
				putF32(bad, at, f)
				// B of an inner product may be negative.
				if want := inner && at == 4 && f == -1; c.Valid(bad) != want {
					t.Errorf("inner %t, %g at %d: valid %t", inner, f, at, !want)
				}
			}
		}
	}
}
