package local

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
)

// The number of texts of a word from which its sums need 32 and 64 bits: a
// contribution is at most 2^12, so those of fewer texts fit 15 and 31.
const (
	narrowFrom = 1 << 3
	wideFrom   = 1 << 19
)

// rowRange is sums of the rows from lo up to hi.
type rowRange struct {
	lo, hi int32
	small  []int16 // of words of few texts, Dim each
	narrow []int32
	wide   []int64
}

// sum sums up the contexts of the words with rows, as many rows at a time as fit into
// memory, a range of them by each worker. Words without a row are of single texts, whose
// contribution is all that Live gets.
func (t *trainer) sum(ctx context.Context) error {
	at := make([]int32, len(t.words.byRow)) // places in a range's small, narrow or wide
	ranges := make([]rowRange, t.o.Workers)
	for lo, first := int32(0), true; first || int(lo) < len(t.words.byRow); first = false {
		var wg sync.WaitGroup
		errs := make([]error, len(ranges))
		for i := range ranges {
			g := &ranges[i]
			lo = t.begin(g, lo, at)
			singles := i == 0 && first && t.o.Live != nil && len(t.words.byRow) < len(t.words.terms)
			if g.lo < g.hi || singles {
				wg.Go(func() { errs[i] = t.sumRange(ctx, g, at, singles) })
			}
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		for i := range ranges {
			if err := t.emit(ctx, &ranges[i], at); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin makes g a range of zeros from lo on, and returns where the next begins.
func (t *trainer) begin(g *rowRange, lo int32, at []int32) int32 {
	most := t.o.MemoryBytes / t.o.Workers
	g.lo, g.hi = lo, lo
	small, narrow, wide := 0, 0, 0
	for bytes := 0; int(g.hi) < len(at) && (bytes < most || g.hi == lo); g.hi++ {
		switch df := t.words.df[t.words.byRow[g.hi]]; {
		case df >= wideFrom:
			at[g.hi] = int32(wide)
			wide, bytes = wide+Dim, bytes+8*Dim
		case df >= narrowFrom:
			at[g.hi] = int32(narrow)
			narrow, bytes = narrow+Dim, bytes+4*Dim
		default:
			at[g.hi] = int32(small)
			small, bytes = small+Dim, bytes+2*Dim
		}
	}
	g.small, g.narrow, g.wide = zeros(g.small, small), zeros(g.narrow, narrow), zeros(g.wide, wide)
	return g.hi
}

// zeros returns n zeros in the memory of s if they fit.
func zeros[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// sumRange reads all texts and sums up what they give to the rows of a range. With
// singles it gives Live the words without rows.
func (t *trainer) sumRange(ctx context.Context, g *rowRange, at []int32, singles bool) error {
	v, r := &t.words, bagReader{t.bags.Reader()}
	var (
		bag   []bagged
		words []weighed
		c     contribution
		err   error
	)
	for n := range t.texts {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if bag, err = r.next(bag); err != nil {
			return err
		}
		met := false
		words = words[:0]
		for _, w := range bag {
			row := v.row[w.word]
			met = met || row >= g.lo && row < g.hi || singles && row < 0
			words = append(words, weighed{int(w.n), v.rarity[w.word], v.signatures[w.word]})
		}
		if !met {
			continue
		}
		c.weigh(words)
		for k, w := range bag {
			switch row := v.row[w.word]; {
			case row >= g.lo && row < g.hi:
				g.add(at[row], v.df[w.word], &c, k)
			case singles && row < 0:
				single := Row{Word: v.terms[w.word], Texts: 1, Sum: make([]int64, Dim)}
				addTo(single.Sum, &c, k)
				if err := t.o.Live(single); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// add adds what a text gives to word k of its bag, which df texts have.
func (g *rowRange) add(at int32, df int64, c *contribution, k int) {
	switch {
	case df >= wideFrom:
		addTo(g.wide[at:at+Dim], c, k)
	case df >= narrowFrom:
		addTo(g.narrow[at:at+Dim], c, k)
	default:
		addTo(g.small[at:at+Dim], c, k)
	}
}

// read reads the sums of a row of a word that df texts have.
func (g *rowRange) read(sum []int64, at int32, df int64) {
	switch {
	case df >= wideFrom:
		copy(sum, g.wide[at:at+Dim])
	case df >= narrowFrom:
		for i, x := range g.narrow[at : at+Dim] {
			sum[i] = int64(x)
		}
	default:
		for i, x := range g.small[at : at+Dim] {
			sum[i] = int64(x)
		}
	}
}

// emit gives the rows of a range to Live, to the sums that are kept, and to the
// sampled texts.
func (t *trainer) emit(ctx context.Context, g *rowRange, at []int32) error {
	sum := make([]int64, Dim)
	var b, value []byte
	for row := g.lo; row < g.hi; row++ {
		i := t.words.byRow[row]
		g.read(sum, at[row], t.words.df[i])
		r := Row{Word: t.words.terms[i], Texts: t.words.df[i], Sum: sum}
		if t.o.Live != nil {
			if err := t.o.Live(r); err != nil {
				return err
			}
		}
		value = r.Append(value[:0])
		b = append(binary.AppendUvarint(b[:0], uint64(len(value))), value...)
		if _, err := t.sums.Write(b); err != nil {
			return err
		}
	}
	return t.sampleContexts(ctx, g, at)
}

// contextShare is the weight of a word's own signature against its context.
const contextShare = 0.5

// wordVector writes L2(L2(sum) + .5 signature): what a word means by its
// contexts, and some of what tells it from other words of the same contexts.
func wordVector(dst []float32, sum []int64, word string) {
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
