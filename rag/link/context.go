package link

import (
	"context"
	"math"
	"slices"

	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/graph"
)

// maxContext is how many chunks of a name are looked at.
const maxContext = 64

// context returns the cosine of the mean vectors of the chunks that mention two names,
// without those that mention both; 0 if there are none of one.
func (f *finder) context(ctx context.Context, a, b *name, model string) (float64, error) {
	u, err := f.mean(ctx, a, b, model)
	if err != nil || u == nil {
		return 0, err
	}
	v, err := f.mean(ctx, b, a, model)
	if err != nil || v == nil {
		return 0, err
	}
	return cosine(u, v), nil
}

// mean returns the sum of the vectors of the chunks that mention a name and not the
// other, nil if there is none.
func (f *finder) mean(ctx context.Context, n, other *name, model string) ([]float32, error) {
	set := f.graphs[n.graph].set
	vecs, err := f.base.Vectors(corpus.ChunkSpace(set, model))
	if graph.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var sum, vec []float32
	read := 0
	for _, key := range n.chunks {
		if _, both := slices.BinarySearch(other.chunks, key); both {
			continue
		}
		if read++; read > maxContext {
			break
		}
		id, err := f.c.ChunkNode(f.base, set, key)
		if err == nil {
			vec, err = vecs.Vector(ctx, uint64(id), vec[:0])
		}
		if graph.IsMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = make([]float32, len(vec))
		}
		for i, x := range vec {
			sum[i] += x
		}
	}
	return sum, nil
}

func cosine(u, v []float32) float64 {
	var uv, uu, vv float64
	for i := range u {
		uv += float64(u[i]) * float64(v[i])
		uu += float64(u[i]) * float64(u[i])
		vv += float64(v[i]) * float64(v[i])
	}
	if uu == 0 || vv == 0 {
		return 0
	}
	return uv / math.Sqrt(uu*vv)
}
