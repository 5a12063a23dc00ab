package local

import (
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
)

// A Change adds up what several texts add to the live table and take from it,
// so that a batch of texts reads and writes each row once. It keeps 1 kB for
// each text, some 60 bytes for each different word and 12 for each word of each
// text; a row is summed up when it is asked for. It is not safe for concurrent
// use.
type Change struct {
	t     *Table
	texts int64
	kept  []keptText
	parts []changePart
	last  map[string]int32 // the last part of each word
}

// keptText is the vector b of a text's contribution.
type keptText struct {
	narrow []int16 // Dim long
	wide   []int32 // in place of it, if an entry is too great for it
	remove bool
}

// changePart is what a text does to the row of a word.
type changePart struct {
	text int32 // in kept
	x    int32 // weight of the word in the text
	next int32 // the word's part before, -1 for none
}

// NewChange returns an empty change for the live rows of a table.
func NewChange(t *Table) *Change { return &Change{t: t, last: make(map[string]int32)} }

// Add counts a text in.
func (c *Change) Add(text string) { c.apply(text, false) }

// Remove takes a text out, which was counted in by Add, in this change or an
// earlier one, or by the training of the table.
func (c *Change) Remove(text string) { c.apply(text, true) }

// Texts returns the number of texts added less those removed.
func (c *Change) Texts() int64 { return c.texts }

// Words returns the number of different words of the texts.
func (c *Change) Words() int { return len(c.last) }

// Rows yields the sums that are not 0, by ascending word. A row is valid until
// the next one.
func (c *Change) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		sum := make([]int64, Dim)
		for _, w := range slices.Sorted(maps.Keys(c.last)) {
			r := Row{Word: w, Sum: sum}
			clear(sum)
			for i := c.last[w]; i >= 0; i = c.parts[i].next {
				c.parts[i].addTo(&r, &c.kept[c.parts[i].text])
			}
			if !r.IsZero() && !yield(r) {
				return
			}
		}
	}
}

// addTo adds what the text does to the row of the word.
func (p *changePart) addTo(r *Row, t *keptText) {
	sign := int64(1)
	if t.remove {
		sign = -1
	}
	r.Texts += sign
	for k, b := range t.narrow {
		r.Sum[k] += sign * int64(product(p.x, int32(b)))
	}
	for k, b := range t.wide {
		r.Sum[k] += sign * int64(product(p.x, b))
	}
}

func (c *Change) apply(text string, remove bool) {
	con := c.t.lex.contribution(text)
	kept := keptText{remove: remove}
	wide := func(b int32) bool { return b > math.MaxInt16 || b < math.MinInt16 }
	if slices.ContainsFunc(con.b, wide) {
		kept.wide = make([]int32, Dim)
		for k, dim := range con.dims {
			kept.wide[dim] = con.b[k]
		}
	} else {
		kept.narrow = make([]int16, Dim)
		for k, dim := range con.dims {
			kept.narrow[dim] = int16(con.b[k])
		}
	}
	c.texts++
	if remove {
		c.texts -= 2
	}
	for i, w := range con.bag {
		last, known := c.last[w.term]
		if !known {
			last = -1
		}
		part := changePart{text: int32(len(c.kept)), next: last}
		if len(con.x) > 0 {
			part.x = con.x[i]
		}
		if known {
			c.last[w.term] = int32(len(c.parts))
		} else {
			c.last[strings.Clone(w.term)] = int32(len(c.parts))
		}
		c.parts = append(c.parts, part)
	}
	c.kept = append(c.kept, kept)
}
