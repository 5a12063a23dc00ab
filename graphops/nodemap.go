package graphops

import "slices"

// A nodeMap numbers the nodes that a query meets 0, 1, ... in the order in
// which it meets them, so that what is known of a node can be kept in slices
// as long as the query is wide, not the graph. The number is called the place
// of the node. The zero value is not ready: reset makes it so.
//
// It is a hash table with linear probing that is at most half full. Its slots
// hold the node in the upper 32 bits and the place plus 1 in the lower; 0 is
// free. If it is known how many nodes there are, and many of them are met,
// a table of all takes its place, in which a node is found in a third of the
// time.
type nodeMap struct {
	slots []uint64
	room  []uint64 // slots, and what an earlier query needed beyond
	shift uint8    // of the hash
	nodes []uint32 // by place
	limit int      // nodes are below it; 0: not known

	table []uint32 // of each node the place plus 1, or 0; nil: slots are used
	spare []uint32 // table, and what an earlier query needed beyond
}

// minNodeSlots is the size of a table that few nodes are in.
const (
	minNodeBits  = 9
	minNodeSlots = 1 << minNodeBits
)

// reset empties m. It costs as much as a query of few nodes, however many the
// last one met.
func (m *nodeMap) reset() {
	m.resize(minNodeSlots)
	m.shift = 32 - minNodeBits
	m.nodes = m.nodes[:0]
	m.limit, m.table = 0, nil
}

// resize makes slots n free ones.
func (m *nodeMap) resize(n int) {
	if cap(m.room) < n {
		m.room = make([]uint64, n)
		m.slots = m.room
		return
	}
	m.slots = m.room[:n]
	clear(m.slots)
}

// slot returns where the search for u begins.
func (m *nodeMap) slot(u uint32) uint32 { return u * 0x9e3779b1 >> m.shift }

// add returns the place of u, a new one if u has none yet.
func (m *nodeMap) add(u uint32) (place uint32, fresh bool) {
	if m.table != nil {
		if place = m.table[u]; place > 0 {
			return place - 1, false
		}
		place = uint32(len(m.nodes))
		m.table[u] = place + 1
		m.nodes = append(m.nodes, u)
		return place, true
	}
	mask := uint32(len(m.slots) - 1)
	for i := m.slot(u); ; i++ {
		s := m.slots[i&mask]
		if s == 0 {
			place = uint32(len(m.nodes))
			m.slots[i&mask] = uint64(u)<<32 | uint64(place+1)
			m.nodes = append(m.nodes, u)
			if 2*len(m.nodes) > len(m.slots) {
				m.grow()
			}
			return place, true
		}
		if uint32(s>>32) == u {
			return uint32(s) - 1, false
		}
	}
}

// find returns the place of u, if it has one.
func (m *nodeMap) find(u uint32) (place uint32, ok bool) {
	if m.table != nil {
		place = m.table[u]
		return place - 1, place > 0
	}
	mask := uint32(len(m.slots) - 1)
	for i := m.slot(u); ; i++ {
		s := m.slots[i&mask]
		if s == 0 {
			return 0, false
		}
		if uint32(s>>32) == u {
			return uint32(s) - 1, true
		}
	}
}

// grow doubles the slots, or makes the table of all nodes if that takes at
// most twice as much memory.
func (m *nodeMap) grow() {
	if m.limit > 0 && 8*len(m.slots) >= m.limit {
		m.tabulate()
		return
	}
	m.resize(2 * len(m.slots))
	m.shift--
	mask := uint32(len(m.slots) - 1)
	for place, u := range m.nodes {
		i := m.slot(u)
		for m.slots[i&mask] != 0 {
			i++
		}
		m.slots[i&mask] = uint64(u)<<32 | uint64(place+1)
	}
}

// tabulate puts a table of all nodes in the place of the slots.
func (m *nodeMap) tabulate() {
	if cap(m.spare) < m.limit {
		m.spare = make([]uint32, m.limit)
	}
	m.table = m.spare[:m.limit]
	clear(m.table)
	for place, u := range m.nodes {
		m.table[u] = uint32(place) + 1
	}
}

func (m *nodeMap) len() int { return len(m.nodes) }

// widen returns s with the length n, what is new being zero.
func widen[T any](s []T, n int) []T {
	from := len(s)
	if n <= from {
		return s
	}
	s = slices.Grow(s, n-from)[:n]
	clear(s[from:])
	return s
}
