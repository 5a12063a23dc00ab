package ragtest

import (
	"context"
	"hash/fnv"
	"math"

	etext "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// Dim is the dimension of [Hashes].
const Dim = 64

// Hashes is an embedder that knows nothing of a corpus: the sum of pseudorandom
// vectors of the words of a text, with length 1.
type Hashes struct{}

// Space implements [llm.Embedder].
func (Hashes) Space() llm.SpaceInfo { return llm.SpaceInfo{Model: "hashes", Dim: Dim} }

// Embed implements [llm.Embedder].
func (Hashes) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		var sum [Dim]float64
		words := 0
		for w := range etext.Words(s) {
			h := fnv.New64a()
			h.Write([]byte(w.Text))
			x := h.Sum64()
			for k := range sum {
				x = x*6364136223846793005 + 1442695040888963407
				sum[k] += float64(int32(x>>32)) / (1 << 31)
			}
			words++
		}
		if words == 0 {
			continue
		}
		norm := 0.0
		for _, x := range sum {
			norm += x * x
		}
		out[i] = make([]float32, Dim)
		for k, x := range sum {
			out[i][k] = float32(x / math.Sqrt(norm))
		}
	}
	return out, llm.Usage{Calls: 1}, ctx.Err()
}

// Fixed opens models that do not learn from the corpus, so that what is made
// of a document depends on it alone: [Hashes], and the local rules without
// case statistics, each call of which counts as paid.
func Fixed(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
	return c.NewModels(rag.Parts{Provider: local.New(local.Options{Tokens: c.Tokens().Count}), Documents: Hashes{}, Questions: Hashes{}}), nil
}

// Provide returns models whose tasks are answered by another provider.
func Provide(m *rag.Models, p llm.Provider) *rag.Models {
	parts := m.Parts()
	parts.Provider, parts.Free = p, m.Free()
	return m.With(parts)
}
