package vecindex_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// listed returns a settled index of kind IVF with n vectors of some clusters.
func listed(t *testing.T, metric vecindex.Metric, n int) *survivor {
	s := newSurvivor(t, vecindex.IVF, metric)
	for from := 0; from < n; from += 500 {
		s.put(1, span(uint64(from), uint64(min(from+500, n)))...)
	}
	s.must(s.ix.Settle(t.Context(), commitTo(s.st)))
	return s
}

// recallOf returns the share of the ten nearest that searches find.
func (s *survivor) recallOf(ef int, allow *roaring.Bitmap) float64 {
	s.t.Helper()
	v, err := s.ix.At(s.t.Context(), s.st, s.seq)
	s.must(err)
	defer v.Close()
	found, wanted := 0, 0
	for range 40 {
		q := vecindex.Search{Vector: s.shape.draw(s.rng), K: 10, Ef: ef, Allow: allow}
		got, err := v.Search(s.t.Context(), q, nil)
		s.must(err)
		q.Exact = true
		want, err := v.Search(s.t.Context(), q, nil)
		s.must(err)
		for _, h := range got {
			if slices.Contains(want, h) {
				found++
			}
		}
		wanted += len(want)
	}
	return float64(found) / float64(wanted)
}

// TestIVFRecall: lists that were made at once, and lists that grew and changed, find nearly
// all at the default width, with and without filters, and compare few of the vectors.
func TestIVFRecall(t *testing.T) {
	for _, metric := range []vecindex.Metric{vecindex.Cosine, vecindex.InnerProduct, vecindex.L2} {
		t.Run(metric.String(), func(t *testing.T) {
			t.Parallel()
			s := listed(t, metric, 6000)
			if r := s.recallOf(0, nil); r < 0.97 {
				t.Errorf("recall %.3f of settled lists", r)
			}
			var compared int
			v, err := s.ix.At(t.Context(), s.st, s.seq)
			s.must(err)
			_, err = v.Search(t.Context(), vecindex.Search{Vector: s.shape.draw(s.rng), K: 10, Ef: 16, Distances: &compared}, nil)
			s.must(err)
			v.Close()
			if compared == 0 || compared > 3000 {
				t.Errorf("%d of 6,000 vectors compared", compared)
			}
			// A third is replaced and a third deleted, while the lists are in use.
			for from := uint64(0); from < 2000; from += 500 {
				s.put(1, span(from, from+500)...)
				s.delete(span(2000+from, 2500+from)...)
				s.must(s.ix.Tend(t.Context(), commitTo(s.st)))
			}
			s.must(s.ix.Flush(t.Context(), commitTo(s.st)))
			s.check("churned")
			if r := s.recallOf(0, nil); r < 0.96 {
				t.Errorf("recall %.3f after changes", r)
			}
			for _, share := range []int{2, 4} {
				allow := roaring.New()
				for id := range uint32(6000) {
					if id%uint32(share) == 0 {
						allow.Add(id)
					}
				}
				if r := s.recallOf(0, allow); r < 0.95 {
					t.Errorf("recall %.3f of one in %d", r, share)
				}
			}
		})
	}
}

// TestIVFAlike puts more equal vectors than a list is to have: it stays long, and work ends.
func TestIVFAlike(t *testing.T) {
	s := newSurvivor(t, vecindex.IVF, vecindex.L2)
	x := s.shape.draw(rand.New(rand.NewPCG(1, 1)))
	y := slices.Clone(x)
	y[3] += 0.5
	for from := uint64(0); from < 6000; from += 1000 {
		s.update(func(w *vecindex.Write) {
			for id := from; id < from+1000; id++ {
				v := x
				if id%3 == 0 {
					v = y
				}
				s.must(w.Put(t.Context(), id, 0, v))
				s.now[id], s.raw[id] = entry{vector: v}, v
			}
		})
		s.must(s.ix.Tend(t.Context(), commitTo(s.st)))
	}
	s.check("tended")
	s.must(s.ix.Settle(t.Context(), commitTo(s.st)))
	s.check("settled")
	v, err := s.ix.At(t.Context(), s.st, s.seq)
	s.must(err)
	defer v.Close()
	got, err := v.Search(t.Context(), vecindex.Search{Vector: x, K: 4500}, nil)
	s.must(err)
	if len(got) != 4500 || got[3999].Score != 0 || got[4000].Score == 0 || got[0].ID != 1 {
		t.Errorf("%d hits, the first %v, the 4,000th %v", len(got), got[0], got[3999])
	}
}

// TestIVFDamage spoils one record at a time: a check names it, and a search that meets it
// does not answer.
func TestIVFDamage(t *testing.T) {
	s := listed(t, vecindex.Cosine, 1500)
	table := s.cfg.Table
	all := records(t, s.st)
	key := func(tag layout.Tag, n int) []byte {
		for _, p := range all {
			if layout.Tag(p.key[0]) == tag && len(layout.TableRest(p.key)) == n {
				return p.key
			}
		}
		t.Fatalf("no key of %s", tag)
		return nil
	}
	list, posting, place := key(layout.TagCode, 5), key(layout.TagLinks, 10), key(layout.TagLinks, 6)
	edition := list[len(list)-5]
	for _, c := range []struct {
		name       string
		key, value []byte // nil deletes the record
		search     bool   // an open of the lists fails too
	}{
		{"record cut", table.Meta("lists"), []byte{1}, true},
		{"record of a later version", table.Meta("lists"), append([]byte{9}, make([]byte, 35)...), true},
		{"codec lost", table.Meta("codec" + string('0'+rune(edition))), nil, true},
		{"list cut", list, []byte{0}, true},
		{"list lost", list, nil, false},
		{"list too many", table.Code(edition, 1<<30), make([]byte, 9+s.cfg.Dim), true},
		{"malformed list", append(slices.Clone(list), 7), make([]byte, 9+s.cfg.Dim), true},
		{"posting cut", posting, []byte{1, 2, 3}, false},
		{"posting lost", posting, nil, false},
		{"posting too many", table.Posting(edition, 0, 1<<20), make([]byte, 8+8+(s.cfg.Dim+1)/2), false},
		{"place cut", place, []byte{1}, false},
		{"place lost", place, nil, false},
		{"mark lost and place lost", table.Links(edition, 1, 3), nil, false},
		{"mark too many", table.Pending(false, 1<<20), nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := *s
			x.t, x.st = t, storeOf(t, all)
			b := x.st.NewBatch()
			switch {
			case c.value != nil || strings.HasPrefix(c.name, "mark too"):
				b.Set(c.key, c.value)
			default:
				b.Delete(c.key)
			}
			x.must(x.st.Apply(t.Context(), b, kv.NoSync))
			x.reopen()
			var ce *kv.CorruptError
			if err := x.ix.CheckGraph(t.Context(), x.st); !errors.Is(err, kv.ErrCorrupt) || !errors.As(err, &ce) {
				t.Errorf("check: %v", err)
			}
			v, err := x.ix.At(t.Context(), x.st, x.seq)
			x.must(err)
			defer v.Close()
			_, err = v.Search(t.Context(), vecindex.Search{Vector: x.shape.draw(x.rng), K: 2000}, nil)
			if c.search && !errors.Is(err, kv.ErrCorrupt) || err != nil && !errors.Is(err, kv.ErrCorrupt) {
				t.Errorf("search: %v", err)
			}
		})
	}
}
