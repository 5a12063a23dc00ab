package vecindex

import (
	"math/bits"
	"slices"
)

// mirror is one version of the vectors in memory. A version never changes for
// those who hold it, with two exceptions that they need not care for: a row
// may get a time of death, which is above the sequence of every View of the
// version, and the row table may lead to rows that the version does not have.
// The writer makes the next version from a copy of the struct; chunks are
// shared and only ever appended to beyond what older versions count as theirs.
//
// A version shows the states of the index from floor to head exactly: states
// before floor may have seen rows that were reclaimed.
type mirror struct {
	dim    int
	coded  bool   // rows have codes
	tier   tier   // of the last chunk and of those that are begun; none is above it
	coder  *coder // nil if rows have no codes
	shift  uint   // log2 of the rows of a chunk
	chunks []*chunk
	last   int // rows used of the last chunk; all others are full
	table  *rowTable
	floor  uint64
	head   uint64
	live   int
	dead   int // rows not reclaimed yet
	size   int64

	holes     int   // nil chunks
	ownChunks bool  // the chunks slice is not shared with another version
	sparse    []int // chunks to reclaim at the end of this commit
}

const (
	chunkBytes   = 1 << 20 // aimed-at size of a full chunk's vectors
	minChunkRows = 16
	maxChunkRows = 4096
	maxHoles     = 64 // nil chunks that need not be worth a rehash
)

// chunkShift returns log2 of the rows of a full chunk.
func chunkShift(dim int) uint {
	rows := min(max(chunkBytes/(4*dim), minChunkRows), maxChunkRows)
	return uint(bits.Len(uint(rows)) - 1)
}

// newMirror returns the version of the state seq, still without its vectors,
// for n of them. Nobody else may hold it until it is published.
func newMirror(dim int, coded bool, n int, seq uint64) *mirror {
	m := &mirror{
		dim:       dim,
		coded:     coded,
		shift:     chunkShift(dim),
		table:     newRowTable(n),
		floor:     seq,
		head:      seq,
		ownChunks: true,
	}
	if coded {
		m.coder = newCoder(dim)
	}
	m.size = m.table.bytes()
	return m
}

// mirrorBytes bounds from above the size of a mirror that is built for n
// vectors, with room for the next growth step.
func mirrorBytes(n uint32, dim int, coded bool) int64 {
	return tierBytes(n, dim, coded, wholeRows)
}

// tierBytes is mirrorBytes for rows of a tier.
func tierBytes(n uint32, dim int, coded bool, t tier) int64 {
	full := int64(1) << chunkShift(dim)
	rows := max(int64(n), minChunkRows)
	if rows < full {
		rows = min(int64(2)<<bits.Len64(uint64(rows-1)), 2*full)
	} else {
		rows = (rows+full-1)/full*full + full
	}
	return rows * (t.rowBytes(dim, coded) + 4*rowTableEntry)
}

func (m *mirror) chunkRows() int { return 1 << m.shift }

// rows returns how many rows of chunk ci belong to the version.
func (m *mirror) rows(ci int) int {
	switch {
	case m.chunks[ci] == nil:
		return 0
	case ci == len(m.chunks)-1:
		return m.last
	}
	return len(m.chunks[ci].ids)
}

// residence is what a version knows of an id.
type residence uint8

const (
	resident residence = iota // in the row found
	missing                   // not in the index at that sequence
	unknown                   // the version cannot tell: the store can
)

// find returns the row of id that is alive in the state of sequence seq, which
// must be one the version shows.
func (m *mirror) find(id, seq uint64) (*chunk, int, residence) {
	row, ok := m.table.find(id)
	if !ok {
		return nil, 0, missing
	}
	ci, i := int(row>>m.shift), int(row&uint64(m.chunkRows()-1))
	if ci >= len(m.chunks) {
		return nil, 0, unknown // put or moved after this version
	}
	c := m.chunks[ci]
	if c == nil {
		return nil, 0, missing // the newest row is reclaimed: died by floor
	}
	if i >= m.rows(ci) || c.born[i] > seq {
		return nil, 0, unknown
	}
	if !c.visible(i, seq) {
		return nil, 0, missing
	}
	return c, i, resident
}

// next returns a copy that can be changed without touching m.
func (m *mirror) next() *mirror {
	n := *m
	n.ownChunks = false
	n.sparse = nil
	return &n
}

// apply makes the changes of a committed write.
func (m *mirror) apply(w *Write) {
	for i := range w.staged {
		s := &w.staged[i]
		m.kill(s.id, w.seq)
		if s.live {
			m.add(slotRecord{id: s.id, layer: s.layer, born: w.seq}, s.slot, w.vector(s))
		}
	}
	m.tidy(w.seq)
}

// tidy ends the changes of the commit seq.
func (m *mirror) tidy(seq uint64) {
	m.train()
	for len(m.sparse) > 0 {
		ci := m.sparse[len(m.sparse)-1]
		m.sparse = m.sparse[:len(m.sparse)-1]
		m.reclaim(ci)
	}
	if m.holes > maxHoles && 2*m.holes > len(m.chunks) {
		m.rehash()
	}
	m.head = seq
}

// setChunk replaces chunk ci, leaving the list of older versions alone.
func (m *mirror) setChunk(ci int, c *chunk) {
	if !m.ownChunks {
		m.chunks = slices.Clone(m.chunks)
		m.ownChunks = true
	}
	m.size -= m.chunks[ci].bytes()
	m.chunks[ci] = c
	if c != nil {
		m.size += c.bytes()
	}
}

// add appends a row.
func (m *mirror) add(s slotRecord, slot uint32, v []float32) {
	c, i := m.place(s, slot)
	c.fill(i, v, m.coder)
}

// place appends a row whose vector or code the caller fills in.
func (m *mirror) place(s slotRecord, slot uint32) (*chunk, int) {
	if m.table.full() {
		m.rehash()
	}
	c := m.room()
	ci, i := len(m.chunks)-1, m.last
	c.ids[i], c.layers[i], c.born[i], c.slots[i] = s.id, s.layer, s.born, slot
	m.last++
	m.live++
	m.table.put(s.id, uint64(ci)<<m.shift|uint64(i))
	return c, i
}

// room returns the last chunk with a free row at m.last. A small index grows
// its last chunk by doubling, a large one by whole chunks.
func (m *mirror) room() *chunk {
	ci := len(m.chunks) - 1
	if ci >= 0 && m.chunks[ci] != nil {
		c := m.chunks[ci]
		if m.last < len(c.ids) {
			return c
		}
		if m.last < m.chunkRows() {
			g := c.grown(min(2*m.last, m.chunkRows()), m.dim, m.coded)
			m.setChunk(ci, g)
			return g
		}
	}
	rows := m.chunkRows()
	if m.live < rows {
		rows = minChunkRows
	}
	c := newChunk(rows, m.dim, m.tier, m.coded)
	m.chunks = append(m.chunks, c)
	m.size += c.bytes()
	m.last = 0
	return c
}

// kill ends the life of the live row of id, if there is one.
func (m *mirror) kill(id, seq uint64) {
	row, ok := m.table.find(id)
	if !ok {
		return
	}
	ci, i := int(row>>m.shift), int(row&uint64(m.chunkRows()-1))
	c := m.chunks[ci]
	if c == nil || c.died[i].Load() != 0 {
		return
	}
	c.died[i].Store(seq)
	c.dead++
	m.live--
	m.dead++
	if c.sparse() && !slices.Contains(m.sparse, ci) {
		m.sparse = append(m.sparse, ci)
	}
}

// reclaim moves the live rows of a chunk to the end and drops the chunk. For
// each dead row it copies three live ones at most, spread over the commits in which
// rows died. Older versions keep the chunk for as long as a View holds them.
func (m *mirror) reclaim(ci int) {
	if c := m.chunks[ci]; c != nil && c.sparse() {
		m.move(ci, nil)
	}
}

// drop removes the rows of slots that are kept elsewhere from now on.
func (m *mirror) drop(slots map[uint32]bool) {
	for ci := range len(m.chunks) {
		c := m.chunks[ci]
		if c != nil && slices.ContainsFunc(c.slots[:m.rows(ci)], func(s uint32) bool { return slots[s] }) {
			m.move(ci, slots)
		}
	}
	if m.holes > maxHoles && 2*m.holes > len(m.chunks) {
		m.rehash()
	}
}

// move moves the rows of a chunk that are alive and not left out to the end,
// and drops the chunk.
func (m *mirror) move(ci int, leave map[uint32]bool) {
	c := m.chunks[ci]
	rows := m.rows(ci)
	m.setChunk(ci, nil)
	m.holes++
	for i := range rows {
		if d := c.died[i].Load(); d != 0 {
			m.floor = max(m.floor, d)
			m.dead--
			continue
		}
		m.live--
		if leave[c.slots[i]] {
			continue
		}
		to, row := m.place(slotRecord{id: c.ids[i], layer: c.layers[i], born: c.born[i]}, c.slots[i])
		to.take(row, c, i, m.dim)
	}
}

// rehash gives the version a table without the ids whose rows are reclaimed
// and with room for growth, and closes the gaps in the list of chunks. The
// newest row of an id is always its last: only live rows are ever moved.
func (m *mirror) rehash() {
	held := 0
	chunks := make([]*chunk, 0, len(m.chunks))
	for ci, c := range m.chunks {
		if c != nil {
			held += m.rows(ci)
			chunks = append(chunks, c)
		}
	}
	if len(chunks) > 0 && m.chunks[len(m.chunks)-1] == nil {
		m.last = len(chunks[len(chunks)-1].ids)
	}
	table := newRowTable(held + 1)
	m.size += table.bytes() - m.table.bytes()
	m.chunks, m.ownChunks, m.holes = chunks, true, 0
	m.table, m.sparse = table, nil
	for ci, c := range m.chunks {
		for i := range m.rows(ci) {
			table.put(c.ids[i], uint64(ci)<<m.shift|uint64(i))
		}
		if c.sparse() {
			m.sparse = append(m.sparse, ci)
		}
	}
}
