package local

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// minDirection is the number of texts below which no common direction is
// removed: of a few texts it would take away what tells them apart.
const minDirection = 16

// table makes the frozen table of what the passes have summed up.
func (t *trainer) table(ctx context.Context) *Table {
	table := &Table{
		head: Head{Version: t.o.Version, Texts: t.texts, Words: len(t.words)},
		lex:  t.lex, words: t.words, df: t.df,
		scales: make([]float32, len(t.words)),
		rows:   make([]int8, Dim*len(t.words)),
	}
	u := make([]float32, Dim)
	if t.texts >= minDirection {
		u = commonDirection(ctx, t.sampleVectors(ctx))
	}
	table.head.Direction = u
	v := make([]float32, Dim)
	for row := range t.words {
		t.vector(v, int32(row))
		remove(v, u)
		table.scales[row] = quantise(table.rows[row*Dim:(row+1)*Dim], v)
	}
	table.head.P50, table.head.P99 = pairs(ctx, table, t.sample)
	return table
}

// sampleVectors returns the vectors of the sampled texts before the common
// direction is known.
func (t *trainer) sampleVectors(ctx context.Context) [][]float32 {
	out := make([][]float32, 0, len(t.sample))
	w := make([]float32, Dim)
	for _, text := range t.sample {
		if ctx.Err() != nil {
			return nil
		}
		v := make([]float32, Dim)
		for _, c := range bag(text) {
			row, r := t.lex.lookup(c.term)
			x := float32(frequency(c.n) * float64(r))
			if row < 0 {
				h := signatureOf(c.term)
				h.addTo(v, x)
				continue
			}
			t.vector(w, row)
			for i := range v {
				v[i] += float32(x * w[i])
			}
		}
		if normalise(v) {
			out = append(out, v)
		}
	}
	return out
}

// commonDirection returns the first right singular vector of the matrix with
// the given rows, by power iteration from their mean; 0 if there is none.
func commonDirection(ctx context.Context, rows [][]float32) []float32 {
	const iterations = 100
	u := make([]float32, Dim)
	for _, r := range rows {
		for i, x := range r {
			u[i] += x
		}
	}
	if !normalise(u) {
		return u
	}
	next := make([]float64, Dim)
	for range iterations {
		if ctx.Err() != nil {
			return u
		}
		clear(next)
		for _, r := range rows {
			along := dot(r, u)
			for i, x := range r {
				next[i] += float64(along * float64(x))
			}
		}
		norm := 0.0
		for _, x := range next {
			norm += float64(x * x)
		}
		norm = math.Sqrt(norm)
		if norm == 0 {
			break
		}
		moved := 0.0
		for i, x := range next {
			to := float32(x / norm)
			moved = max(moved, math.Abs(float64(to-u[i])))
			u[i] = to
		}
		if moved < 1e-6 {
			break
		}
	}
	return u
}

// pairs returns the median and the 99th percentile of the similarity of
// random pairs of the sampled texts.
func pairs(ctx context.Context, t *Table, sample []string) (p50, p99 float32) {
	const draws = 20_000
	var vectors [][]float32
	for _, text := range sample {
		if ctx.Err() != nil {
			return 0, 0
		}
		if v, ok := t.Embed(text); ok {
			vectors = append(vectors, v)
		}
	}
	if len(vectors) < 2 {
		return 0, 0
	}
	rng := rand.New(rand.NewPCG(0, 0))
	cos := make([]float32, draws)
	for k := range cos {
		i := rng.IntN(len(vectors))
		j := (i + 1 + rng.IntN(len(vectors)-1)) % len(vectors)
		cos[k] = float32(dot(vectors[i], vectors[j]))
	}
	slices.Sort(cos)
	return cos[draws/2], cos[draws*99/100]
}
