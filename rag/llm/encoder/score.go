package encoder

import (
	"context"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/rag/llm/encoder/internal/kernel"
)

// Score returns for each passage how well it answers the query: a number without
// bounds, of which the larger is the better. With two labels it is the second's
// less the first's. Only a cross-encoder scores.
func (m *Model) Score(ctx context.Context, query string, passages []string) ([]float32, error) {
	if !m.Scores() {
		return nil, fmt.Errorf("encoder: %w: %s gives no scores", ErrTask, m.name)
	}
	out := make([]float32, len(passages))
	err := m.reading(func() error {
		pairs := make([]sequence, len(passages))
		err := m.parallel(ctx, len(pairs), func(i int) error {
			p := &pairs[i]
			p.ids, p.types = m.tokens.EncodePair(query, passages[i], m.maxTokens)
			for _, t := range p.types {
				if t < 0 || int(t) >= len(m.network.place) {
					return fmt.Errorf("encoder: %w: its tokenizer gives the type %d and its table has %d", ErrModel, t, len(m.network.place))
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return m.run(ctx, pairs, func(first int, batch []sequence, x []float32) error {
			for i := range batch {
				s := m.network.score(x[i*m.network.stride:][:m.network.stride])
				if s != s || math.IsInf(float64(s), 0) {
					return fmt.Errorf("encoder: %w: its weights lead to infinite numbers", ErrModel)
				}
				out[first+i] = s
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// score is what the classification head makes of the first token's vector.
func (n *network) score(x []float32) float32 {
	y := make([]float32, n.stride)
	n.set.Mul(y, n.stride, x, n.stride, 1, n.head.dense.f32)
	for i, v := range y[:n.Hidden] {
		y[i] = float32(math.Tanh(float64(v)))
	}
	var z [kernel.Width]float32
	n.set.Mul(z[:], kernel.Width, y, n.stride, 1, n.head.out.f32)
	if n.head.labels == 2 {
		return z[1] - z[0]
	}
	return z[0]
}
