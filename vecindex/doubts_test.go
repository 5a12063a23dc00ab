//go:build unix

package vecindex_test

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/internal/evaldata"
)

// readVectors returns the vectors of an evaluation file, scaled to length 1.
func readVectors(t *testing.T, name string, dim int) (out [][]float32) {
	t.Helper()
	f, err := os.Open(evaldata.Shared(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(b); {
		v := make([]float32, dim)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[at:]))
			at += 4
		}
		out = append(out, scaled(v))
	}
	return out
}

func scaled(v []float32) []float32 {
	norm := float32(math.Sqrt(float64(distance.Dot(v, v))))
	for i := range v {
		v[i] /= norm
	}
	return v
}

// bitsStep is the step of so many bits that leaves least of a normal variable
// of variance 1.
var bitsStep = map[int]float64{1: 1.596, 2: .9957, 3: .586, 4: .3352, 5: .188, 6: .104, 7: .0569}

// coarse writes what a code of so many bits keeps of v to dst and returns the
// length of what it leaves out. Of 8 bits the step is that of the largest
// element.
func coarse(dst, v []float32, bits int) float64 {
	square, top := 0.0, 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
		top = max(top, math.Abs(float64(x)))
	}
	step := bitsStep[bits] * math.Sqrt(square/float64(len(v)))
	most := (math.Exp2(float64(bits)) - 1) / 2
	var uu, ux float64
	for i, x := range v {
		u := min(max(math.Floor(float64(x)/step)+.5, -most), most)
		if bits == 8 {
			u = math.RoundToEven(float64(x) * 127 / top)
		}
		dst[i] = float32(u)
		uu += u * u
		ux += u * float64(x)
	}
	left := 0.0
	for i, x := range v {
		dst[i] *= float32(ux / uu)
		d := float64(x - dst[i])
		left += d * d
	}
	return math.Sqrt(left)
}

// TestDoubts says why flat spaces have codes of eight and of four bits, and not
// of fewer: it logs which share of the vectors a bound by Cauchy-Schwarz leaves
// in doubt for ten hits. It needs the evaluation's data.
func TestDoubts(t *testing.T) {
	if !*long {
		t.Skip("needs -long")
	}
	normal := func(n, dim int) (out [][]float32) {
		rng := rand.New(rand.NewPCG(1, uint64(dim)))
		for range n {
			v := make([]float32, dim)
			for i := range v {
				v[i] = float32(rng.NormFloat64())
			}
			out = append(out, scaled(v))
		}
		return out
	}
	topics := func(n, dim int) (out [][]float32) {
		c := newClusters(dim)
		for range n {
			out = append(out, scaled(c.draw()))
		}
		return out
	}
	for _, set := range []struct {
		name string
		all  [][]float32
	}{
		{"biographies", readVectors(t, "vec_biographies/bios.f32.gz", 768)},
		{"stardew", readVectors(t, "stardew_zh/passages.f32.gz", 768)},
		{"carol", readVectors(t, "graphrag_carol/entities.f32.gz", 1536)},
		{"topics", topics(10_020, 768)},
		{"normal", normal(10_020, 768)},
	} {
		for _, about := range []string{"the mean", "nothing"} {
			shares := doubts(set.all, about == "the mean")
			t.Logf("%s about %s: shares in doubt at 8 to 1 bits %.4f", set.name, about, shares)
			if about == "the mean" && (shares[0] > .06 || shares[7] < .3) {
				t.Errorf("%s: the shares of 8 bits and of 1 are not those that the design is made for", set.name)
			}
		}
	}
}

// doubts returns the shares of vectors in doubt at 8, 7 and so on to 1 bits. The
// last twenty are queries.
func doubts(all [][]float32, centred bool) (shares []float64) {
	base, queries := all[:len(all)-20], all[len(all)-20:]
	dim := len(all[0])
	mean := make([]float32, dim)
	for _, v := range base[:min(1024, len(base))] {
		for i, x := range v {
			if centred {
				mean[i] += x / float32(min(1024, len(base)))
			}
		}
	}
	var tenth []float64
	for _, q := range queries {
		var scores []float64
		for _, v := range base {
			scores = append(scores, float64(distance.Dot(q, v)))
		}
		slices.Sort(scores)
		tenth = append(tenth, scores[len(scores)-10])
	}
	diff, code := make([]float32, dim), make([]float32, dim)
	for bits := 8; bits > 0; bits-- {
		count := 0
		for _, v := range base {
			for i, x := range v {
				diff[i] = x - mean[i]
			}
			left := coarse(code, diff, bits)
			for i, q := range queries {
				if float64(distance.Dot(q, code)+distance.Dot(q, mean))+left >= tenth[i] {
					count++
				}
			}
		}
		shares = append(shares, float64(count)/float64(len(base)*len(queries)))
	}
	return shares
}
