package vecindex_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/vecindex"
)

var long = flag.Bool("long", false, "run the long random tests")

const dim = 40

func config(metric vecindex.Metric) vecindex.Config {
	return vecindex.Config{
		Table:  layout.Table{Graph: 3, Space: 7, Generation: 2},
		Dim:    dim,
		Metric: metric,
		Model:  "test-model",
	}
}

func memory(t testing.TB) kv.Store {
	st := memkv.New(layout.Schema())
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// onDisk opens a store in a new directory, with a memtable so small that
// records reach tables within a test.
func onDisk(t testing.TB) kv.Store {
	st, err := pebblekv.Open(t.Context(), t.TempDir(), layout.Schema(),
		&pebblekv.Options{MemtableBytes: 256 << 10, CacheBytes: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// randomVector returns a vector of 1, 4 or 16 elements of +-scale: its length
// is scale, 2 scale or 4 scale, so that normalising it, and all inner products
// and squared distances, are exact in float32. Equal scores are common.
func randomVector(rng *rand.Rand) []float32 { return randomVectorOf(rng, dim) }

func randomVectorOf(rng *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	scale := float32(1 + rng.IntN(3))
	for _, i := range rng.Perm(dim)[:1<<(2*rng.IntN(3))] {
		v[i] = scale
		if rng.IntN(2) == 0 {
			v[i] = -scale
		}
	}
	return v
}

// entry and state are the model: what a commit holds.
type entry struct {
	layer  uint8
	vector []float32 // as stored
}

type state map[uint64]entry

func storedForm(metric vecindex.Metric, v []float32) []float32 {
	out := slices.Clone(v)
	if metric != vecindex.Cosine {
		return out
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range out {
		out[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return out
}

func modelScore(metric vecindex.Metric, q, v []float32) float32 {
	var dot, l2 float64
	for i := range q {
		dot += float64(q[i]) * float64(v[i])
		l2 += (float64(q[i]) - float64(v[i])) * (float64(q[i]) - float64(v[i]))
	}
	if metric == vecindex.L2 {
		return float32(0 - l2)
	}
	return float32(dot)
}

// search is the brute-force model of View.Search.
func (s state) search(metric vecindex.Metric, q vecindex.Search) []vecindex.Hit {
	query := storedForm(metric, q.Vector)
	var all []vecindex.Hit
	for id, e := range s {
		if q.Allow == nil || id < 1<<32 && q.Allow.Contains(uint32(id)) {
			all = append(all, vecindex.Hit{ID: id, Layer: e.layer, Score: modelScore(metric, query, e.vector)})
		}
	}
	slices.SortFunc(all, func(a, b vecindex.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	if q.Layers == nil {
		return all[:max(0, min(q.K, len(all)))]
	}
	var out []vecindex.Hit
	for _, l := range q.Layers {
		left := l.K
		for _, h := range all {
			if h.Layer == l.Layer && left > 0 {
				out = append(out, h)
				left--
			}
		}
	}
	return out
}

// held is a snapshot with the model of what it must show. views are opened at
// once, and late ones when asked for.
type held struct {
	snap  kv.Snapshot
	seq   uint64
	want  state
	views []*vecindex.View
}

// world drives one index, and further Index objects that read the same store,
// beside the model.
type world struct {
	t       *testing.T
	ctx     context.Context
	rng     *rand.Rand
	st      kv.Store
	cfg     vecindex.Config
	writer  *vecindex.Index
	readers []*vecindex.Index
	seq     uint64
	now     state
	held    []*held
	ids     uint64
	sources map[string]int // where searches read vectors
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) open(limit int64) *vecindex.Index {
	ix, err := vecindex.Open(w.ctx, w.st, w.cfg, &vecindex.Options{MaxMirrorBytes: limit})
	w.must(err)
	return ix
}

func (w *world) reopen(limit int64) {
	for _, h := range w.held {
		w.release(h)
	}
	w.held = nil
	w.writer = w.open(limit)
	w.readers = []*vecindex.Index{w.writer, w.open(-1)}
}

func (w *world) id() uint64 {
	if w.rng.IntN(40) == 0 {
		return math.MaxUint64 - uint64(w.rng.IntN(3))
	}
	return uint64(w.rng.IntN(int(w.ids)))
}

// change makes random changes and returns the state they lead to.
func (w *world) change(ix *vecindex.Index, wr *vecindex.Write) state {
	next := maps.Clone(w.now)
	for range w.rng.IntN(12) {
		id := w.id()
		if w.rng.IntN(3) == 0 {
			_, had := next[id]
			ok, err := wr.Delete(w.ctx, id)
			w.must(err)
			if ok != had {
				w.t.Fatalf("Delete(%d) = %t, want %t", id, ok, had)
			}
			delete(next, id)
			continue
		}
		v, layer := randomVectorOf(w.rng, w.cfg.Dim), uint8(w.rng.IntN(3))
		w.must(wr.Put(w.ctx, id, layer, v))
		next[id] = entry{layer, storedForm(w.cfg.Metric, v)}
	}
	return next
}

// commit makes a commit; published as told.
func (w *world) commit(publish bool) {
	w.seq += 1 + uint64(w.rng.IntN(2))
	if w.rng.IntN(2) == 0 {
		b := w.st.NewBatch()
		wr, err := w.writer.Begin(w.ctx, b, w.seq)
		w.must(err)
		w.now = w.change(w.writer, wr)
		w.must(w.st.Apply(w.ctx, b, kv.NoSync))
		if publish {
			wr.Publish()
		}
		return
	}
	// The engine's way: changes gather in an overlay, which a View can read.
	snap, err := w.st.Snapshot(w.ctx)
	w.must(err)
	defer func() { w.must(snap.Close()) }()
	over := kv.NewOverlay(snap, layout.Schema())
	wr, err := w.writer.Begin(w.ctx, over, w.seq)
	w.must(err)
	w.now = w.change(w.writer, wr)
	view, err := w.writer.At(w.ctx, over, w.seq)
	w.must(err)
	w.compare(view, w.now)
	view.Close()
	b := w.st.NewBatch()
	over.AppendTo(b)
	w.must(w.st.Apply(w.ctx, b, kv.NoSync))
	if publish {
		wr.Publish()
		wr.Publish()
	}
}

func (w *world) abandon() {
	b := w.st.NewBatch()
	wr, err := w.writer.Begin(w.ctx, b, w.seq+1)
	w.must(err)
	w.change(w.writer, wr)
}

func (w *world) hold() {
	snap, err := w.st.Snapshot(w.ctx)
	w.must(err)
	h := &held{snap: snap, seq: w.seq, want: maps.Clone(w.now)}
	w.held = append(w.held, h)
	if w.rng.IntN(2) == 0 {
		w.view(h)
	}
}

func (w *world) view(h *held) {
	for _, ix := range w.readers {
		v, err := ix.At(w.ctx, h.snap, h.seq)
		w.must(err)
		h.views = append(h.views, v)
	}
}

func (w *world) release(h *held) {
	for _, v := range h.views {
		v.Close()
	}
	w.must(h.snap.Close())
}

// compare asks a view everything and compares with the model, bit by bit.
func (w *world) compare(v *vecindex.View, want state) {
	w.t.Helper()
	if v.Len() != len(want) {
		w.t.Fatalf("Len = %d, want %d", v.Len(), len(want))
	}
	q := vecindex.Search{Vector: randomVectorOf(w.rng, w.cfg.Dim), K: w.rng.IntN(8)}
	if w.rng.IntN(6) == 0 {
		q.K = 1000
	}
	switch w.rng.IntN(3) {
	case 0:
		q.Allow = roaring.New()
		for range w.rng.IntN(int(w.ids)) {
			q.Allow.Add(uint32(w.rng.IntN(int(w.ids))))
		}
	case 1:
		q.Allow = roaring.BitmapOf(uint32(w.rng.IntN(int(w.ids))))
	}
	if w.rng.IntN(3) == 0 {
		q.Layers = []vecindex.LayerK{{Layer: 2, K: 2}, {Layer: 0, K: w.rng.IntN(20)}, {Layer: 9, K: 1}}
	}
	prefix := []vecindex.Hit{{ID: 99}}
	got, err := v.Search(w.ctx, q, prefix)
	w.must(err)
	if wanted := slices.Concat(prefix, want.search(w.cfg.Metric, q)); !slices.Equal(got, wanted) {
		w.t.Fatalf("Search %+v\n got %v\nwant %v", q, got, wanted)
	}

	ids := []uint64{w.id(), w.id(), w.id()}
	scores, err := v.Score(w.ctx, q.Vector, ids, nil)
	w.must(err)
	for i, id := range ids {
		score := float32(math.Inf(-1))
		e, ok := want[id]
		if ok {
			score = modelScore(w.cfg.Metric, storedForm(w.cfg.Metric, q.Vector), e.vector)
		}
		if scores[i] != score {
			w.t.Fatalf("score of %d = %g, want %g", id, scores[i], score)
		}
		x, err := v.Vector(w.ctx, id, nil)
		if ok && (err != nil || !slices.Equal(x, e.vector)) {
			w.t.Fatalf("Vector(%d) = %v, %v; want %v", id, x, err, e.vector)
		}
		if !ok && !errors.Is(err, kv.ErrNotFound) {
			w.t.Fatalf("Vector(%d) = %v, %v; want ErrNotFound", id, x, err)
		}
	}

	left := slices.Sorted(maps.Keys(want))
	for e, err := range v.All(w.ctx) {
		w.must(err)
		if len(left) == 0 || e.ID != left[0] || e.Layer != want[e.ID].layer || !slices.Equal(e.Vector, want[e.ID].vector) {
			w.t.Fatalf("All gives %v, want ids %v and %v", e, left, want[e.ID])
		}
		left = left[1:]
	}
	if len(left) > 0 {
		w.t.Fatalf("All left out %v", left)
	}
}

// run makes random steps.
func (w *world) run(steps int, limit int64) {
	w.now, w.sources = state{}, map[string]int{}
	defer func() { w.t.Logf("sources: %v", w.sources) }()
	w.reopen(limit)
	for range steps {
		switch p := w.rng.IntN(100); {
		case p < 45:
			w.commit(w.rng.IntN(20) > 0)
		case p < 50:
			w.abandon()
		case p < 65:
			w.hold()
		case p < 72:
			if len(w.held) > 0 {
				i := w.rng.IntN(len(w.held))
				w.release(w.held[i])
				w.held = slices.Delete(w.held, i, i+1)
			}
		case p < 74:
			w.reopen(limit)
		default:
			if len(w.held) == 0 {
				w.hold()
			}
			h := w.held[w.rng.IntN(len(w.held))]
			if len(h.views) == 0 {
				w.view(h)
			}
			for _, v := range h.views {
				w.compare(v, h.want)
			}
		}
		if w.rng.IntN(20) == 0 {
			s, err := w.writer.Stats(w.ctx)
			w.must(err)
			w.sources[s.Source]++
		}
		if b := w.writer.MemoryBytes(); limit > 0 && b > limit {
			w.t.Fatalf("mirror of %d bytes over the limit %d", b, limit)
		}
	}
	for _, h := range w.held {
		w.release(h)
	}
}

// stores are the backends that the model test runs on.
func stores() map[string]func(t testing.TB) kv.Store {
	return map[string]func(t testing.TB) kv.Store{"memkv": memory, "pebblekv": onDisk}
}

func TestModel(t *testing.T) {
	steps := 250
	if *long {
		steps = 20000
	}
	// With 72 elements rows have codes, and of the bounds one holds codes and
	// one packed codes of the most vectors that there are; the least holds
	// neither vectors nor codes.
	bounds := map[int][]int64{dim: {0, 20000}, 72: {0, 300000, 220000, 60000}}
	for name, open := range stores() {
		for _, metric := range []vecindex.Metric{vecindex.Cosine, vecindex.InnerProduct, vecindex.L2} {
			for _, ids := range []uint64{12, 400} {
				for dim, limits := range bounds {
					for _, limit := range limits {
						if dim == 72 && (ids == 12 || metric != vecindex.Cosine && (name == "pebblekv" || !*long)) {
							continue // all fits; and metrics do not depend on the store
						}
						const seed = 11
						t.Run(fmt.Sprintf("%s/%s/ids=%d/dim=%d/limit=%d", name, metric, ids, dim, limit), func(t *testing.T) {
							t.Parallel() // a view waits for what is not published yet
							t.Logf("seed %d", seed)
							cfg := config(metric)
							cfg.Dim = dim
							w := &world{
								t: t, ctx: t.Context(), st: open(t), cfg: cfg, ids: ids,
								rng: rand.New(rand.NewPCG(seed, ids)),
							}
							w.run(steps, limit)
						})
					}
				}
			}
		}
	}
}
