package vecindex_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/vecindex"
)

type pair struct{ key, value []byte }

// records returns what a store holds, in order.
func records(t *testing.T, r kv.Reader) (out []pair) {
	t.Helper()
	it, err := r.Iter(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		out = append(out, pair{bytes.Clone(it.Key()), bytes.Clone(it.Value())})
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		t.Fatal(err)
	}
	return out
}

func samePairs(a, b []pair) bool {
	return slices.EqualFunc(a, b, func(x, y pair) bool { return bytes.Equal(x.key, y.key) && bytes.Equal(x.value, y.value) })
}

// storeOf returns a store that holds records.
func storeOf(t *testing.T, all []pair) kv.Store {
	t.Helper()
	st := memory(t)
	b := st.NewBatch()
	for _, p := range all {
		b.Set(p.key, p.value)
	}
	if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
		t.Fatal(err)
	}
	return st
}

// survivor is an index with what it must hold.
type survivor struct {
	t      *testing.T
	cfg    vecindex.Config
	metric vecindex.Metric
	shape  shape
	st     kv.Store
	ix     *vecindex.Index
	rng    *rand.Rand
	seq    uint64
	now    state
	raw    map[uint64][]float32
	// beyond says that the graph is over its bound, and so walked on disk.
	beyond bool
}

func newSurvivor(t *testing.T, kind vecindex.Kind, metric vecindex.Metric) *survivor {
	s := &survivor{t: t, cfg: config(metric), metric: metric, shape: clustered(36), st: memory(t), now: state{}, raw: map[uint64][]float32{}}
	s.rng = rand.New(rand.NewPCG(3, uint64(metric)))
	s.cfg.Kind, s.cfg.Dim, s.cfg.Seed, s.cfg.EfConstruction, s.cfg.M = kind, 36, 3, 24, 6
	s.reopen()
	return s
}

func (s *survivor) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *survivor) reopen() {
	o := vecindex.Options{ExactElements: int64(600 * s.cfg.Dim)}
	if s.beyond {
		o.MaxMirrorBytes, o.Rerank = -1, vecindex.RerankPlane
	}
	s.ix = mustOpen(s.t, s.st, s.cfg, &o)
	if s.beyond {
		s.ix.WalkFew()
	}
}

// copied returns the same in another store, as after a crash.
func (s *survivor) copied(all []pair) *survivor {
	s.t.Helper()
	c := *s
	c.st, c.now, c.raw = storeOf(s.t, all), maps.Clone(s.now), maps.Clone(s.raw)
	c.rng = rand.New(rand.NewPCG(3, 4))
	c.reopen()
	return &c
}

func (s *survivor) update(fn func(w *vecindex.Write)) {
	s.t.Helper()
	s.seq++
	b := s.st.NewBatch()
	w, err := s.ix.Begin(s.t.Context(), b, s.seq)
	s.must(err)
	fn(w)
	s.must(s.st.Apply(s.t.Context(), b, kv.NoSync))
	w.Publish()
}

func (s *survivor) put(layers int, ids ...uint64) {
	s.t.Helper()
	s.update(func(w *vecindex.Write) {
		for _, id := range ids {
			v, layer := s.shape.draw(s.rng), uint8(s.rng.IntN(layers))
			s.must(w.Put(s.t.Context(), id, layer, v))
			s.now[id], s.raw[id] = entry{layer, storedForm(s.metric, v)}, v
		}
	})
}

func (s *survivor) delete(ids ...uint64) {
	s.t.Helper()
	s.update(func(w *vecindex.Write) {
		for _, id := range ids {
			_, err := w.Delete(s.t.Context(), id)
			s.must(err)
			delete(s.now, id)
			delete(s.raw, id)
		}
	})
}

// span returns the ids from a to b - 1.
func span(a, b uint64) []uint64 {
	var out []uint64
	for id := a; id < b; id++ {
		out = append(out, id)
	}
	return out
}

// answers asks a few questions.
func (s *survivor) answers(when string) {
	s.t.Helper()
	v, err := s.ix.At(s.t.Context(), s.st, s.seq)
	s.must(err)
	defer v.Close()
	var sum verdict
	for i := range 6 {
		q := vecindex.Search{Vector: s.shape.draw(s.rng), K: 10, Ef: 128}
		switch i {
		case 0:
			q.K = 2 * len(s.now)
		case 1:
			q.Layers = []vecindex.LayerK{{Layer: 1, K: 5}, {Layer: 0, K: 5}}
		}
		got, err := v.Search(s.t.Context(), q, nil)
		s.must(err)
		res, err := judge(s.metric, 1e-3, s.now, q, got)
		if err != nil {
			s.t.Fatalf("%s: %v", when, err)
		}
		sum.found += res.found
		sum.wanted += res.wanted
	}
	if float64(sum.found) < 0.95*float64(sum.wanted) {
		s.t.Errorf("%s: %d found of %d", when, sum.found, sum.wanted)
	}
}

func (s *survivor) check(when string) {
	s.t.Helper()
	if err := s.ix.CheckGraph(s.t.Context(), s.st); err != nil {
		s.t.Fatalf("%s: %v", when, err)
	}
}

// finish brings the index in order, and asks it and one opened again.
func (s *survivor) finish(when string) {
	s.t.Helper()
	if err := s.ix.Flush(s.t.Context(), commitTo(s.st)); err != nil {
		s.t.Fatalf("%s: flush: %v", when, err)
	}
	s.check(when + ", flushed")
	st, err := s.ix.Stats(s.t.Context())
	s.must(err)
	if st.Vectors != len(s.now) || st.Linked != len(s.now) || st.Pending != 0 || st.Dead != 0 {
		s.t.Fatalf("%s: stats %+v of %d vectors", when, st, len(s.now))
	}
	s.answers(when + ", flushed")
	s.reopen()
	s.answers(when + ", flushed and opened again")
}

// goOn makes changes of the kind that meet what an interrupted linker left: it
// deletes vectors that were to be linked, so that their slots get others, in
// other layers.
func (s *survivor) goOn(when string, doomed []uint64) {
	s.t.Helper()
	s.delete(doomed...)
	s.answers(when + ", deleted")
	s.reopen()
	s.answers(when + ", deleted and opened again")
	s.put(3, span(5000, 5000+uint64(len(doomed)))...)
	s.finish(when + ", put again")
	s.check(when + ", put again")
}

var errBroken = errors.New("broken")

// breaks returns a Committer that fails at its n-th call, before applying or
// after. calls counts.
func breaks(st kv.Store, n int, after bool, calls *int) vecindex.Committer {
	commit := commitTo(st)
	return func(ctx context.Context, fn func(b kv.Batch) error) error {
		if *calls++; *calls != n {
			return commit(ctx, fn)
		}
		if after {
			if err := commit(ctx, fn); err != nil {
				return err
			}
		}
		return errBroken
	}
}

func TestHNSWInterrupted(t *testing.T) { testInterrupted(t, vecindex.HNSW) }

// TestIVFInterrupted is TestHNSWInterrupted for lists.
func TestIVFInterrupted(t *testing.T) { testInterrupted(t, vecindex.IVF) }

// TestAutoInterrupted is TestHNSWInterrupted for an index that comes to have lists.
func TestAutoInterrupted(t *testing.T) { testInterrupted(t, vecindex.Auto) }

// testInterrupted ends a linker's work at one commit after the other, before it is applied
// or after.
func testInterrupted(t *testing.T, kind vecindex.Kind) {
	flush := func(s *survivor, c vecindex.Committer) error { return s.ix.Flush(s.t.Context(), c) }
	settle := func(s *survivor, c vecindex.Committer) error { return s.ix.Settle(s.t.Context(), c) }
	for _, c := range []struct {
		name   string
		make   func(s *survivor)
		do     func(s *survivor, c vecindex.Committer) error
		doomed []uint64
	}{
		{"first graph", func(s *survivor) {
			s.put(2, span(0, 700)...)
		}, flush, span(200, 500)},
		{"more links", func(s *survivor) {
			s.put(2, span(0, 500)...)
			s.must(flush(s, commitTo(s.st)))
			s.put(3, span(500, 1100)...)
			s.delete(span(600, 660)...)
		}, flush, span(700, 1050)},
		{"repair", func(s *survivor) {
			s.put(2, span(0, 1300)...)
			s.must(flush(s, commitTo(s.st)))
			s.delete(span(300, 600)...)
		}, flush, span(700, 1000)},
		{"links and repair", func(s *survivor) {
			s.put(2, span(0, 900)...)
			s.must(flush(s, commitTo(s.st)))
			s.put(3, span(200, 600)...)
			s.delete(span(650, 750)...)
		}, flush, span(250, 550)},
		{"settle", func(s *survivor) {
			s.put(2, span(1000, 1400)...)
			s.must(flush(s, commitTo(s.st)))
			s.put(3, span(0, 250)...)
			s.delete(span(1300, 1350)...)
		}, settle, span(0, 200)},
	} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/applied=%t", c.name, after), func(t *testing.T) {
				t.Parallel()
				metric := vecindex.L2
				if after {
					metric = vecindex.Cosine
				}
				base := newSurvivor(t, kind, metric)
				c.make(base)
				all := records(t, base.st)
				// Every third call fails in the default run: both parities of n occur.
				n, step := 1, 3
				if *long {
					step = 1
				}
				for ; ; n += step {
					s := base.copied(all)
					if n%2 == 0 {
						s.answers("before") // with the state in memory before
					}
					calls := 0
					err := c.do(s, breaks(s.st, n, after, &calls))
					if calls < n {
						s.must(err)
						break
					}
					if !errors.Is(err, errBroken) {
						t.Fatalf("call %d failed, the error is %v", n, err)
					}
					when := fmt.Sprintf("call %d", n)
					s.answers(when)
					s.check(when)
					left := records(t, s.st)
					other := s.copied(left)
					other.answers(when + ", opened again")
					other.finish(when)
					s.copied(left).goOn(when, c.doomed)
					past := s.copied(left)
					past.beyond = true
					past.reopen()
					past.answers(when + ", past the bound")
					past.goOn(when+", past the bound", c.doomed)
					if n%2 == 0 {
						s.goOn(when+", same index", c.doomed)
					} else {
						s.must(s.ix.Settle(t.Context(), commitTo(s.st)))
						v, err := s.ix.At(t.Context(), s.st, s.seq)
						s.must(err)
						if !slices.Equal(linksOf(t, v), freshLinks(t, s.cfg, s.now, s.raw)) {
							t.Errorf("%s: other links than those of a fresh index", when)
						}
						v.Close()
						s.finish(when + ", same index")
					}
				}
				if n < 3 && kind == vecindex.HNSW {
					t.Errorf("only %d commits", n-1)
				}
			})
		}
	}
}

// TestHNSWDamage spoils records of a graph: whatever meets them works or says
// that they are corrupt.
func TestHNSWDamage(t *testing.T) {
	base := newSurvivor(t, vecindex.HNSW, vecindex.InnerProduct)
	base.put(2, span(0, 130)...)
	base.must(base.ix.Flush(t.Context(), commitTo(base.st)))
	base.put(2, span(120, 150)...)
	base.delete(3, 4, 5)
	all := records(t, base.st)
	table := base.cfg.Table
	pick := func(prefix []byte) (out []int) {
		for i, p := range all {
			if bytes.HasPrefix(p.key, prefix) {
				out = append(out, i)
			}
		}
		if len(out) == 0 {
			t.Fatalf("no record begins with %x", prefix)
		}
		base.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out[:min(len(out), 3)]
	}
	edition := uint8(0)
	noticed := map[string]int{}
	for _, kind := range []struct {
		name   string
		prefix []byte
	}{
		{"graph", table.Meta("graph")},
		{"codec", table.Meta("codec0")},
		{"code", append(table.Prefix(layout.TagCode), edition)},
		{"links", append(table.Prefix(layout.TagLinks), edition, 0)},
		{"upper links", append(table.Prefix(layout.TagLinks), edition, 1)},
		{"pending", append(table.Prefix(layout.TagPending), 0)},
		{"dead", append(table.Prefix(layout.TagPending), 1)},
		{"slot", table.Prefix(layout.TagSlot)},
		{"vector", table.Prefix(layout.TagVector)},
		{"meta", table.Meta("index")},
	} {
		for _, at := range pick(kind.prefix) {
			for name, damaged := range damages(all[at], base.rng) {
				changed := slices.Clone(all)
				if damaged == nil {
					changed = slices.Delete(changed, at, at+1)
				} else {
					changed[at] = *damaged
				}
				if survive(t, base, kind.name+", "+name, changed) {
					noticed[kind.name]++
				}
			}
		}
		if noticed[kind.name] == 0 {
			t.Errorf("no damage of a %s was noticed", kind.name)
		}
	}
}

// damages returns records that may stand in the place of another; nil is none.
func damages(p pair, rng *rand.Rand) map[string]*pair {
	value := func(v []byte) *pair { return &pair{p.key, v} }
	out := map[string]*pair{
		"lost":         nil,
		"empty":        value(nil),
		"longer":       value(append(bytes.Clone(p.value), 1)),
		"four longer":  value(append(bytes.Clone(p.value), 0xFF, 0xFF, 0xFF, 0x7F)),
		"ones":         value(bytes.Repeat([]byte{0xFF}, len(p.value))),
		"zeros":        value(make([]byte, len(p.value))),
		"key cut":      {p.key[:len(p.key)-1], p.value},
		"key longer":   {append(bytes.Clone(p.key), 0), p.value},
		"another slot": {append(bytes.Clone(p.key[:len(p.key)-4]), 0, 1, 0, 0), p.value},
		"far slot":     {append(bytes.Clone(p.key[:len(p.key)-4]), 0xFF, 0xFF, 0xFF, 0xFF), p.value},
	}
	if n := len(p.value); n > 0 {
		out["cut"] = value(p.value[:n-1])
		out["half"] = value(p.value[:n/2])
		for i := range 24 {
			v := bytes.Clone(p.value)
			at := rng.IntN(n)
			if i < n && i < 16 {
				at = i
			}
			v[at] ^= 1 << rng.IntN(8)
			out[fmt.Sprintf("bit of byte %d, %d", at, i)] = value(v)
		}
		if n >= 4 {
			v := bytes.Clone(p.value)
			binary.LittleEndian.PutUint32(v[n/8*4:], 1<<31-1)
			out["number"] = value(v)
		}
	}
	return out
}

// survive uses an index of damaged records and reports whether that was
// noticed.
func survive(t *testing.T, base *survivor, what string, all []pair) (noticed bool) {
	t.Helper()
	st := memkv.New(layout.Schema())
	defer st.Close()
	b := st.NewBatch()
	for _, p := range all {
		b.Set(p.key, p.value)
	}
	base.must(st.Apply(t.Context(), b, kv.NoSync))
	take := func(step string, err error) bool {
		t.Helper()
		if err == nil {
			return true
		}
		noticed = true
		// A flipped bit can make the record of another configuration.
		if !errors.Is(err, kv.ErrCorrupt) && !errors.Is(err, vecindex.ErrModelMismatch) && !errors.Is(err, vecindex.ErrSequence) {
			t.Errorf("%s: %s: %v", what, step, err)
		}
		return false
	}
	for _, rerank := range []vecindex.Rerank{vecindex.RerankPlane, vecindex.RerankStore} {
		ix, err := vecindex.Open(t.Context(), st, base.cfg, &vecindex.Options{Rerank: rerank})
		if !take("open", err) {
			return
		}
		take("check", ix.CheckGraph(t.Context(), st))
		v, err := ix.At(t.Context(), st, base.seq)
		if !take("view", err) {
			return
		}
		for i := range 3 {
			q := vecindex.Search{Vector: base.shape.draw(base.rng), K: 20}
			if i == 1 {
				q.Layers = []vecindex.LayerK{{Layer: 0, K: 90}, {Layer: 1, K: 5}}
			}
			hits, err := v.Search(t.Context(), q, nil)
			take("search", err)
			for _, h := range hits {
				if math.IsNaN(float64(h.Score)) {
					t.Errorf("%s: node %d scores NaN", what, h.ID)
				}
			}
		}
		for _, err := range v.All(t.Context()) {
			take("all", err)
		}
		v.Close()
		if rerank == vecindex.RerankStore {
			take("flush", ix.Flush(t.Context(), commitTo(st)))
		}
	}
	return noticed
}
