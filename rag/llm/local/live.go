package local

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/rag/llm"
)

// LiveRows reads the live table: the rows that the training of a table gave
// ([TrainOptions.Live]), changed since by [Change] or [Table.Contribution].
type LiveRows interface {
	// Texts returns the number of texts that the rows count now.
	Texts(ctx context.Context) (int64, error)
	// Rows returns the rows of those of the words that have one, in any
	// order. Words are distinct and ascending.
	Rows(ctx context.Context, words []string) ([]Row, error)
}

// Live embeds questions by the live table: by what the words mean in the
// corpus as it is now, where the vectors of texts stay those of the table.
// Its vectors are of the table's space, but change with the rows, so they are
// not for caches nor for storing. It is safe for concurrent use if its rows
// are.
//
// Measured: a table from half of the texts finds as well as one from all, if
// the questions use live rows; with the table alone it loses 5 points.
type Live struct {
	head Head
	rows LiveRows
}

// NewLive returns the embedder for questions on the space of the head, such as
// [LoadHead] returns. It reads a few rows for each question; it does not need
// the table.
func NewLive(h Head, rows LiveRows) *Live { return &Live{h, rows} }

// Space implements [llm.Embedder]: it is the space of the table.
func (l *Live) Space() llm.SpaceInfo {
	return llm.SpaceInfo{Model: l.head.Model(), Dim: Dim, Recomputable: true}
}

// Embed implements [llm.Embedder]. A text without any word has a nil vector.
func (l *Live) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	n, err := l.rows.Texts(ctx)
	if err != nil {
		return nil, llm.Usage{}, fmt.Errorf("local: embed: %w", err)
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if out[i], err = l.embed(ctx, text, n); err != nil {
			return nil, llm.Usage{}, fmt.Errorf("local: embed: %w", err)
		}
	}
	return out, llm.Usage{Calls: 1}, nil
}

func (l *Live) embed(ctx context.Context, text string, n int64) ([]float32, error) {
	words := bag(text)
	if len(words) == 0 {
		return nil, nil
	}
	names := make([]string, len(words))
	for i, c := range words {
		names[i] = c.term
	}
	rows, err := l.rows.Rows(ctx, names)
	if err != nil {
		return nil, err
	}
	byWord := make(map[string]Row, len(rows))
	for _, r := range rows {
		if len(r.Sum) != Dim {
			return nil, fmt.Errorf("row of %q: %w: %d components", r.Word, ErrRow, len(r.Sum))
		}
		byWord[r.Word] = r
	}
	v, w := make([]float32, Dim), make([]float32, Dim)
	for _, c := range words {
		df := int64(1)
		if r, ok := byWord[c.term]; ok && r.Texts > 0 {
			df = r.Texts
			wordVector(w, r.Sum, c.term)
		} else {
			clear(w)
			h := signatureOf(c.term)
			h.addTo(w, 1)
		}
		x := float32(frequency(c.n) * float64(rarity(n, df)))
		for i := range v {
			v[i] += float32(x * w[i])
		}
	}
	remove(v, l.head.Direction)
	if !normalise(v) {
		return signatures(words), nil
	}
	return v, nil
}
