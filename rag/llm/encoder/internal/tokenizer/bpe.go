package tokenizer

import (
	"fmt"
	"unicode/utf8"
)

// bpe joins the characters of a word, the most frequent pair first, as far as
// its list of pairs goes.
type bpe struct {
	pieces  *trie
	merges  map[[2]int32]merge
	unknown int32 // -1 leaves unknown characters out
	fuse    bool  // neighbouring unknown characters are one token
	whole   bool  // a word of the vocabulary is not joined from characters
	bytes   *[256]int32
}

// merge says what a pair becomes, and how early.
type merge struct {
	rank, id int32
}

// symbol is a piece of a word on its way to a token. It is gone when its size
// is 0.
type symbol struct {
	id         int32
	prev, next int32 // -1 at the ends
	size       int32
}

func (m *bpe) tokenize(dst []int32, word []byte, s *scratch) []int32 {
	if m.whole {
		if id := m.pieces.find(word); id >= 0 {
			return append(dst, id)
		}
	}
	s.symbols = m.symbols(s.symbols[:0], word)
	m.join(s)
	for _, sym := range s.symbols {
		if sym.size > 0 {
			dst = append(dst, sym.id)
		}
	}
	return dst
}

// symbols appends one symbol a character.
func (m *bpe) symbols(list []symbol, word []byte) []symbol {
	unknown := 0 // the size of unknown characters not yet appended
	add := func(id int32, size int) {
		n := int32(len(list))
		if n > 0 {
			list[n-1].next = n
		}
		list = append(list, symbol{id, n - 1, -1, int32(size)})
	}
	for i := 0; i < len(word); {
		_, size := utf8.DecodeRune(word[i:])
		c := word[i : i+size]
		i += size
		if id := m.pieces.find(c); id >= 0 {
			if unknown > 0 {
				add(m.unknown, unknown)
				unknown = 0
			}
			add(id, size)
			continue
		}
		if m.bytes != nil && known(m.bytes, c) {
			for _, b := range c {
				add(m.bytes[b], 1)
			}
			continue
		}
		if m.unknown < 0 {
			continue
		}
		if unknown > 0 && !m.fuse {
			add(m.unknown, unknown)
			unknown = 0
		}
		unknown += size
	}
	if unknown > 0 {
		add(m.unknown, unknown)
	}
	return list
}

func known(ids *[256]int32, text []byte) bool {
	for _, b := range text {
		if ids[b] < 0 {
			return false
		}
	}
	return true
}

// join merges pairs, the earliest of the list first, from left to right.
func (m *bpe) join(s *scratch) {
	list, queue := s.symbols, s.queue[:0]
	try := func(left int32) {
		if left < 0 || list[left].next < 0 {
			return
		}
		if to, ok := m.merges[[2]int32{list[left].id, list[list[left].next].id}]; ok {
			queue.push(queued{to.rank, left, to.id})
		}
	}
	for i := range list {
		try(int32(i))
	}
	for len(queue) > 0 {
		top := queue.pop()
		left := &list[top.at]
		if left.size == 0 || left.next < 0 {
			continue
		}
		right := &list[left.next]
		if to, ok := m.merges[[2]int32{left.id, right.id}]; !ok || to.id != top.id {
			continue // it has changed since
		}
		left.id, left.next = top.id, right.next
		left.size += right.size
		right.size = 0
		if left.next >= 0 {
			list[left.next].prev = top.at
		}
		try(left.prev)
		try(top.at)
	}
	s.queue = queue
}

// mergeQueue is a heap: the lowest rank is first, then the leftmost place.
type mergeQueue []queued

type queued struct {
	rank, at, id int32
}

func (q mergeQueue) less(i, j int) bool {
	return q[i].rank < q[j].rank || q[i].rank == q[j].rank && q[i].at < q[j].at
}

func (q *mergeQueue) push(x queued) {
	*q = append(*q, x)
	h := *q
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.less(i, up) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (q *mergeQueue) pop() queued {
	h := *q
	top, n := h[0], len(h)-1
	h[0] = h[n]
	h = h[:n]
	for i := 0; ; {
		low := 2*i + 1
		if low >= n {
			break
		}
		if low+1 < n && h.less(low+1, low) {
			low++
		}
		if !h.less(low, i) {
			break
		}
		h[i], h[low] = h[low], h[i]
		i = low
	}
	*q = h
	return top
}

// byteTokens returns the pieces "<0x00>" to "<0xFF>", -1 where one is missing.
func byteTokens(t *trie) *[256]int32 {
	var ids [256]int32
	for b := range ids {
		ids[b] = t.find(fmt.Appendf(nil, "<0x%02X>", b))
	}
	return &ids
}
