package local

import (
	"context"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// KeepAll is the number of words up to which a table has a row for every
// word. A larger vocabulary has rows only for words of two texts and more.
const KeepAll = 1 << 16

// maxSample bounds the texts from which the common direction and the
// distribution of similarities are taken.
const maxSample = 3000

// NeedsRetrain reports whether a corpus that has n texts now should get a new
// table, and new vectors, if the table was trained on trained texts: when
// it has doubled. Tables of fewer than some 200 texts know little of their
// words; they cost little, too, and are soon replaced by this rule.
func NeedsRetrain(n, trained int64) bool { return n > 0 && n >= 2*trained }

// TrainOptions are the options of [Train].
type TrainOptions struct {
	// Version is the number that the table gets. It stands in the name of its
	// vector space, so that vectors of two tables never mix.
	Version uint32
	// Workers is the number of goroutines; 0 is GOMAXPROCS. It does not change
	// the result.
	Workers int
	// Live, if not nil, gets the rows of the live table as the training texts
	// make them, every word of the corpus exactly once: the sum of
	// [Table.Contribution] over the texts. Rows come one at a time, in the
	// same order every time; each is valid until the call returns. An error
	// ends the training.
	Live func(Row) error
}

// Train makes a word table from the texts of a corpus by reflective random
// indexing: the context of a word is the sum of the vectors of its texts,
// which are sums of signatures of their words.
//
// texts is called twice and must yield the same texts both times; they are
// the units that will be embedded, such as chunks, since words are weighed by
// the number of texts that have them. Without texts the table knows no word
// and embeds by signatures alone.
//
// Sums are of integers, and what is rounded is computed in one fixed order,
// so that equal texts give equal tables on any machine and for any number of
// workers, up to the order of the texts: that decides which of them are
// sampled for the common direction.
//
// Time is linear in the texts (twice their analysis); memory is 1 kB for each
// word of up to 7 texts with a row, 2 kB for each other, the words themselves and up
// to 3,000 texts. The error is
// that of the context, of texts, of Live, or [ErrTexts].
//
// The measured recipe is that of "rri-512" with beta .5, one reflection and
// one common direction removed.
func Train(ctx context.Context, texts func() iter.Seq2[string, error], o TrainOptions) (*Table, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	t := trainer{o: o}
	if err := t.count(ctx, texts()); err != nil {
		return nil, phase.Errorf("train: count words: %w", err)
	}
	if err := t.sum(ctx, texts()); err != nil {
		return nil, phase.Errorf("train: sum contexts: %w", err)
	}
	if err := t.emitRows(); err != nil {
		return nil, phase.Errorf("train: live rows: %w", err)
	}
	table := t.table(ctx)
	if err := ctx.Err(); err != nil {
		return nil, phase.Errorf("train: %w", err)
	}
	return table, nil
}

// The number of texts of a word from which its sums need 32 and 64 bits: a
// contribution is at most 2^12, so those of fewer texts fit 15 and 31.
const (
	narrowFrom = 1 << 3
	wideFrom   = 1 << 19
)

// A trainer holds the state of Train between its passes.
type trainer struct {
	o      TrainOptions
	texts  int64
	words  []string // ascending
	df     []int64
	lex    *lexicon
	small  [][]int16 // by row; nil for the rows of narrow
	narrow map[int32][]int32
	wide   map[int32][]int64
	sample []string
}

// count is the first pass: the words and in how many texts each is.
func (t *trainer) count(ctx context.Context, texts iter.Seq2[string, error]) error {
	df := make(map[string]int64)
	err := inOrder(ctx, texts, t.o.Workers, bag, func(_ string, words []count) error {
		t.texts++
		for _, w := range words {
			n, known := df[w.term]
			if known {
				df[w.term] = n + 1
			} else {
				df[strings.Clone(w.term)] = 1
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(df) > KeepAll {
		maps.DeleteFunc(df, func(_ string, n int64) bool { return n < 2 })
	}
	t.words = slices.Sorted(maps.Keys(df))
	t.df = make([]int64, len(t.words))
	for row, w := range t.words {
		t.df[row] = df[w]
	}
	t.lex = newLexicon(t.texts, t.words, t.df)
	return nil
}

// sum is the second pass: the context sums of the words with rows. Words
// without one are of single texts, whose contribution is their whole row.
func (t *trainer) sum(ctx context.Context, texts iter.Seq2[string, error]) error {
	t.small = make([][]int16, len(t.words))
	t.narrow = make(map[int32][]int32)
	t.wide = make(map[int32][]int64)
	for row, df := range t.df {
		switch {
		case df >= wideFrom:
			t.wide[int32(row)] = make([]int64, Dim)
		case df >= narrowFrom:
			t.narrow[int32(row)] = make([]int32, Dim)
		default:
			t.small[row] = make([]int16, Dim)
		}
	}
	stride := (t.texts + maxSample - 1) / maxSample
	var n int64
	seen := make([]int64, len(t.words))
	err := inOrder(ctx, texts, t.o.Workers, t.lex.contribution, func(text string, c contribution) error {
		if n == t.texts {
			return ErrTexts
		}
		if n%stride == 0 {
			t.sample = append(t.sample, text)
		}
		n++
		for i, w := range c.bag {
			row, _ := t.lex.lookup(w.term)
			switch {
			case row < 0:
				if err := t.emitSingle(&c, i); err != nil {
					return err
				}
				continue
			case t.small[row] != nil:
				addTo(t.small[row], &c, i)
			case t.narrow[row] != nil:
				addTo(t.narrow[row], &c, i)
			default:
				addTo(t.wide[row], &c, i)
			}
			seen[row]++
		}
		return nil
	})
	if err == nil && (n != t.texts || !slices.Equal(seen, t.df)) {
		err = ErrTexts
	}
	return err
}

// emitSingle gives Live the row of a word that is in one text only.
func (t *trainer) emitSingle(c *contribution, i int) error {
	if t.o.Live == nil {
		return nil
	}
	return t.o.Live(c.row(i))
}

// emitRows gives Live the other rows.
func (t *trainer) emitRows() error {
	if t.o.Live == nil {
		return nil
	}
	sum := make([]int64, Dim)
	for row, w := range t.words {
		for i, v := range t.small[row] {
			sum[i] = int64(v)
		}
		for i, v := range t.narrow[int32(row)] {
			sum[i] = int64(v)
		}
		copy(sum, t.wide[int32(row)])
		if err := t.o.Live(Row{Word: w, Texts: t.df[row], Sum: sum}); err != nil {
			return err
		}
	}
	return nil
}

// vector writes the vector of a word with its common direction.
func (t *trainer) vector(dst []float32, row int32) {
	switch {
	case t.small[row] != nil:
		wordVector(dst, t.small[row], t.words[row])
	case t.narrow[row] != nil:
		wordVector(dst, t.narrow[row], t.words[row])
	default:
		wordVector(dst, t.wide[row], t.words[row])
	}
}

// contextShare is the weight of a word's own signature against its context.
const contextShare = 0.5

// wordVector writes L2(L2(sum) + .5 signature): what a word means by its
// contexts, and some of what tells it from other words of the same contexts.
func wordVector[T int16 | int32 | int64](dst []float32, sum []T, word string) {
	for i, v := range sum {
		dst[i] = float32(v)
	}
	normalise(dst)
	h := signatureOf(word)
	h.addTo(dst, contextShare)
	if !normalise(dst) {
		clear(dst)
		h.addTo(dst, 1)
	}
}

// inOrder calls work for every text, by several goroutines, and then done for
// every result, in the order of the texts. It returns after all of them.
func inOrder[T any](ctx context.Context, texts iter.Seq2[string, error], workers int, work func(string) T, done func(string, T) error) error {
	const share = 64 // texts of a goroutine before results are taken
	batch := make([]string, 0, share*workers)
	results := make([]T, share*workers)
	flush := func() error {
		var wg sync.WaitGroup
		for lo := 0; lo < len(batch); lo += share {
			wg.Go(func() {
				for i := lo; i < min(lo+share, len(batch)); i++ {
					results[i] = work(batch[i])
				}
			})
		}
		wg.Wait()
		for i, text := range batch {
			if err := done(text, results[i]); err != nil {
				return err
			}
		}
		clear(results)
		batch = batch[:0]
		return ctx.Err()
	}
	for text, err := range texts {
		if err != nil {
			return err
		}
		if batch = append(batch, text); len(batch) == cap(batch) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
