package local

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
)

// vocabulary is the words of a training by their numbers, in the order in which the
// texts have them.
type vocabulary struct {
	index      map[string]int32 // nil once all are counted
	terms      []string
	df         []int64
	row        []int32 // -1 for none
	rarity     []float32
	signatures []signature

	byRow []int32 // number of the word of each row: rows ascend by word
}

// bagged is a word of a text, by its number, and how often it occurs there.
type bagged struct{ word, n int32 }

// count counts the words and in how many texts each is, and notes the words of each text.
func (t *trainer) count(ctx context.Context, texts iter.Seq2[string, error]) error {
	v := &t.words
	v.index = make(map[string]int32)
	var b []byte
	return inOrder(ctx, texts, t.o.Workers, bag, func(words []count) error {
		t.texts++
		b = binary.AppendUvarint(b[:0], uint64(len(words)))
		for _, w := range words {
			i, known := v.index[w.term]
			if !known {
				i = int32(len(v.terms))
				term := strings.Clone(w.term)
				v.index[term] = i
				v.terms, v.df = append(v.terms, term), append(v.df, 0)
			}
			v.df[i]++
			if w.n == 1 {
				b = binary.AppendUvarint(b, uint64(i)<<1)
			} else {
				b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(i)<<1|1), uint64(w.n))
			}
		}
		_, err := t.bags.Write(b)
		return err
	})
}

// number gives rows to the words that have one.
func (t *trainer) number() {
	v := &t.words
	v.index = nil
	least := int64(1)
	if len(v.terms) > KeepAll {
		least = 2
	}
	v.row = make([]int32, len(v.terms))
	v.rarity = make([]float32, len(v.terms))
	v.signatures = make([]signature, len(v.terms))
	for i, term := range v.terms {
		v.row[i] = -1
		v.rarity[i] = rarity(t.texts, v.df[i])
		v.signatures[i] = signatureOf(term)
		if v.df[i] >= least {
			v.byRow = append(v.byRow, int32(i))
		}
	}
	slices.SortFunc(v.byRow, func(a, b int32) int { return cmp.Compare(v.terms[a], v.terms[b]) })
	for row, i := range v.byRow {
		v.row[i] = int32(row)
	}
}

// weight returns the weight of a word in a text.
func (v *vocabulary) weight(w bagged) float32 {
	return float32(frequency(int(w.n)) * float64(v.rarity[w.word]))
}

// bagReader reads the words of texts one after the other: a uvarint, their number, and
// for each, in order of word, a uvarint, twice its number, plus 1 if a uvarint follows
// that says how often the text has it.
type bagReader struct{ r *bufio.Reader }

// next returns the words of the next text in the memory of dst.
func (r bagReader) next(dst []bagged) ([]bagged, error) {
	dst = dst[:0]
	words, err := r.uvarint()
	for range words {
		var i uint64
		n := uint64(1)
		if i, err = r.uvarint(); err == nil && i&1 == 1 {
			n, err = r.uvarint()
		}
		if err != nil {
			break
		}
		dst = append(dst, bagged{int32(i >> 1), int32(min(n, math.MaxInt32))})
	}
	return dst, err
}

func (r bagReader) uvarint() (uint64, error) {
	v, err := binary.ReadUvarint(r.r)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return v, err
}
