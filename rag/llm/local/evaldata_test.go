package local_test

import (
	"flag"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/llm/local"
)

var long = flag.Bool("long", false, "measure on all evaluation data")

// needLong skips a long measurement unless it is asked for.
func needLong(tb testing.TB) {
	tb.Helper()
	if !*long {
		tb.Skip("a long measurement: run with -long")
	}
}

// A passage and a question of the evaluation data.
type passage struct {
	ID, Title, Text string
}

// full returns the text that is indexed.
func (p passage) full() string {
	if p.Title == "" {
		return p.Text
	}
	return p.Title + "\n" + p.Text
}

type question struct {
	ID, Question        string
	Answers, Supporting []string
}

// seqOf returns texts as Train wants them.
func seqOf(texts []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, s := range texts {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// train trains a table on texts, version 1.
func train(tb testing.TB, texts []string) *local.Table {
	tb.Helper()
	t, err := local.Train(tb.Context(), seqOf(texts), local.TrainOptions{Version: 1})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// embedAll returns the vectors of texts.
func embedAll(t *local.Table, texts []string) [][]float32 {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i], _ = t.Embed(s)
	}
	return out
}

// cosines returns the similarity of q to each vector; 0 without a vector.
func cosines(q []float32, vectors [][]float32) []float64 {
	out := make([]float64, len(vectors))
	for i, v := range vectors {
		sum := float32(0)
		for k, x := range v {
			if k < len(q) {
				sum += x * q[k]
			}
		}
		out[i] = float64(sum)
	}
	return out
}

// ranking returns the indices of scores from the best on, ties by index.
func ranking(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return order
}

// zSum returns the sum of the standardised scores of two lists.
func zSum(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for _, s := range [][]float64{a, b} {
		mean, square := 0.0, 0.0
		for _, x := range s {
			mean += x / float64(len(s))
		}
		for _, x := range s {
			square += (x - mean) * (x - mean) / float64(len(s))
		}
		if square == 0 {
			continue
		}
		for i, x := range s {
			out[i] += (x - mean) / math.Sqrt(square)
		}
	}
	return out
}

// bm25 ranks by words, with k1 .9 and b .4.
type bm25 struct {
	postings map[string][]posting
	norm     []float64
}

type posting struct{ text, tf int }

func newBM25(texts []string) *bm25 {
	m := &bm25{postings: map[string][]posting{}, norm: make([]float64, len(texts))}
	total := 0.0
	for i, s := range texts {
		terms := lex.Standard{}.Terms(s)
		m.norm[i] = float64(len(terms))
		total += m.norm[i]
		for _, t := range terms {
			p := m.postings[t.Text]
			if n := len(p); n > 0 && p[n-1].text == i {
				p[n-1].tf++
			} else {
				m.postings[t.Text] = append(p, posting{i, 1})
			}
		}
	}
	mean := total / float64(len(texts))
	for i, n := range m.norm {
		m.norm[i] = .9 * (1 - .4 + .4*n/mean)
	}
	return m
}

func (m *bm25) scores(q string) []float64 {
	out := make([]float64, len(m.norm))
	n := float64(len(m.norm))
	for _, t := range (lex.Standard{}).Terms(q) {
		ps := m.postings[t.Text]
		df := float64(len(ps))
		idf := math.Log(1 + (n-df+.5)/(df+.5))
		for _, p := range ps {
			tf := float64(p.tf)
			out[p.text] += idf * tf * 1.9 / (tf + m.norm[p.text])
		}
	}
	return out
}

// plainWords returns a text's folded words without articles, with a blank
// around each, so that an answer is found on word borders.
func plainWords(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for w := range lex.Words(s) {
		if w.Text != "a" && w.Text != "an" && w.Text != "the" {
			b.WriteString(w.Text)
			b.WriteByte(' ')
		}
	}
	return b.String()
}
