package text

import "math"

// noRank marks a part that cannot be merged with the next one.
const noRank = math.MaxUint32

// A merger applies byte-pair encoding to one piece at a time; it keeps its
// memory between pieces.
type merger struct {
	parts  []part
	heap   []candidate
	tokens []pieceToken
}

// A part is a run of bytes that is one token so far. It is addressed by its
// first byte; parts[len(piece)] is a sentinel.
type part struct {
	prev, next int32
	rank       uint32 // of this part merged with the next, or noRank
}

// A candidate is a pair of neighbours that may be merged. It is stale when
// the part at start has another rank by now.
type candidate struct {
	rank  uint32
	start int32
}

// merge fills m.parts with the tokens of piece: starting from single bytes,
// the neighbours whose concatenation has the smallest rank are merged, the
// leftmost first, until no two neighbours form a token. O(n log n).
func (m *merger) merge(ranks map[string]uint32, piece string) {
	n := int32(len(piece))
	m.parts, m.heap = m.parts[:0], m.heap[:0]
	for i := range n + 1 {
		m.parts = append(m.parts, part{prev: i - 1, next: i + 1, rank: noRank})
	}
	for i := range n {
		m.rank(ranks, piece, i)
	}
	for len(m.heap) > 0 {
		c := m.pop()
		p := &m.parts[c.start]
		if p.rank != c.rank {
			continue
		}
		gone := p.next
		p.next = m.parts[gone].next
		m.parts[p.next].prev = c.start
		m.parts[gone].rank = noRank
		m.rank(ranks, piece, c.start)
		if p.prev >= 0 {
			m.rank(ranks, piece, p.prev)
		}
	}
}

// rank sets the rank of the part at i with its successor, and makes it a
// candidate.
func (m *merger) rank(ranks map[string]uint32, piece string, i int32) {
	p := &m.parts[i]
	p.rank = noRank
	if p.next == int32(len(piece)) {
		return
	}
	if r, ok := ranks[piece[i:m.parts[p.next].next]]; ok {
		p.rank = r
		m.push(candidate{r, i})
	}
}

func (c candidate) less(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.start < d.start
}

func (m *merger) push(c candidate) {
	m.heap = append(m.heap, c)
	h := m.heap
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].less(h[up]) {
			return
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (m *merger) pop() candidate {
	h := m.heap
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	m.heap = h
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return top
		}
		if child+1 < last && h[child+1].less(h[child]) {
			child++
		}
		if !h[child].less(h[i]) {
			return top
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
