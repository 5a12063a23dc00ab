package engine

import (
	"math/bits"

	"github.com/ragdb/ragdb/internal/layout"
)

const (
	// maxSetTerms is the number of terms up to which a container is searched by sets:
	// the formula may double with each one.
	maxSetTerms = 8
	// fewSetPostings is the number of postings of the essential terms of a container
	// below which adding up is faster than going through sets.
	fewSetPostings = 1024

	// A part of a container's sets that is searched at once: 4,096 nodes.
	partWords  = 64
	partLevel  = 12
	partsOfSet = len(layout.NodeSet{}) / partWords
)

// nodeWords are a part of a set of nodes.
type nodeWords [partWords]uint64

// searchSets offers the best nodes of container c, need being the least score that is
// enough. It looks at the nodes that have terms whose greatest bounds together are
// enough, then at the bounds of their blocks.
func (t *topSearch) searchSets(c uint64, need float64) error {
	sums, err := t.fillSets(need)
	if err != nil {
		return err
	}
	t.formula.make(t.byBound, need)
	for i, sum := range sums {
		if sum*boundSlack < t.best.items[0].Score {
			continue
		}
		words := t.formula.nodes(t.byBound, i)
		for j, word := range words {
			for ; word != 0; word &= word - 1 {
				node := uint16(i<<partLevel | j<<6 | bits.TrailingZeros64(word))
				if t.boundOf(node)*boundSlack >= t.best.items[0].Score {
					t.offer(c, node)
				}
			}
		}
	}
	return nil
}

// fillSets makes the sets of the terms, without blocks that are not enough even with
// all other terms. It returns what the terms give together at the most in each part.
func (t *topSearch) fillSets(need float64) (sums [partsOfSet]float64, err error) {
	all := 0.0
	for _, cursor := range t.byBound {
		all += cursor.bound
	}
	for _, cursor := range t.byBound {
		if cursor.nodes == nil {
			cursor.nodes = &layout.NodeSet{}
		}
		clear(cursor.nodes[:])
		least := need - (all - cursor.bound)
		var greatest [partsOfSet]float64
		for i, bound := range cursor.bounds {
			if bound < least {
				continue
			}
			if err := cursor.blocks.AddTo(i, cursor.nodes); err != nil {
				return sums, corrupt(cursor.it.Key(), err)
			}
			first, last := cursor.blocks.Tile(i)
			for j := first >> partLevel; j <= last>>partLevel; j++ {
				greatest[j] = max(greatest[j], bound)
			}
		}
		for j, x := range greatest {
			sums[j] += x
		}
	}
	return sums, nil
}

// boundOf returns the most that the score of a node of the container may be.
func (t *topSearch) boundOf(node uint16) float64 {
	x := 0.0
	for _, cursor := range t.byBound {
		if cursor.nodes[node>>6]>>(node&63)&1 != 0 {
			if b := cursor.blocks.Seek(node); b >= 0 {
				x += cursor.bounds[b]
			}
		}
	}
	return x
}

// setFormula tells which nodes have terms whose bounds together are enough. It is a
// decision diagram: each step asks for one term, and steps that need the same of the
// terms after theirs are one.
type setFormula struct {
	steps []setStep
	last  [maxSetTerms + 1]float64 // the bounds of the terms from each one on together
	root  int
	words []nodeWords // a result for each step
	at    []*nodeWords
}

// setStep is: a node that has the term, by its place in the order of bounds, and is in
// the result of the step with, or is in the result of the step without.
type setStep struct{ term, with, without int }

// Results that need no step.
const (
	noNode  = -1
	anyNode = -2
)

// make makes the formula of terms, of which the bounds of those that a node has are to
// be need at least.
func (f *setFormula) make(terms []*termCursor, need float64) {
	f.steps = f.steps[:0]
	f.last[len(terms)] = 0
	for i := len(terms) - 1; i >= 0; i-- {
		f.last[i] = f.last[i+1] + terms[i].bound
	}
	f.root = f.step(terms, 0, need)
	for len(f.words) < len(f.steps) {
		f.words = append(f.words, nodeWords{})
	}
}

// step returns the step for what the terms from a place on must give.
func (f *setFormula) step(terms []*termCursor, i int, need float64) int {
	switch {
	case need <= 0:
		return anyNode
	case f.last[i]*boundSlack < need:
		return noNode
	}
	s := setStep{i, f.step(terms, i+1, need-terms[i].bound), f.step(terms, i+1, need)}
	if s.with == s.without {
		return s.with
	}
	for k, have := range f.steps {
		if have == s {
			return k
		}
	}
	f.steps = append(f.steps, s)
	return len(f.steps) - 1
}

// nodes returns the nodes of a part of the container, until the next call.
func (f *setFormula) nodes(terms []*termCursor, part int) *nodeWords {
	f.at = f.at[:0]
	for k := range f.steps {
		s, out := &f.steps[k], &f.words[k]
		has := (*nodeWords)(terms[s.term].nodes[part*partWords:])
		switch {
		case s.with == anyNode && s.without == noNode:
			out = has
		case s.with == anyNode:
			without := f.at[s.without]
			for i := range out {
				out[i] = without[i] | has[i]
			}
		case s.without == noNode:
			with := f.at[s.with]
			for i := range out {
				out[i] = has[i] & with[i]
			}
		default:
			with, without := f.at[s.with], f.at[s.without]
			for i := range out {
				out[i] = without[i] | has[i]&with[i]
			}
		}
		f.at = append(f.at, out)
	}
	if f.root < 0 {
		return &nodeWords{} // rounding
	}
	return f.at[f.root]
}
