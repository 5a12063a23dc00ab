package archrag

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/vecindex"
)

// exactNodes is the number of nodes up to which neighbours are found by
// comparing all, and above which by the settled index.
const exactNodes = 4096

// candidates returns for some nodes of a level their k nearest by vector,
// themselves included, with the cosines.
func (s *system) candidates(ctx context.Context, lv *level, m graphops.Matrix, space string, nodes []int, k int) ([]graphops.WeightedEdge, error) {
	if len(m.Data) == 0 || k < 2 || len(nodes) == 0 {
		return nil, nil
	}
	if len(lv.ids) <= exactNodes {
		return nearest(ctx, m, nodes, k)
	}
	if err := s.c.DB().SettleSpace(ctx, s.g, space); err != nil {
		return nil, err
	}
	var out []graphops.WeightedEdge
	err := s.c.DB().View(ctx, func(now *engine.Snapshot) error {
		vecs, err := now.Graph(s.g).WithContext(ctx).Vectors(space)
		if err != nil {
			return err
		}
		out, err = each(ctx, m, nodes, func(u int) ([]near, error) {
			hits, err := vecs.Search(ctx, vecindex.Search{
				Vector: m.Row(u), Layers: []vecindex.LayerK{{Layer: uint8(lv.n - 1), K: k}}, Ef: s.p.Ef,
			}, nil)
			var found []near
			for _, h := range hits {
				if to, ok := lv.at[engine.NodeID(h.ID)]; ok {
					found = append(found, near{to, h.Score})
				}
			}
			return found, err
		})
		return err
	})
	return out, err
}

// near is a node that is near another.
type near struct {
	to     int
	cosine float32
}

// nearest finds neighbours by comparing all vectors, which are of length 1 or
// zeros. Those of equal cosine are in order of place.
func nearest(ctx context.Context, m graphops.Matrix, nodes []int, k int) ([]graphops.WeightedEdge, error) {
	there := make([]bool, m.Len())
	for v := range there {
		there[v] = !zero(m.Row(v))
	}
	return each(ctx, m, nodes, func(u int) ([]near, error) {
		cosines := make([]float32, m.Len())
		distance.DotBlock(m.Row(u), m.Data, cosines)
		found := make([]near, 0, k+1)
		for v, x := range cosines {
			if !there[v] || len(found) == k && x <= found[k-1].cosine {
				continue
			}
			at, _ := slices.BinarySearchFunc(found, near{v, x}, func(a, b near) int {
				return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.to, b.to))
			})
			found = slices.Insert(found, at, near{v, x})
			found = found[:min(len(found), k)]
		}
		return found, nil
	})
}

// each returns what find finds near each of some nodes that has a vector, in
// their order.
func each(ctx context.Context, m graphops.Matrix, nodes []int, find func(u int) ([]near, error)) ([]graphops.WeightedEdge, error) {
	const part = 64
	found := make([][]near, len(nodes))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < len(nodes); from += part {
		g.Go(func() error {
			for i := from; i < min(from+part, len(nodes)); i++ {
				if zero(m.Row(nodes[i])) {
					continue
				}
				var err error
				if found[i], err = find(nodes[i]); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var out []graphops.WeightedEdge
	for i, near := range found {
		for _, h := range near {
			out = append(out, graphops.WeightedEdge{From: uint32(nodes[i]), To: uint32(h.to), Weight: h.cosine})
		}
	}
	return out, nil
}

func zero(x []float32) bool {
	for _, e := range x {
		if e != 0 {
			return false
		}
	}
	return true
}
