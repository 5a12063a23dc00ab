package hnsw

import (
	"math/bits"
	"sync/atomic"
)

// slotTable leads from an id to the newest slot of it: a hash table with open
// addressing that holds slots only, the ids being in the slots. One goroutine
// writes, any number read. An entry whose slot was given to another id is
// passed over.
type slotTable struct {
	slots []atomic.Uint32 // slot + 1; 0 if the place is empty
	used  int
}

func newSlotTable(n int) *slotTable {
	return &slotTable{slots: make([]atomic.Uint32, n+n/5+16)}
}

func (t *slotTable) place(id uint64) int {
	p, _ := bits.Mul64(id*0x9E3779B97F4A7C15, uint64(len(t.slots)))
	return int(p)
}

func (t *slotTable) next(i int) int {
	if i++; i == len(t.slots) {
		return 0
	}
	return i
}

func (t *slotTable) find(v *Version, id uint64) (slot uint32, ok bool) {
	for i := t.place(id); ; i = t.next(i) {
		s := t.slots[i].Load()
		if s == 0 {
			return 0, false
		}
		// A slot that the version has no room for came later.
		if s-1 < v.n && v.ID(s-1) == id && v.held(s-1) {
			return s - 1, true
		}
	}
}

// full reports whether n more ids would make searches long.
func (t *slotTable) full(n int) bool { return 8*(t.used+n) > 7*len(t.slots) }

// put leads an id to a slot. The table must not be full.
func (t *slotTable) put(v *Version, id uint64, slot uint32) {
	for i := t.place(id); ; i = t.next(i) {
		s := t.slots[i].Load()
		if s == 0 {
			t.used++
		} else if v.ID(s-1) != id {
			continue
		}
		t.slots[i].Store(slot + 1)
		return
	}
}
