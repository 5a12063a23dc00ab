package local

import (
	"context"
	"fmt"
	"slices"

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
// corpus as it is now, while the vectors of texts stay those of the table.
// Its vectors are of the table's space, but change with the rows, so they are
// not for caches nor for storing. It is safe for concurrent use if its rows
// are.
//
// Measured (TestCoverage; a table from all texts covers 70 % of the answers,
// the error is some 3 points): a table from half of the texts covers 70 % by
// itself and 69 % with live questions, one from a quarter 66 and 69 %, one from
// a tenth 65 and 65 %.
type Live struct {
	head Head
	rows LiveRows
}

// NewLive returns the embedder for questions on the space of the head, such as
// [LoadHead] returns. It reads a few rows for each question; it does not need
// the table. The zero Head is that of a corpus that taught no words yet: every
// text has a nil vector, and rows may be nil.
func NewLive(h Head, rows LiveRows) *Live { return &Live{h, rows} }

// Space implements [llm.Embedder]: it is the space of the table.
func (l *Live) Space() llm.SpaceInfo {
	return llm.SpaceInfo{Model: l.head.Model(), Dim: Dim, Recomputable: true}
}

// Embed implements [llm.Embedder]. A text without any word has a nil vector.
// Rows are read once for all texts, and take 2 kB of memory for each word.
func (l *Live) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	if len(l.head.Direction) == 0 {
		return make([][]float32, len(texts)), llm.Usage{Calls: 1}, nil
	}
	bags := make([][]count, len(texts))
	var names []string
	for i, text := range texts {
		bags[i] = bag(text)
		for _, c := range bags[i] {
			names = append(names, c.term)
		}
	}
	slices.Sort(names)
	words, err := l.read(ctx, slices.Compact(names))
	if err != nil {
		return nil, llm.Usage{}, phase.Errorf("embed: %w", err)
	}
	out := make([][]float32, len(texts))
	for i, b := range bags {
		if len(b) > 0 {
			out[i] = l.vector(b, words)
		}
	}
	return out, llm.Usage{Calls: 1}, nil
}

// A liveWord is what the live table says of a word now.
type liveWord struct {
	vector []float32
	rarity float32
}

// read returns what the live table says of words.
func (l *Live) read(ctx context.Context, names []string) (map[string]liveWord, error) {
	n, err := l.rows.Texts(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := l.rows.Rows(ctx, names)
	if err != nil {
		return nil, err
	}
	words := make(map[string]liveWord, len(names))
	for _, r := range rows {
		if len(r.Sum) != Dim {
			return nil, fmt.Errorf("row of %q: %w: %d components", r.Word, ErrRow, len(r.Sum))
		}
		if r.Texts > 0 {
			w := liveWord{make([]float32, Dim), rarity(n, r.Texts)}
			wordVector(w.vector, r.Sum, r.Word)
			words[r.Word] = w
		}
	}
	for _, name := range names {
		if _, ok := words[name]; !ok {
			w := liveWord{make([]float32, Dim), rarity(n, 1)}
			h := signatureOf(name)
			h.addTo(w.vector, 1)
			words[name] = w
		}
	}
	return words, nil
}

// vector returns the vector of a text.
func (l *Live) vector(b []count, words map[string]liveWord) []float32 {
	v := make([]float32, Dim)
	for _, c := range b {
		w := words[c.term]
		x := float32(frequency(c.n) * float64(w.rarity))
		for i := range v {
			v[i] += float32(x * w.vector[i])
		}
	}
	remove(v, l.head.Direction)
	if !normalise(v) {
		return signatures(b)
	}
	return v
}
