package local

import (
	"context"
	"errors"
	"iter"
	"math"
	"runtime"
	"sync"

	"github.com/ragdb/ragdb/internal/unfinished"
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

// TrainOptions are the options of [Train] and [TrainTo].
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
	// MemoryBytes is the memory for sums of contexts; 0 is 16 MiB. It does not change
	// the result.
	MemoryBytes int
	// Dir is the folder for temporary files; empty is the system's.
	Dir string
}

// Train makes a word table as [TrainTo] does, and keeps it in memory.
func Train(ctx context.Context, texts iter.Seq2[string, error], o TrainOptions) (*Table, error) {
	t := &Table{head: Head{Texts: math.MaxInt64, Words: math.MaxInt}}
	h, err := TrainTo(ctx, texts, o, func(key, value []byte) error {
		if string(key) == headKey {
			return nil
		}
		return t.decodeRow(string(key[len(rowPrefix):]), value)
	})
	if err != nil {
		return nil, err
	}
	t.head, t.lex = h, newLexicon(h.Texts, t.words, t.df)
	return t, nil
}

// TrainTo makes a word table from the texts of a corpus by reflective random
// indexing: the context of a word is the sum of the vectors of its texts,
// which are sums of signatures of their words.
//
// texts are the units that will be embedded, such as chunks, since words are weighed
// by the number of texts that have them. They are read once. Without texts the table
// knows no word and embeds by signatures alone.
//
// store gets the keys and values of [Table.Entries], the head last, and must not keep
// them; an error ends the training.
//
// Sums are of integers, and what is rounded is computed in one fixed order,
// so that equal texts give equal tables on any machine and for any number of
// workers, up to the order of the texts: that decides which of them are
// sampled for the common direction.
//
// Memory is some 150 bytes for each different word, MemoryBytes for sums of contexts and up
// to 20 MB for a sample of the texts; temporary files take some 100 bytes for each
// text of 40 words and 1 kB for each word with a row. Time is linear in the texts (their
// analysis), and grows by some 3 microseconds a text for each 10,000 words with rows. The
// error is that of the context, of texts, of Live, of store, or of a temporary file.
//
// The measured recipe is that of "rri-512" with beta .5, one reflection and
// one common direction removed.
func TrainTo(ctx context.Context, texts iter.Seq2[string, error], o TrainOptions, store func(key, value []byte) error) (h Head, err error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MemoryBytes <= 0 {
		o.MemoryBytes = 16 << 20
	}
	t := trainer{o: o, bags: unfinished.NewScratch(o.Dir, scratchBytes), sums: unfinished.NewScratch(o.Dir, scratchBytes)}
	defer func() { err = errors.Join(err, t.bags.Close(), t.sums.Close()) }()
	if err := t.count(ctx, texts); err != nil {
		return Head{}, phase.Errorf("train: count words: %w", err)
	}
	t.number()
	if err := t.draw(); err != nil {
		return Head{}, phase.Errorf("train: sample texts: %w", err)
	}
	if err := t.sum(ctx); err != nil {
		return Head{}, phase.Errorf("train: sum contexts: %w", err)
	}
	if h, err = t.write(ctx, store); err != nil {
		return Head{}, phase.Errorf("train: %w", err)
	}
	return h, nil
}

// scratchBytes is what is kept in memory of what goes to temporary files.
const scratchBytes = 1 << 20

// A trainer holds the state of TrainTo between its passes.
type trainer struct {
	o     TrainOptions
	texts int64
	words vocabulary
	bags  *unfinished.Scratch // the words of each text, see bagReader
	sums  *unfinished.Scratch // of each row, in order: its length and [Row.Append]
	drawn []sampledText
}

// inOrder calls work for every text, by several goroutines, and then done for
// every result, in the order of the texts. It returns after all of them.
func inOrder[T any](ctx context.Context, texts iter.Seq2[string, error], workers int, work func(string) T, done func(T) error) error {
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
		for i := range batch {
			if err := done(results[i]); err != nil {
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
