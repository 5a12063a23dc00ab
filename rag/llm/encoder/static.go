package encoder

import (
	"github.com/ragdb/ragdb/rag/llm/encoder/internal/safetensors"
)

// maxStaticTokens is how many tokens of a text a static table reads, if its
// files do not say.
const maxStaticTokens = 512

// static is a model that is a table alone: a text's vector is the mean of its
// tokens'.
type static struct {
	vectors *table
	weights []float32 // of tokens, nil for equal ones
	mapping []int32   // the row of a token, nil for its number
}

// ids is how many tokens have a row.
func (s *static) ids() int {
	if s.mapping != nil {
		return len(s.mapping)
	}
	if s.weights != nil {
		return min(len(s.weights), s.vectors.rows)
	}
	return s.vectors.rows
}

func (w *weights) static() *static {
	name := "embeddings"
	if w.has("embedding.weight") {
		name = "embedding.weight"
	}
	t, ok := w.file.Tensor(name)
	if !ok {
		w.fail("model.safetensors has no tensor %s", name)
		return nil
	}
	if len(t.Shape) != 2 || t.Shape[1] < 1 || t.Shape[1] > maxHidden || t.Shape[0] < 1 || t.Shape[0] > maxRows {
		w.fail("tensor %s has the shape %v, and is to be a table", name, t.Shape)
		return nil
	}
	s := &static{vectors: w.table(name, t.Shape[0], t.Shape[1])}
	if m, ok := w.file.Tensor("mapping"); ok {
		s.mapping = w.mapping(m, t.Shape[0])
	}
	if v, ok := w.file.Tensor("weights"); ok && len(v.Shape) == 1 {
		s.weights = w.vector("weights", v.Shape[0])[:v.Shape[0]:v.Shape[0]]
	}
	return s
}

func (w *weights) mapping(t safetensors.Tensor, rows int) []int32 {
	if len(t.Shape) != 1 || t.Type != "I64" && t.Type != "I32" {
		w.fail("tensor mapping has the type %s and the shape %v", t.Type, t.Shape)
		return nil
	}
	m := make([]int32, t.Shape[0])
	for i := range m {
		to := t.Int64(i)
		if to < 0 || to >= int64(rows) {
			w.fail("tensor mapping leads to row %d of %d", to, rows)
			return nil
		}
		m[i] = int32(to)
		w.sum = w.sum*31 + uint64(to)
	}
	return m
}

// embed returns the vector of tokens, nil if there are none to read. Unknown
// tokens are left out.
func (s *static) embed(ids []int32, unknown int32, unit bool) []float32 {
	v, row := make([]float32, s.vectors.dim), make([]float32, s.vectors.dim)
	n := 0
	for _, id := range ids {
		if id == unknown {
			continue
		}
		at := int(id)
		if s.mapping != nil {
			at = int(s.mapping[id])
		}
		s.vectors.row(row, at)
		weight := float32(1)
		if s.weights != nil {
			weight = s.weights[id]
		}
		for j, e := range row {
			v[j] += float32(e * weight)
		}
		n++
	}
	if n == 0 {
		return nil
	}
	for j := range v {
		v[j] /= float32(n)
	}
	if unit {
		normalize(v)
	}
	return v
}
