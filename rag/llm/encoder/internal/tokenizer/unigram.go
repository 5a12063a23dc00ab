package tokenizer

import (
	"math"
	"unicode/utf8"
)

// unknownPenalty is how much worse an unknown character scores than the worst
// piece of the vocabulary.
const unknownPenalty = 10

// unigram cuts a word into the pieces whose scores have the highest sum.
type unigram struct {
	pieces  *trie
	scores  []float64 // by number of a piece
	worst   float64
	unknown int32
	bytes   *[256]int32 // pieces that stand for single bytes; nil without byte fallback
}

// bestPath is the best way from the beginning of a word to one place in it.
type bestPath struct {
	score float64
	start int32 // where the last piece of the way begins; -1 if none leads here
	id    int32
}

// tokenize finds the best way from left to right. Of ways with equal scores the
// one that was found first stays: the one whose last piece begins earlier.
func (m *unigram) tokenize(dst []int32, word []byte, s *scratch) []int32 {
	if len(word) == 0 || len(word) > math.MaxInt32-1 {
		return dst
	}
	if cap(s.best) <= len(word) {
		s.best = make([]bestPath, len(word)+1, 2*len(word)+64)
	}
	best := s.best[:len(word)+1]
	for i := range best {
		best[i] = bestPath{start: -1}
	}
	cells := m.pieces.cells
	for at := 0; at < len(word); {
		size := 1
		if word[at] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(word[at:])
		}
		here := best[at].score
		single := false
		node := uint32(0)
		for i, c := range word[at:] {
			next := cells[node].base ^ uint32(c)
			child := &cells[next]
			if child.parent != node+1 {
				break
			}
			node = next
			if child.id < 0 {
				continue
			}
			single = single || i+1 == size
			to := &best[at+i+1]
			if score := m.scores[child.id] + here; to.start < 0 || score > to.score {
				*to = bestPath{score, int32(at), child.id}
			}
		}
		if !single {
			to := &best[at+size]
			if score := m.worst - unknownPenalty + here; to.start < 0 || score > to.score {
				*to = bestPath{score, int32(at), m.unknown}
			}
		}
		at += size
	}
	return m.collect(dst, word, best)
}

// collect appends the pieces of the best way. Neighbouring unknown characters
// become one token, or their bytes if the vocabulary has them.
func (m *unigram) collect(dst []int32, word []byte, best []bestPath) []int32 {
	n := len(dst)
	for end := len(word); end > 0; {
		p := best[end]
		start := int(p.start)
		if p.id != m.unknown {
			dst = append(dst, p.id)
			end = start
			continue
		}
		for start > 0 && best[start].id == m.unknown {
			start = int(best[start].start)
		}
		dst = m.unknownText(dst, word[start:end])
		end = start
	}
	for i, j := n, len(dst)-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return dst
}

// unknownText appends, in reverse order, the tokens of text that is not made of
// pieces.
func (m *unigram) unknownText(dst []int32, text []byte) []int32 {
	if id := m.pieces.find(text); id >= 0 {
		return append(dst, id)
	}
	if m.bytes == nil {
		return append(dst, m.unknown)
	}
	n := len(dst)
	for i := len(text) - 1; i >= 0; i-- {
		id := m.bytes[text[i]]
		if id < 0 {
			return append(dst[:n], m.unknown)
		}
		dst = append(dst, id)
	}
	return dst
}
