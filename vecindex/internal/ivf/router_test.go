package ivf_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/vecindex/internal/ivf"
)

const dim = 24

// lists returns n lists about random centroids, in groups of about the root of their
// number.
func lists(rng *rand.Rand, n int, layer uint8) []ivf.List {
	rows := ivf.NewRows(dim, n)
	for range n {
		rows.AddVector(normal(rng, dim, 1))
	}
	var out []ivf.List
	for i, g := range ivf.Groups(rows, 1, 2) {
		out = append(out, ivf.List{ID: uint32(i), Group: g, Layer: layer, Row: rows.Row(i)})
	}
	return out
}

func ids(all []ivf.Near) (out []uint32) {
	for _, n := range all {
		out = append(out, n.ID)
	}
	return out
}

// brute returns the n nearest of some lists.
func brute(all []ivf.List, q ivf.Row, ip bool, n int) []uint32 {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b ivf.List) int {
		x, y := q.Distance(a.Row, ip), q.Distance(b.Row, ip)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	var out []uint32
	for _, l := range all[:min(n, len(all))] {
		out = append(out, l.ID)
	}
	return out
}

func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	all := lists(rng, 500, 3)
	r := ivf.NewRouter(dim, append(all, lists(rng, 20, 4)...))
	if r.Lists() != 520 || r.Count(3) != 500 || !slices.Equal(r.Layers(), []uint8{3, 4}) || len(r.All(4)) != 20 {
		t.Fatalf("%d lists, %d of layer 3, layers %v", r.Lists(), r.Count(3), r.Layers())
	}
	var w ivf.Route
	found, wanted := 0, 0
	for i := range 60 {
		q, ip := rowOf(normal(rng, dim, 1)), i%2 == 1
		// All groups: the same as comparing all.
		got := r.Nearest(&w, q, ip, 3, 10, 1000, nil)
		want := brute(all, q, ip, 10)
		if !slices.Equal(ids(got), want) {
			t.Fatalf("nearest %v, want %v", ids(got), want)
		}
		for _, n := range got {
			if d := q.Distance(n.Row, ip); math.Abs(float64(d-n.Distance)) > 1e-4 {
				t.Fatalf("distance %g, want %g", n.Distance, d)
			}
		}
		for _, id := range ids(r.Nearest(&w, q, ip, 3, 10, 12, nil)) {
			if slices.Contains(want, id) {
				found++
			}
		}
		wanted += len(want)
	}
	if float64(found) < 0.9*float64(wanted) {
		t.Errorf("half of the groups have %d of %d", found, wanted)
	}
	if got := r.Nearest(&w, rowOf(normal(rng, dim, 1)), false, 9, 10, 16, nil); len(got) != 0 {
		t.Errorf("%d lists of a layer without any", len(got))
	}
}

// TestWith changes a router step by step, and compares it with one made at once.
func TestWith(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	have := lists(rng, 120, 0)
	r := ivf.NewRouter(dim, have)
	next := uint32(1000)
	for step := range 100 {
		before := r.Lists()
		gone := have[rng.IntN(len(have))]
		fresh := []ivf.List{
			{ID: next, Group: gone.Group, Row: rowOf(normal(rng, dim, 1))},
			{ID: next + 1, Group: uint32(rng.IntN(15)), Layer: uint8(rng.IntN(2)), Row: rowOf(normal(rng, dim, 1))},
		}[:rng.IntN(3)]
		next += 2
		old := r
		r = r.With([]ivf.List{{ID: gone.ID, Group: gone.Group, Layer: gone.Layer}}, fresh)
		if old.Lists() != before {
			t.Fatalf("step %d changed the router before it", step)
		}
		have = append(slices.DeleteFunc(have, func(l ivf.List) bool { return l.ID == gone.ID }), fresh...)
		if _, ok := r.Find(gone); ok {
			t.Fatalf("step %d: list %d is still there", step, gone.ID)
		}
	}
	want := ivf.NewRouter(dim, have)
	if r.Lists() != len(have) || r.Bytes() != want.Bytes() {
		t.Fatalf("%d lists of %d bytes, want %d of %d", r.Lists(), r.Bytes(), len(have), want.Bytes())
	}
	var a, b ivf.Route
	for layer := range uint8(2) {
		for range 20 {
			q := rowOf(normal(rng, dim, 1))
			got, wanted := r.Nearest(&a, q, false, layer, 5, 3, nil), want.Nearest(&b, q, false, layer, 5, 3, nil)
			if !slices.Equal(ids(got), ids(wanted)) {
				t.Fatalf("nearest %v, want %v", ids(got), ids(wanted))
			}
		}
	}
	for _, l := range have {
		if x, ok := r.Find(l); !ok || !slices.Equal(x.Row.Q, l.Row.Q) {
			t.Fatalf("list %d is not found", l.ID)
		}
	}
}

// TestPick holds the second list to its definition.
func TestPick(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	r := ivf.NewRouter(dim, lists(rng, 60, 0))
	var w ivf.Route
	same := 0
	for range 50 {
		x := normal(rng, dim, 1)
		near := r.Nearest(&w, rowOf(x), false, 0, 16, 100, nil)
		got := w.Pick(x, near)
		best, least := -1, math.Inf(1)
		first := quantised(near[0].Row)
		var rr float64
		for i := range x {
			rr += float64(x[i]-first[i]) * float64(x[i]-first[i])
		}
		for i, n := range near[1:] {
			c := quantised(n.Row)
			var along float64
			for j := range x {
				along += float64(x[j]-c[j]) * float64(x[j]-first[j])
			}
			if d := distanceOf(x, c, false) + along*along/rr; d < least {
				best, least = i+1, d
			}
		}
		if got == best {
			same++
		}
	}
	if same < 48 { // rows are of bytes
		t.Errorf("%d of 50 are as defined", same)
	}
	if w.Pick(normal(rng, dim, 1), nil) != -1 {
		t.Error("a second list of none")
	}
}
