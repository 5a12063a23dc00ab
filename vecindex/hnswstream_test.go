package vecindex_test

import (
	"context"
	"errors"
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
	"github.com/ragdb/ragdb/vecindex"
)

// shape says what vectors a stream is of. Of exact ones all scores are exact
// in float32, and many are equal.
type shape struct {
	name  string
	dim   int
	exact bool
	draw  func(rng *rand.Rand) []float32
}

func clustered(d int) shape {
	return shape{fmt.Sprintf("clusters%d", d), d, false, func(rng *rand.Rand) []float32 {
		c := rand.New(rand.NewPCG(uint64(rng.IntN(30)), 9))
		v := make([]float32, d)
		for i := range v {
			v[i] = float32(c.NormFloat64() + 0.4*rng.NormFloat64())
		}
		return v
	}}
}

// latest is a snapshot with the model of what it must show; its view is opened
// late or at once, and closed by the opening of another Index.
type latest struct {
	snap kv.Snapshot
	seq  uint64
	want state
	view *vecindex.View
}

// stream drives an index with a graph beside the model.
type stream struct {
	t      *testing.T
	rng    *rand.Rand
	st     kv.Store
	cfg    vecindex.Config
	opt    vecindex.Options
	shape  shape
	ids    int
	layers int
	exact  int // vectors up to which an Auto index has no lists
	ix     *vecindex.Index
	seq    uint64
	now    state
	raw    map[uint64][]float32
	held   []*latest
	// guests is how many commits may still come between those of a linker.
	guests int
	// missed says that a commit was not published: the figures in memory are
	// those of an earlier one.
	missed  bool
	verdict verdict
	// between, if not nil, is called between the commits of a linker.
	between func()
}

func (s *stream) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// reopen makes another Index of the store, with other options.
func (s *stream) reopen() {
	s.t.Helper()
	for _, h := range s.held {
		s.close(h)
	}
	s.opt = vecindex.Options{Rerank: vecindex.Rerank(s.rng.IntN(3)), Workers: 1 + s.rng.IntN(3), ExactElements: int64(s.exact * s.cfg.Dim)}
	switch s.rng.IntN(6) {
	case 0, 1:
		s.opt.MaxMirrorBytes = -1
	case 2:
		s.opt.MaxMirrorBytes = 1 << (14 + s.rng.IntN(8))
	}
	var err error
	s.ix, err = vecindex.Open(s.t.Context(), s.st, s.cfg, &s.opt)
	s.must(err)
	if s.rng.IntN(4) > 0 {
		s.ix.WalkFew()
	}
	s.missed = false
}

func (s *stream) close(h *latest) {
	if h.view != nil {
		h.view.Close()
		h.view = nil
	}
}

func (s *stream) release(i int) {
	s.close(s.held[i])
	s.must(s.held[i].snap.Close())
	s.held = slices.Delete(s.held, i, i+1)
}

func (s *stream) hold() *latest {
	s.t.Helper()
	snap, err := s.st.Snapshot(s.t.Context())
	s.must(err)
	h := &latest{snap: snap, seq: s.seq, want: maps.Clone(s.now)}
	s.held = append(s.held, h)
	if s.rng.IntN(2) == 0 {
		s.open(h)
	}
	return h
}

func (s *stream) open(h *latest) {
	s.t.Helper()
	if h.view == nil {
		var err error
		h.view, err = s.ix.At(s.t.Context(), h.snap, h.seq)
		s.must(err)
	}
}

func (s *stream) id() uint64 {
	if s.rng.IntN(60) == 0 {
		return math.MaxUint64 - uint64(s.rng.IntN(5))
	}
	return uint64(s.rng.IntN(s.ids))
}

// change makes random changes and returns what they lead to.
func (s *stream) change(w *vecindex.Write) (state, map[uint64][]float32) {
	s.t.Helper()
	next, raw := maps.Clone(s.now), maps.Clone(s.raw)
	n := []int{1, 2, 5, 30, 200, 600}[s.rng.IntN(6)]
	deletes := s.rng.IntN(4) // of ten
	if s.rng.IntN(12) == 0 {
		deletes = 9
	}
	for range n {
		id := s.id()
		if s.rng.IntN(10) < deletes {
			_, had := next[id]
			ok, err := w.Delete(s.t.Context(), id)
			s.must(err)
			if ok != had {
				s.t.Fatalf("Delete(%d) = %t, want %t", id, ok, had)
			}
			delete(next, id)
			delete(raw, id)
			continue
		}
		v, layer := s.shape.draw(s.rng), uint8(s.rng.IntN(s.layers))
		s.must(w.Put(s.t.Context(), id, layer, v))
		next[id], raw[id] = entry{layer, storedForm(s.cfg.Metric, v)}, v
	}
	return next, raw
}

func (s *stream) commit(publish bool) {
	s.t.Helper()
	s.seq += 1 + uint64(s.rng.IntN(2))
	b := s.st.NewBatch()
	w, err := s.ix.Begin(s.t.Context(), b, s.seq)
	s.must(err)
	s.now, s.raw = s.change(w)
	s.must(s.st.Apply(s.t.Context(), b, kv.NoSync))
	if publish {
		w.Publish()
	}
	s.missed = !publish
}

func (s *stream) abandon() {
	b := s.st.NewBatch()
	w, err := s.ix.Begin(s.t.Context(), b, s.seq+1)
	s.must(err)
	s.change(w)
}

// commitOwn is the Committer: commits and searches come before it and after.
func (s *stream) commitOwn(ctx context.Context, fn func(b kv.Batch) error) error {
	s.t.Helper()
	if s.guests > 0 && s.rng.IntN(3) == 0 {
		s.guests--
		s.commit(true)
	}
	b := s.st.NewBatch()
	if err := fn(b); err != nil {
		return err
	}
	if err := s.st.Apply(ctx, b, kv.NoSync); err != nil {
		return err
	}
	if s.rng.IntN(2) == 0 {
		s.look()
	}
	if s.between != nil {
		s.between()
	}
	if s.guests > 0 && s.rng.IntN(3) == 0 {
		s.guests--
		s.commit(true)
	}
	return nil
}

// look compares a new snapshot and one of those held with the model.
func (s *stream) look() {
	s.t.Helper()
	s.compare(s.hold())
	s.release(len(s.held) - 1)
	if len(s.held) > 0 {
		s.compare(s.held[s.rng.IntN(len(s.held))])
	}
}

// part returns how far scores may be off. Low planes are certain if they
// are asked for and there is room.
func (s *stream) part() float64 {
	if s.opt.Rerank != vecindex.RerankStore && s.opt.MaxMirrorBytes == 0 {
		return 1e-3
	}
	if s.shape.exact {
		return 3e-2 // of vectors of few elements a byte tells less
	}
	return 1e-2
}

func (s *stream) query() vecindex.Search {
	q := vecindex.Search{Vector: s.shape.draw(s.rng), K: s.rng.IntN(20), Ef: 128}
	if s.rng.IntN(12) == 0 {
		q.K = 1000
	}
	switch s.rng.IntN(4) {
	case 0:
		q.Allow = roaring.New()
		n := []int{0, 1, 10, s.ids / 10, s.ids / 2, 3 * s.ids}[s.rng.IntN(6)]
		for range n {
			q.Allow.Add(uint32(s.rng.IntN(s.ids + 10)))
		}
	case 1:
		q.Layers = []vecindex.LayerK{{Layer: 1, K: s.rng.IntN(9)}, {Layer: 0, K: s.rng.IntN(20)}, {Layer: 9, K: 1}}
	}
	return q
}

// compare asks the view of a snapshot everything.
func (s *stream) compare(h *latest) {
	s.t.Helper()
	ctx, metric := s.t.Context(), s.cfg.Metric
	s.open(h)
	v, want := h.view, h.want
	if v.Len() != len(want) {
		s.t.Fatalf("Len = %d, want %d", v.Len(), len(want))
	}
	q := s.query()
	got, err := v.Search(ctx, q, nil)
	s.must(err)
	res, err := judge(metric, s.part(), want, q, got)
	if err != nil {
		s.t.Fatalf("epoch %d of %d, K %d, Layers %v, Allow %v: %v", h.seq, s.seq, q.K, q.Layers, q.Allow, err)
	}
	s.verdict.found += res.found
	s.verdict.wanted += res.wanted

	q.Exact = true
	got, err = v.Search(ctx, q, nil)
	s.must(err)
	if s.shape.exact {
		if wanted := want.search(metric, q); !slices.Equal(got, wanted) {
			s.t.Fatalf("exact search\n got %v\nwant %v", got, wanted)
		}
	} else if res, err := judge(metric, 1e-5, want, q, got); err != nil || res.found != res.wanted {
		s.t.Fatalf("exact search: %v, %+v", err, res)
	}
	s.compareVectors(v, want, q.Vector)
}

func (s *stream) compareVectors(v *vecindex.View, want state, query []float32) {
	s.t.Helper()
	ctx, metric := s.t.Context(), s.cfg.Metric
	ids := []uint64{s.id(), s.id(), s.id()}
	scores, err := v.Score(ctx, query, ids, nil)
	s.must(err)
	for i, id := range ids {
		e, ok := want[id]
		x, err := v.Vector(ctx, id, nil)
		if !ok {
			if !math.IsInf(float64(scores[i]), -1) || !errors.Is(err, kv.ErrNotFound) {
				s.t.Fatalf("node %d has score %g, vector %v, error %v; it is not there", id, scores[i], x, err)
			}
			continue
		}
		s.must(err)
		if !s.same(x, e.vector) {
			s.t.Fatalf("Vector(%d) = %v, want %v", id, x, e.vector)
		}
		q := storedForm(metric, query)
		score := modelScore(metric, q, e.vector)
		if s.shape.exact && scores[i] != score ||
			math.Abs(float64(scores[i]-score)) > 1e-5*scoreSize(metric, q, e.vector) {
			s.t.Fatalf("score of %d = %g, want %g", id, scores[i], score)
		}
	}
	if s.rng.IntN(4) > 0 {
		return
	}
	left := slices.Sorted(maps.Keys(want))
	for e, err := range v.All(ctx) {
		s.must(err)
		if len(left) == 0 || e.ID != left[0] || e.Layer != want[e.ID].layer || !s.same(e.Vector, want[e.ID].vector) {
			s.t.Fatalf("All gives %v, want ids %v and %v", e, left[:min(3, len(left))], want[e.ID])
		}
		left = left[1:]
	}
	if len(left) > 0 {
		s.t.Fatalf("All left out %v", left)
	}
}

// same compares a stored vector with the model's: bit by bit unless the
// scaling to length 1 rounds.
func (s *stream) same(x, want []float32) bool {
	if s.shape.exact || s.cfg.Metric != vecindex.Cosine {
		return slices.Equal(x, want)
	}
	return slices.EqualFunc(x, want, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 })
}

// tend does a linker's work, beside which commits are made.
func (s *stream) tend(name string, do func(context.Context, vecindex.Committer) error) {
	s.t.Helper()
	s.guests = s.rng.IntN(3)
	if err := do(s.t.Context(), s.commitOwn); err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	s.guests = 0
	s.must(s.ix.CheckGraph(s.t.Context(), s.st))
	st, err := s.ix.Stats(s.t.Context())
	s.must(err)
	if st.Vectors != len(s.now) {
		s.t.Fatalf("%s: %d vectors, want %d", name, st.Vectors, len(s.now))
	}
	if s.missed {
		return
	}
	if st.Rerank != vecindex.RerankAuto && st.Linked+st.Pending != st.Vectors {
		s.t.Fatalf("%s: stats %+v", name, st)
	}
}

// settled does it without commits beside it, and compares with a fresh index.
func (s *stream) settled() {
	s.t.Helper()
	ctx := s.t.Context()
	s.must(s.ix.Settle(ctx, s.commitOwn))
	s.must(s.ix.CheckGraph(ctx, s.st))
	st, err := s.ix.Stats(ctx)
	s.must(err)
	h := s.hold()
	s.open(h)
	linked := len(s.now)
	if lists, err := h.view.ByLists(ctx); err != nil || s.cfg.Kind == vecindex.Auto && !lists {
		s.must(err)
		linked = 0
		if len(s.now) > s.exact {
			s.t.Fatalf("settled: no lists of %d vectors", len(s.now))
		}
	}
	if st.Pending != 0 || st.Linked != linked {
		s.t.Fatalf("settled: stats %+v of %d vectors", st, len(s.now))
	}
	if s.cfg.Kind == vecindex.IVF || s.cfg.Kind == vecindex.Auto {
		if linked == 0 || s.cfg.Kind == vecindex.IVF || len(s.now) > s.exact {
			s.sameAsFresh(h.view)
		}
		s.release(len(s.held) - 1)
		return
	}
	got := linksOf(s.t, h.view)
	s.release(len(s.held) - 1)
	if !slices.Equal(got, freshLinks(s.t, s.cfg, s.now, s.raw)) {
		s.t.Fatalf("settled: %d links, others than those of a fresh index", len(got))
	}
}

func linksOf(t *testing.T, v *vecindex.View) (out []vecindex.Link) {
	t.Helper()
	for l, err := range v.Links(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

// freshLinks returns the links of an index that gets vectors in order of their
// ids in one commit.
func freshLinks(t *testing.T, cfg vecindex.Config, now state, raw map[uint64][]float32) (out []vecindex.Link) {
	t.Helper()
	fresh(t, cfg, 0, now, raw, func(v *vecindex.View) { out = linksOf(t, v) })
	return out
}

// fresh calls fn with a settled index that got vectors in order of their ids in one
// commit.
func fresh(t *testing.T, cfg vecindex.Config, exact int, now state, raw map[uint64][]float32, fn func(v *vecindex.View)) {
	t.Helper()
	st := memkv.New(layout.Schema())
	defer st.Close()
	ix := mustOpen(t, st, cfg, &vecindex.Options{Workers: 2, ExactElements: int64(exact * cfg.Dim)})
	b := st.NewBatch()
	w, err := ix.Begin(t.Context(), b, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(now)) {
		if err := w.Put(t.Context(), id, now[id].layer, raw[id]); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
		t.Fatal(err)
	}
	w.Publish()
	if err := ix.Settle(t.Context(), commitTo(st)); err != nil {
		t.Fatal(err)
	}
	v, err := ix.At(t.Context(), st, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	fn(v)
}

// commitTo returns the Committer that applies batches to a store.
func commitTo(st kv.Store) vecindex.Committer {
	return func(ctx context.Context, fn func(b kv.Batch) error) error {
		b := st.NewBatch()
		if err := fn(b); err != nil {
			return err
		}
		return st.Apply(ctx, b, kv.NoSync)
	}
}

func (s *stream) run(steps int) {
	s.now, s.raw = state{}, map[uint64][]float32{}
	s.reopen()
	for range steps {
		switch p := s.rng.IntN(100); {
		case p < 30:
			s.commit(s.rng.IntN(25) > 0)
		case p < 33:
			s.abandon()
		case p < 42:
			s.tend("tend", s.ix.Tend)
		case p < 49:
			s.tend("flush", s.ix.Flush)
		case p < 51:
			s.tend("settle", s.ix.Settle)
		case p < 53:
			s.settled()
		case p < 56:
			s.reopen()
		case p < 64:
			if len(s.held) < 6 {
				s.hold()
			}
		case p < 72:
			if len(s.held) > 0 {
				s.release(s.rng.IntN(len(s.held)))
			}
		default:
			s.look()
		}
		if limit := s.opt.MaxMirrorBytes; limit > 0 && s.ix.MemoryBytes() > limit {
			s.t.Fatalf("%d bytes over the limit %d", s.ix.MemoryBytes(), limit)
		}
	}
	for len(s.held) > 0 {
		s.release(0)
	}
	s.reopen()
	s.settled()
	s.look()
	if r := float64(s.verdict.found) / float64(s.verdict.wanted); r < 0.97 {
		s.t.Errorf("recall %.4f", r)
	}
}

func TestHNSWStream(t *testing.T) {
	steps, seeds := 50, 1
	if *long {
		steps, seeds = 400, 4
	}
	ties := shape{"ties", dim, true, randomVector}
	n := 0
	for _, sh := range []shape{clustered(8), clustered(40), ties} {
		for _, metric := range []vecindex.Metric{vecindex.Cosine, vecindex.InnerProduct, vecindex.L2} {
			for name, open := range stores() {
				for seed := range seeds {
					n++
					s := &stream{shape: sh, ids: []int{40, 900, 3000}[n%3], layers: 1 + n/3%3, cfg: config(metric)}
					s.cfg.Kind, s.cfg.Dim, s.cfg.Seed, s.cfg.EfConstruction = vecindex.HNSW, sh.dim, 7, 64
					t.Run(fmt.Sprintf("%s/%s/%s/ids=%d/layers=%d/seed=%d", sh.name, metric, name, s.ids, s.layers, seed), func(t *testing.T) {
						t.Parallel()
						s.t, s.st = t, open(t)
						s.rng = rand.New(rand.NewPCG(uint64(seed), uint64(s.ids)))
						s.run(steps)
					})
				}
			}
		}
	}
}

// TestSettleBesideViews settles an index of which an open View sees vectors
// that are dead: they leave the graph without waiting for it.
func TestSettleBesideViews(t *testing.T) {
	s := &stream{t: t, st: memory(t), rng: rand.New(rand.NewPCG(1, 2)), shape: clustered(8), ids: 2000, layers: 1}
	s.cfg = config(vecindex.L2)
	s.cfg.Kind, s.cfg.Dim = vecindex.HNSW, s.shape.dim
	s.now, s.raw = state{}, map[uint64][]float32{}
	s.ix = mustOpen(t, s.st, s.cfg, nil)
	update := func(fn func(w *vecindex.Write)) {
		s.seq++
		b := s.st.NewBatch()
		w, err := s.ix.Begin(t.Context(), b, s.seq)
		s.must(err)
		fn(w)
		s.must(s.st.Apply(t.Context(), b, kv.NoSync))
		w.Publish()
	}
	update(func(w *vecindex.Write) {
		for id := range uint64(1500) {
			s.raw[id] = s.shape.draw(s.rng)
			s.now[id] = entry{vector: s.raw[id]}
			s.must(w.Put(t.Context(), id, 0, s.raw[id]))
		}
	})
	s.settled()
	h := s.hold()
	s.open(h)
	update(func(w *vecindex.Write) {
		for id := uint64(10); id < 20; id++ {
			_, err := w.Delete(t.Context(), id)
			s.must(err)
			delete(s.now, id)
		}
	})
	s.settled()
	for range 20 {
		s.look()
	}
	s.release(0)
}
