package vecindex

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// farWorld is a flat index, and all that is in it.
type farWorld struct {
	t    *testing.T
	rng  *rand.Rand
	st   kv.Store
	ix   *Index
	cfg  Config
	seq  uint64
	base []float32
	live map[uint64]Entry // Vector as stored
	seen map[tier]bool    // tiers that chunks had
}

// draw returns a vector near others, as models make them: a part that is common
// to all, with some large elements, and noise.
func (w *farWorld) draw() []float32 {
	v := make([]float32, w.cfg.Dim)
	for i := range v {
		v[i] = w.base[i] + float32(w.rng.NormFloat64())
	}
	return v
}

func (w *farWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// commit puts and deletes ids.
func (w *farWorld) commit(puts, deletes []uint64) {
	w.t.Helper()
	w.seq++
	b := w.st.NewBatch()
	wr, err := w.ix.Begin(w.t.Context(), b, w.seq)
	w.must(err)
	for _, id := range puts {
		v, layer := w.draw(), uint8(id%3)
		w.must(wr.Put(w.t.Context(), id, layer, v))
		x, err := w.cfg.appendPrepared(nil, v, stores)
		w.must(err)
		w.live[id] = Entry{id, layer, x}
	}
	for _, id := range deletes {
		_, err := wr.Delete(w.t.Context(), id)
		w.must(err)
		delete(w.live, id)
	}
	w.must(w.st.Apply(w.t.Context(), b, kv.NoSync))
	wr.Publish()
}

// want is the search by definition.
func (w *farWorld) want(s Search) (out []Hit) {
	q, err := w.cfg.appendPrepared(nil, s.Vector, asks)
	w.must(err)
	var all []Hit
	for id, e := range w.live {
		if s.Allow == nil || s.Allow.Contains(uint32(id)) {
			all = append(all, Hit{id, e.Layer, w.cfg.Metric.score(q, e.Vector)})
		}
	}
	slices.SortFunc(all, compareHits)
	if s.Layers == nil {
		return all[:min(s.K, len(all))]
	}
	for _, l := range s.Layers {
		n := 0
		for _, h := range all {
			if h.Layer == l.Layer && n < l.K {
				out = append(out, h)
				n++
			}
		}
	}
	return out
}

// check compares a view with what it must show.
func (w *farWorld) check(v *View) {
	w.t.Helper()
	some, few := roaring.New(), roaring.New()
	var ids []uint64
	for id := range w.live {
		if id%5 > 0 {
			some.Add(uint32(id))
		}
		if id%40 == 7 {
			few.Add(uint32(id))
		}
		if id%50 == 0 {
			ids = append(ids, id)
		}
	}
	few.Add(1 << 20) // there is none
	for range 2 {
		q := w.draw()
		for _, s := range []Search{
			{Vector: q, K: 1}, {Vector: q, K: 10}, {Vector: q, K: 300}, {Vector: q, K: 2000},
			{Vector: q, K: 10, Allow: some}, {Vector: q, K: 10, Allow: few},
			{Vector: q, Layers: []LayerK{{0, 7}, {2, 3}, {9, 1}}}, {Vector: q, Layers: []LayerK{{1, 7}}, Allow: few},
		} {
			n := 0
			s.Distances = &n
			have, err := v.Search(w.t.Context(), s, nil)
			w.must(err)
			if want := w.want(s); !slices.Equal(have, want) {
				w.t.Fatalf("K %d, layers %v:\nhave %v\nwant %v", s.K, s.Layers, have, want)
			}
		}
		scores, err := v.Score(w.t.Context(), q, ids, nil)
		w.must(err)
		q, err = w.cfg.appendPrepared(nil, q, asks)
		w.must(err)
		for i, id := range ids {
			if want := w.cfg.Metric.score(q, w.live[id].Vector); scores[i] != want {
				w.t.Fatalf("score of %d is %g, not %g", id, scores[i], want)
			}
		}
	}
	n := 0
	for e, err := range v.All(w.t.Context()) {
		w.must(err)
		if want := w.live[e.ID]; e.Layer != want.Layer || !slices.Equal(e.Vector, want.Vector) {
			w.t.Fatalf("entry %d is wrong", e.ID)
		}
		n++
	}
	if n != len(w.live) {
		w.t.Fatalf("%d entries of %d", n, len(w.live))
	}
	if m := v.rows(); m != nil {
		for _, c := range m.chunks {
			if c != nil {
				w.seen[c.tier] = true
			}
		}
	}
}

// now checks the latest commit.
func (w *farWorld) now() {
	w.t.Helper()
	snap, err := w.st.Snapshot(w.t.Context())
	w.must(err)
	defer snap.Close()
	v, err := w.ix.At(w.t.Context(), snap, w.seq)
	w.must(err)
	defer v.Close()
	w.check(v)
	if m := v.rows(); m != nil {
		checkSize(w.t, m)
	}
	if b := w.ix.MemoryBytes(); w.ix.limit > 0 && b > w.ix.limit {
		w.t.Fatalf("%d bytes in memory, above %d", b, w.ix.limit)
	}
}

// TestFar says that searches find the same, to the bit, whatever part of the
// vectors, codes and packed codes is in memory, while vectors come and go.
func TestFar(t *testing.T) {
	const dim, n = 512, 2600
	whole := mirrorBytes(n, dim, true)
	for _, metric := range []Metric{Cosine, InnerProduct, L2} {
		for _, share := range []float64{1.5, .6, .33, .27, .2, .12} {
			if metric == L2 && share > .3 && share < .6 {
				continue // without codes there is but one step
			}
			t.Run(fmt.Sprintf("%v/%g", metric, share), func(t *testing.T) {
				t.Parallel()
				w := &farWorld{t: t, rng: rand.New(rand.NewPCG(3, uint64(100*share))), live: map[uint64]Entry{}, seen: map[tier]bool{}}
				w.st = memkv.New(layout.Schema())
				defer w.st.Close()
				w.cfg = Config{Table: layout.Table{Graph: 1, Space: 1}, Dim: dim, Model: "m", Metric: metric}
				for i := range dim {
					w.base = append(w.base, float32(w.rng.NormFloat64()))
					if i%100 == 3 {
						w.base[i] = 30
					}
				}
				open := func() {
					var err error
					w.ix, err = Open(t.Context(), w.st, w.cfg, &Options{MaxMirrorBytes: int64(share * float64(whole))})
					w.must(err)
				}
				open()
				var ids []uint64
				for id := range uint64(n) {
					ids = append(ids, id)
				}
				w.commit(ids[:1300], nil)
				w.now()
				for from := 1300; from < n; from += 260 { // grows in memory
					w.commit(ids[from:from+260], nil)
				}
				w.now()
				open() // is read
				w.now()
				old, err := w.st.Snapshot(t.Context())
				w.must(err)
				defer old.Close()
				before, err := w.ix.At(t.Context(), old, w.seq)
				w.must(err)
				defer before.Close()
				had := map[uint64]Entry{}
				for id, e := range w.live {
					had[id] = e
				}
				for range 8 { // replaces and deletes: rows move
					var puts, deletes []uint64
					for id := range uint64(n) {
						switch w.rng.IntN(12) {
						case 0:
							puts = append(puts, id)
						case 1:
							deletes = append(deletes, id)
						}
					}
					w.commit(puts, deletes)
				}
				w.now()
				w.live, had = had, w.live
				w.check(before)
				w.live = had
				w.commit(nil, ids[100:])
				w.now()
				t.Logf("tiers %v", w.seen)
				want := map[float64]tier{.6: codedRows, .33: codedRows, .27: packedRows, .2: packedRows, .12: bareRows}[share]
				if metric == L2 && share < 1 {
					want = bareRows
				}
				if !w.seen[want] || !w.seen[wholeRows] {
					t.Errorf("tiers seen: %v, not %v", w.seen, want)
				}
			})
		}
	}
}

// TestFarDamage takes the vector of a hit away, or an element of it, where only
// its code or its place is in memory: the search reports damage.
func TestFarDamage(t *testing.T) {
	const dim, n = 512, 1200
	for _, limit := range []int64{n * 1200, n * 300} { // codes; places
		w := &farWorld{t: t, rng: rand.New(rand.NewPCG(4, uint64(limit))), live: map[uint64]Entry{}}
		w.st = memkv.New(layout.Schema())
		defer w.st.Close()
		w.cfg = Config{Table: layout.Table{Graph: 1, Space: 1}, Dim: dim, Model: "m"}
		w.base = make([]float32, dim)
		var err error
		w.ix, err = Open(t.Context(), w.st, w.cfg, &Options{MaxMirrorBytes: limit})
		w.must(err)
		var ids []uint64
		for id := range uint64(n) {
			ids = append(ids, id)
		}
		w.commit(ids, nil)
		search := func() error {
			v, err := w.ix.At(t.Context(), w.st, w.seq)
			w.must(err)
			defer v.Close()
			_, err = v.Search(t.Context(), Search{Vector: w.live[77].Vector, K: 3}, nil)
			return err
		}
		w.must(search())
		if s, err := w.ix.Stats(t.Context()); err != nil || s.Source == inMemory || s.MemoryBytes == 0 || s.Why == "" {
			t.Fatalf("not the case to be tested: %+v, %v", s, err)
		}
		slot, _, err := w.ix.in(w.st).slotOf(t.Context(), 77)
		w.must(err)
		for _, value := range [][]byte{nil, make([]byte, 4*dim-1), bytes.Repeat([]byte{0xff}, 4*dim)} {
			b := w.st.NewBatch()
			if key := w.cfg.Table.Slot(layout.TagVector, slot); value == nil {
				b.Delete(key)
			} else {
				b.Set(key, value)
			}
			w.must(w.st.Apply(t.Context(), b, kv.NoSync))
			if err := search(); !errors.Is(err, kv.ErrCorrupt) {
				t.Errorf("bound %d, vector of %d bytes: %v", limit, len(value), err)
			}
		}
	}
}

// TestPackedBounds compares scores with the bounds that packed codes give them.
func TestPackedBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for _, dim := range []int{sieveDim, 101, 512, 1536} {
		vs := drawn(rng, 120, dim)
		e := newCoder(dim).about(len(vs), slices.Values(vs))
		for _, tier := range []tier{wholeRows, codedRows, packedRows} {
			for _, e := range []*coder{newCoder(dim), e} {
				c := newChunk(len(vs), dim, tier, true)
				for i, v := range vs {
					c.fill(i, v, e)
				}
				var s sieve
				for qi, q := range append(vs, make([]float32, dim)) {
					s.set(q, e)
					s.bounds(c, 0, len(vs))
					for i, v := range vs {
						estimate, within := s.bound(i, &c.residues[i])
						if score := float64(InnerProduct.score(q, v)); math.Abs(score-estimate) > within {
							t.Fatalf("dim %d, tier %d, query %d, row %d: score %g is not within %g of %g", dim, tier, qi, i, score, within, estimate)
						}
					}
				}
			}
		}
	}
}
