package graphops

import "math"

// none is the dense id of a node that is not in the projection. No node has
// it: node ids lie between 1 and 2^32-1, so there are at most 2^32-1 of them.
const none = math.MaxUint32

// A nodeIndex leads from node ids to dense ids in pages of pageSize ids. Pages
// without nodes share page 0, so that a few nodes of a large graph take
// little: at most 4*pageSize bytes a node, 4 if the ids are dense, and
// 4/pageSize for each id below the greatest.
//
// Consecutive ids need neither: a node is its id less the first.
type nodeIndex struct {
	first uint32
	n     uint32   // of consecutive ids; then pages and slots are nil
	pages []uint32 // where the page of id>>pageBits begins in slots
	slots []uint32
}

const (
	pageBits = 6
	pageSize = 1 << pageBits
)

// pageTableBytes is the size of nodeIndex.pages up to the node id last.
func pageTableBytes(last uint32) int64 { return 4 * (int64(last)>>pageBits + 1) }

// reserve sizes the page table for ids up to last and returns how many bytes
// the pages of ids will take beside it.
func (x *nodeIndex) reserve(last uint32, ids []uint32) int64 {
	x.pages = make([]uint32, last>>pageBits+1)
	at := uint32(pageSize)
	for _, id := range ids {
		if p := &x.pages[id>>pageBits]; *p == 0 {
			*p = at
			at += pageSize
		}
	}
	return 4 * int64(at)
}

// fill gives ids[u] the dense id u; bytes is what reserve returned for ids.
func (x *nodeIndex) fill(ids []uint32, bytes int64) {
	x.slots = make([]uint32, bytes/4)
	for i := range x.slots {
		x.slots[i] = none
	}
	for u, id := range ids {
		x.slots[x.pages[id>>pageBits]+id%pageSize] = uint32(u)
	}
}

// find returns the dense id of a node, or none.
func (x *nodeIndex) find(id uint64) uint32 {
	if x.n > 0 {
		if u := id - uint64(x.first); u < uint64(x.n) {
			return uint32(u)
		}
		return none
	}
	p := id >> pageBits
	if p >= uint64(len(x.pages)) {
		return none
	}
	return x.slots[x.pages[p]+uint32(id%pageSize)]
}

func (x *nodeIndex) bytes() int64 { return 4 * int64(len(x.pages)+len(x.slots)) }
