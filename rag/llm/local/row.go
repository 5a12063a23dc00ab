package local

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/internal/varint"
)

// A Row is what the live table holds of one word, or a change of it: how many
// texts have the word, and the sum of what they contribute, in units of
// 2^-12. Rows add up exactly, in any order, so that taking a text back leaves
// no trace of it.
type Row struct {
	Word  string
	Texts int64
	Sum   []int64 // Dim long
}

// IsZero reports whether the row holds nothing: it need not be stored.
func (r Row) IsZero() bool {
	return r.Texts == 0 && !slices.ContainsFunc(r.Sum, func(v int64) bool { return v != 0 })
}

// Add adds d to the row.
func (r *Row) Add(d Row) {
	r.Texts += d.Texts
	for i, v := range d.Sum {
		r.Sum[i] += v
	}
}

// Append appends the row's bytes, without its word, to dst: the number of
// texts and the [Dim] sums, each as a zigzag varint. They are some 600 bytes
// for a word of one text and about 1 kB for one of many.
func (r Row) Append(dst []byte) []byte {
	dst = slices.Grow(dst, Dim+8)
	dst = binary.AppendVarint(dst, r.Texts)
	for _, v := range r.Sum {
		dst = binary.AppendVarint(dst, v)
	}
	return dst
}

// DecodeRow returns the row of a word that [Row.Append] wrote, or an error
// that is [ErrRow].
func DecodeRow(word string, b []byte) (Row, error) {
	r := Row{Word: word, Sum: make([]int64, Dim)}
	if err := r.decode(b); err != nil {
		return Row{}, err
	}
	return r, nil
}

// decode reads what Append wrote.
func (r *Row) decode(b []byte) error {
	rest, ok := b, false
	if r.Texts, rest, ok = varint.Varint(rest); !ok {
		return phase.Errorf("row of %q: %w: number of texts", r.Word, ErrRow)
	}
	for i := range r.Sum {
		if r.Sum[i], rest, ok = varint.Varint(rest); !ok {
			return phase.Errorf("row of %q: %w: component %d", r.Word, ErrRow, i)
		}
	}
	if len(rest) > 0 {
		return phase.Errorf("row of %q: %w: %d bytes after the end", r.Word, ErrRow, len(rest))
	}
	return nil
}

// row returns what the contribution adds to the row of word i of its bag.
func (c *contribution) row(i int) Row {
	r := Row{Word: c.bag[i].term, Texts: 1, Sum: make([]int64, Dim)}
	addTo(r.Sum, c, i)
	return r
}

// Contribution returns what a text adds to the live table, a row for each of
// its words in ascending order: a pure function of the text and the table,
// the same on every platform. Their words are the caller's.
func (t *Table) Contribution(text string) []Row {
	c := t.lex.contribution(text)
	rows := make([]Row, len(c.bag))
	for i := range rows {
		rows[i] = c.row(i)
		rows[i].Word = strings.Clone(rows[i].Word)
	}
	return rows
}
