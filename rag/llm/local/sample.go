package local

import (
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"slices"
)

// sampledText is a text from which the common direction and the similarities of random
// pairs are taken.
type sampledText struct {
	words   []bagged
	done    int       // words that are in the vector
	vector  []float32 // sum of its words' vectors
	unknown []float32 // sum of the signatures of those without rows, nil for none
}

// draw draws texts, evenly among all.
func (t *trainer) draw() error {
	stride := (t.texts + maxSample - 1) / maxSample
	r := bagReader{t.bags.Reader()}
	var bag []bagged
	var err error
	for n := range t.texts {
		if bag, err = r.next(bag); err != nil {
			return err
		}
		if n%stride == 0 {
			t.drawn = append(t.drawn, sampledText{words: slices.Clone(bag), vector: make([]float32, Dim)})
		}
	}
	return nil
}

// sampleContexts adds to the drawn texts the vectors of their words up to the end of a
// range, with the common direction. Ranges come in order, so each text's words do.
func (t *trainer) sampleContexts(ctx context.Context, g *rowRange, at []int32) error {
	if t.texts < minDirection {
		return nil
	}
	v := &t.words
	sum, vector := make([]int64, Dim), make([]float32, Dim)
	for k := range t.drawn {
		s := &t.drawn[k]
		for ; s.done < len(s.words) && v.row[s.words[s.done].word] < g.hi; s.done++ {
			w := s.words[s.done]
			x := v.weight(w)
			row := v.row[w.word]
			if row < 0 {
				v.signatures[w.word].addTo(s.vector, x)
				continue
			}
			g.read(sum, at[row], v.df[w.word])
			wordVector(vector, sum, v.terms[w.word])
			for i := range s.vector {
				s.vector[i] += float32(x * vector[i])
			}
		}
	}
	return ctx.Err()
}

// direction returns the common direction of the drawn texts, and takes their vectors.
func (t *trainer) direction(ctx context.Context) []float32 {
	if t.texts < minDirection {
		return make([]float32, Dim)
	}
	vectors := make([][]float32, 0, len(t.drawn))
	for i := range t.drawn {
		if v := t.drawn[i].vector; normalise(v) {
			vectors = append(vectors, v)
		}
	}
	u := commonDirection(ctx, vectors)
	for i := range t.drawn {
		clear(t.drawn[i].vector)
	}
	return u
}

// sampledWord is a word of a drawn text and its weight there.
type sampledWord struct {
	row, text int32
	x         float32
}

// sampledWords returns the words of the drawn texts that have rows, in order of row, and
// sums up the others.
func (t *trainer) sampledWords() []sampledWord {
	var out []sampledWord
	for k := range t.drawn {
		s := &t.drawn[k]
		for _, w := range s.words {
			x := t.words.weight(w)
			if row := t.words.row[w.word]; row >= 0 {
				out = append(out, sampledWord{row, int32(k), x})
				continue
			}
			if s.unknown == nil {
				s.unknown = make([]float32, Dim)
			}
			t.words.signatures[w.word].addTo(s.unknown, x)
		}
	}
	slices.SortFunc(out, func(a, b sampledWord) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.text, b.text))
	})
	return out
}

// write gives store the table: the vectors of all words, from the sums that were kept,
// without the common direction.
func (t *trainer) write(ctx context.Context, store func(key, value []byte) error) (Head, error) {
	h := Head{Version: t.o.Version, Texts: t.texts, Words: len(t.words.byRow), Direction: t.direction(ctx)}
	wanted := t.sampledWords()
	in := t.sums.Reader()
	row, vector := Row{Sum: make([]int64, Dim)}, make([]float32, Dim)
	var sum rowSum
	var b []byte
	q := make([]int8, Dim)
	for n, i := range t.words.byRow {
		if n%1024 == 0 && ctx.Err() != nil {
			return Head{}, ctx.Err()
		}
		size, err := binary.ReadUvarint(in)
		if err != nil {
			return Head{}, err
		}
		b = slices.Grow(b[:0], int(size))[:size]
		if _, err := io.ReadFull(in, b); err != nil {
			return Head{}, err
		}
		row.Word = t.words.terms[i]
		if err := row.decode(b); err != nil {
			return Head{}, err
		}
		wordVector(vector, row.Sum, row.Word)
		remove(vector, h.Direction)
		scale := quantise(q, vector)
		for ; len(wanted) > 0 && wanted[0].row == int32(n); wanted = wanted[1:] {
			addScaled(t.drawn[wanted[0].text].vector, q, float32(wanted[0].x*scale))
		}
		b = appendRow(b[:0], row.Texts, scale, q)
		sum.toggle(row.Word, b)
		if err := store(rowKey(row.Word), b); err != nil {
			return Head{}, err
		}
	}
	h.P50, h.P99 = pairs(t.sampleVectors(h.Direction))
	if err := ctx.Err(); err != nil {
		return Head{}, err
	}
	return h, store([]byte(headKey), h.append(sum))
}

// sampleVectors returns the vectors of the drawn texts that have any word, as the table
// embeds them.
func (t *trainer) sampleVectors(direction []float32) (out [][]float32) {
	for i := range t.drawn {
		s := &t.drawn[i]
		if len(s.words) == 0 {
			continue
		}
		words := make([]count, len(s.words))
		for k, w := range s.words {
			words[k] = count{t.words.terms[w.word], int(w.n)}
		}
		out = append(out, finish(s.vector, s.unknown, direction, words))
	}
	return out
}
