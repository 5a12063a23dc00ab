package encoder

import (
	"github.com/ragdb/ragdb/rag/llm/encoder/internal/kernel"
	"github.com/ragdb/ragdb/rag/llm/encoder/internal/safetensors"
)

// table is a table of vectors that rows are taken from, such as the vectors of
// the vocabulary. In float32 it stays in the file: a row is read when a text has
// its token. In 8 bits it is held, each row with its scale.
type table struct {
	rows, dim int
	view      []float32
	tensor    safetensors.Tensor
	codes     []int8
	scale     []float32
}

// table reads a table, all of it once, to know that its numbers are finite.
func (w *weights) table(name string, rows, dim int) *table {
	next := w.rows(name, rows, dim, 1)
	if next == nil {
		return nil
	}
	t := &table{rows: rows, dim: dim}
	if w.int8 {
		t.codes, t.scale = make([]int8, rows*dim), make([]float32, rows)
	}
	for i := range rows {
		row := next(i)
		if w.int8 {
			t.scale[i] = kernel.RoundRow(t.codes[i*dim:][:dim], row)
		}
	}
	if !w.int8 {
		t.tensor, _ = w.file.Tensor(w.prefix + name)
		t.view, _ = t.tensor.View()
	}
	return t
}

// row writes row i to dst.
func (t *table) row(dst []float32, i int) {
	dst = dst[:t.dim]
	switch {
	case t.codes != nil:
		s := t.scale[i]
		for j, c := range t.codes[i*t.dim:][:t.dim] {
			dst[j] = s * float32(c)
		}
	case t.view != nil:
		copy(dst, t.view[i*t.dim:])
	default:
		t.tensor.Floats(dst, i*t.dim)
	}
}

// bytes is the memory that the table takes beside the file.
func (t *table) bytes() int { return len(t.codes) + 4*len(t.scale) }
