package engine

import "github.com/ragdb/ragdb/internal/layout"

// listLengths bounds the lengths of inline lists from above, so that adding an
// edge reads nothing once its lists have been met. It belongs to the single
// writer, which counts what is added to each list since.
type listLengths struct {
	pages map[lengthPage]*[lengthsPerPage]uint16
	// firstNew is the node from which on lists are known to have been empty
	// when pages was.
	firstNew uint64
}

// lengthPage names a page: the lists of a kind of lengthsPerPage nodes.
type lengthPage struct {
	dir   layout.Direction
	etype uint32
	nodes uint64 // the node's id without its low bits
}

const (
	lengthsPerPage = 256
	// maxLengthPages bounds the memory, about 45 MB.
	maxLengthPages = 80_000
)

func newListLengths(nextNode uint64) listLengths {
	return listLengths{pages: map[lengthPage]*[lengthsPerPage]uint16{}, firstNew: nextNode}
}

func pageOf(key listKey) lengthPage {
	return lengthPage{key.dir, key.etype, key.node / lengthsPerPage}
}

// bound returns a number that the length of a list does not exceed; known is
// false if the list has to be read for it.
func (l *listLengths) bound(key listKey) (n uint32, known bool) {
	if page := l.pages[pageOf(key)]; page != nil {
		if n := page[key.node%lengthsPerPage]; n > 0 {
			return uint32(n) - 1, true
		}
	}
	return 0, key.node >= l.firstNew
}

// set notes that a list is not longer than n. Of lists too long for it nothing
// is noted, so that they are read. nextNode is the first node that is not used
// yet.
func (l *listLengths) set(key listKey, n uint32, nextNode uint64) {
	p := pageOf(key)
	page := l.pages[p]
	if page == nil {
		if len(l.pages) >= maxLengthPages {
			l.forget(nextNode)
		}
		page = new([lengthsPerPage]uint16)
		l.pages[p] = page
	}
	if n++; n > 0xFFFF {
		// 0 is not known: then no list of the page may pass for a new one.
		n = 0
		l.firstNew = max(l.firstNew, key.node+1)
	}
	page[key.node%lengthsPerPage] = uint16(n)
}

// forget forgets all lists: those of the nodes that there are may have any
// length.
func (l *listLengths) forget(nextNode uint64) {
	clear(l.pages)
	l.firstNew = nextNode
}
