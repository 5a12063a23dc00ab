//go:build unix

package vecindex_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/vecindex"
)

// What TestEdges measures.
var (
	edgesDim  = flag.Int("edges-dim", 512, "elements of a vector")
	edgesMiB  = flag.Int("edges-mib", 28, "bound on memory")
	edgesFrom = flag.Int("edges-from", 6000, "vectors at first")
	edgesTo   = flag.Int("edges-to", 75000, "vectors in the end")
)

// clusters draws vectors as models make them: of some hundred topics in a space
// of 96 dimensions, with a part common to all and three tenths of noise.
type clusters struct {
	rng     *rand.Rand
	dim     int
	centres [][]float64
	axes    [][]float32
	common  []float32
}

const latentDim = 96

func newClusters(dim int) *clusters {
	c := &clusters{rng: rand.New(rand.NewPCG(7, uint64(dim))), dim: dim}
	normal := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = c.rng.NormFloat64()
		}
		return v
	}
	for range 300 {
		c.centres = append(c.centres, normal(latentDim))
	}
	for range latentDim {
		axis := make([]float32, dim)
		for i, x := range normal(dim) {
			axis[i] = float32(x / math.Sqrt(latentDim))
		}
		c.axes = append(c.axes, axis)
	}
	for _, x := range normal(dim) {
		c.common = append(c.common, float32(x))
	}
	return c
}

func (c *clusters) draw() []float32 {
	v := slices.Clone(c.common)
	centre := c.centres[c.rng.IntN(len(c.centres))]
	for l, axis := range c.axes {
		z := float32((centre[l] + .6*c.rng.NormFloat64()) * math.Sqrt(.7/1.36))
		for i := range v {
			v[i] += z * axis[i]
		}
	}
	for i := range v {
		v[i] += float32(math.Sqrt(.3) * c.rng.NormFloat64())
	}
	return v
}

// flatSpace is a flat space on disk that grows.
type flatSpace struct {
	tb   testing.TB
	st   *pebblekv.Store
	cfg  vecindex.Config
	data *clusters
	seq  uint64
	n    int
}

func newFlatSpace(tb testing.TB, dim int) *flatSpace {
	st, err := pebblekv.Open(tb.Context(), tb.TempDir(), layout.Schema(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := st.Close(); err != nil {
			tb.Error(err)
		}
	})
	cfg := config(vecindex.Cosine)
	cfg.Dim = dim
	return &flatSpace{tb: tb, st: st, cfg: cfg, data: newClusters(dim)}
}

// grow adds vectors up to n.
func (s *flatSpace) grow(n int) {
	s.tb.Helper()
	ix := mustOpen(s.tb, s.st, s.cfg, &vecindex.Options{MaxMirrorBytes: -1})
	for s.n < n {
		s.seq++
		b := s.st.NewBatch()
		w, err := ix.Begin(s.tb.Context(), b, s.seq)
		if err != nil {
			s.tb.Fatal(err)
		}
		for range min(500, n-s.n) {
			if err := w.Put(s.tb.Context(), uint64(s.n), 0, s.data.draw()); err != nil {
				s.tb.Fatal(err)
			}
			s.n++
		}
		if err := s.st.Apply(s.tb.Context(), b, kv.NoSync); err != nil {
			s.tb.Fatal(err)
		}
		w.Publish()
	}
	if err := s.st.Compact(s.tb.Context(), nil, nil); err != nil {
		s.tb.Fatal(err)
	}
}

// search opens the space with a bound, and returns where searches read vectors
// and the median of the processor time of some.
func (s *flatSpace) search(limit int64, searches int) (stats vecindex.Stats, cpu time.Duration) {
	s.tb.Helper()
	ix := mustOpen(s.tb, s.st, s.cfg, &vecindex.Options{MaxMirrorBytes: limit})
	snap, err := s.st.Snapshot(s.tb.Context())
	if err != nil {
		s.tb.Fatal(err)
	}
	defer snap.Close()
	v, err := ix.At(s.tb.Context(), snap, s.seq)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer v.Close()
	var all []time.Duration
	for i := range searches + 2 {
		q := vecindex.Search{Vector: s.data.draw(), K: 10}
		before := processTime(s.tb)
		hits, err := v.Search(s.tb.Context(), q, nil)
		if err != nil || len(hits) != 10 {
			s.tb.Fatal(hits, err)
		}
		if i >= 2 { // the first ones read the index
			all = append(all, processTime(s.tb)-before)
		}
	}
	if stats, err = ix.Stats(s.tb.Context()); err != nil {
		s.tb.Fatal(err)
	}
	slices.Sort(all)
	return stats, all[len(all)/2]
}

// processTime returns the processor time that the process has used.
func processTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestEdges grows a flat space by tenths, from where all of it is in memory to
// where not even packed codes are, and logs what a search costs. With -long it
// is held to the growth that the design allows.
func TestEdges(t *testing.T) {
	if !*long {
		t.Skip("needs -long: it takes minutes")
	}
	s := newFlatSpace(t, *edgesDim)
	limit := int64(*edgesMiB) << 20
	var last time.Duration
	for n := *edgesFrom; n <= *edgesTo; n += n / 10 {
		s.grow(n)
		stats, cpu := s.search(limit, 15)
		ratio := 1.0
		if last > 0 {
			ratio = float64(cpu) / float64(last)
		}
		t.Logf("%7d vectors, %-6s %8.1f MiB: %6.2f ms, %.2f times the last", n, stats.Source, float64(stats.MemoryBytes)/(1<<20), 1e3*cpu.Seconds(), ratio)
		last = cpu
	}
}
