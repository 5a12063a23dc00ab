package vecindex_test

import (
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/vecindex"
)

// compared returns how many vectors a search compares its query with.
func (p *points) compared(q vecindex.Search) (n int) {
	p.t.Helper()
	q.Vector, q.Distances = p.draw(), &n
	p.view(func(v *vecindex.View) {
		_, err := v.Search(p.t.Context(), q, nil)
		p.must(err)
	})
	return n
}

// TestDistances says that a search counts what it compares: all vectors of the
// layers where it is exact, those that are allowed if they are few, and in a
// graph a part.
func TestDistances(t *testing.T) {
	for name, open := range stores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPoints(t, open(t), vecindex.Cosine, 24, vecindex.Options{})
			p.cfg.Kind = vecindex.CHNSW
			p.reopen()
			p.putLayered(upTo(3000)...)
			p.settle()
			few := roaring.New()
			few.AddRange(100, 150) // of layer 0
			all := []vecindex.LayerK{{Layer: 0, K: 5}, {Layer: 1, K: 5}, {Layer: 2, K: 5}}
			for _, c := range []struct {
				what string
				q    vecindex.Search
				want int
			}{
				{"all", vecindex.Search{K: 10, Exact: true}, 3000},
				{"the layers", vecindex.Search{Layers: all, Exact: true}, 3000},
				{"a layer", vecindex.Search{Layers: all[1:2], Exact: true}, 3 * 72},
				{"few allowed", vecindex.Search{K: 10, Exact: true, Allow: few}, 50},
				{"nothing wanted", vecindex.Search{}, 0},
			} {
				if n := p.compared(c.q); n != c.want {
					t.Errorf("%s: %d distances, want %d", c.what, n, c.want)
				}
			}
			one := p.compared(vecindex.Search{Layers: all[:1], Ef: 20})
			more := p.compared(vecindex.Search{Layers: all, Ef: 20})
			if one < 20 || one >= more || more > 2000 {
				t.Errorf("%d distances for a layer, %d for three", one, more)
			}
			p.putLayered(upTo(3100)[3000:]...)
			if n := p.compared(vecindex.Search{Layers: all, Ef: 20}); n < 120 {
				t.Errorf("%d distances where 100 are not in the graph yet", n)
			}
		})
	}
}
