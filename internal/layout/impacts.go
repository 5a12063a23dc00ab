package layout

import "slices"

// Impact is a pair of frequency and length that bounds postings: each one of a
// block has, for one of the block's pairs, no greater frequency and no smaller
// length, so its score by BM25 is no higher.
type Impact struct{ Freq, Words uint32 }

// blockImpacts is the greatest number of pairs of a block.
const blockImpacts = 4

// addImpact adds a posting to the pairs that bound some, which ascend in both.
func addImpact(pairs []Impact, p Impact) []Impact {
	i := len(pairs)
	for i > 0 && pairs[i-1].Freq >= p.Freq {
		i--
	}
	// Those from i on have no smaller frequency: the first is the shortest.
	if i < len(pairs) && pairs[i].Words <= p.Words {
		return pairs
	}
	from := i // p makes the pairs before i that are no shorter superfluous
	for from > 0 && pairs[from-1].Words >= p.Words {
		from--
	}
	if i < len(pairs) && pairs[i].Freq == p.Freq {
		i++
	}
	return slices.Replace(pairs, from, i, p)
}

// boundImpacts makes the pairs at most blockImpacts: the last ones become one.
func boundImpacts(pairs []Impact) []Impact {
	if n := len(pairs); n > blockImpacts {
		pairs[blockImpacts-1].Freq = pairs[n-1].Freq
		pairs = pairs[:blockImpacts]
	}
	return pairs
}

// impactsOf returns the pairs of postings; it appends to pairs[:0].
func impactsOf(pairs []Impact, freq, words []uint32) []Impact {
	pairs = pairs[:0]
	for i, f := range freq {
		// Mostly one of the pairs at hand bounds it: the shortest or the last.
		if n := len(pairs); n > 0 && (f <= pairs[0].Freq && words[i] >= pairs[0].Words ||
			f <= pairs[n-1].Freq && words[i] >= pairs[n-1].Words) {
			continue
		}
		pairs = addImpact(pairs, Impact{f, words[i]})
	}
	return boundImpacts(pairs)
}
