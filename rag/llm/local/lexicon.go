package local

import "math"

// A lexicon knows how rare words are. Rows count from 0.
type lexicon struct {
	texts  int64            // texts that the words were counted in
	index  map[string]int32 // row of a word
	rarity []float32        // by row, see the function rarity
	unseen float32          // of every word without a row
}

// newLexicon returns the lexicon of words that stand at their rows with the
// number of texts that have them.
//
// A word without a row is as rare as one of a single text. So words of single
// texts can be left out of a lexicon, and it weighs all words as before.
func newLexicon(texts int64, words []string, df []int64) *lexicon {
	l := &lexicon{
		texts:  texts,
		index:  make(map[string]int32, len(words)),
		rarity: make([]float32, len(words)),
		unseen: rarity(texts, 1),
	}
	for row, w := range words {
		l.index[w] = int32(row)
		l.rarity[row] = rarity(texts, df[row])
	}
	return l
}

// lookup returns the row of a word, -1 for none, and its rarity.
func (l *lexicon) lookup(word string) (row int32, r float32) {
	if row, ok := l.index[word]; ok {
		return row, l.rarity[row]
	}
	return -1, l.unseen
}

// The fixed-point units of contributions. Only integers are added up, so that
// sums are exact, in any order, and deletion takes back what was added.
const (
	weightBits = 15 // of x and b, which are at most 1
	sumBits    = 12 // of their product, which is what rows hold
)

// A contribution is what a text adds to the rows of its words: to each the
// vector b of the text, times the weight x of the word in it.
type contribution struct {
	bag  []count
	x    []int32 // by word, units of 2^-15
	dims []int32 // the dimensions in which b is not 0, ascending
	b    []int32 // by entry of dims, units of 2^-15
}

// weighed is a word of a text as a contribution needs it.
type weighed struct {
	n         int
	rarity    float32
	signature signature
}

// contribution returns what a text contributes. Without words, or if the signatures
// cancel out, b is 0.
func (l *lexicon) contribution(text string) contribution {
	c := contribution{bag: bag(text)}
	words := make([]weighed, len(c.bag))
	for i, w := range c.bag {
		_, r := l.lookup(w.term)
		words[i] = weighed{w.n, r, signatureOf(w.term)}
	}
	c.weigh(words)
	return c
}

// weigh computes x = L2((1+ln tf) rarity) and b = L2(sum of x times the signatures) of
// the words of a text, in the memory of those that it had.
func (c *contribution) weigh(words []weighed) {
	c.x, c.dims, c.b = c.x[:0], c.dims[:0], c.b[:0]
	sum := 0.0
	for i := range words {
		w := frequency(words[i].n) * float64(words[i].rarity)
		sum += float64(w * w)
	}
	if sum == 0 {
		return
	}
	by := (1 << weightBits) / math.Sqrt(sum)
	var s [Dim]int64
	for i := range words {
		w := &words[i]
		x := int32(math.RoundToEven(frequency(w.n) * float64(w.rarity) * by))
		c.x = append(c.x, x)
		for _, slot := range w.signature {
			s[slot.dim] += int64(x) * int64(slot.sign)
		}
	}
	sum = 0
	for _, v := range s {
		sum += float64(v * v) // below 2^53 for any text of sane size
	}
	if sum == 0 {
		return
	}
	by = (1 << weightBits) / math.Sqrt(sum)
	for i, v := range s {
		if v == 0 {
			continue
		}
		if q := int32(math.RoundToEven(float64(v) * by)); q != 0 {
			c.dims = append(c.dims, int32(i))
			c.b = append(c.b, q)
		}
	}
}

// addTo adds what the text gives to word i of its bag to a row.
func addTo[T int16 | int32 | int64](row []T, c *contribution, i int) {
	if len(c.x) == 0 {
		return
	}
	x := c.x[i]
	for k, dim := range c.dims {
		row[dim] += T(product(x, c.b[k]))
	}
}

// product returns x times b in the units of rows.
func product(x, b int32) int32 {
	const shift = 2*weightBits - sumBits
	return (x*b + 1<<(shift-1)) >> shift
}
