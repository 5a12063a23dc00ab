package quant_test

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/vecindex/internal/quant"
)

func readVectors(t *testing.T, name string, d int) [][]float32 {
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
	if len(b) == 0 || len(b)%(4*d) != 0 {
		t.Fatalf("%s: %d bytes", name, len(b))
	}
	x := make([][]float32, len(b)/(4*d))
	for i := range x {
		x[i] = make([]float32, d)
		for j := range x[i] {
			x[i][j] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*(i*d+j):]))
		}
	}
	return x
}

// TestEvaluationData scans real vectors and reranks what the bound does not
// exclude: next to nothing of the true ten nearest may be lost.
func TestEvaluationData(t *testing.T) {
	if !*long {
		t.Skip("without -long")
	}
	const k = 10
	for _, set := range []struct {
		name, base, queries string
		d                   int
		m                   metric
	}{
		{"sift", "vec_sift5k/base.f32.gz", "vec_sift5k/base.queries.f32.gz", 128, l2},
		{"biographies", "vec_biographies/bios.f32.gz", "", 768, cosine},
		{"stardew", "stardew_zh/passages.f32.gz", "", 768, cosine},
		{"carol", "graphrag_carol/entities.f32.gz", "", 1536, cosine},
		{"carol as ip", "graphrag_carol/entities.f32.gz", "", 1536, ip},
		{"sift as ip", "vec_sift5k/base.f32.gz", "vec_sift5k/base.queries.f32.gz", 128, ip},
	} {
		t.Run(set.name, func(t *testing.T) {
			base := readVectors(t, set.base, set.d)
			queries := base[:min(300, len(base))]
			if set.queries != "" {
				queries = readVectors(t, set.queries, set.d)
			}
			if set.m == cosine {
				for _, x := range base {
					normalise(x)
				}
			}
			c := quant.Train(set.d, set.m == ip, base[:min(1024, len(base))], 1)
			mean := meanOf(c)
			e, q := c.NewEncoder(), c.NewQuery()
			codes := make([]coded, len(base))
			var crest float64
			for i, x := range base {
				codes[i] = encode(c, e, x)
				var largest float64
				for j, v := range x {
					largest = max(largest, math.Abs(float64(v-mean[j])))
				}
				crest += largest * math.Sqrt(float64(set.d)/squared(x, mean)) / float64(len(base))
			}
			var lost, reranked, outside, all int
			for qi, x := range queries {
				q.Fill(e, x)
				type hit struct{ est, eps, exact float64 }
				var hits []hit
				for i, y := range codes {
					if set.queries == "" && i == qi {
						continue
					}
					want, _ := exact(set.m, mean, x, y.x)
					d := estimate(c, q, y)
					eps := 3*float64(q.Sigma(y.code, d)) + float64(q.Slack(y.code))
					hits = append(hits, hit{float64(d), eps, want})
					all++
					if math.Abs(float64(d)-want) > eps {
						outside++
					}
				}
				slices.SortFunc(hits, func(a, b hit) int {
					if a.est < b.est {
						return -1
					}
					return 1
				})
				var truth, best []float64
				for i, h := range hits {
					truth = append(truth, h.exact)
					if i >= k && h.est-h.eps > best[k-1] {
						continue
					}
					reranked++
					at, _ := slices.BinarySearch(best, h.exact)
					best = slices.Insert(best, at, h.exact)[:min(len(best)+1, k)]
				}
				slices.Sort(truth)
				for _, d := range best {
					if d > truth[k-1] {
						lost++
					}
				}
			}
			n := float64(len(queries))
			share, per := float64(lost)/(n*k), float64(reranked)/n
			t.Logf("crest %.1f, rotated %t, reranked %.1f of %d, lost %.4f, errors beyond the bound %.5f",
				crest, c.Rotated(), per, len(base), share, float64(outside)/float64(all))
			if share > 0.001 || per > 1.5*k || float64(outside) > 0.01*float64(all) {
				t.Errorf("lost %.4f, reranked %.1f, %d of %d errors beyond the bound", share, per, outside, all)
			}
		})
	}
}
