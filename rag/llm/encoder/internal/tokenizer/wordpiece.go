package tokenizer

import "unicode/utf8"

// wordPiece cuts a word into the longest pieces of the vocabulary from left to
// right. Pieces inside a word carry a prefix ("##") in the vocabulary. A word
// that cannot be cut wholly, or is too long, becomes one unknown token.
type wordPiece struct {
	pieces   *trie
	inside   uint32 // the node behind the prefix
	hasInner bool   // if any piece begins with the prefix
	unknown  int32
	maxChars int
}

func (m *wordPiece) tokenize(dst []int32, word []byte, _ *scratch) []int32 {
	if len(word) > m.maxChars && utf8.RuneCount(word) > m.maxChars {
		return append(dst, m.unknown)
	}
	n := len(dst)
	for at := 0; at < len(word); {
		id, size := m.longest(word[at:], at > 0)
		if size == 0 {
			return append(dst[:n], m.unknown)
		}
		dst = append(dst, id)
		at += size
	}
	return dst
}

// longest returns the longest piece at the beginning of text and its size in
// bytes, 0 if there is none.
func (m *wordPiece) longest(text []byte, inside bool) (id int32, size int) {
	node := uint32(0)
	if inside {
		if !m.hasInner {
			return 0, 0
		}
		node = m.inside
	}
	cells := m.pieces.cells
	for i, c := range text {
		next := cells[node].base ^ uint32(c)
		child := &cells[next]
		if child.parent != node+1 {
			break
		}
		node = next
		if child.id >= 0 {
			id, size = child.id, i+1
		}
	}
	return id, size
}
