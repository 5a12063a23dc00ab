package local

import (
	"fmt"
	"math"
	"slices"

	lex "github.com/ragdb/ragdb/engine/text"
)

// Head is the small part of a [Table] that a process needs to embed questions
// with live rows.
type Head struct {
	// Version is the number that the table was trained with.
	Version uint32
	// Texts is the number of texts that it was trained on.
	Texts int64
	// Words is the number of words with a row.
	Words int
	// Direction is the unit vector that nearly all texts share; it is subtracted from all
	// vectors. It is 0 for a corpus of a few texts. It must
	// not be changed.
	Direction []float32
	// P50 and P99 are percentiles of the cosine of random pairs of training
	// texts. A cosine above P99 says that two texts have something in common;
	// fixed thresholds do not carry over from one corpus to the next. Both
	// are 0 for a corpus of fewer than two texts.
	P50, P99 float32
}

// Model returns the name of the table's vector space, such as
// "local/rri-512@v3".
func (h Head) Model() string { return fmt.Sprintf("local/rri-512@v%d", h.Version) }

// Same reports whether h is equal to another head.
func (h Head) Same(o Head) bool {
	return h.Version == o.Version && h.Texts == o.Texts && h.Words == o.Words &&
		h.P50 == o.P50 && h.P99 == o.P99 && slices.Equal(h.Direction, o.Direction)
}

// A Table holds the vectors of the words of a corpus as they were when it was
// trained. It never changes, and is safe for concurrent use.
type Table struct {
	head   Head
	lex    *lexicon
	words  []string // ascending
	df     []int64
	scales []float32 // of the rows
	rows   [][]int8  // parts of rowsPart rows, Dim a word
}

// rowsPart is how many rows are allocated together: a table grows without being copied.
const rowsPart = 1 << 10

// row returns a row.
func (t *Table) row(row int) []int8 {
	return t.rows[row/rowsPart][row%rowsPart*Dim:][:Dim]
}

// Head returns the table's head.
func (t *Table) Head() Head { return t.head }

// Embed returns the vector of a text, with [Dim] components and length 1; it
// belongs to the caller. It is a pure function of the text and the table, the
// same on every platform. ok is false for a text without any word, which has
// no vector.
//
// The vector is the sum of those of its terms (engine/text.Standard), each
// weighted by (1 + ln tf) idf^.75. A word that the table does not know has its
// signature for a vector, and the idf of a word of one text. Linear time.
func (t *Table) Embed(text string) (v []float32, ok bool) {
	words := bag(text)
	if len(words) == 0 {
		return nil, false
	}
	v = make([]float32, Dim)
	var unknown []float32
	for _, c := range words {
		row, r := t.lex.lookup(c.term)
		x := float32(frequency(c.n) * float64(r))
		if row >= 0 {
			addScaled(v, t.row(int(row)), float32(x*t.scales[row]))
			continue
		}
		if unknown == nil {
			unknown = make([]float32, Dim)
		}
		h := signatureOf(c.term)
		h.addTo(unknown, x)
	}
	return finish(v, unknown, t.head.Direction, words), true
}

// finish returns the vector of a text with some words: v is the sum of those that the
// table knows, unknown of the others, nil if there are none.
func finish(v, unknown, direction []float32, words []count) []float32 {
	if unknown != nil {
		remove(unknown, direction)
		for i, x := range unknown {
			v[i] += x
		}
	}
	if !normalise(v) {
		return signatures(words)
	}
	return v
}

// signatures returns the sum of the signatures of words as a unit vector. It
// stands in for a vector whose parts cancel out.
func signatures(words []count) []float32 {
	v := make([]float32, Dim)
	for _, c := range words {
		h := signatureOf(c.term)
		h.addTo(v, 1)
		if squares(v) == 0 { // words with opposite signatures
			h.addTo(v, 1)
		}
	}
	normalise(v)
	return v
}

// addScaled adds w times an 8-bit row to v.
func addScaled(v []float32, row []int8, w float32) {
	v = v[:len(row)]
	for i, q := range row {
		v[i] += float32(w * float32(q))
	}
}

// quantise writes v as 8-bit integers and returns the scale that turns them
// back.
func quantise(dst []int8, v []float32) (scale float32) {
	var top float32
	for _, x := range v {
		top = max(top, x, -x)
	}
	if top == 0 {
		clear(dst)
		return 0
	}
	scale = top / math.MaxInt8
	for i, x := range v {
		dst[i] = int8(math.RoundToEven(float64(x / scale)))
	}
	return scale
}

// analyzerName names the analyzer of all tables of this build.
func analyzerName() string { return lex.Standard{}.Name() }
