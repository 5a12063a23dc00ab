package ragtest

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"

	"github.com/ragdb/ragdb/rag/llm"
)

// Embedder turns a text into the sum of its words' hashes: texts that share
// words are near, and nothing else is known of them. The zero value has 64
// dimensions.
type Embedder struct {
	// Dim is the number of elements of a vector; 0 is 64.
	Dim int
}

var _ llm.Embedder = Embedder{}

// Embed implements [llm.Embedder]. A text without letters and digits has none.
func (e Embedder) Embed(_ context.Context, texts []string) ([][]float32, llm.Usage, error) {
	usage := llm.Usage{Calls: 1}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if len(words) == 0 {
			continue
		}
		usage.InTokens += len(words)
		out[i] = make([]float32, e.dim())
		for _, w := range words {
			h := fnv.New64a()
			h.Write([]byte(w)) // never fails
			// Four places a word, each with a sign: few words share them all.
			for sum, n := h.Sum64(), 0; n < 4; n, sum = n+1, sum>>16 {
				sign := float32(1)
				if sum&1 == 1 {
					sign = -1
				}
				out[i][int(sum>>1&0x7fff)%e.dim()] += sign
			}
		}
	}
	return out, usage, nil
}

// Space implements [llm.Embedder].
func (e Embedder) Space() llm.SpaceInfo {
	return llm.SpaceInfo{Model: fmt.Sprintf("ragtest-%d", e.dim()), Dim: e.dim()}
}

func (e Embedder) dim() int {
	if e.Dim == 0 {
		return 64
	}
	return e.Dim
}
