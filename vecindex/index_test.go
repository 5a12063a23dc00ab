package vecindex_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// put commits one vector for each id as commit seq.
func put(t testing.TB, st kv.Store, ix *vecindex.Index, seq uint64, vectors map[uint64][]float32) {
	t.Helper()
	b := st.NewBatch()
	w, err := ix.Begin(t.Context(), b, seq)
	if err != nil {
		t.Fatal(err)
	}
	for id, v := range vectors {
		if err := w.Put(t.Context(), id, 0, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
		t.Fatal(err)
	}
	w.Publish()
}

func mustOpen(t testing.TB, st kv.Store, c vecindex.Config, o *vecindex.Options) *vecindex.Index {
	t.Helper()
	ix, err := vecindex.Open(t.Context(), st, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// viewOf returns a view of the latest commit, closed with the test.
func viewOf(t testing.TB, st kv.Store, ix *vecindex.Index, seq uint64) *vecindex.View {
	t.Helper()
	snap, err := st.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v, err := ix.At(t.Context(), snap, seq)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		v.Close()
		if err := snap.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

func unit(i int, length float32) []float32 {
	v := make([]float32, dim)
	v[i] = length
	return v
}

func TestConfigValidate(t *testing.T) {
	if err := config(vecindex.L2).Validate(); err != nil {
		t.Fatal(err)
	}
	bad := vecindex.Config{Dim: -1, Metric: 9, Kind: 9, M: -1, EfConstruction: -2}
	err := bad.Validate()
	for _, part := range []string{"dimension -1", "metric 9", "no name", "kind(9)", "M -1", "EfConstruction -2"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not tell of %q", err, part)
		}
	}
	for name, change := range map[string]func(c *vecindex.Config){
		"dimension too large": func(c *vecindex.Config) { c.Dim = vecindex.MaxDim + 1 },
		"long model":          func(c *vecindex.Config) { c.Model = strings.Repeat("m", vecindex.MaxModelBytes+1) },
		"model not UTF-8":     func(c *vecindex.Config) { c.Model = "\xff" },
	} {
		c := config(vecindex.Cosine)
		if change(&c); c.Validate() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	st := memory(t)
	put(t, st, mustOpen(t, st, config(vecindex.Cosine), nil), 1, map[uint64][]float32{1: unit(0, 1)})
	for _, c := range []struct {
		name   string
		change func(c *vecindex.Config)
		is     []error
		isNot  []error
	}{
		{"other model", func(c *vecindex.Config) { c.Model = "other" },
			[]error{vecindex.ErrModelMismatch}, []error{vecindex.ErrDimension, kv.ErrCorrupt}},
		{"other dimension", func(c *vecindex.Config) { c.Dim++ },
			[]error{vecindex.ErrModelMismatch, vecindex.ErrDimension}, []error{vecindex.ErrKind}},
		{"other metric", func(c *vecindex.Config) { c.Metric = vecindex.InnerProduct },
			[]error{vecindex.ErrModelMismatch}, []error{vecindex.ErrDimension}},
		{"hnsw", func(c *vecindex.Config) { c.Kind = vecindex.HNSW },
			[]error{vecindex.ErrModelMismatch}, []error{vecindex.ErrKind}},
		{"unknown kind", func(c *vecindex.Config) { c.Kind = 9 },
			[]error{vecindex.ErrKind}, []error{vecindex.ErrModelMismatch}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := config(vecindex.Cosine)
			c.change(&cfg)
			_, err := vecindex.Open(t.Context(), st, cfg, nil)
			for _, want := range c.is {
				if !errors.Is(err, want) {
					t.Errorf("error %v is not %v", err, want)
				}
			}
			for _, not := range c.isNot {
				if errors.Is(err, not) {
					t.Errorf("error %v is %v", err, not)
				}
			}
		})
	}
	cfg := config(vecindex.Cosine)
	cfg.Model = "other"
	_, err := vecindex.Open(t.Context(), st, cfg, nil)
	var stamp *vecindex.StampError
	if !errors.As(err, &stamp) || stamp.Want.Model != "test-model" || stamp.Have.Model != "other" || !stamp.Want.Normalised {
		t.Errorf("error %v does not carry both stamps", err)
	}
	cfg.Table.Generation++
	if _, err := vecindex.Open(t.Context(), st, cfg, nil); err != nil {
		t.Errorf("another generation: %v", err)
	}
}

func TestUnusableVectors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	metrics := []vecindex.Metric{vecindex.Cosine, vecindex.InnerProduct, vecindex.L2}
	long := metrics[1:]
	for _, c := range []struct {
		name    string
		v       []float32
		fault   string
		element int
		put     []vecindex.Metric // metrics that refuse to put it
		query   []vecindex.Metric // and to take it as a query
	}{
		{"NaN", unit(3, nan), vecindex.FaultNaN, 3, metrics, metrics},
		{"infinite", unit(4, inf), vecindex.FaultInf, 4, metrics, metrics},
		{"minus infinite", unit(19, -inf), vecindex.FaultInf, 19, metrics, metrics},
		{"zero", unit(0, 0), vecindex.FaultZero, 0, metrics, metrics[:1]},
		{"too long", unit(0, 2e15), vecindex.FaultLong, 0, long, long},
		{"largest", unit(0, math.MaxFloat32), vecindex.FaultLong, 0, long, long},
		{"smallest", unit(0, math.SmallestNonzeroFloat32), "", 0, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, m := range metrics {
				st := memory(t)
				ix := mustOpen(t, st, config(m), nil)
				b := st.NewBatch()
				w, err := ix.Begin(t.Context(), b, 1)
				if err != nil {
					t.Fatal(err)
				}
				check := func(what string, err error, refused bool) {
					var ve *vecindex.VectorError
					switch {
					case !refused && err != nil:
						t.Errorf("%s %s: %v", m, what, err)
					case refused && (!errors.Is(err, vecindex.ErrVector) || !errors.As(err, &ve) ||
						ve.Fault != c.fault || ve.Element != c.element):
						t.Errorf("%s %s: %v", m, what, err)
					}
				}
				err = w.Put(t.Context(), 1, 0, c.v)
				check("put", err, slices.Contains(c.put, m))
				if err != nil && b.Bytes() > 64 {
					t.Errorf("%s: a refused vector left %d bytes in the batch", m, b.Bytes())
				}
				put(t, st, ix, 2, map[uint64][]float32{2: unit(1, 1)})
				v := viewOf(t, st, ix, 2)
				_, err = v.Search(t.Context(), vecindex.Search{Vector: c.v, K: 1}, nil)
				check("search", err, slices.Contains(c.query, m))
				_, err = v.Score(t.Context(), c.v, []uint64{2}, nil)
				check("score", err, slices.Contains(c.query, m))
			}
		})
	}
}

func TestWrongDimension(t *testing.T) {
	st := memory(t)
	ix := mustOpen(t, st, config(vecindex.Cosine), nil)
	b := st.NewBatch()
	w, err := ix.Begin(t.Context(), b, 1)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Put(t.Context(), 1, 0, make([]float32, dim+1))
	var de *vecindex.DimensionError
	if !errors.Is(err, vecindex.ErrDimension) || !errors.As(err, &de) || de.Want != dim || de.Have != dim+1 {
		t.Errorf("put: %v", err)
	}
	v := viewOf(t, st, ix, 0)
	if _, err := v.Search(t.Context(), vecindex.Search{Vector: make([]float32, dim-1), K: 1}, nil); !errors.Is(err, vecindex.ErrDimension) {
		t.Errorf("search: %v", err)
	}
	if _, err := v.Score(t.Context(), nil, nil, nil); !errors.Is(err, vecindex.ErrDimension) {
		t.Errorf("score: %v", err)
	}
}

func TestSequences(t *testing.T) {
	st := memory(t)
	ix := mustOpen(t, st, config(vecindex.L2), nil)
	put(t, st, ix, 5, map[uint64][]float32{1: unit(0, 1)})
	for _, seq := range []uint64{0, 4, 5, 1 << 48} {
		if _, err := ix.Begin(t.Context(), st.NewBatch(), seq); !errors.Is(err, vecindex.ErrSequence) {
			t.Errorf("Begin(%d): %v", seq, err)
		}
	}
	if _, err := ix.At(t.Context(), st, 4); !errors.Is(err, vecindex.ErrSequence) {
		t.Errorf("At(4): %v", err)
	}
	if v, err := ix.At(t.Context(), st, 9); err != nil || v.Len() != 1 {
		t.Errorf("At(9): %v", err)
	}
}

func TestAfterTheEnd(t *testing.T) {
	st := memory(t)
	ix := mustOpen(t, st, config(vecindex.L2), nil)
	b := st.NewBatch()
	w, err := ix.Begin(t.Context(), b, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Publish()
	if err := w.Put(t.Context(), 1, 0, unit(0, 1)); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("put: %v", err)
	}
	if _, err := w.Delete(t.Context(), 1); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("delete: %v", err)
	}
	v := viewOf(t, st, ix, 0)
	v.Close()
	v.Close()
	if _, err := v.Search(t.Context(), vecindex.Search{Vector: unit(0, 1), K: 1}, nil); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("search: %v", err)
	}
	if _, err := v.Score(t.Context(), unit(0, 1), nil, nil); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("score: %v", err)
	}
	if _, err := v.Vector(t.Context(), 1, nil); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("vector: %v", err)
	}
	for _, err := range v.All(t.Context()) {
		if !errors.Is(err, kv.ErrClosed) {
			t.Errorf("all: %v", err)
		}
	}
}

// TestStats follows where vectors are read from: nowhere before the first
// search, memory, the store once they have outgrown the limit, memory again.
func TestStats(t *testing.T) {
	st := memory(t)
	const limit = 200 << 10
	ix := mustOpen(t, st, config(vecindex.L2), &vecindex.Options{MaxMirrorBytes: limit})
	none := mustOpen(t, st, config(vecindex.L2), &vecindex.Options{MaxMirrorBytes: -1})
	seq := uint64(0)
	commit := func(from, to int, add bool) {
		t.Helper()
		seq++
		b := st.NewBatch()
		w, err := ix.Begin(t.Context(), b, seq)
		if err != nil {
			t.Fatal(err)
		}
		for id := from; id < to; id++ {
			if add {
				err = w.Put(t.Context(), uint64(id), 0, unit(id%dim, 1+float32(id)))
			} else {
				_, err = w.Delete(t.Context(), uint64(id))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
			t.Fatal(err)
		}
		w.Publish()
	}
	expect := func(step string, source string, vectors int) {
		t.Helper()
		s, err := ix.Stats(t.Context())
		if err != nil || s.Source != source || s.Vectors != vectors || s.MemoryBytes != ix.MemoryBytes() ||
			(s.MemoryBytes > 0) != (source == vecindex.Memory) || s.MemoryBytes > limit {
			t.Fatalf("%s: %+v %v, want %s with %d vectors", step, s, err, source, vectors)
		}
		if s, err := none.Stats(t.Context()); err != nil || s.Source != vecindex.Disk || s.MemoryBytes != 0 {
			t.Fatalf("%s: %+v %v without a mirror", step, s, err)
		}
	}
	search := func() {
		t.Helper()
		hits, err := viewOf(t, st, ix, seq).Search(t.Context(), vecindex.Search{Vector: unit(0, 1), K: 1}, nil)
		if err != nil || len(hits) != 1 {
			t.Fatal(hits, err)
		}
	}
	expect("new", vecindex.Unloaded, 0)
	commit(0, 100, true)
	expect("written", vecindex.Unloaded, 100)
	search()
	expect("searched", vecindex.Memory, 100)
	commit(5000, 5001, false)
	commit(100, 101, true)
	expect("after deleting nothing", vecindex.Memory, 101)
	commit(101, 4000, true)
	expect("grown", vecindex.Disk, 4000)
	search()
	expect("grown and searched", vecindex.Disk, 4000)
	commit(50, 4000, false)
	expect("shrunk", vecindex.Unloaded, 50)
	search()
	expect("shrunk and searched", vecindex.Memory, 50)
}

// TestReclaim updates few vectors often: memory stays bounded, and a View held
// all the while shows what it showed.
func TestReclaim(t *testing.T) {
	st := memory(t)
	ix := mustOpen(t, st, config(vecindex.L2), nil)
	rng := rand.New(rand.NewPCG(4, 4))
	fresh := func() map[uint64][]float32 {
		m := map[uint64][]float32{}
		for id := range uint64(100) {
			m[id] = randomVector(rng)
		}
		return m
	}
	put(t, st, ix, 1, fresh())
	v := viewOf(t, st, ix, 1)
	q := vecindex.Search{Vector: randomVector(rng), K: 100}
	before, err := v.Search(t.Context(), q, nil)
	if err != nil {
		t.Fatal(err)
	}
	for seq := uint64(2); seq < 200; seq++ {
		put(t, st, ix, seq, fresh())
		if b := ix.MemoryBytes(); b > 64<<10 {
			t.Fatalf("mirror of 100 vectors has %d bytes after %d updates", b, seq)
		}
	}
	after, err := v.Search(t.Context(), q, nil)
	if err != nil || !slices.Equal(before, after) {
		t.Fatalf("a view changed: %v", err)
	}
}

// TestNormalisedIsStable puts vectors that were read from an index into
// another and expects the same bits.
func TestNormalisedIsStable(t *testing.T) {
	const seed = 9
	rng := rand.New(rand.NewPCG(seed, seed))
	st := memory(t)
	ix := mustOpen(t, st, config(vecindex.Cosine), nil)
	in := map[uint64][]float32{}
	for id := range uint64(500) {
		v := make([]float32, dim)
		for i := range v {
			v[i] = float32(rng.NormFloat64() * math.Ldexp(1, rng.IntN(60)-30))
		}
		in[id] = v
	}
	put(t, st, ix, 1, in)
	v := viewOf(t, st, ix, 1)
	out := map[uint64][]float32{}
	for e, err := range v.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		var sum float64
		for _, x := range e.Vector {
			sum += float64(x) * float64(x)
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Fatalf("node %d is stored with squared length %g", e.ID, sum)
		}
		out[e.ID] = slices.Clone(e.Vector)
	}
	st2 := memory(t)
	ix2 := mustOpen(t, st2, config(vecindex.Cosine), nil)
	put(t, st2, ix2, 1, out)
	v2 := viewOf(t, st2, ix2, 1)
	for id, want := range out {
		got, err := v2.Vector(t.Context(), id, nil)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("node %d changed: %v", id, err)
		}
	}
}

func TestLayersTwice(t *testing.T) {
	st := memory(t)
	ix := mustOpen(t, st, config(vecindex.L2), nil)
	q := vecindex.Search{Vector: unit(0, 1), Layers: []vecindex.LayerK{{Layer: 1, K: 1}, {Layer: 1, K: 2}}}
	if _, err := viewOf(t, st, ix, 0).Search(t.Context(), q, nil); err == nil {
		t.Error("a layer asked for twice was accepted")
	}
}

func TestCancelled(t *testing.T) {
	st := memory(t)
	ix := mustOpen(t, st, config(vecindex.L2), nil)
	put(t, st, ix, 1, map[uint64][]float32{1: unit(0, 1)})
	v := viewOf(t, st, ix, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q := vecindex.Search{Vector: unit(0, 1), K: 1}
	if _, err := v.Search(ctx, q, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("search that builds the mirror: %v", err)
	}
	if _, err := v.Search(t.Context(), q, nil); err != nil {
		t.Errorf("a cancelled search spoilt the next: %v", err)
	}
	if _, err := v.Search(ctx, q, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("search: %v", err)
	}
	for _, err := range v.All(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("all: %v", err)
		}
	}
}
