package extractive

import (
	"cmp"
	"slices"
)

// What the score of a candidate is made of, beside its coverage.
const (
	scoreOwn       = .3 // for the share that the sentence itself has
	scoreRank      = .1 // for the first passage, half for the second, ...
	scoreValue     = .2
	scoreDefined   = .4
	scoreAsked     = .3 // under a heading that asks the same
	scoreFirst     = .3 // as the first sentence there
	scoreCode      = -.3
	scoreEmpty     = -.5   // if it tells nothing but its heading
	scoreWord      = -.004 // for each word over longSentence
	longSentence   = 30
	enoughToFollow = .6 // of the best score, for a second sentence
)

// rate gives a candidate its score.
func (q *question) rate(c *candidate) {
	c.score = c.coverage + scoreOwn*c.ownShare + scoreRank/float64(1+c.passage)
	if c.valued && q.kind.valued() {
		c.score += scoreValue
	}
	if q.kind == definition {
		c.score += scoreDefined
	}
	if c.asked {
		c.score += scoreAsked
		if c.s.first {
			c.score += scoreFirst
		}
		if c.s.role == code {
			c.score += scoreCode
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

// second returns the index of the candidate that follows the best: one of the
// same passage that has a term which the best lacks, or that goes on under a
// heading that asks the question. -1 is none: a value needs no second sentence.
func (q *question) second(cs []candidate) int {
	if q.kind.valued() || q.kind == definition {
		return -1
	}
	best := &cs[0]
	for i := 1; i < len(cs); i++ {
		c := &cs[i]
		if c.passage != best.passage || c.score < enoughToFollow*best.score || c.s.text == best.s.text {
			continue
		}
		if best.asked && c.asked && c.index == best.index+1 {
			return i
		}
		for x := range c.own {
			if c.own[x] >= met && best.own[x] < .5 && q.terms[x].weight > 1 {
				return i
			}
		}
	}
	return -1
}
