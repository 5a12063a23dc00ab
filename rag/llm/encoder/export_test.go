package encoder

import (
	"context"
	"os"

	"github.com/ragdb/ragdb/internal/distance"
	"github.com/ragdb/ragdb/rag/llm/encoder/internal/tokenizer"
)

// On returns options with the kernels of a tier.
func (o Options) On(t distance.Tier) *Options {
	o.tier = &t
	return &o
}

// Bucket is bucket.
func Bucket(distance, buckets int) int { return bucket(distance, buckets) }

// Logits returns what the head of a model that tags words makes of each token.
func (m *Model) Logits(ids []int32) (out [][]float32, err error) {
	err = m.run(context.Background(), []sequence{{ids: ids}}, func(_ int, _ []sequence, x []float32) error {
		for i := range ids {
			out = append(out, m.network.logits(x[i*m.network.stride:]))
		}
		return nil
	})
	return out, err
}

// TextTokens returns the tokens by which the words of a text are tagged.
func (m *Model) TextTokens(text string) []int32 {
	ids, _ := m.words(text, maxWordTokens)
	return ids
}

// WordTokens returns the tokens by which the words of a text are tagged by a folder's
// tokenizer, and the tokens of the text.
func WordTokens(dir, text string) (words, whole []int32, err error) {
	tokens, err := tokenizer.Load(os.DirFS(dir))
	if err != nil {
		return nil, nil, err
	}
	m := &Model{tokens: tokens}
	return m.TextTokens(text), tokens.EncodePlain(text, 0), nil
}

// LabelCount is how many labels a model that tags words has.
func (m *Model) LabelCount() int { return len(m.network.tagger.labels) }
