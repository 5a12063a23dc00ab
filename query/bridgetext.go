package query

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragdb/ragdb/engine"
	etext "github.com/ragdb/ragdb/engine/text"
)

// bridging is the state of one run of [Bridge].
type bridging struct {
	*nameIndex
	o     *Bridge
	quiet bool // no steps

	terms    []textWord // the text's words, the rarest first
	mass     float64    // sum of their idf
	capitals map[string]bool
	held     heldWords
	terse    bool

	score map[engine.NodeID]float64 // of the hits, after the lift
	lifts map[engine.NodeID]Step
	open  float64 // what the best way weighs
	links map[string]*link
	best  map[engine.NodeID]*way
}

// textWord is a word of the text that some node has.
type textWord struct {
	term string
	idf  float64
}

// ask reads the text: its words, and the names that it holds.
func (b *bridging) ask(e *Env) (names []string, err error) {
	words := slices.Compact(slices.Sorted(slices.Values(b.analyze(b.o.Text))))
	err = b.ahead(len(words), func(x *nameIndex, i int) error {
		_, err := x.l.TermStats(b.o.Words, words[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range words {
		n, err := b.l.TermStats(b.o.Words, t)
		if err != nil {
			return nil, err
		}
		if n.Nodes > 0 {
			b.terms = append(b.terms, textWord{t, b.idf(float64(n.Nodes))})
		}
	}
	slices.SortStableFunc(b.terms, func(x, y textWord) int { return cmp.Compare(y.idf, x.idf) })
	b.terms = b.terms[:min(len(b.terms), maxGainable)]
	for _, w := range b.terms {
		b.mass += w.idf
	}
	if e.Names == nil {
		return nil, nil
	}
	b.capitals = capitals(b.o.Text)
	err = b.ahead(1, func(x *nameIndex, _ int) (err error) {
		own := bridging{nameIndex: x, capitals: b.capitals}
		e.Names(b.o.Text, func(key string) bool {
			ok, kerr := key != "", error(nil)
			if ok {
				ok, kerr = own.isName(key)
			}
			err = cmp.Or(err, kerr)
			return ok
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	names = e.Names(b.o.Text, func(key string) (ok bool) {
		if key != "" && err == nil {
			ok, err = b.isName(key)
		}
		return ok
	})
	return names, err
}

// isName reports whether a key of the text is a name.
func (b *bridging) isName(key string) (bool, error) {
	if idf, err := b.name(key); err != nil || idf > 0 {
		return idf > 0, err
	}
	if !b.capitals[key] {
		return false, nil
	}
	if df, err := b.frequency(key); err != nil || df == 0 || df > b.mostNodes() {
		return false, err
	}
	have, err := b.postings(key)
	return slices.ContainsFunc(have, func(p engine.Posting) bool { return p.Freq >= MostAbout }), err
}

// isTerse reports whether the text says little, and nothing is about a name of it.
func (b *bridging) isTerse(names []string) (bool, error) {
	if b.mass >= float64(b.o.Terse*math.Log(1+b.nodes)) {
		return false, nil
	}
	if err := b.aheadNodes(names); err != nil {
		return false, err
	}
	for _, name := range names {
		have, err := b.postings(name)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(have, func(p engine.Posting) bool { return p.Freq >= MostAbout }) {
			return false, nil
		}
	}
	return true, nil
}

// capitals returns the words of a text that have a capital, but for the first.
func capitals(s string) map[string]bool {
	out, first := map[string]bool{}, true
	for w := range etext.Words(s) {
		if r, _ := utf8.DecodeRuneInString(s[w.Start:]); !first && unicode.IsUpper(r) {
			out[w.Text] = true
		}
		first = false
	}
	return out
}

// share returns how much of the text stands in names.
func (b *bridging) share(names []string) float64 {
	of := map[string]bool{}
	for _, name := range names {
		for _, t := range b.analyze(name) {
			of[t] = true
		}
	}
	var words uint64
	for n, w := range b.terms {
		if of[w.term] {
			words |= 1 << n
		}
	}
	return b.weigh(words)
}

// weigh returns what share of the text some of its words are, a bit each.
func (b *bridging) weigh(words uint64) float64 {
	if b.mass == 0 {
		return 0
	}
	sum := 0.0
	for ; words != 0; words &= words - 1 {
		sum += b.terms[bits.TrailingZeros64(words)].idf
	}
	return sum / b.mass
}

// spelled returns the folded words of a text, each between blanks.
func spelled(s string) string {
	return " " + strings.Join(exactWords(s), " ") + " "
}

// heldWords tells which words of the text each node has, a bit a word: pages of
// nodes.
type heldWords map[engine.NodeID]*[heldPage]uint64

const heldPage = 512

func (h heldWords) of(id engine.NodeID) uint64 {
	if page := h[id/heldPage]; page != nil {
		return page[id%heldPage]
	}
	return 0
}

// hold reads the postings of the text's words, all of them once: what each node has
// is asked of the hits, the ends of both ways, and the choice as a set.
func (b *bridging) hold() error {
	b.held = heldWords{}
	for n, w := range b.terms {
		if err := b.l.ctx.Err(); err != nil {
			return err
		}
		var page *[heldPage]uint64
		at := ^engine.NodeID(0)
		for p, err := range b.l.postings(b.o.Words, w.term) {
			if err != nil {
				return err
			}
			if p.ID/heldPage != at {
				at = p.ID / heldPage
				if page = b.held[at]; page == nil {
					page = new([heldPage]uint64)
					b.held[at] = page
				}
			}
			page[p.ID%heldPage] |= 1 << n
		}
	}
	return nil
}
