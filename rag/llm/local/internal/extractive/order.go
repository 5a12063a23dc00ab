package extractive

import (
	"cmp"
	"slices"
)

// What the score of a candidate is made of, beside its coverage.
const (
	scoreOwn     = .3 // for the share that the sentence itself has
	scoreRank    = .5 // for the first passage, half for the second, ...
	scoreValue   = .2
	scoreDefined = .6
	scoreAsked   = .3    // under a heading that asks the same
	scoreFirst   = .3    // as the first sentence there
	scoreSign    = .2    // as an instruction, a reason and so on
	scoreEmpty   = -.5   // if it tells nothing but its heading
	scoreWord    = -.004 // for each word over longSentence
	longSentence = 30
)

// rate gives a candidate its score.
func (q *question) rate(c *candidate) {
	c.score = c.coverage + scoreOwn*c.ownShare + scoreRank/float64(1+c.passage)
	if c.valued && q.kind.valued() {
		c.score += scoreValue
	}
	if c.defines {
		c.score += scoreDefined
	}
	if c.asked {
		c.score += scoreAsked
		if c.s.first {
			c.score += scoreFirst
		}
		if d := q.demandOf(); d.signs != nil && d.signs.MatchString(c.s.text) {
			c.score += scoreSign
		}
		if !q.tells(c.s) {
			c.score += scoreEmpty
		}
	}
	if n := len(c.s.words); n > longSentence {
		c.score += scoreWord * float64(n-longSentence)
	}
}

// inOrderOfScore sorts candidates, the best first, those of equal scores in
// the order of the passages.
func inOrderOfScore(cs []candidate) {
	slices.SortStableFunc(cs, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
}
