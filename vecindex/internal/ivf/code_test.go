package ivf_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/ivf"
)

func normal(rng *rand.Rand, d int, scale float64) []float32 {
	out := make([]float32, d)
	for i := range out {
		out[i] = float32(scale * rng.NormFloat64())
	}
	return out
}

func rowOf(t []float32) ivf.Row {
	r := ivf.Row{Q: make([]int8, len(t))}
	r.Set(t)
	return r
}

// quantised returns what a row says.
func quantised(r ivf.Row) []float32 {
	out := make([]float32, len(r.Q))
	r.Vector(out)
	return out
}

func distanceOf(a, b []float32, ip bool) float64 {
	var dot, sq float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		sq += (float64(a[i]) - float64(b[i])) * (float64(a[i]) - float64(b[i]))
	}
	if ip {
		return -2 * dot
	}
	return sq
}

// TestEstimates holds estimates to the distances, and their errors to the deviations that
// come with them.
func TestEstimates(t *testing.T) {
	for _, d := range []int{3, 17, 64, 65, 66, 130, 768} {
		for _, ip := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/%t", d, ip), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(d), 1))
				c := ivf.NewCoder(d, ip)
				q := c.NewQuery()
				var sum, n float64
				for range 40 {
					centre := quantised(rowOf(normal(rng, d, 1)))
					query := normal(rng, d, 1)
					for i := range query {
						query[i] += centre[i]
					}
					q.Set(query)
					var rows [][]float32
					for range 30 {
						x := normal(rng, d, 0.4)
						for i := range x {
							x[i] += centre[i]
						}
						rows = append(rows, x)
						code := make([]byte, c.Size())
						c.Encode(code, x, centre)
						if !c.Valid(code) {
							t.Fatal("a code is not valid")
						}
						q.Add(code)
					}
					between := math.Sqrt(distanceOf(query, centre, false))
					q.Estimates(float32(distanceOf(query, centre, ip)), func(i int, got, deviation float32) {
						e := (float64(got) - distanceOf(query, rows[i], ip)) / (float64(deviation) * between)
						sum += e * e
						n++
					})
					q.Reset()
				}
				if n != 40*30 {
					t.Fatalf("%v estimates", n)
				}
				most := 1.15
				if d < 64 {
					most = 2 // few elements are far from normal
				}
				if rms := math.Sqrt(sum / n); rms > most || rms < 0.3 {
					t.Errorf("errors have a root mean square of %.2f deviations", rms)
				}
			})
		}
	}
}

// TestCodesOfNothing: a vector that is its centroid is at the centroid's distance.
func TestCodesOfNothing(t *testing.T) {
	for _, ip := range []bool{false, true} {
		c := ivf.NewCoder(70, ip)
		x := quantised(rowOf(normal(rand.New(rand.NewPCG(1, 2)), 70, 1)))
		code := make([]byte, c.Size())
		c.Encode(code, x, x)
		q := c.NewQuery()
		y := normal(rand.New(rand.NewPCG(3, 2)), 70, 1)
		q.Set(y)
		q.Add(code)
		want := distanceOf(x, y, ip)
		q.Estimates(float32(want), func(_ int, got, deviation float32) {
			if math.Abs(float64(got)-want) > 1e-3 || deviation != 0 {
				t.Errorf("%g +- %g, want %g", got, deviation, want)
			}
		})
	}
}

func TestValid(t *testing.T) {
	c := ivf.NewCoder(70, false)
	for name, bad := range map[string][]byte{
		"short": make([]byte, c.Size()-1),
		"long":  make([]byte, c.Size()+1),
		"NaN":   append([]byte{0, 0, 0xc0, 0x7f}, make([]byte, c.Size()-4)...),
		"up":    append([]byte{0, 0, 0, 0, 0, 0, 0x80, 0x3f}, make([]byte, c.Size()-8)...),
		"inf":   append([]byte{0, 0, 0, 0, 0, 0, 0x80, 0xff}, make([]byte, c.Size()-8)...),
	} {
		if c.Valid(bad) {
			t.Errorf("%s: valid", name)
		}
	}
	if !c.Valid(make([]byte, c.Size())) {
		t.Error("a code of zeros is not valid")
	}
}
