package engine

import (
	"math"
	"math/bits"

	"github.com/ragdb/ragdb/internal/layout"
)

// candidate is a node of the container that may be among the best.
type candidate struct {
	// score is the most that it may have: the sum of what was read and of the bounds
	// of the blocks that were not.
	score float64
	node  uint16
}

// searchSums offers the best nodes of container c. The terms from essential on, in the
// order of bounds, give rest together at the most, which is not enough: they are only
// looked up, for the nodes that the terms before give enough. need is the least score
// that is enough.
func (t *topSearch) searchSums(c uint64, essential int, rest, need float64) error {
	t.candidates = t.candidates[:0]
	var err error
	if essential == 1 {
		err = t.collectOne(t.byBound[0], rest, need)
	} else {
		if err = t.addEssential(essential, rest, need); err == nil {
			t.collect(need - rest)
		}
	}
	if err != nil {
		return err
	}
	t.bound(t.byBound[essential:], need)
	for _, cursor := range t.byBound[essential:] {
		t.refine(cursor, need)
	}
	for _, x := range t.candidates {
		t.offer(c, x.node)
	}
	return nil
}

// addEssential adds up the scores by the terms before essential, but for blocks whose
// nodes cannot have the score that is needed, rest being what the other terms give at
// the most.
func (t *topSearch) addEssential(essential int, rest, need float64) error {
	all := rest
	for _, cursor := range t.byBound[:essential] {
		all += cursor.bound
	}
	scores := &t.s.scores
	for _, cursor := range t.byBound[:essential] {
		g := cursor.gain
		err := t.eachBlock(cursor, need-(all-cursor.bound), func(b *layout.Block) {
			freq := b.Freq[:len(b.Words)]
			for i, node := range b.Nodes[:len(b.Words)] {
				t.set[node>>6] |= 1 << (node & 63)
				scores[node] += g.part(freq[i], b.Words[i])
			}
		})
		if err != nil {
			t.collect(math.Inf(1)) // the next search finds all scores 0
			return err
		}
	}
	return nil
}

// eachBlock calls fn with the blocks of a term that give least or more.
func (t *topSearch) eachBlock(cursor *termCursor, least float64, fn func(b *layout.Block)) error {
	for i, bound := range cursor.bounds {
		if bound < least {
			continue
		}
		if err := cursor.blocks.Load(i, &t.block); err != nil {
			return corrupt(cursor.it.Key(), err)
		}
		fn(&t.block)
	}
	return nil
}

// collect makes the nodes with at least the score that is needed the candidates,
// in order, and clears all scores.
func (t *topSearch) collect(need float64) {
	scores := &t.s.scores
	for i, word := range t.set {
		if word == 0 {
			continue
		}
		t.set[i] = 0
		for ; word != 0; word &= word - 1 {
			node := uint16(i<<6 | bits.TrailingZeros64(word))
			x := scores[node]
			scores[node] = 0
			if x >= need {
				t.candidates = append(t.candidates, candidate{x, node})
			}
		}
	}
}

// collectOne makes the candidates of the nodes of the only term that is essential.
func (t *topSearch) collectOne(cursor *termCursor, rest, need float64) error {
	g := cursor.gain
	return t.eachBlock(cursor, need-rest, func(b *layout.Block) {
		freq := b.Freq[:len(b.Words)]
		for i, node := range b.Nodes[:len(b.Words)] {
			if x := g.part(freq[i], b.Words[i]); x+rest >= need {
				t.candidates = append(t.candidates, candidate{x, node})
			}
		}
	})
}

// bound adds the bounds of the blocks of terms to the candidates and keeps those
// that may have the score that is needed.
func (t *topSearch) bound(terms []*termCursor, need float64) {
	for _, cursor := range terms {
		for i := range t.candidates {
			x := &t.candidates[i]
			if b := cursor.blocks.Seek(x.node); b >= 0 {
				x.score += cursor.bounds[b]
			}
		}
	}
	t.keep(need)
}

// keep keeps the candidates that may have the score that is needed.
func (t *topSearch) keep(need float64) {
	n := 0
	for _, x := range t.candidates {
		t.candidates[n] = x
		if x.score >= need {
			n++
		}
	}
	t.candidates = t.candidates[:n]
}

// refine puts what a term gives to the candidates in place of the bounds.
func (t *topSearch) refine(cursor *termCursor, need float64) {
	for i := range t.candidates {
		x := &t.candidates[i]
		if b := cursor.blocks.Seek(x.node); b >= 0 {
			x.score += t.find(cursor, b, x.node) - cursor.bounds[b]
		}
	}
	t.keep(need)
}
